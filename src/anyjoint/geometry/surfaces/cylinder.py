"""The mantle of a cylinder about z."""

import math

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, atan2, cos, sin
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import OUTWARD_X
from .surface import Interval, Surface


@frozen
class Cylinder(Surface):
    """(radius cos u, radius sin u, v), normal outward: Rot_z(u) Trans(radius, 0, v) [y z x]."""

    radius: float = parameter((0.1, 2.0), POSITIVE)
    domain: tuple[Interval, Interval] = ((-math.pi, math.pi), (-1.0, 1.0))
    periods: tuple[float | None, float | None] = (2 * math.pi, None)

    def __post_init__(self) -> None:
        positive("Cylinder", radius=self.radius)

    def point(self, u: Scalar, v: Scalar) -> Vector:
        return vector(self.radius * cos(u), self.radius * sin(u), v)

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        return Pose.rotation_z(u) @ Pose.translation(self.radius, 0, v) @ OUTWARD_X

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        return atan2(point[1], point[0]), point[2]

    def singularity(self, u: float, v: float) -> str | None:
        return None
