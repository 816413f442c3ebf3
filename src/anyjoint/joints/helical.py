"""Screw: a rotation about an axis and a proportional translation along it."""

import math
from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.geometry.check import finite
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, unit_axis

from .axis import slide
from .joint import Coordinate, Joint, parameter


@frozen
class Helical(Joint):
    """A screw about `axis`, Q = Trans(axis pitch q) Rot(axis, q); q = (angle), `pitch` in metres per radian."""

    axis: Axis = (0.0, 0.0, 1.0)
    pitch: float = parameter((-1.0, 1.0), default=0.1)
    limits: tuple[float, float] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "Helical axis"))
        finite("Helical", pitch=self.pitch)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("angle", limits=self.limits),)

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return slide(self.axis, self.pitch * q[0], q[0])
