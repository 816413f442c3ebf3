"""A cylinder about z, its middle at the origin."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, maximum, minimum, sqrt
from anyjoint.spatial import Vector

from ..check import positive
from .distance import TINY, Distance


@frozen
class Cylinder(Distance):
    """A cylinder of a radius and a length."""

    radius: float
    length: float

    slides = 0

    def __post_init__(self) -> None:
        positive("Cylinder", radius=self.radius, length=self.length)

    def __call__(self, p: Vector) -> Scalar:
        aside = sqrt(p[0] * p[0] + p[1] * p[1] + TINY) - self.radius
        along = absolute(p[2]) - 0.5 * self.length
        out, up = maximum(aside, 0.0), maximum(along, 0.0)
        return sqrt(out * out + up * up + TINY) + minimum(maximum(aside, along), 0.0)
