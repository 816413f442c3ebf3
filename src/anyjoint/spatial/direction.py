"""Unit vectors and frames of constants whose entries are correctly rounded.

(1, 1, 0) at unit length is (r, r, 0), where r is the float next to the root of one half and not its neighbour, as a
division by a rounded length may give. Generated code then knows what number is meant, and that its square is one half.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .algebra import Matrix

_LARGEST_DENOMINATOR = 2**15  # of a square that a rounded entry is taken to come from
_ROUNDING = Fraction(1, 2**51)  # of the square of a unit vector's length


def at_unit_length(a: Sequence[float]) -> list[float]:
    """A vector at unit length; entries below 1e-16 are zero.

    What has unit length up to rounding stays as it is, so that a file which holds it says the same again; unless it is
    next to a vector of roots of simple fractions, which is meant then.
    """
    if sum(map(bool, a)) == 1:  # most axes by far
        return [math.copysign(1.0, x) if x else 0.0 for x in a]
    squares = [Fraction(float(x)) ** 2 for x in a]
    size = sum(squares, Fraction())
    entries = [root(square / size, float(x)) for square, x in zip(squares, a, strict=True)]
    if abs(size - 1) < _ROUNDING and sum(map(_square, entries)) != 1:
        entries = [float(x) for x in a]
    return [0.0 if abs(x) < 1e-16 else x for x in entries]


def frame_about(unit: Sequence[float]) -> Matrix:
    """A right-handed frame whose third column is the given unit vector."""
    z = [float(t) for t in unit]
    size = [abs(t) for t in z]
    k = size.index(min(size))
    i, j = (k + 1) % 3, (k + 2) % 3
    r = [_square(t) for t in z]
    across = r[i] + r[j]
    # x = e_k x z at unit length, and y = z x x.
    x, y = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    x[i], x[j] = root(r[j] / across, -z[j]), root(r[i] / across, z[i])
    y[i], y[j] = root(r[k] * r[i] / across, -z[k] * z[i]), root(r[k] * r[j] / across, -z[k] * z[j])
    y[k] = root(across, 1.0)
    return np.array([x, y, z]).T


def root(square: Fraction, sign: float) -> float:
    """The correctly rounded square root, with the sign of a number."""
    if not square:
        return 0.0
    shift = max(0, 80 + (square.denominator.bit_length() - square.numerator.bit_length()) // 2)
    digits = math.isqrt((square.numerator << 2 * shift) // square.denominator)
    return math.copysign(float(Fraction(digits, 1 << shift)), sign)


def _square(x: float) -> Fraction:
    """The square of an entry: of the root of a simple fraction, if it is the rounded float of one."""
    exact = Fraction(x) ** 2
    simple = exact.limit_denominator(_LARGEST_DENOMINATOR)
    return simple if root(simple, x) == x else exact
