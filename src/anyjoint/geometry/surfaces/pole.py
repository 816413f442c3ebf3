"""Charts of round solids: which coordinate axis carries the two poles, and what to say near them."""

import math

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, sin
from anyjoint.spatial import Pose, Turn, as_matrix

POLE_MARGIN = 1e-6
POLAR_DOMAIN = ((-math.pi, math.pi), (0.0, math.pi))
# Where the poles go: cyclic permutations of the axes, so that no handedness changes.
AXES = {"z": 0, "x": 1, "y": 2}


def shift_of(axis: str, owner: str) -> int:
    """By how many places the axes are cycled for poles on `axis`."""
    if axis not in AXES:
        raise InputError(f"{owner}(axis={axis!r}): the poles lie on 'x', 'y' or 'z'")
    return AXES[axis]


def cycle(shift: int) -> Pose:
    """The constant rotation that takes z to the axis of the poles."""
    if shift == 0:
        return Pose()
    R = [[0, 0, 0] for _ in range(3)]
    for k in range(3):
        R[(k + shift) % 3][k] = 1
    return Pose((Turn(as_matrix(R)),))


def pole_distance(v: Scalar) -> list[Scalar]:
    """A number that vanishes at the poles."""
    s = sin(v)
    return [s * s]


def pole_message(owner: str, axis: str, v: float) -> str | None:
    """A sentence if v is at a pole, where u says nothing."""
    if abs(math.sin(v)) > POLE_MARGIN:
        return None
    other = "x" if axis != "x" else "z"
    return (
        f"v = {v:.6g} is a pole of the {owner}, where u says nothing; keep v inside (0, pi), or put the poles "
        f'elsewhere with {owner}(..., axis="{other}") (joints.rechart carries positions and velocities over)'
    )
