"""Slider: one translation along an axis [RM eq. 23, 24]."""

import math
from collections.abc import Sequence
from functools import cached_property

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, unit_axis

from .axis import slide
from .joint import Coordinate, Joint


@frozen
class Prismatic(Joint):
    """A slider along `axis`, Q = Trans(axis q); q = (distance)."""

    axis: Axis = (0.0, 0.0, 1.0)
    limits: tuple[float, float] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "Prismatic axis"))

    @cached_property  # large mechanisms ask for them again and again
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("distance", limits=self.limits, unit="m"),)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return slide(self.axis, q[0])
