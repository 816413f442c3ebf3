"""Springs and dampers in a joint: energy, and the generalized force that is its slope, over any scalar.

The energy is a sum of stiffness * x^2 / 2 over the joint's `deflection` x, which belongs to the pose and not to the
chart: when a joint rewrites its coordinates, the energy stays what it is. So do the `speeds` u = W v that dampers feel.
The force is -(dx/dv)^T K x - W^T D u.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Matrix, Vector, vector, zeros

from .joint import Joint

Values = Sequence[Scalar]


@frozen
class Spring:
    """Stiffness, damping and armature per velocity, and where the springs relax, per coordinate."""

    stiffness: Values
    damping: Values
    armature: Values
    rest: Values

    @staticmethod
    def of(body: Any) -> Spring | None:
        """The springs, dampers and rotors of a body, also while they are zero; None if it has none."""
        if not (body.sprung or any(body.stiffness) or any(body.damping) or any(body.armature)):
            return None
        return Spring(body.stiffness, body.damping, body.armature, body.rest)

    @property
    def numbers(self) -> list[Scalar]:
        """All numbers in one list."""
        return [*self.stiffness, *self.damping, *self.armature, *self.rest]

    def bound(self, numbers: Values) -> Spring:
        """The same springs with other numbers."""
        n = len(self.stiffness)
        return Spring(numbers[:n], numbers[n : 2 * n], numbers[2 * n : 3 * n], numbers[3 * n :])

    def force(self, joint: Joint, q: Values, v: Values) -> Vector:
        """Generalized force on the joint's velocities."""
        x, slopes = _deflection(joint, q, self.rest)
        pull = [k * y for k, y in zip(self.stiffness, x, strict=True)]
        elastic = [sum((s * f for s, f in zip(column, pull, strict=True)), 0) for column in slopes]
        drag = [d * u for d, u in zip(self.damping, joint.speeds(q, v), strict=True)]
        if not joint.speeds_are_velocities:
            drag = [sum((w * f for w, f in zip(column, drag, strict=True)), 0) for column in _speeds(joint, q)]
        return vector(*(-(e + f) for e, f in zip(elastic, drag, strict=True)))

    def slopes(self, joint: Joint, q: Values) -> tuple[Any, Any]:
        """How the force falls with a small motion, and with its speed: numbers per velocity, or a matrix.

        The part that the curvature of x adds is left out: it vanishes where springs relax, and without it the slope is
        never negative.
        """
        stiffness = vector(*self.stiffness)
        if not joint.deflects_by_coordinates:
            stiffness = _squared(_deflection(joint, q, self.rest)[1], stiffness)
        return stiffness, self.drag(joint, q)

    def drag(self, joint: Joint, q: Values) -> Vector | Matrix:
        """How the force falls with speed: numbers per velocity, or the matrix W^T D W."""
        damping = vector(*self.damping)
        return damping if joint.speeds_are_velocities else _squared(_speeds(joint, q), damping)

    def energy(self, joint: Joint, q: Values) -> Scalar:
        """The energy that is stored."""
        x = joint.deflection(q, self.rest)
        return sum((0.5 * k * (y * y) for k, y in zip(self.stiffness, x, strict=True)), 0)


def _squared(columns: Sequence[Values], weights: Vector) -> Matrix:
    """W^T diag(weights) W."""
    rows = np.array([list(column) for column in columns], dtype=object)
    return np.asarray(rows @ (weights[:, None] * rows.T))


def _speeds(joint: Joint, q: Values) -> list[Values]:
    """For each velocity what dampers feel of it, the columns of W."""
    return [joint.speeds(q, unit) for unit in _units(joint.nv)]


def _units(n: int) -> list[list[Scalar]]:
    return [[1 if i == j else 0 for i in range(n)] for j in range(n)]


def _deflection(joint: Joint, q: Values, rest: Values) -> tuple[Values, Sequence[Values]]:
    """x, and for each velocity the slopes dx/dv."""
    n = joint.nv
    unit = _units(n)
    if joint.deflects_by_coordinates:
        return joint.deflection(q, rest), unit
    x, partials, _ = jet(lambda at: joint.deflection(at, rest), q, [0] * len(q))
    slopes = []
    for direction in unit:
        total = zeros(n)
        for rate, column in zip(joint.rate(q, direction), partials, strict=True):
            total = total + vector(*column) * rate
        slopes.append(list(total))
    return x, slopes
