"""A ring torus about z."""

import math

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, atan2, cos, is_number, sin, sqrt
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import OUTWARD_X
from .surface import Surface


@frozen
class Torus(Surface):
    """((R + r cos v) cos u, (R + r cos v) sin u, r sin v) with R > r > 0, normal outward.

    Its frame is a product of elementary factors: Rot_z(u) Trans_x(R) Rot_y(-v) Trans_x(r) [y z x].
    """

    R: float = parameter((0.7, 2.0), POSITIVE)
    r: float = parameter((0.1, 0.6), POSITIVE)
    periods = (2 * math.pi, 2 * math.pi)

    def __post_init__(self) -> None:
        positive("Torus", R=self.R, r=self.r)
        if is_number(self.R) and is_number(self.r) and not self.r < self.R:
            raise InputError(f"Torus(R={self.R}, r={self.r}): the ring radius R must exceed the tube radius r")

    def point(self, u: Scalar, v: Scalar) -> Vector:
        ring = self.R + self.r * cos(v)
        return vector(ring * cos(u), ring * sin(u), self.r * sin(v))

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        ring = Pose.rotation_z(u) @ Pose.translation(self.R, 0, 0)
        return ring @ Pose.rotation_y(-v) @ Pose.translation(self.r, 0, 0) @ OUTWARD_X

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        x, y, z = point
        return atan2(y, x), atan2(z, sqrt(x * x + y * y) - self.R)

    def singularity(self, u: float, v: float) -> str | None:
        return None
