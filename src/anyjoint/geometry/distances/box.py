"""A box about the origin."""


from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, absolute, maximum, minimum, sqrt
from anyjoint.spatial import Vector, dot, vector

from ..check import positive
from .distance import TINY, Distance


@frozen
class Box(Distance):
    """A box with edges x, y, z; outside its corners and edges are round, as distances to it are."""

    x: float
    y: float
    z: float

    slides = 0

    def __post_init__(self) -> None:
        positive("Box", x=self.x, y=self.y, z=self.z)

    def __call__(self, p: Vector) -> Scalar:
        beyond = [absolute(c) - 0.5 * edge for c, edge in zip(p, (self.x, self.y, self.z), strict=True)]
        out = vector(*(maximum(b, 0.0) for b in beyond))
        deep = maximum(beyond[0], maximum(beyond[1], beyond[2]))
        return sqrt(dot(out, out) + TINY) + minimum(deep, 0.0)
