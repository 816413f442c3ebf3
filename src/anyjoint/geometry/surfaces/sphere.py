"""A sphere about the origin."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import QUARTER_Z
from .pole import polar_angles, shift_of
from .round import Round


@frozen
class Sphere(Round):
    """radius (cos u sin v, sin u sin v, cos v), 0 < v < pi, normal outward: Rot_z(u) Rot_y(v) Trans_z(radius) [y -x z].

    `axis` says which axis carries the poles: an alternative chart is the same sphere with another axis. Two axes, such
    as "zx", are two charts: poles on z, or on x where v is in (2 pi, 3 pi).
    """

    radius: float = parameter((0.1, 2.0), POSITIVE)
    axis: str = "z"

    def __post_init__(self) -> None:
        positive("Sphere", radius=self.radius)
        shift_of(self.axis, "Sphere")

    def point(self, u: Scalar, v: Scalar) -> Vector:
        local = vector(self.radius * cos(u) * sin(v), self.radius * sin(u) * sin(v), self.radius * cos(v))
        return self.axes(v).R @ local

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        up = Pose.rotation_z(u) @ Pose.rotation_y(v) @ Pose.translation(0, 0, self.radius)
        return self.axes(v) @ up @ QUARTER_Z

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        return polar_angles(self.axis, "Sphere", point)
