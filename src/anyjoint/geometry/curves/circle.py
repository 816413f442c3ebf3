"""A circle in the X-Y plane."""

import math

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import QUARTER_Z
from .curve import Curve


@frozen
class Circle(Curve):
    """radius (cos s, sin s, 0); its Frenet frame is Rot_z(s) Trans_x(radius) Rot_z(pi/2), normal inward, binormal z."""

    radius: float = parameter((0.1, 2.0), POSITIVE)
    period = 2 * math.pi

    def __post_init__(self) -> None:
        positive("Circle", radius=self.radius)

    def point(self, s: Scalar) -> Vector:
        return vector(self.radius * cos(s), self.radius * sin(s), 0)

    def frenet(self, s: Scalar) -> Pose:
        return Pose.rotation_z(s) @ Pose.translation(self.radius, 0, 0) @ QUARTER_Z

    def in_plane(self, s: Scalar) -> Pose:
        return self.frenet(s)

    def arc_length(self, s: Scalar) -> Scalar:
        return self.radius * s
