"""Quaternions (w, x, y, z) of rotations, over any scalar."""

from collections.abc import Sequence

from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import dot

from .joint import Coordinate

QUATERNION = (
    Coordinate("qw", domain=(-1.0, 1.0), neutral=1.0, unit=""),
    Coordinate("qx", domain=(-1.0, 1.0), unit=""),
    Coordinate("qy", domain=(-1.0, 1.0), unit=""),
    Coordinate("qz", domain=(-1.0, 1.0), unit=""),
)


def quaternion_rate(q: Sequence[Scalar], omega: Sequence[Scalar]) -> list[Scalar]:
    """dq/dt = q * (0, omega) / 2 for the angular velocity in the body."""
    w, x, y, z = q
    a, b, c = omega
    return [
        -0.5 * (x * a + y * b + z * c),
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
    ]


def normalised(q: Sequence[Scalar]) -> list[Scalar]:
    """The quaternion at unit length."""
    length = sqrt(dot(q, q))
    return [x / length for x in q]


def quaternion_singularity(q: Sequence[float]) -> str | None:
    """A quaternion of no length says nothing."""
    if sum(float(x) ** 2 for x in q) > 1e-12:
        return None
    return f"the quaternion {tuple(float(x) for x in q)} has no length; start from (1, 0, 0, 0), which is no rotation"
