"""An ellipsoid about the origin, its half axes along the coordinate axes."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, cos, select, sin, sqrt
from anyjoint.spatial import Pose, Vector, vector

from ..check import POSITIVE, parameter, positive
from ..frame import QUARTER_Z, known_rotation
from .pole import in_first, polar_angles, shift_of
from .round import Round


@frozen
class Ellipsoid(Round):
    """(a cos u sin v, b sin u sin v, c cos v), 0 < v < pi, normal outward.

    The frame is Trans(point) Rot_z(alpha) Rot_y(beta) [y -x z] with tan alpha = a sin u / (b cos u) and
    tan beta = c h sin v / (a b cos v), h^2 = (a sin u)^2 + (b cos u)^2. `axis` says which axis carries the poles.
    Two axes, such as "zx", are two charts: poles on z, or on x where v is in (2 pi, 3 pi).
    """

    a: float = parameter((0.2, 2.0), POSITIVE)
    b: float = parameter((0.2, 2.0), POSITIVE)
    c: float = parameter((0.2, 2.0), POSITIVE)
    axis: str = "z"

    def __post_init__(self) -> None:
        positive("Ellipsoid", a=self.a, b=self.b, c=self.c)
        shift_of(self.axis, "Ellipsoid")

    def half_axes(self, v: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """The half axes in the chart of v, the one of the poles last."""
        axes, shift = (self.a, self.b, self.c), shift_of(self.axis, "Ellipsoid")
        a, b, c = (axes[(k + shift) % 3] for k in range(3))
        first = in_first(self.axis, v)
        return select(first, a, c), b, select(first, c, a)

    def point(self, u: Scalar, v: Scalar) -> Vector:
        a, b, c = self.half_axes(v)
        local = vector(a * cos(u) * sin(v), b * sin(u) * sin(v), c * cos(v))
        return self.axes(v).R @ local

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        a, b, c = self.half_axes(v)
        y, x = a * sin(u), b * cos(u)
        h = sqrt(x * x + y * y)
        lean, rise = c * h * sin(v), a * b * cos(v)
        length = sqrt(lean * lean + rise * rise)
        local = Pose.translation(a * cos(u) * sin(v), b * sin(u) * sin(v), c * cos(v))
        turn = known_rotation(2, y / h, x / h) @ known_rotation(1, lean / length, rise / length)
        return self.axes(v) @ local @ turn @ QUARTER_Z

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        x, y, z = point
        return polar_angles(self.axis, "Ellipsoid", vector(x / self.a, y / self.b, z / self.c))
