"""Universal joint: bending about X, then about Y, no twist about Z [RM eq. 31-35]."""

import math
from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@frozen
class Universal(Joint):
    """A cardan joint, Q = Rot_x(q0) Rot_y(q1) [RM eq. 32]; q = (angle about x, angle about y)."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("x", period=2 * math.pi), Coordinate("y", period=2 * math.pi))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.rotation_x(q[0]) @ Pose.rotation_y(q[1])  # [RM eq. 32]
