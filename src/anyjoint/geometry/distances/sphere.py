"""A ball about the origin."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import Vector, dot

from ..check import positive
from .distance import TINY, Distance


@frozen
class Sphere(Distance):
    """|p| - radius; `inside` is all but the ball, for what rolls within it."""

    radius: float
    inside: bool = False

    slides = 0

    def __post_init__(self) -> None:
        positive("Sphere", radius=self.radius)

    def __call__(self, p: Vector) -> Scalar:
        out = sqrt(dot(p, p) + TINY) - self.radius
        return -out if self.inside else out
