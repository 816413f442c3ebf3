"""Sliding along a constant axis, in a form that shows its structure."""

from collections.abc import Sequence

from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Turn, as_matrix, frame_about


def slide(axis: Sequence[float], distance: Scalar, angle: Scalar | None = None) -> Pose:
    """A shift along a constant unit axis, with a turn about it if an angle is given (a screw).

    The axis of a screw is turned to z, so that the moving factors are elementary and the twist stays constant.
    """
    for k in range(3):
        if abs(axis[k]) == 1.0:
            sign = 1 if axis[k] > 0 else -1
            shift = Pose.translation(*[sign * distance if i == k else 0 for i in range(3)])
            return shift if angle is None else shift @ Pose.rotation(axis, angle)
    if angle is None:
        return Pose.translation(*[a * distance if a else 0 for a in axis])
    Q = as_matrix(frame_about(axis))
    return Pose((Turn(Q),)) @ Pose.translation(0, 0, distance) @ Pose.rotation_z(angle) @ Pose((Turn(Q.T),))
