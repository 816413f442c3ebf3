"""An ellipsoid about the origin, its half axes along the coordinate axes."""

import math
from dataclasses import dataclass

from anyjoint.scalar import Scalar, cos, sin, sqrt
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import QUARTER_Z, known_rotation
from .pole import POLAR_DOMAIN, cycle, pole_distance, pole_message, shift_of
from .surface import Surface


@dataclass(frozen=True)
class Ellipsoid(Surface):
    """(a cos u sin v, b sin u sin v, c cos v), 0 < v < pi, normal outward.

    The frame is Trans(point) Rot_z(alpha) Rot_y(beta) [y -x z] with tan alpha = a sin u / (b cos u) and
    tan beta = c h sin v / (a b cos v), h^2 = (a sin u)^2 + (b cos u)^2. `axis` says which axis carries the poles.
    """

    a: float = parameter((0.2, 2.0), POSITIVE)
    b: float = parameter((0.2, 2.0), POSITIVE)
    c: float = parameter((0.2, 2.0), POSITIVE)
    axis: str = "z"
    domain = POLAR_DOMAIN
    periods = (2 * math.pi, None)
    orientation = -1

    def __post_init__(self) -> None:
        positive("Ellipsoid", a=self.a, b=self.b, c=self.c)
        shift_of(self.axis, "Ellipsoid")

    def half_axes(self) -> tuple[Scalar, Scalar, Scalar]:
        """The half axes, the one of the poles last."""
        axes, shift = (self.a, self.b, self.c), shift_of(self.axis, "Ellipsoid")
        return axes[shift % 3], axes[(1 + shift) % 3], axes[(2 + shift) % 3]

    def point(self, u: Scalar, v: Scalar) -> Vector:
        a, b, c = self.half_axes()
        p = [a * cos(u) * sin(v), b * sin(u) * sin(v), c * cos(v)]
        shift = shift_of(self.axis, "Ellipsoid")
        return vector(*[p[(k - shift) % 3] for k in range(3)])

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        a, b, c = self.half_axes()
        y, x = a * sin(u), b * cos(u)
        h = sqrt(x * x + y * y)
        lean, rise = c * h * sin(v), a * b * cos(v)
        length = sqrt(lean * lean + rise * rise)
        turn = known_rotation(2, y / h, x / h) @ known_rotation(1, lean / length, rise / length)
        return Pose.translation(*self.point(u, v)) @ cycle(shift_of(self.axis, "Ellipsoid")) @ turn @ QUARTER_Z

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        return pole_distance(v)

    def singularity(self, u: float, v: float) -> str | None:
        return pole_message("Ellipsoid", self.axis, v)
