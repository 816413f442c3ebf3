"""Hinge: one rotation about an axis [RM eq. 29, 30]."""

import math
from collections.abc import Sequence
from functools import cached_property

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, unit_axis

from .joint import Coordinate, Joint


@frozen
class Revolute(Joint):
    """A hinge about `axis`, Q = Rot(axis, q); q = (angle). `wrap=True` keeps the angle within a turn or two."""

    axis: Axis = (0.0, 0.0, 1.0)
    limits: tuple[float, float] = (-math.inf, math.inf)
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "Revolute axis"))

    @cached_property  # large mechanisms ask for them again and again
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", limits=self.limits, period=2 * math.pi, wrap=self.wrap),)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.rotation(self.axis, q[0])
