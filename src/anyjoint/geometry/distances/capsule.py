"""A cylinder about z with half balls at both ends."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, maximum, minimum, sqrt
from anyjoint.spatial import Vector

from ..check import positive
from .distance import TINY, Distance


@frozen
class Capsule(Distance):
    """All within a radius of a piece of the z axis; `length` is the cylinder's."""

    radius: float
    length: float

    slides = 0

    def __post_init__(self) -> None:
        positive("Capsule", radius=self.radius, length=self.length)

    def __call__(self, p: Vector) -> Scalar:
        z = p[2] - maximum(minimum(p[2], 0.5 * self.length), -0.5 * self.length)
        return sqrt(p[0] * p[0] + p[1] * p[1] + z * z + TINY) - self.radius
