"""A sphere about the origin."""

import math
from dataclasses import dataclass, replace

from anyjoint.scalar import Scalar, cos, sin
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import QUARTER_Z
from .pole import (
    POLAR_DOMAIN,
    both_charts,
    other_chart,
    polar_angles,
    polar_axes,
    polar_region,
    pole_distance,
    pole_message,
    shift_of,
)
from .surface import Change, Interval, Surface


@dataclass(frozen=True)
class Sphere(Surface):
    """radius (cos u sin v, sin u sin v, cos v), 0 < v < pi, normal outward: Rot_z(u) Rot_y(v) Trans_z(radius) [y -x z].

    `axis` says which axis carries the poles: an alternative chart is the same sphere with another axis. Two axes, such
    as "zx", are two charts: poles on z, or on x where v is in (2 pi, 3 pi).
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
        local = vector(self.radius * cos(u) * sin(v), self.radius * sin(u) * sin(v), self.radius * cos(v))
        return polar_axes(self.axis, "Sphere", v).R @ local

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        up = Pose.rotation_z(u) @ Pose.rotation_y(v) @ Pose.translation(0, 0, self.radius)
        return polar_axes(self.axis, "Sphere", v) @ up @ QUARTER_Z

    @property
    def region(self) -> tuple[Interval, Interval]:
        return polar_region(self.axis)

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        return polar_angles(self.axis, "Sphere", point)

    def all_charts(self) -> "Sphere":
        return replace(self, axis=both_charts(self.axis))

    def other_chart(self, u: Scalar, v: Scalar) -> Change | None:
        return other_chart(u, v) if len(self.axis) == 2 else None

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        return pole_distance(v)

    def singularity(self, u: float, v: float) -> str | None:
        return pole_message("Sphere", self.axis, v)
