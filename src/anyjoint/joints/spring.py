"""Springs and dampers in a joint: energy, and the generalized force that is its slope, over any scalar.

The energy is a sum of stiffness * x^2 / 2 over the joint's `deflection` x, which belongs to the pose and not to the
chart: when a joint rewrites its coordinates, the energy stays what it is. The force is -(dx/dv)^T K x - D v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, jet
from anyjoint.spatial import Vector, vector, zeros

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
        return vector(*(-(e + d * w) for e, d, w in zip(elastic, self.damping, v, strict=True)))

    def slopes(self, joint: Joint, q: Values) -> tuple[Any, Vector]:
        """How the force falls with a small motion, and with its speed: numbers per velocity, or a matrix.

        The part that the curvature of x adds is left out: it vanishes where springs relax, and without it the slope is
        never negative.
        """
        damping = vector(*self.damping)
        if joint.deflects_by_coordinates:
            return vector(*self.stiffness), damping
        _, slopes = _deflection(joint, q, self.rest)
        columns = np.array([list(column) for column in slopes], dtype=object)
        return columns @ (vector(*self.stiffness)[:, None] * columns.T), damping

    def energy(self, joint: Joint, q: Values) -> Scalar:
        """The energy that is stored."""
        x = joint.deflection(q, self.rest)
        return sum((0.5 * k * (y * y) for k, y in zip(self.stiffness, x, strict=True)), 0)


def _deflection(joint: Joint, q: Values, rest: Values) -> tuple[Values, Sequence[Values]]:
    """x, and for each velocity the slopes dx/dv."""
    n = joint.nv
    unit = [[1 if i == j else 0 for i in range(n)] for j in range(n)]
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
