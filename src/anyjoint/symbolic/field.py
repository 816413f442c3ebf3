"""Arithmetic in columns of finite fields: each column is F_p[i] for a prime p of its own.

An expression is a rational function of unknowns. Two of them that differ agree at a random place of F_p with
probability at most d / p, where d bounds their degrees (Schwartz and Zippel), and p is about 2^31: so a value is
computed exactly at one random place per column, and 32 columns leave (d / 2^31)^32 for a mistake. No rounding, no
scale, no range of the variables: a bump that is 1e-300 high, or flat everywhere but near one point, is as different
from zero as anything else.

All primes are -1 modulo 2520. Hence -1 has no root in F_p and i makes a field of p^2 elements, in which every element
of F_p has a root; and the angles 2 pi k / 2520 have a cosine and a sine in F_p.

A value is a pair (real part, imaginary part) of int64 arrays whose last axis is the column; the imaginary part is
None where it is zero, as it is for almost everything. Random elements are hashes of what they stand for.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Value = tuple[Array, Array | None]
Thing = TypeVar("Thing")
Circle = tuple[Value, Value]  # the cosine and the sine of an angle

COLUMNS = 32
MANY_COLUMNS = 128  # for roots of roots, each of which exists in half of the columns
TURN = 2520  # a whole turn is divided into so many parts
_ROOTS_ON_CIRCLE = (2, 3, 5, 7)  # primes whose roots are sums of cosines and sines of such parts


class Field:
    """Columns and the operations on their values."""

    def __init__(self, primes: Array, turn: Array, chosen: Array, drawn: int) -> None:
        self.p = primes
        self.turn = turn  # cosines and sines of 2 pi / TURN
        self.chosen, self.drawn = chosen, drawn  # columns, of those for which random elements are drawn
        self.columns = len(primes)

    @staticmethod
    @cache
    def of(columns: int) -> "Field":
        """A field of so many columns. The first two share their prime, but no random element: see `may_be_number`."""
        primes = _primes(columns - 1)
        primes.insert(0, primes[0])
        turn = np.array([_root_of_unity(p) for p in primes], dtype=np.int64).T
        return Field(np.array(primes, dtype=np.int64), turn, np.arange(columns), columns)

    def only(self, columns: Array) -> "Field":
        """Some of the columns, with the random elements that they had."""
        return Field(self.p[columns], self.turn[:, columns], self.chosen[columns], self.drawn)

    # Sums, products and quotients

    def add(self, x: Value, y: Value) -> Value:
        """x + y."""
        return (x[0] + y[0]) % self.p, _with_imaginary(x, y, lambda a, b: (a + b) % self.p)

    def sub(self, x: Value, y: Value) -> Value:
        """x - y."""
        return (x[0] - y[0]) % self.p, _with_imaginary(x, y, lambda a, b: (a - b) % self.p)

    def neg(self, x: Value) -> Value:
        """-x."""
        return -x[0] % self.p, None if x[1] is None else -x[1] % self.p

    def mul(self, x: Value, y: Value) -> Value:
        """x * y. A sum of two products stays below 2^63."""
        p = self.p
        if x[1] is None and y[1] is None:
            return x[0] * y[0] % p, None
        if x[1] is None or y[1] is None:
            (a, _), (b, c) = (x, y) if x[1] is None else (y, x)
            return a * b % p, a * c % p
        return (x[0] * y[0] + (p - x[1]) * y[1]) % p, (x[0] * y[1] + x[1] * y[0]) % p

    def inverse(self, x: Value) -> Value:
        """1 / x, and 0 where x is 0."""
        if x[1] is None:
            return inverses(x[0], self.p), None
        k = inverses(self.norm(x), self.p)
        return x[0] * k % self.p, -x[1] % self.p * k % self.p

    def norm(self, x: Value) -> Array:
        """x times its conjugate: zero only if x is."""
        real = x[0] * x[0] % self.p
        return real if x[1] is None else (real + x[1] * x[1]) % self.p

    def power(self, x: Value, n: int) -> Value:
        """x to a whole power."""
        if n < 0:
            return self.power(self.inverse(x), -n)
        return repeated(self.mul, (np.ones_like(x[0]), None), x, n)

    # Roots

    def real_root(self, a: Array) -> tuple[Array, Array]:
        """A root r of a or of -a, and where it is one of -a: where the Legendre symbol of a is -1."""
        exponent = (self.p + 1) >> 2
        r = np.ones_like(a)
        for k in range(30, -1, -1):
            r = r * r % self.p
            r = np.where(exponent >> k & 1, r * a % self.p, r)
        return r, r * r % self.p != a

    def root(self, x: Value) -> tuple[Value, Array]:
        """A root, and where it exists: everywhere if x is real."""
        p, half = self.p, (self.p + 1) >> 1
        if x[1] is None:
            r, flipped = self.real_root(x[0])
            return (np.where(flipped, 0, r), np.where(flipped, r, 0)), np.ones_like(flipped)
        # (a + b i)^2 = x with a^2 = (Re x + |x|) / 2 for one of the two signs of |x|, or x is real and a or b is 0.
        size, missing = self.real_root(self.norm(x))
        real = (x[0] + size) % p * half % p
        a, flipped = self.real_root(real)
        other, _ = self.real_root((x[0] - size) % p * half % p)
        a = np.where(flipped | (real == 0), other, a)
        b = x[1] * half % p * inverses(a, p) % p
        c, d = (np.asarray(part) for part in self.root((x[0], None))[0])
        is_real = x[1] == 0
        found: Value = (np.where(is_real, c, a), np.where(is_real, d, b))
        return found, ~missing | is_real

    # Elements

    def whole(self, n: int) -> Value:
        """A whole number."""
        return n % self.p, None

    def fraction(self, x: Fraction) -> Value | None:
        """A fraction; None if its denominator vanishes in a column."""
        n, d = x.numerator, x.denominator
        try:
            return np.array([n * pow(d, -1, p) % p for p in self.p.tolist()], dtype=np.int64), None
        except ValueError:
            return None

    def may_be_number(self, x: Array) -> Array:
        """Which rows have the same value in both columns that share their prime, as a number has and nothing else."""
        return np.asarray(x[..., 0] == x[..., 1]) if self.chosen[1] == 1 else np.ones(x.shape[:-1], dtype=bool)

    def as_fraction(self, x: Array) -> Fraction | None:
        """The fraction that a row is in all columns, if one of 50 bits is: the other 24 of 124 tell it from chance."""
        columns = np.flatnonzero(self.chosen != 1)[:4]  # of different primes
        found = _reconstructed(x[columns].tolist(), self.p[columns].tolist())
        value = None if found is None else self.fraction(found)
        return None if value is None or (value[0] != x).any() else found

    def root_of_prime(self, q: int) -> Value:
        """A root of a prime number: the positive one, so to say, for primes that the division of the circle knows."""
        if q not in _ROOTS_ON_CIRCLE:
            return self.root(self.whole(q))[0]
        if q == 7:
            a, b, c = (self.part(k, 7)[1][0] for k in (1, 2, 3))
            return 2 * (a + b - c) % self.p, None
        if q == 5:
            return (4 * self.part(1, 5)[0][0] + 1) % self.p, None
        return 2 * self.part(1, 8 if q == 2 else 12)[0][0] % self.p, None

    def random(self, keys: Iterable[bytes]) -> Array:
        """A row of elements of F_p, none of them 0, for each key."""
        drawn = b"".join(hashlib.shake_128(key).digest(4 * self.drawn) for key in keys)
        rows = np.frombuffer(drawn, dtype="<u4").reshape(-1, self.drawn)[:, self.chosen].astype(np.int64)
        return np.asarray(rows % (self.p - 1) + 1)

    def element(self, key: bytes) -> Value:
        """A random element."""
        return self.random([key])[0], None

    # Angles

    def circle(self, key: bytes) -> Circle:
        """A random point of the unit circle."""
        t = self.random([key])[0]
        scale = inverses((1 + t * t) % self.p, self.p)
        return ((1 - t * t) % self.p * scale % self.p, None), (2 * t % self.p * scale % self.p, None)

    def part(self, n: int, of: int) -> Circle:
        """The angle 2 pi n / of; `of` divides TURN."""
        return self.turns((self.turn[0], None), (self.turn[1], None), n * TURN // of)

    def turned(self, x: Circle, y: Circle) -> Circle:
        """The sum of two angles."""
        cos = self.sub(self.mul(x[0], y[0]), self.mul(x[1], y[1]))
        return cos, self.add(self.mul(x[0], y[1]), self.mul(x[1], y[0]))

    def turns(self, cos: Value, sin: Value, n: int) -> Circle:
        """A whole multiple of an angle."""
        if n < 0:
            sin, n = self.neg(sin), -n
        return repeated(self.turned, (self.whole(1), self.whole(0)), (cos, sin), n)


def repeated(join: Callable[[Thing, Thing], Thing], one: Thing, x: Thing, n: int) -> Thing:
    """x joined with itself n times, by doubling; `one` changes nothing."""
    result = one
    while n:
        if n & 1:
            result = join(result, x)
        n >>= 1
        if n:
            x = join(x, x)
    return result


def bytes_of(x: Value) -> bytes:
    """What equal values, and no others, have in common."""
    return x[0].tobytes() if x[1] is None else x[0].tobytes() + x[1].tobytes()


def stacked(values: Sequence[Value]) -> Value:
    """Values as rows of one."""
    real = np.stack([x[0] for x in values])
    if all(x[1] is None for x in values):
        return real, None
    return real, np.stack([np.zeros_like(x[0]) if x[1] is None else x[1] for x in values])


def normal_form(field: Field, real: Array, imaginary: Array | None) -> tuple[list[int], list[bytes]]:
    """For each row a sign, and the bytes of its value times that sign: equal for rows that are equal up to sign."""
    parts = [real] if imaginary is None else [real, imaginary]
    entries, primes = np.concatenate(parts, axis=1), np.tile(field.p, len(parts))
    first = (entries != 0).argmax(axis=1)
    is_flipped = 2 * entries[np.arange(len(entries)), first] > primes[first]
    normal = np.where(is_flipped[:, None], -entries % primes, entries)
    keys = [row.tobytes() for row in normal]
    if imaginary is not None:
        width = 8 * field.columns
        is_complex = np.any(imaginary, axis=1)
        keys = [key if z else key[:width] for key, z in zip(keys, is_complex, strict=True)]
    return np.where(is_flipped, -1, 1).tolist(), keys


def _with_imaginary(x: Value, y: Value, rule: Any) -> Array | None:
    if x[1] is None and y[1] is None:
        return None
    return np.asarray(rule(0 if x[1] is None else x[1], 0 if y[1] is None else y[1]))


_BITS = 50


def _reconstructed(residues: list[int], primes: list[int]) -> Fraction | None:
    """The fraction of few bits that has these residues (Chinese remainders, then Wang's algorithm)."""
    x, modulus = 0, 1
    for residue, p in zip(residues, primes, strict=True):
        x += modulus * ((residue - x) * pow(modulus, -1, p) % p)
        modulus *= p
    a, b, c, d = modulus, x, 0, 1
    while b >> _BITS:
        a, b, c, d = b, a % b, d, c - a // b * d
    return Fraction(b, d) if d and not abs(d) >> _BITS else None


def inverses(a: Array, p: Array) -> Array:
    """1 / a modulo p, and 0 where a is 0; columns are the last axis of both."""
    rows = a.reshape(-1, len(p))
    zero = rows == 0
    found = _inverses_of_nonzero(np.where(zero, 1, rows), p)
    return np.where(zero, 0, found).reshape(a.shape)


def _inverses_of_nonzero(a: Array, p: Array) -> Array:
    """One inversion for all rows: 1 / x and 1 / y are y / (x y) and x / (x y)."""
    if len(a) == 1:
        return np.array([[pow(x, -1, q) for x, q in zip(a[0].tolist(), p.tolist(), strict=True)]], dtype=np.int64)
    half = len(a) // 2
    x, y = a[:half], a[half : 2 * half]
    together = x * y % p
    both = _inverses_of_nonzero(np.concatenate([together, a[2 * half :]]), p)
    product = both[:half]
    return np.concatenate([product * y % p, product * x % p, both[half:]])


def _primes(count: int) -> list[int]:
    """The largest primes below 2^31 that are -1 modulo TURN."""
    found: list[int] = []
    candidate = 2**31 // TURN * TURN - 1
    while len(found) < count:
        if _is_prime(candidate):
            found.append(candidate)
        candidate -= TURN
    return found


def _is_prime(n: int) -> bool:
    """Miller's test; these bases are enough below 3,215,031,751. n is 3 modulo 4, so one step of it will do."""
    return all(pow(base, n >> 1, n) in (1, n - 1) for base in (2, 3, 5, 7))


def _root_of_unity(p: int) -> tuple[int, int]:
    """The cosine and sine of 2 pi / TURN: an element of that order on the circle, a group of p + 1 elements.

    Of the two that are each other's mirror image it is the one whose quarter turn is (0, 1).
    """
    k = 2
    while True:
        scale = pow(k * k + 1, -1, p)
        point = _power_on_circle(((k * k - 1) * scale % p, 2 * k * scale % p), (p + 1) // TURN, p)
        if all(_power_on_circle(point, TURN // q, p) != (1, 0) for q in _ROOTS_ON_CIRCLE):
            break
        k += 1
    mirrored = _power_on_circle(point, TURN // 4, p) != (0, 1)
    return point[0], -point[1] % p if mirrored else point[1]


def _power_on_circle(x: Sequence[int], n: int, p: int) -> tuple[int, int]:
    a, b = 1, 0
    c, s = x
    while n:
        if n & 1:
            a, b = (a * c - b * s) % p, (a * s + b * c) % p
        c, s = (c * c - s * s) % p, 2 * c * s % p
        n >>= 1
    return a, b
