"""A helix about z."""

import math

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, cos, sin, sqrt
from anyjoint.spatial import Pose, Turn, Vector, as_matrix, vector

from ..check import POSITIVE, finite, parameter, positive
from .curve import Curve


@frozen
class Helix(Curve):
    """(radius cos s, radius sin s, pitch s), `pitch` in metres per radian; its Frenet frame moves as a screw."""

    radius: float = parameter((0.1, 2.0), POSITIVE)
    pitch: float = parameter((-1.0, 1.0), default=0.1)
    domain: tuple[float, float] = (-2 * math.pi, 2 * math.pi)

    def __post_init__(self) -> None:
        positive("Helix", radius=self.radius)
        finite("Helix", pitch=self.pitch)

    def point(self, s: Scalar) -> Vector:
        return vector(self.radius * cos(s), self.radius * sin(s), self.pitch * s)

    def frenet(self, s: Scalar) -> Pose:
        slant = sqrt(self.radius * self.radius + self.pitch * self.pitch)
        along, up = self.radius / slant, self.pitch / slant
        start = Turn(as_matrix([[0, -1, 0], [along, 0, -up], [up, 0, along]]))
        screw = Pose.translation(0, 0, self.pitch * s) @ Pose.rotation_z(s)
        return screw @ Pose.translation(self.radius, 0, 0) @ Pose((start,))
