"""Two translations in the X-Y plane [RM eq. 25, 26]."""

from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@frozen
class Planar(Joint):
    """Sliding in the X-Y plane without turning, Q = Trans(q0, q1, 0); q = (x, y)."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("x", unit="m"), Coordinate("y", unit="m"))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.translation(q[0], q[1], 0)
