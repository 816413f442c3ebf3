"""Linear models of steps that solve equations: they run on vectors that know their slopes by the state before, and tau.

The compiled steps repeat corrections until they are small, which is not differentiated. Here the same equations are
solved by Newton's method, and their slopes follow from the equations themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar import jet
from anyjoint.stepper import Stepper

from .linearise import rate_matrix, rate_slope, tangent_inverse

Floats = np.ndarray[Any, np.dtype[Any]]
ITERATIONS, SOLVED = 50, 1e-13  # of Newton's method, and when it is done: by changes beside the state


@dataclass(frozen=True)
class Sloped:
    """A vector and its derivatives, a column for each coordinate, velocity and force before the step."""

    value: Floats
    slope: Floats


class SlopedOps:
    """The operations of a step from (q, v) with tau held, on sloped vectors."""

    def __init__(self, model: Any, state: Sequence[Floats], h: float, t: float | None) -> None:
        self.model, self.h, self.t = model, h, t
        parts = np.split(np.eye(sum(map(len, state))), np.cumsum([len(x) for x in state[:2]]))
        self.q, self.v, self.tau = (Sloped(x, slope) for x, slope in zip(state, parts, strict=True))

    def rate(self, q: Sloped, v: Sloped) -> Sloped:
        """dq/dt."""
        T = rate_matrix(self.model, q.value)
        return Sloped(T @ v.value, rate_slope(self.model, q.value, v.value) @ q.slope + T @ v.slope)

    def go(self, x: Sloped, weights: Sequence[float], rates: Sequence[Sloped]) -> Sloped:
        """x + h times the weighted sum of rates."""
        for weight, rate in zip(weights, rates, strict=True):
            x = Sloped(x.value + self.h * weight * rate.value, x.slope + self.h * weight * rate.slope)
        return x

    def share(self, part: float) -> float:
        """A part of the step."""
        return part * self.h

    def solve(self, c: float, q: Sloped, v: Sloped, g: float) -> tuple[Sloped, Sloped, Sloped]:
        """q' = q + g T(q') v' and v' = v + g a(q', v'), and a."""
        nq, time = len(q.value), None if self.t is None else self.t + c * self.h
        y, z = q.value + g * rate_matrix(self.model, q.value) @ v.value, v.value
        for _ in range(ITERATIONS):
            a = np.asarray(self.model.forward_dynamics(y, z, self.tau.value, time), dtype=float)
            d = self.model.forward_dynamics_derivatives(y, z, self.tau.value, time, raw=True)
            T, turn = rate_matrix(self.model, y), rate_slope(self.model, y, z)
            K = np.eye(nq + len(z)) - g * np.block([[turn, T], [d.q, d.v]])
            change = np.linalg.solve(K, np.concatenate([q.value + g * T @ z - y, v.value + g * a - z]))
            y, z = y + change[:nq], z + change[nq:]
            if np.abs(change).max() <= SOLVED * (1.0 + max(np.abs(y).max(), np.abs(z).max())):
                break
        else:
            raise InputError(f"linearise: the equations of a step of {self.h} s are not solved; take a shorter one")
        slope = np.linalg.solve(K, np.vstack([q.slope, v.slope + g * d.tau @ self.tau.slope]))
        end = Sloped(y, slope[:nq]), Sloped(z, slope[nq:])
        pushed = d.q @ end[0].slope + d.v @ end[1].slope + d.tau @ self.tau.slope
        return *end, Sloped(a, pushed)


def solved_matrices(
    model: Any, stepper: Stepper, state: tuple[Floats, Floats, Floats], h: float, t: float | None, raw: bool
) -> tuple[Floats, Floats]:
    """(A, B) of one step: the state after it by that before it, and by tau."""
    if model.mechanism.constraints:
        raise InputError(
            f"linearise: {stepper.name!r} with constraints solves for them, too, which is not differentiated; use "
            "'rk4' or 'implicit-euler'"
        )
    q, v, _ = state
    ops: Any = SlopedOps(model, state, h, t)  # steps that solve ask for nothing else
    new_q, new_v = charted(model, *stepper.step(ops))
    slope, count = np.vstack([new_q.slope, new_v.slope]), len(q) + len(v)
    if not raw:
        before, after = rate_matrix(model, q), tangent_inverse(model, new_q.value)
        slope = np.vstack([after @ new_q.slope, new_v.slope])
        slope = np.hstack([slope[:, : len(q)] @ before, slope[:, len(q) :]])
        count = 2 * len(v)
    return slope[:, :count], slope[:, count:]


def charted(model: Any, q: Sloped, v: Sloped) -> tuple[Sloped, Sloped]:
    """The state in the charts that joints want after a step."""
    new = [Sloped(x.value.copy(), x.slope.copy()) for x in (q, v)]
    for body in model.mechanism.bodies:
        n, chart = body.joint.nq, body.joint.chart
        at = [*q.value[body.q].tolist(), *v.value[body.v].tolist()]
        if not n or chart(at[:n], at[n:]) is None:
            continue
        rewritten = lambda x, n=n, chart=chart: [y for part in chart(x[:n], x[n:]) for y in part]  # noqa: E731
        values, partials, _ = jet(rewritten, at, [0.0] * len(at))
        slope = np.array(partials, dtype=float).T @ np.vstack([q.slope[body.q], v.slope[body.v]])
        new[0].value[body.q], new[0].slope[body.q] = values[:n], slope[:n]
        new[1].value[body.v], new[1].slope[body.v] = values[n:], slope[n:]
    return new[0], new[1]
