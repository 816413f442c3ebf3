"""Quaternions (w, x, y, z) and rotation vectors of rotations, over any scalar."""

import math
from collections.abc import Sequence

from anyjoint.scalar import Scalar, atan2, less, select, sqrt
from anyjoint.spatial import Matrix, dot

from .joint import Coordinate

QUATERNION = (
    Coordinate("qw", domain=(-1.0, 1.0), neutral=1.0, unit=""),
    Coordinate("qx", domain=(-1.0, 1.0), unit=""),
    Coordinate("qy", domain=(-1.0, 1.0), unit=""),
    Coordinate("qz", domain=(-1.0, 1.0), unit=""),
)

TINY = 1e-36  # keeps the direction of no rotation finite


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


def nearest(q: Sequence[Scalar], to: Sequence[Scalar]) -> list[Scalar]:
    """The quaternion or its negative, the same rotation, whichever is nearer to another."""
    sign = select(less(dot(q, to), 0.0), -1.0, 1.0)
    return [sign * x for x in q]


def relative_turn(q: Sequence[Scalar], rest: Sequence[Scalar]) -> list[Scalar]:
    """The rotation vector from `rest` to `q`, both quaternions, on the shorter way.

    At half a turn both ways are as long: the vector changes sides there, its length does not.
    """
    w, x, y, z = product(conjugate(rest), q)
    sign = select(less(w, 0.0), -1.0, 1.0)
    size = sqrt(x * x + y * y + z * z + TINY)
    scale = 2.0 * sign * atan2(size, sign * w) / size
    return [scale * x, scale * y, scale * z]


def turn_of(R: Matrix) -> list[Scalar]:
    """The rotation vector of a rotation matrix, which has no direction to go at half a turn."""
    x, y, z = ((R[j, i] - R[i, j]) / 2 for i, j in ((1, 2), (2, 0), (0, 1)))
    size = sqrt(x * x + y * y + z * z + TINY)
    scale = atan2(size, (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2) / size
    return [scale * x, scale * y, scale * z]


def conjugate(q: Sequence[Scalar]) -> list[Scalar]:
    """The inverse of a unit quaternion."""
    return [q[0], -q[1], -q[2], -q[3]]


def product(p: Sequence[Scalar], q: Sequence[Scalar]) -> list[Scalar]:
    """The quaternion p q."""
    w, x, y, z = p
    return [
        w * q[0] - x * q[1] - y * q[2] - z * q[3],
        w * q[1] + x * q[0] + y * q[3] - z * q[2],
        w * q[2] - x * q[3] + y * q[0] + z * q[1],
        w * q[3] + x * q[2] - y * q[1] + z * q[0],
    ]


def quaternion_singularity(q: Sequence[float]) -> str | None:
    """A quaternion of no length says nothing."""
    if math.hypot(*map(float, q)) > 1e-6:
        return None
    return f"the quaternion {tuple(float(x) for x in q)} has no length; start from (1, 0, 0, 0), which is no rotation"
