"""Ball joint by a quaternion: four coordinates, three velocities, no singularity."""

from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, zeros

from .joint import Coordinate, Joint
from .product_rule import Motion
from .quaternion import QUATERNION, nearest, normalised, quaternion_rate, quaternion_singularity, relative_turn


@frozen
class SphericalQuaternion(Joint):
    """A ball joint, Q = R(q) of the quaternion q = (w, x, y, z); v = angular velocity in the body, so S is constant."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return QUATERNION

    @property
    def nv(self) -> int:
        return 3

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.quaternion(*q)

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        S = zeros(6, 3)
        S[0, 0] = S[1, 1] = S[2, 2] = 1
        return Motion(self.pose(q), Pose(), S, zeros(6, 3), zeros(6))

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        return quaternion_rate(q, v)

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        """The quaternion brought back to unit length."""
        return normalised(q), v

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return nearest(q, to)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        return relative_turn(q, rest)

    def singularity(self, q: Sequence[float]) -> str | None:
        return quaternion_singularity(q)
