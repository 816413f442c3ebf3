"""Exponential coordinates of rotations: R = exp([q]), its body Jacobian and their functions, accurate near 0.

Every function is even in |q| and is written in t2 = |q|^2: a power series below |q| = 1/4, a closed form above. The
closed form is fed a harmless number below, so that neither branch ever makes a NaN, nor do its derivatives.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, floor, less, select, sincos, sqrt
from anyjoint.spatial import Matrix, Vector, as_matrix, cross, dot, vector

THRESHOLD = 0.0625  # of t2; six terms of the series are exact there, and cancellation above costs two digits at most
TERMS = 6
TURN = 2 * math.pi
TINY = 1e-300  # keeps the direction of no rotation finite


def alternating(start: int) -> tuple[float, ...]:
    """Coefficients of sum (-1)^k t2^k / (start + 2k)!: 1 for sin t/t, 2 for (1 - cos t)/t^2, 3 for (t - sin t)/t^3."""
    return tuple((-1) ** k / math.factorial(start + 2 * k) for k in range(TERMS))


def slopes(series: Sequence[float]) -> tuple[float, ...]:
    """Coefficients of the derivative of a power series."""
    return tuple(k * x for k, x in enumerate(series))[1:]


# (1 - (t/2) cot(t/2)) / t^2 = sum |B_2k| t^(2k-2) / (2k)!
COTANGENT = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600,
             3617 / 10670622842880000)  # fmt: skip


@frozen
class Coefficients:
    """sin t/t, (1 - cos t)/t^2, (t - sin t)/t^3 and the derivatives of the last two by t2."""

    a: Scalar
    b: Scalar
    c: Scalar
    db: Scalar
    dc: Scalar


def coefficients(t2: Scalar) -> Coefficients:
    """The functions of the exponential map at t2 = |q|^2; near 0 by series [LJ eq. 55, 56]."""
    small = less(t2, THRESHOLD)
    far = select(small, 1.0, t2)
    t, inverse = sqrt(far), 1 / far
    s, x = sincos(0.5 * t)
    a = 2 * s * x * (t * inverse)
    b = 2 * s * s * inverse
    c = (1 - a) * inverse
    closed = (a, b, c, (0.5 * a - b) * inverse, (0.5 * b - 1.5 * c) * inverse)
    near = [alternating(1), alternating(2), alternating(3), slopes(alternating(2)), slopes(alternating(3))]
    return Coefficients(*[select(small, horner(s, t2), x) for s, x in zip(near, closed, strict=True)])


def horner(series: Sequence[float], x: Scalar) -> Scalar:
    """A polynomial, lowest power first."""
    total: Scalar = series[-1]
    for coefficient in reversed(series[:-1]):
        total = total * x + coefficient
    return total


def rotation_matrix(q: Sequence[Scalar], k: Coefficients) -> Matrix:
    """exp([q]) = 1 + a [q] + b [q]^2 [RM eq. 36; LJ eq. 53]."""
    x, y, z = q
    return as_matrix([
        [1 - k.b * (y * y + z * z), k.b * (x * y) - k.a * z, k.b * (x * z) + k.a * y],
        [k.b * (x * y) + k.a * z, 1 - k.b * (x * x + z * z), k.b * (y * z) - k.a * x],
        [k.b * (x * z) - k.a * y, k.b * (y * z) + k.a * x, 1 - k.b * (x * x + y * y)],
    ])  # fmt: skip


def body_jacobian(q: Sequence[Scalar], k: Coefficients) -> Matrix:
    """S with omega = S qdot in the body: 1 - b [q] + c [q]^2, the closed form of [RM eq. 37, 38; LJ eq. 54]."""
    x, y, z = q
    return as_matrix([
        [1 - k.c * (y * y + z * z), k.c * (x * y) + k.b * z, k.c * (x * z) - k.b * y],
        [k.c * (x * y) - k.b * z, 1 - k.c * (x * x + z * z), k.c * (y * z) + k.b * x],
        [k.c * (x * z) + k.b * y, k.c * (y * z) - k.b * x, 1 - k.c * (x * x + y * y)],
    ])  # fmt: skip


def body_bias(q: Sequence[Scalar], v: Sequence[Scalar], k: Coefficients) -> Vector:
    """d/dt(S qdot) at constant qdot, the closed form of [RM eq. 39-41] times qdot."""
    w = cross(q, v)
    rate = 2 * dot(q, v)  # of t2
    return np.asarray(cross(q, w) * (k.dc * rate) + cross(v, w) * k.c - w * (k.db * rate))


def solve_body_jacobian(q: Any, omega: Any) -> Vector:
    """qdot with S qdot = omega: 1 + [q]/2 + e [q]^2."""
    t2 = dot(q, q)
    small = less(t2, THRESHOLD)
    far = select(small, 1.0, t2)
    half = 0.5 * sqrt(far)
    s, c = sincos(half)
    e = select(small, horner(COTANGENT, t2), (1 - half * c / s) / far)
    w = cross(q, omega)
    return np.asarray(vector(*omega) + w * 0.5 + cross(q, w) * e)


def quaternion(q: Sequence[Scalar]) -> list[Scalar]:
    """The unit quaternion of a rotation vector."""
    half = [0.5 * x for x in q]
    t2 = dot(half, half)
    k = coefficients(t2)
    return [1 - k.b * t2, *(k.a * x for x in half)]


def reparameterise(q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """The same rotation and angular velocity by a shorter vector once |q| > 3/2 pi [RM section 4.7]."""
    t2 = dot(q, q)
    keep = less(t2, (1.5 * math.pi) ** 2)
    t = sqrt(select(keep, 1.0, t2))
    shrink = 1 - TURN * floor(t / TURN + 0.5) / t  # RedMax has one turn; whole turns serve any length
    new_q = vector(*q) * shrink
    omega = body_jacobian(q, coefficients(t2)) @ vector(*v)
    new_v = solve_body_jacobian(new_q, omega)
    chosen_q = [select(keep, x, y) for x, y in zip(q, new_q, strict=True)]
    return chosen_q, [select(keep, x, y) for x, y in zip(v, new_v, strict=True)]


def nearest(q: Sequence[Scalar], to: Sequence[Scalar]) -> list[Scalar]:
    """The same rotation by a vector that is whole turns longer or shorter, whichever is nearest to another."""
    t = sqrt(dot(q, q) + TINY)
    turns = floor((dot(q, to) / t - t) / TURN + 0.5)
    return [x * (1 + TURN * turns / t) for x in q]


def turn_singularity(q: Sequence[float]) -> str | None:
    """What is wrong with exponential coordinates at whole turns."""
    t = math.sqrt(sum(float(x) ** 2 for x in q))
    turns = round(t / TURN)
    if turns == 0 or abs(t - turns * TURN) > 1e-6:
        return None
    return (
        f"exponential coordinates {tuple(map(float, q))} have length {turns} * 2 pi, where they say nothing about "
        "the axis; reparameterise them with joint.chart(q, v), or use the quaternion variant of the joint"
    )
