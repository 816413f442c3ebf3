"""Free motion by a quaternion and a position: seven coordinates, six velocities, no singularity."""

from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, vector, zeros

from .joint import Coordinate, Joint
from .product_rule import Motion
from .quaternion import QUATERNION, nearest, normalised, quaternion_rate, quaternion_singularity, relative_turn


@frozen
class FreeQuaternion(Joint):
    """No constraint, Q = Trans(p) R(quaternion); q = (w, x, y, z, position in the parent).

    v = the body's twist (angular, then linear, both along the body's axes), so S = 1 and c = 0.
    """

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (*QUATERNION, *[Coordinate(name, unit="m") for name in "xyz"])

    @property
    def nv(self) -> int:
        return 6

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.translation(*q[4:7]) @ Pose.quaternion(*q[:4])

    def motion(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        S = zeros(6, 6)
        for k in range(6):
            S[k, k] = 1
        return Motion(self.pose(q), Pose(), S, zeros(6, 6), zeros(6))

    def rate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        return [*quaternion_rate(q[:4], v[:3]), *(self.pose(q).R @ vector(*v[3:]))]

    def carry(self, q: Sequence[Scalar], to: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """What goes straight on goes along other axes of the body, which has turned."""
        return [*v[:3], *(self.pose(to).R.T @ (self.pose(q).R @ vector(*v[3:])))]

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        """The quaternion brought back to unit length."""
        return [*normalised(q[:4]), *q[4:]], v

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return [*nearest(q[:4], to[:4]), *q[4:]]

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        """The turn, then the way in the parent's axes."""
        return [*relative_turn(q[:4], rest[:4]), *(x - r for x, r in zip(q[4:], rest[4:], strict=True))]

    def singularity(self, q: Sequence[float]) -> str | None:
        return quaternion_singularity(q[:4])
