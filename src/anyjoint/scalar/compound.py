"""Functions over any scalar that are made of others; scalar classes bring them as methods, under NumPy's names."""

import math

from .functions import Scalar, absolute, atan2, exp, floor, fmod, less, log, select, sqrt


def arctan(x: Scalar) -> Scalar:
    """Inverse tangent."""
    return atan2(x, 1.0)


def ceil(x: Scalar) -> Scalar:
    """The smallest integer that is not below."""
    return -floor(-x)


def radians(x: Scalar) -> Scalar:
    """Degrees to radians."""
    return x * (math.pi / 180.0)


def degrees(x: Scalar) -> Scalar:
    """Radians to degrees."""
    return x * (180.0 / math.pi)


def square(x: Scalar) -> Scalar:
    """x * x."""
    return x * x


def sinh(x: Scalar) -> Scalar:
    """Hyperbolic sine."""
    e = exp(x)
    return (e - 1.0 / e) * 0.5


def cosh(x: Scalar) -> Scalar:
    """Hyperbolic cosine."""
    e = exp(x)
    return (e + 1.0 / e) * 0.5


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent, written so that nothing overflows for large arguments."""
    e = exp(-2.0 * absolute(x))
    t = (1.0 - e) / (1.0 + e)
    return select(less(x, 0.0), -t, t)


def hypot(x: Scalar, y: Scalar) -> Scalar:
    """Length of the vector (x, y)."""
    return sqrt(x * x + y * y)


def log2(x: Scalar) -> Scalar:
    """Logarithm to the base 2."""
    return log(x) * (1.0 / math.log(2.0))


def log10(x: Scalar) -> Scalar:
    """Logarithm to the base 10."""
    return log(x) * (1.0 / math.log(10.0))


def divmod(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """Whole quotient and remainder, rounded down just as Python does, also next to a jump."""
    left = fmod(x, y)
    left = select(less(left, 0.0), select(less(0.0, y), left + y, left), select(less(y, 0.0), _below(left, y), left))
    return floor((x - left) / y + 0.5), left


def _below(left: Scalar, y: Scalar) -> Scalar:
    """A remainder by a negative number: none above zero."""
    return select(less(0.0, left), left + y, left)
