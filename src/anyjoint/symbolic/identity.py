"""Which of the probed nodes are equal: up to sign to an earlier node, or to a number.

Equality means: within the rounding-error bounds at every point, where these bounds are tight at most points. Values
that agree to nine digits are therefore different.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from anyjoint.symbolic.ops import CONDITIONS, Op
from anyjoint.symbolic.probing import SAMPLE_RULES, Array, Probe, Sample

_TIGHT = 1e-12  # a comparison counts only where both values are known to this relative error
_ENOUGH = 0.7  # share of the points at which it must count
_KEY_POINTS = 4  # a value that is not well known at any of the first points is left alone
_NEAR = 1e-11  # relative distance of values that are worth a comparison
_DIGITS = 30  # bits of a magnitude that make its key

Signed = tuple[int, int]  # a row and a sign: that row's value, or its negative


class Equalities:
    """`numbers` maps rows to the constant that they are, `same` all other rows to an equal row of their class.

    `products` maps expensive rows (divisions, roots) to two rows and the sign of their product.
    """

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.numbers: dict[int, float] = {}
        self.same: list[Signed] = [(row, 1) for row in range(len(probe.ids))]
        self.products: dict[int, tuple[int, int, int]] = {}
        self.found = False
        self._buckets: dict[int, list[int]] = {}
        with np.errstate(all="ignore"):
            self._find_zeros()
            self._find_numbers()
            keys = _keys(probe)
            self._find_equal(keys)
            self._find_roots(keys)
            self._find_products()

    def of(self, row: int) -> Signed:
        """The row that stands for the class of a row, and the sign between them."""
        sign = 1
        while True:
            up, relative = self.same[row]
            if up == row:
                return row, sign
            row, sign = up, sign * relative

    def _find_zeros(self) -> None:
        """Sums that vanish at all points, up to an error that is tiny against their terms."""
        p = self.probe
        for row in np.flatnonzero(p.size[:, 0] <= p.error[:, 0]).tolist():
            if p.op[row] not in (Op.ADD, Op.SUB):
                continue
            a, b = p.operands[row]
            size, error = p.size[row], p.error[row]
            tight = error <= _TIGHT * (p.size[a] + p.size[b])
            if _enough(tight) and ((size <= error) | ~np.isfinite(error)).all():
                self.numbers[row] = 0.0
                self.found = True

    def _find_numbers(self) -> None:
        """Rows that have one value at all points."""
        p = self.probe
        first, second = p.values[:, 0], p.values[:, 1]
        rows = np.flatnonzero(np.abs(first - second) <= 1e-9 * np.abs(first))
        for row in rows.tolist():
            if p.op[row] == Op.CONST:
                self.numbers[row] = p.values.item(row, 0)
            elif row not in self.numbers and (number := _constant_value(p.sample(row))) is not None:
                self.numbers[row] = number
                self.found = True

    def _find_equal(self, keys: list[tuple[int, ...]]) -> None:
        """Give every row the first row of its bucket that equals it; a row without one stands for itself.

        Rows wait in passes: in each, all of them are compared at once with the next candidate of their bucket.
        """
        p, buckets = self.probe, self._buckets
        waiting = []
        for row in range(len(keys)):
            if p.op[row] == Op.NEG and p.operands[row][0] not in self.numbers:
                self.same[row] = p.operands[row][0], -1
            elif keys[row] and row not in self.numbers:
                waiting.append(row)
        candidate = 0
        while waiting:
            rows, others = [], []
            for row in waiting:
                bucket = buckets.setdefault(keys[row][0], [])
                if candidate < len(bucket):
                    rows.append(row)
                    others.append(bucket[candidate])
                elif not self._is_over_the_edge(row, keys[row]):
                    bucket.append(row)
            signs = _signs(p.sample(rows), p.sample(others)).tolist()
            for row, other, sign in zip(rows, others, signs, strict=True):
                if sign:
                    self.same[row] = other, sign
                    self.found = True
            waiting = [row for row, sign in zip(rows, signs, strict=True) if not sign]
            candidate += 1

    def _is_over_the_edge(self, row: int, keys: tuple[int, ...]) -> bool:
        """Is there an equal row in the second bucket of a row whose magnitude is close to a rounding edge?"""
        for key in keys[1:]:
            for other in self._buckets.get(key, ()):
                if sign := _agree(self.probe.sample(row), self.probe.sample(other)):
                    self.same[row] = other, sign
                    self.found = True
                    return True
        return False

    def _find_roots(self, keys: list[tuple[int, ...]]) -> None:
        """Give a square root or absolute value of random sign the row of certain sign that has its magnitude."""
        p = self.probe
        for row in sorted(p.roots):
            if self.same[row][0] != row or row in self.numbers:
                continue
            for other in (x for key in keys[row] for x in self._buckets.get(key, ())):
                direction = self._direction(other)
                if not direction or self.of(other)[0] == row:
                    continue
                if _agree(_magnitude(p.sample(row)), _magnitude(p.sample(other))):
                    self.same[row] = other, direction
                    self.found = True
                    break

    def _find_products(self) -> None:
        """For divisions and roots: two rows whose product they are."""
        p = self.probe
        rows = [k for k, op in enumerate(p.op) if op in (Op.DIV, Op.SQRT) and k not in self.numbers]
        rows = [k for k in rows if self.same[k][0] == k]
        if not rows:
            return
        factors = np.array([k for k, (up, _) in enumerate(self.same) if up == k and p.op[k] not in CONDITIONS])
        factors = factors[np.argsort(p.size[factors, 0], kind="stable")]
        sizes = p.size[factors, 0]
        for row in rows:
            wanted = p.size[row, 0] / sizes
            first = np.searchsorted(sizes, wanted * (1.0 - _NEAR))
            last = np.searchsorted(sizes, wanted * (1.0 + _NEAR))
            for k in np.flatnonzero(first < last).tolist():
                pairs = ((factors.item(k), factors.item(j)) for j in range(first[k], last[k]))
                if any(self._is_product(row, *pair) for pair in pairs):
                    break

    def _is_product(self, row: int, a: int, b: int) -> bool:
        p = self.probe
        if a > b or row in (a, b):
            return False
        product = SAMPLE_RULES[Op.MUL](p.points, p.sample(a), p.sample(b))
        if row in self.probe.roots:
            sign = self._direction(a) * self._direction(b)
            sign *= _agree(_magnitude(p.sample(row)), _magnitude(product))
        else:
            sign = _agree(p.sample(row), product)
        if sign:
            self.products[row] = a, b, sign
            self.found = True
        return sign != 0

    def _direction(self, row: int) -> int:
        """The sign of a row if it is the same on the whole domain, else 0. Roots only seem to vary."""
        low, high = self.probe.interval[row]
        if low >= 0.0 or self.probe.op[row] in (Op.SQRT, Op.ABS):
            return 1
        return -1 if high <= 0.0 else 0


def _enough(where: Array) -> bool:
    return bool(np.count_nonzero(where) >= _ENOUGH * where.size)


def _magnitude(x: Sample) -> Sample:
    return x[1], x[1], x[2]


def _agree(x: Sample, y: Sample) -> int:
    """+1 if two rows are equal, -1 if one is the other's negative, else 0."""
    (sign,) = _signs(*((a[None], b[None], c[None]) for a, b, c in (x, y)))
    return int(sign)


