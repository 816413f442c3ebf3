"""An ellipse in the X-Y plane."""

import math

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, cos, sin, sqrt
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import known_rotation
from .curve import Curve


@frozen
class Ellipse(Curve):
    """(a cos s, b sin s, 0); Frenet normal inward, binormal z."""

    a: float = parameter((0.1, 2.0), POSITIVE)
    b: float = parameter((0.1, 2.0), POSITIVE)
    period = 2 * math.pi

    def __post_init__(self) -> None:
        positive("Ellipse", a=self.a, b=self.b)

    def point(self, s: Scalar) -> Vector:
        return vector(self.a * cos(s), self.b * sin(s), 0)

    def velocity(self, s: Scalar) -> Vector:
        return vector(-(self.a * sin(s)), self.b * cos(s), 0)

    def frenet(self, s: Scalar) -> Pose:
        x, y, _ = self.velocity(s)
        speed = sqrt(x * x + y * y)
        return Pose.translation(*self.point(s)) @ known_rotation(2, y / speed, x / speed)
