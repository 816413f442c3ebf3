"""Three translations [RM eq. 27, 28]."""

from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@frozen
class Translational(Joint):
    """Any translation and no turning, Q = Trans(q); q = (x, y, z)."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("x", unit="m"), Coordinate("y", unit="m"), Coordinate("z", unit="m"))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.translation(q[0], q[1], q[2])