def _signs(x: Sample, y: Sample) -> Array:
    """For pairs of rows: +1 if they are equal, -1 if one is the other's negative, else 0.

    They must agree wherever both are finite, and be known well at enough points.
    """
    error = x[2] + y[2]
    known = np.count_nonzero(error <= 2.0 * _TIGHT * x[1], axis=1) >= _ENOUGH * error.shape[1]
    unknown = ~np.isfinite(error)
    equal = ((np.abs(x[0] - y[0]) <= error) | unknown).all(axis=1)
    opposite = ((np.abs(x[0] + y[0]) <= error) | unknown).all(axis=1)
    return np.asarray(known * np.where(equal, 1, np.where(opposite, -1, 0)))


def _constant_value(sample: Sample) -> float | None:
    """The number that a row is at all points; a simple fraction if one is within the error."""
    values, size, error = sample
    known = error <= _TIGHT * size
    if not _enough(known):
        return None
    best = int(np.argmin(np.where(known, error, math.inf)))
    value, bound = values.item(best), error.item(best)
    if not ((np.abs(values - value) <= error + bound) | ~np.isfinite(error)).all():
        return None
    simple = float(Fraction(value).limit_denominator(64))
    return simple if abs(simple - value) <= bound else value


def _keys(p: Probe) -> list[tuple[int, ...]]:
    """Buckets to search for each row: its magnitude at the first point where it is well known, rounded.

    The first key is where a row is filed; a second one is there if the magnitude is close to a rounding edge.
    """
    size, error = p.size[:, :_KEY_POINTS], p.error[:, :_KEY_POINTS]
    known = (error <= _TIGHT * size) & (size > 0.0) & np.isfinite(size)
    point = known.argmax(axis=1)
    mantissa, exponent = np.frexp(np.where(known.any(axis=1), size[np.arange(len(size)), point], 0.0))
    place = mantissa * 2.0**_DIGITS
    whole = np.floor(place).astype(np.int64)
    # One number line over all exponents: mantissas in [0.5, 1) take the upper half of the digits.
    base = (exponent.astype(np.int64) + 2000) * 2 ** (_DIGITS - 1) + whole - 2 ** (_DIGITS - 1)
    fraction = place - whole
    neighbour = np.where(fraction < 0.01, -1, np.where(fraction > 0.99, 1, 0))
    columns: Any = (base.tolist(), neighbour.tolist(), point.tolist(), known.any(axis=1).tolist())
    return [_key_tuple(*row) for row in zip(*columns, strict=True)]


def _key_tuple(base: int, neighbour: int, point: int, known: bool) -> tuple[int, ...]:
    if not known:
        return ()
    key = base * _KEY_POINTS + point
    return (key, (base + neighbour) * _KEY_POINTS + point) if neighbour else (key,)
