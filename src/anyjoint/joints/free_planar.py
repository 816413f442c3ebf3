"""Free motion in the X-Y plane: two translations and a rotation about Z."""

import math
from collections.abc import Sequence

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Axis, Pose, Turn, as_matrix, frame_about, unit_axis

from .joint import Coordinate, Joint


@frozen
class FreePlanar(Joint):
    """Sliding and turning in the X-Y plane, Q = Trans(q0, q1, 0) Rot_z(q2); q = (x, y, angle).

    With another `axis` the plane is normal to it: Q = F Trans(q0, q1, 0) Rot_z(q2) F^-1, where F has it as its z axis.
    """

    axis: Axis = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "FreePlanar axis"))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate("x", unit="m"), Coordinate("y", unit="m"), Coordinate("angle", period=2 * math.pi))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        moved = Pose.translation(q[0], q[1], 0) @ Pose.rotation_z(q[2])
        if self.axis == (0.0, 0.0, 1.0):
            return moved
        F = as_matrix(frame_about(self.axis))
        return Pose((Turn(F),)) @ moved @ Pose((Turn(F.T),))
