"""Twist: how a body moves at this moment, seen from the body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar

from .algebra import Vector, cross, vector


@frozen(eq=False)
class Twist:
    """Angular velocity and the velocity of the body's origin, both in the body's own axes."""

    angular: Vector
    linear: Vector

    def at(self, point: Sequence[Scalar]) -> Vector:
        """The velocity of a point of the body, in the body's axes."""
        return self.linear + cross(self.angular, vector(*point))

    @property
    def vector(self) -> Vector:
        """All six numbers, angular part first."""
        return np.concatenate([self.angular, self.linear])
