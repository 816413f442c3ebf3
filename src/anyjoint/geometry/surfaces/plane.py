"""The plane z = 0."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Vector, vector

from .surface import Interval, Surface


@frozen
class Plane(Surface):
    """The plane (u, v, 0), normal z; place it with the body's or the joint's placement."""

    domain: tuple[Interval, Interval] = ((-1.0, 1.0), (-1.0, 1.0))

    def point(self, u: Scalar, v: Scalar) -> Vector:
        return vector(u, v, 0)

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        return Pose.translation(u, v, 0)

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        return point[0], point[1]

    def singularity(self, u: float, v: float) -> str | None:
        return None
