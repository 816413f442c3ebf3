"""What number a float means: 0.1 is one tenth, 0.7071067811865476 the root of one half, 1.5707963267948966 half of pi.

A float is read as the simplest fraction, root of a fraction, or fraction of the float `pi` that it is the correctly
rounded float of, if one is simple enough not to be there by chance; else as the binary fraction that it is. The float
next to 0.1 is no longer one tenth: different floats are different numbers.

Sums and products of constants are those of the numbers that they mean, rounded once: 0.1 + 0.2 is 0.3.
"""

import math
from fractions import Fraction
from functools import lru_cache

from anyjoint.frozen import frozen

_PI = Fraction(math.pi)  # what people multiply and divide
# Bits of numerator and denominator together; a float in [1, 2) has 52 of its own.
_FRACTION_BITS, _SQUARE_BITS, _PI_BITS = 34, 30, 18
_DIGITS = 12  # a decimal number with so few digits was written by a person


@frozen
class Number:
    """`factor` times the square root of the `root` (an integer without square factors), times pi if `has_pi`."""

    factor: Fraction
    root: int = 1
    has_pi: bool = False

    def __float__(self) -> float:
        """The correctly rounded float."""
        if self.has_pi:
            return float(self.factor * _PI)
        if self.root == 1:
            return float(self.factor)
        square = self.factor * self.factor * self.root
        shift = max(0, 80 - square.numerator.bit_length() // 2 + square.denominator.bit_length() // 2)
        root = Fraction(math.isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)
        return math.copysign(float(root), self.factor)


@lru_cache(maxsize=100_000)
def total(a: float, b: float) -> float:
    """a + b."""
    x, y = read(a), read(b)
    if x.root != y.root or x.has_pi != y.has_pi:
        return a + b
    return _float(Number(x.factor + y.factor, x.root, x.has_pi), a + b)


@lru_cache(maxsize=100_000)
def product(a: float, b: float) -> float:
    """a * b."""
    x, y = read(a), read(b)
    if (x.has_pi or y.has_pi) and (x.has_pi == y.has_pi or x.root * y.root > 1):
        return a * b
    factor, root = _without_squares(x.root * y.root)
    return _float(Number(x.factor * y.factor * factor, root, x.has_pi or y.has_pi), a * b)


@lru_cache(maxsize=100_000)
def quotient(a: float, b: float) -> float:
    """a / b."""
    x, y = read(a), read(b)
    if x.root != y.root or x.has_pi != y.has_pi:
        return a / b if y.root > 1 or y.has_pi else _float(Number(x.factor / y.factor, x.root, x.has_pi), a / b)
    return _float(Number(x.factor / y.factor), a / b)


def _float(exact: Number, rounded: float) -> float:
    """The float of a number, unless it is too large or too small to differ from the rounded one by rounding alone."""
    return float(exact) if 1e-290 < abs(rounded) < 1e290 else rounded


def root_of(x: Fraction) -> Number | None:
    """The square root of a positive fraction, if it is a small one (large ones are hard to factor)."""
    product = x.numerator * x.denominator
    if not 0 < product < 1 << _FRACTION_BITS:
        return None
    factor, root = _without_squares(product)
    return Number(Fraction(factor, x.denominator), root)


@lru_cache(maxsize=100_000)
def read(x: float) -> Number:
    """The number that a finite float means."""
    if x < 0.0:
        positive = read(-x)
        return Number(-positive.factor, positive.root, positive.has_pi)
    exact = Fraction(x)
    if x < 2.0**40 and (x * 64.0).is_integer():
        return Number(exact)
    return _rounded(exact, Fraction(math.ulp(x)) / 2) or Number(exact)


def _rounded(x: Fraction, error: Fraction) -> Number | None:
    """The simple number within some distance of x > 0."""
    low, high = x - error, x + error
    if low <= 0:
        return None
    if fraction := _simple(low, high, _FRACTION_BITS):
        return Number(fraction)
    shortest = repr(float(x))
    if len(shortest.split("e")[0].replace(".", "").strip("0")) <= _DIGITS:
        return Number(Fraction(shortest))
    if square := _simple(low * low, high * high, _SQUARE_BITS):
        return root_of(square)
    if share := _simple(low / _PI, high / _PI, _PI_BITS):
        return Number(share, has_pi=True)
    return None


def _simple(low: Fraction, high: Fraction, bits: int) -> Fraction | None:
    """The fraction of the smallest denominator between two positive ones, if it has no more than so many bits."""
    found = _simplest(low, high)
    return found if found.numerator.bit_length() + found.denominator.bit_length() <= bits else None


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    whole = math.floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))


def _without_squares(n: int) -> tuple[int, int]:
    """k and m with n = k^2 m, where m has no square factor."""
    k, m = 1, 1
    for q in prime_factors(n):
        if m % q:
            m *= q
        else:
            m //= q
            k *= q
    return k, m


@lru_cache(maxsize=10_000)
def prime_factors(n: int) -> tuple[int, ...]:
    """The prime factors of a small number, repeated as often as they divide it."""
    found, q = [], 2
    while q * q <= n:
        while n % q == 0:
            found.append(q)
            n //= q
        q += 1
    return (*found, n) if n > 1 else tuple(found)
