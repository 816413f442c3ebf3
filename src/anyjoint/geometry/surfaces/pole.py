"""Charts of round solids: which coordinate axes carry the poles, how to leave a pole, what to say near one.

`axis="z"` is one chart. `axis="zx"` is two on one function of (u, v): poles on z while v is in (0, pi), on x while v is
in (2 pi, 3 pi), so that no point is a pole of both. Sine and cosine of v are the same; a quarter turn about y, local to
the first chart, tells them apart.
"""

import math

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, atan2, less, select, sincos, sqrt
from anyjoint.spatial import Pose, QuarterTurn, Turn, Vector, as_matrix

POLE_MARGIN = 1e-6
POLAR_DOMAIN = ((-math.pi, math.pi), (0.0, math.pi))
# Where the poles go: cyclic permutations of the axes, so that no handedness changes.
AXES = {"z": 0, "x": 1, "y": 2}
NEXT = {"z": "x", "x": "y", "y": "z"}  # where a quarter turn about the local y takes the poles
BETWEEN = 1.5 * math.pi  # values of v below belong to the first chart
LEAVE = 0.5  # sine of v below which the other chart is better: its own is then above 0.86


def shift_of(axis: str, owner: str) -> int:
    """By how many places the axes are cycled for poles on `axis`."""
    if axis[:1] not in AXES or axis[1:] not in ("", NEXT[axis[0]]):
        raise InputError(
            f"{owner}(axis={axis!r}): the poles lie on 'x', 'y' or 'z'; two charts are called 'xy', 'yz' or 'zx'"
        )
    return AXES[axis[0]]


def both_charts(axis: str) -> str:
    """The axes of a solid with two charts, the present one first."""
    return axis if len(axis) == 2 else axis + NEXT[axis]


def cycle(shift: int) -> Pose:
    """The constant rotation that takes z to the axis of the poles."""
    if shift == 0:
        return Pose()
    R = [[0, 0, 0] for _ in range(3)]
    for k in range(3):
        R[(k + shift) % 3][k] = 1
    return Pose((Turn(as_matrix(R)),))


def in_first(axis: str, v: Scalar) -> Scalar:
    """Whether v belongs to the first of two charts, or to the only one."""
    return less(v, BETWEEN) if len(axis) == 2 else True


def polar_axes(axis: str, owner: str, v: Scalar) -> Pose:
    """The rotation to the solid's axes from those in which the poles of the chart of v lie on z."""
    pose = cycle(shift_of(axis, owner))
    if len(axis) == 1:
        return pose
    return pose @ Pose((QuarterTurn.about(1, in_first(axis, v)),))


def other_chart(u: Scalar, v: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Whether it is time to leave the chart of v, and u and v of the same point in the other."""
    (s, c), (along, up), first = sincos(u), sincos(v), less(v, BETWEEN)
    sign = select(first, 1, -1)
    x, y, z = -sign * up, s * along, sign * c * along  # a quarter turn about y, there or back
    return less(along, LEAVE), atan2(y, x), atan2(sqrt(x * x + y * y), z) + select(first, 2 * math.pi, 0.0)


def polar_region(axis: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where one chart serves in an atlas: not near its poles; all of it where it has a second one for them."""
    away = 0.0 if len(axis) == 2 else math.asin(LEAVE)
    return POLAR_DOMAIN[0], (away, math.pi - away)


def polar_angles(axis: str, owner: str, point: Vector) -> tuple[Scalar, Scalar]:
    """u and v of a point of the unit sphere, in the first chart."""
    x, y, z = cycle(shift_of(axis, owner)).R.T @ point
    return atan2(y, x), atan2(sqrt(x * x + y * y), z)


def pole_distance(v: Scalar) -> list[Scalar]:
    """A number that vanishes at the poles."""
    s, _ = sincos(v)
    return [s * s]


def pole_message(owner: str, axis: str, v: float) -> str | None:
    """A sentence if v is at a pole, where u says nothing."""
    if abs(math.sin(v)) > POLE_MARGIN:
        return None
    if len(axis) == 2:
        return (
            f"v = {v:.6g} is a pole of the {owner} in this chart, where u says nothing; model.rechart(q, v) gives the "
            "same state in the other"
        )
    other = "x" if axis != "x" else "z"
    return (
        f"v = {v:.6g} is a pole of the {owner}, where u says nothing; keep v inside (0, pi), or put the poles "
        f'elsewhere with {owner}(..., axis="{other}") (joints.rechart carries positions and velocities over)'
    )
