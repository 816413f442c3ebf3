"""Formulation stiffness [PAK section 7]: digits that each forward dynamics keeps when a light arm carries a heavy tip.

    python -m bench.formulation_stiffness

An arm of eight hinges with generic axes; the tip is 1 to 1e12 times heavier than the links. The exact answer comes
from the same sweeps on 50-digit numbers. The problem itself is well conditioned at every ratio: with a very heavy tip
the arm moves as if its tip followed a given path. What is lost is lost by the formulation alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from anyjoint.dynamics.algorithm import Algorithm, run_sweeps
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.mass_matrix import mass_matrix, solve_from_leaves
from anyjoint.dynamics.modified_articulated_body import MODIFIED_ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import INERTIAL_BIAS
from anyjoint.dynamics.recursive import RECURSIVE
from anyjoint.dynamics.split_pivot import SPLIT_PIVOT
from anyjoint.joints import Revolute
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.spatial import Pose, vector, zeros
from anyjoint.tree.links import give_springs, link_body, raw_values, upward
from anyjoint.tree.plan import Plan, make_plan
from anyjoint.tree.record import Record, ground

RATIOS = tuple(10.0**k for k in range(0, 13, 2))
DIGITS = 50


def heavy_tip(ratio: float, n: int = 8, seed: int = 1) -> Mechanism:
    """n rods of 1 kg on hinges with generic axes, the last one `ratio` times heavier."""
    rng = np.random.default_rng(seed)
    mech = Mechanism("heavy tip")
    for k in range(n):
        mass = ratio if k == n - 1 else 1.0
        placement = Pose.translation(0.0, 0.0, 0.5 if k else 0.0) @ Pose.rpy(*rng.uniform(-0.5, 0.5, 3).tolist())
        inertia = Inertia(mass=mass, com=(0.02, 0.0, 0.25), tensor=np.diag([0.025, 0.03, 0.01]) * mass)
        mech.add_body(
            f"link {k}", mech.bodies[-1] if k else None, Revolute(rng.normal(size=3).tolist()), placement, inertia
        )
    return mech


class Angle:
    """A many-digit angle: sine and cosine by mpmath, which scalars of this library bring as methods."""

    def __init__(self, value: Any) -> None:
        self.value = mpmath.mpf(value)

    def __add__(self, other: Any) -> Angle:
        return Angle(self.value + other)

    def sin(self) -> Any:
        return mpmath.sin(self.value)

    def cos(self) -> Any:
        return mpmath.cos(self.value)


def bodies_of(plan: Plan, q: Sequence[float], v: Sequence[float], tau: Sequence[float], exact: bool) -> list[Record]:
    """The links of a chain of hinges at a state, on floats or on many-digit numbers."""
    number: Callable[[Any], Any] = mpmath.mpf if exact else float
    bodies = []
    for k, link in enumerate(plan.links):
        raw = [x if x in (0.0, 1.0) else number(x) for x in raw_values(link)]
        if exact:
            raw[:4] = [*_normalised(*raw[:2]), *_normalised(*raw[2:4])]
        angle = Angle(q[k]) if exact else q[k]
        body = link_body(link, raw, [angle], [number(v[k])], None)
        give_springs(body, link, raw, [angle], [number(v[k])])
        body.tau, body.qdd, body.elders = vector(number(tau[k])), zeros(1), 0
        bodies.append(body)
    return bodies


def _normalised(s: Any, c: Any) -> tuple[Any, Any]:
    """A sine and cosine whose squares add up to one in all digits: inertias turn by formulas that rely on it."""
    length = mpmath.hypot(s, c)
    return s / length if s else 0.0, c / length if c else 0.0


def by_sweeps(algorithm: Algorithm) -> Callable[..., list[Any]]:
    """Accelerations of all links by an algorithm of sweeps."""

    def run(plan: Plan, bodies: list[Record], root: Record) -> list[Any]:
        run_sweeps(algorithm, bodies, plan.parents, root)
        return [body.qdd[0] for body in bodies]

    return run


def by_composite(plan: Plan, bodies: list[Record], root: Record) -> list[Any]:
    """Accelerations by the mass matrix of composite rigid bodies."""
    run_sweeps(INERTIAL_BIAS, bodies, plan.parents, root)
    M = mass_matrix(bodies, plan.parents, root, range(len(bodies) + 1))
    right = vector(*(body.tau[0] - body.generalized[0] for body in bodies))
    return list(solve_from_leaves(M, right))


METHODS: dict[str, Callable[..., list[Any]]] = {
    "composite": by_composite,
    "recursive": by_sweeps(RECURSIVE),
    "articulated": by_sweeps(ARTICULATED_BODY),
    "split pivot": by_sweeps(SPLIT_PIVOT),
    "modified": by_sweeps(MODIFIED_ARTICULATED_BODY),
}


def digits_kept(ratio: float, states: int = 5) -> dict[str, float]:
    """Decimal digits of the worst of some random states, by method."""
    rng = np.random.default_rng(0)
    mech = heavy_tip(ratio)
    plan = make_plan(mech)
    worst = dict.fromkeys(METHODS, math.inf)
    for _ in range(states):
        q, v, tau = (rng.uniform(-1, 1, mech.nv).tolist() for _ in range(3))
        exact = exact_accelerations(mech, q, v, tau)
        for name, method in METHODS.items():
            made = _run(method, plan, mech.gravity, bodies_of(plan, q, v, tau, exact=False))
            worst[name] = min(worst[name], digits(made, exact))
    return worst


def exact_accelerations(mech: Mechanism, q: Sequence[float], v: Sequence[float], tau: Sequence[float]) -> list[Any]:
    """Accelerations of a chain of hinges in 50-digit arithmetic."""
    plan = make_plan(mech)
    with mpmath.workdps(DIGITS):
        return _run(METHODS["articulated"], plan, mech.gravity, bodies_of(plan, q, v, tau, exact=True))


def _run(method: Callable[..., list[Any]], plan: Plan, gravity: Sequence[float], bodies: list[Record]) -> list[Any]:
    return method(plan, bodies, ground(upward(gravity)))


def digits(made: Sequence[Any], exact: Sequence[Any]) -> float:
    """Correct decimal digits of a vector, by its largest error."""
    with mpmath.workdps(DIGITS):
        error = max(abs(mpmath.mpf(x) - y) for x, y in zip(made, exact, strict=True)) / max(abs(y) for y in exact)
        return 17.0 if error == 0 else max(0.0, float(-mpmath.log10(error)))


def main() -> None:
    print("digits kept by forward dynamics, eight generic hinges, heavy tip (worst of five states)")
    print("mass ratio  " + "".join(f"{name:>13}" for name in METHODS))
    for ratio in RATIOS:
        kept = digits_kept(ratio)
        print(f"{ratio:10.0e}  " + "".join(f"{kept[name]:13.1f}" for name in METHODS))


if __name__ == "__main__":
    main()
