"""Free motion in the X-Y plane: two translations and a rotation about Z."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@dataclass(frozen=True)
class FreePlanar(Joint):
    """Sliding and turning in the X-Y plane, Q = Trans(q0, q1, 0) Rot_z(q2); q = (x, y, angle)."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("x", unit="m"), Coordinate("y", unit="m"), Coordinate("angle", period=2 * math.pi))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        return Pose.translation(q[0], q[1], 0) @ Pose.rotation_z(q[2])
