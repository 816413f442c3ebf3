"""Hinge: one rotation about an axis [RM eq. 29, 30]."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, unit_axis

from .joint import Coordinate, Joint


@dataclass(frozen=True)
class Revolute(Joint):
    """A hinge about `axis`; q = (angle)."""

    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    limits: tuple[float, float] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "Revolute axis"))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", limits=self.limits, period=2 * math.pi),)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.rotation(self.axis, q[0])
