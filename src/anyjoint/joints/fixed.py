"""Weld: no motion at all [RM section 4.1]."""

from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@frozen
class Fixed(Joint):
    """A weld: Q = 1, no coordinates."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return ()

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose()
