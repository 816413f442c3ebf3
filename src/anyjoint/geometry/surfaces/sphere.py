"""A sphere about the origin."""

import math
from dataclasses import dataclass

from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import QUARTER_Z
from .pole import POLAR_DOMAIN, cycle, pole_distance, pole_message, shift_of
from .surface import Surface


@dataclass(frozen=True)
class Sphere(Surface):
    """radius (cos u sin v, sin u sin v, cos v), 0 < v < pi, normal outward: Rot_z(u) Rot_y(v) Trans_z(radius) [y -x z].

    `axis` says which axis carries the poles: an alternative chart is the same sphere with another axis.
    """

    radius: float = parameter((0.1, 2.0), POSITIVE)
    axis: str = "z"
    domain = POLAR_DOMAIN
    periods = (2 * math.pi, None)
    orientation = -1

    def __post_init__(self) -> None:
        positive("Sphere", radius=self.radius)
        shift_of(self.axis, "Sphere")

    def point(self, u: Scalar, v: Scalar) -> Vector:
        p = [self.radius * cos(u) * sin(v), self.radius * sin(u) * sin(v), self.radius * cos(v)]
        shift = shift_of(self.axis, "Sphere")
        return vector(*[p[(k - shift) % 3] for k in range(3)])

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        up = Pose.rotation_z(u) @ Pose.rotation_y(v) @ Pose.translation(0, 0, self.radius)
        return cycle(shift_of(self.axis, "Sphere")) @ up @ QUARTER_Z

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        return pole_distance(v)

    def singularity(self, u: float, v: float) -> str | None:
        return pole_message("Sphere", self.axis, v)
