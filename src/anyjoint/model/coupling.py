"""Joints that follow other joints: the tree is traced with a coordinate for each of them, then projected.

The expanded coordinates are functions of the mechanism's own: q_e = phi(q), v_e = Phi v, a_e = Phi a + phi'' v v.
By d'Alembert's principle forces come back by Phi^T, so that M = Phi^T M_e Phi: all closed loops of [GL Fig. 5d]
vanish from the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from anyjoint.dynamics.algorithm import Algorithm, run_sweeps
from anyjoint.dynamics.mass_matrix import mass_matrix, solve_from_leaves
from anyjoint.dynamics.newton_euler import BIAS, GRAVITY, MOMENTUM, NEWTON_EULER
from anyjoint.joints import Coupled
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Matrix, vector, zeros
from anyjoint.symbolic import Graph
from anyjoint.trace.flatten import flatten
from anyjoint.trace.joints_cache import JointCache
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.straight import PER_LINK, Trace, row_schedule, trace_bodies
from anyjoint.tree.plan import Plan

from .quantities import Traced, velocity_starts

# Joints that follow accelerate even where the mechanism's own coordinates do not.
WITH_ACCELERATIONS = {BIAS.name: NEWTON_EULER, GRAVITY.name: MOMENTUM}


@dataclass(frozen=True)
class Expansion:
    """A mechanism in which every coupled joint has coordinates of its own."""

    mechanism: Any
    bodies: list[Any]
    nq: int
    nv: int

    @property
    def gravity(self) -> tuple[float, float, float]:
        gravity: tuple[float, float, float] = self.mechanism.gravity
        return gravity

    def coordinates(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Expanded:
        """Expanded coordinates, velocities, Phi and the acceleration that velocities cause."""
        q_e, v_e, second, Phi = [], [], zeros(self.nv), zeros(self.nv, len(v))
        for own, body in zip(self.mechanism.bodies, self.bodies, strict=True):
            at = body.v.start
            if not isinstance(own.joint, Coupled):
                q_e += q[own.q]
                v_e += v[own.v]
                for k in range(own.joint.nv):
                    Phi[at + k, own.v.start + k] = 1
                continue
            source = self.mechanism[own.joint.source]
            values, partials, curved = jet(own.joint.inner_coordinates, q[source.q], v[source.v])
            q_e += values
            second[body.v] = curved
            for j, column in enumerate(partials):
                Phi[body.v, source.v.start + j] = column
            v_e += list(Phi[body.v, source.v] @ vector(*v[source.v]))
        return Expanded(q_e, v_e, Phi, second)


@dataclass(frozen=True)
class Expanded:
    """Expanded coordinates at a state."""

    q: list[Scalar]
    v: list[Scalar]
    Phi: Matrix
    second: Any


def expand(mechanism: Any) -> Expansion | None:
    """The expansion of a mechanism, or None if no joint follows another."""
    if not any(isinstance(body.joint, Coupled) for body in mechanism.bodies):
        return None
    bodies, nq, nv = [], 0, 0
    for body in mechanism.bodies:
        joint = body.joint.joint if isinstance(body.joint, Coupled) else body.joint
        bodies.append(replace(body, joint=joint, q=slice(nq, nq + joint.nq), v=slice(nv, nv + joint.nv)))
        nq, nv = nq + joint.nq, nv + joint.nv
    return Expansion(mechanism, bodies, nq, nv)


class CoupledTracer:
    """Straight-line programs of quantities of a mechanism with coupled joints."""

    def __init__(self, expansion: Expansion, plan: Plan, numbers: Numbers, joints: JointCache) -> None:
        self.expansion, self.plan, self.numbers, self.joints = expansion, plan, numbers, joints

    def sizes(self, inputs: Sequence[str]) -> list[tuple[str, int]]:
        """Lengths of the state rows."""
        mechanism = self.expansion.mechanism
        special = {"q": mechanism.nq} | {name: 6 * len(self.plan.links) for name in PER_LINK}
        return [(name, special.get(name, mechanism.nv)) for name in inputs]

    def _begin(self, inputs: Sequence[str]) -> tuple[Trace, dict[str, list[Any]], Expanded]:
        trace = Trace(Graph())
        rows: dict[str, list[Any]] = {name: [trace.row(name, k) for k in range(n)] for name, n in self.sizes(inputs)}
        rows.setdefault("v", [0] * self.expansion.mechanism.nv)
        return trace, rows, self.expansion.coordinates(rows["q"], rows["v"])

    def sweeps(self, algorithm: Algorithm) -> Traced:
        """Any list of sweeps over the expanded tree; generalized forces, called x, come back by Phi^T."""
        trace, rows, e = self._begin(algorithm.inputs)
        given = {
            name: row if name in PER_LINK else e.Phi @ vector(*row) for name, row in rows.items() if name not in "qv"
        }
        if "qdd" in given:
            given["qdd"] = given["qdd"] + e.second
        bodies, root = trace_bodies(trace, self.plan, self.numbers, self.joints, e.q, e.v, **given)
        if "x" in given:
            rate = self._rate(rows["q"], rows["v"], rows["x"])
            for link, body in zip(self.plan.links, bodies, strict=True):
                body.Sdot_x = body.Sdot_x + (body.S_A + body.S_B) @ rate[link.v]
        run_sweeps(algorithm, bodies, self.plan.parents, root)
        results = [entry for body in bodies for name in algorithm.results for entry in flatten(getattr(body, name))[0]]
        return row_schedule(trace, algorithm.inputs, list(e.Phi.T @ vector(*results)) if "y" in rows else results)

    def _rate(self, q: Any, v: Any, x: Any) -> Any:
        """Phidot*x: the acceleration that velocities cause is a quadratic form, here polarised."""
        plus, minus = ([a + s * b for a, b in zip(v, x, strict=True)] for s in (1, -1))
        return (self.expansion.coordinates(q, plus).second - self.expansion.coordinates(q, minus).second) / 4

    def forces(self, algorithm: Algorithm) -> Traced:
        """Forces of one kind: Phi^T of the expanded ones."""
        trace, rows, x = self._begin(algorithm.inputs)
        a = vector(*rows["qdd"]) if "qdd" in rows else zeros(x.Phi.shape[1])
        return row_schedule(trace, algorithm.inputs, list(self._generalized(algorithm, trace, x, x.Phi @ a + x.second)))

    def _generalized(self, algorithm: Algorithm, trace: Trace, x: Expanded, qdd: Any) -> Any:
        bodies, root = trace_bodies(trace, self.plan, self.numbers, self.joints, x.q, x.v, qdd=qdd)
        run_sweeps(WITH_ACCELERATIONS.get(algorithm.name, algorithm), bodies, self.plan.parents, root)
        return x.Phi.T @ vector(*(g for body in bodies for g in body.generalized))

    def _mass(self, trace: Trace, x: Expanded) -> Matrix:
        bodies, root = trace_bodies(trace, self.plan, self.numbers, self.joints, x.q, x.v)
        M = mass_matrix(bodies, self.plan.parents, root, velocity_starts(self.plan))
        projected: Matrix = x.Phi.T @ (M @ x.Phi)
        for i in range(len(projected)):
            projected[i, :i] = projected[:i, i]  # symmetric to the bit
        return projected

    def mass_matrix(self) -> Traced:
        """M = Phi^T M_e Phi."""
        trace, _, x = self._begin(("q",))
        return row_schedule(trace, ("q",), list(self._mass(trace, x).ravel()))

    def forward(self) -> Traced:
        """Accelerations from the projected mass matrix and bias."""
        inputs = ("q", "v", "tau")
        trace, rows, x = self._begin(inputs)
        right = vector(*rows["tau"]) - self._generalized(BIAS, trace, x, x.second)
        return row_schedule(trace, inputs, list(solve_from_leaves(self._mass(trace, x), right)))
