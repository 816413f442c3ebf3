"""Square roots in the field: which root is meant, without ever guessing a sign.

Let K be the field of all values so far. If u is no square in K, then its two roots are conjugate: what holds for one
holds for the other, and either may be taken in each column. If u = w^2 in K, then the root is |w|, which is w at some
places and -w at others, and a guess would be a mistake: it could make the product of (z_k + |z_k|) vanish.

Whether u is a square is told by Legendre symbols. If it is, its symbol is 1 in every column; if u times some of the
earlier u_k is, then the symbols of u are the product of theirs. So as bits, one per column, they are a combination of
the earlier ones over F_2. If they are not, u is no square: that is certain, and the root is free. If they are, it most
likely is (a chance of 2^(roots - columns) that not), and then

1. a known w of proved sign with w^2 = u is the root, up to that sign; or the product or quotient of two such. It must
   be defined wherever the root is: sqrt(x) is never negative, but it does not prove that x = sqrt(x)^2 never is;
2. if u = v w^2, u v = w^2 or u w^2 = v for an earlier v, the root is made of that of v and of |w|;
3. for w of unknown sign, the root is w in half of the columns and -w in the other half, in all combinations with the
   other such roots, as long as four columns are left for each combination;
4. else the root is an unknown, of which nothing is known, not even its square.

What is made of roots of enumerated signs is another element of K in each half: it may be a square in the one and none
in the other, so that its symbols tell nothing, and the root is never free.

A root of something with an imaginary part exists in half of the columns; the evaluation starts again with these, and
with what has been found to be no square: fewer columns might not show it again.
"""

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.symbolic.field import COLUMNS, Array, Value, bytes_of
from anyjoint.symbolic.reading import Number, prime_factors, root_of

if TYPE_CHECKING:
    from anyjoint.symbolic.evaluation import Evaluation

_FEWEST = 16  # columns that must be left
_EACH = 4  # columns for each combination of signs


class MissingRoot(Exception):
    """A root of a root does not exist in all columns; `free` are the rows whose radicands are no squares, so far."""

    def __init__(self, exists: Array, free: frozenset[int]) -> None:
        super().__init__(f"a root exists in {np.count_nonzero(exists)} of {len(exists)} columns")
        self.exists, self.free = exists, free


class Radicals:
    """The roots that an evaluation has taken so far."""

    def __init__(self, e: "Evaluation", free: frozenset[int]) -> None:
        self._e = e
        self._free_rows = free
        self._known: dict[tuple[bytes, int], Value] = {}  # by radicand, and by what may make the root undefined
        self._free: dict[bytes, tuple[Value, Value]] = {}  # radicand, root
        self._enumerated: dict[bytes, Value] = {}
        self.branched: set[int] = set()  # rows made of roots of enumerated signs
        self._symbols: dict[bool, list[int]] = {False: [], True: []}  # of real radicands and of others, reduced
        self._prime_roots: dict[int, Value] = {}
        self._candidates = _Squares(e)

    def root_of_prime(self, q: int) -> Value:
        """The root of a prime number, one of the free ones unless it is made of cosines."""
        if q not in self._prime_roots:
            field = self._e.field
            radicand = field.whole(q)
            root = self._prime_roots[q] = field.root_of_prime(q)
            if self._is_independent(field.real_root(radicand[0])[1], nested=False):
                self._free[bytes_of(radicand)] = radicand, root
        return self._prime_roots[q]

    def root(self, u: Value, row: int) -> Value:
        """The root of a value that a row asks for."""
        if u[1] is not None and not u[1].any():
            u = (u[0], None)
        definedness, key = self._e.definedness, bytes_of(u)
        reasons = definedness.bit("negative", key)
        for x in self._e.operands[row]:
            reasons |= definedness.reasons[x]
        value = self._root(u, reasons, row)
        if self._enumerated and key not in self._free:
            self.branched.add(row)
        return value

    def _root(self, u: Value, reasons: int, row: int = -1) -> Value:
        """The root of a value; for some reasons it may be undefined."""
        key = bytes_of(u)
        if key in self._free:
            return self._free[key][1]
        if (key, reasons) not in self._known:
            number = self._of_number(u)
            self._known[key, reasons] = self._new_root(u, reasons, row) if number is None else number
        return self._known[key, reasons]

    def _new_root(self, u: Value, reasons: int, row: int) -> Value:
        field, nested = self._e.field, u[1] is not None
        if row < 0 or not self.branched.isdisjoint(self._e.operands[row]):
            return self._of_square(u, reasons)
        root, exists = field.root(u)
        is_independent = self._is_independent(~(exists if nested else _is_real(root)), nested=nested)
        if not is_independent and row not in self._free_rows:
            return self._of_square(u, reasons)
        self._free_rows |= {row}
        if not exists.all():
            if field.drawn == COLUMNS or np.count_nonzero(exists) >= _FEWEST:
                raise MissingRoot(exists, self._free_rows)
            return self._unknown(u)
        self._free[bytes_of(u)] = u, root
        return root

    def of(self, number: Number) -> Value | None:
        """A number as a value, made of the roots of primes; None if its denominator vanishes in a column."""
        field = self._e.field
        value = field.fraction(number.factor)
        for q in prime_factors(number.root):
            value = None if value is None else field.mul(value, self.root_of_prime(q))
        return field.mul(value, field.element(b"pi")) if number.has_pi and value is not None else value

    def _of_number(self, u: Value) -> Value | None:
        """The root of a fraction; None for anything else."""
        if u[1] is not None or not self._e.field.may_be_number(u[0]):
            return None
        fraction = self._e.field.as_fraction(u[0])
        if fraction == 0:
            return u
        number = None if fraction is None else root_of(fraction)
        return None if number is None else self.of(number)

    def _is_independent(self, bits: Array, *, nested: bool) -> bool:
        """Are these symbols no combination of the earlier ones? Then they become one of them."""
        rest = int.from_bytes(np.packbits(bits).tobytes(), "big")
        for other in self._symbols[nested]:
            rest = min(rest, rest ^ other)
        if rest:
            self._symbols[nested] = sorted([*self._symbols[nested], rest], reverse=True)
        return rest != 0

    def _of_square(self, u: Value, reasons: int) -> Value:
        """The root of what seems to be a square, up to roots that are known."""
        e, found = self._e, self._candidates.of(u)
        for w in found:
            if sign := self._candidates.sign(w, reasons):
                return e.value(w) if sign > 0 else e.field.neg(e.value(w))
        if (pair := self._candidates.pair_of(u, reasons)) is not None:
            return pair
        if found:
            return self._of_unknown_sign(u, e.value(found[0]))
        return self._of_related(u, reasons) or self._unknown(u)

    def _of_related(self, u: Value, reasons: int) -> Value | None:
        """The root of u = v w^2, of u = w^2 / v or of u = v / w^2 for a free root of v."""
        field = self._e.field
        for v, root in self._free.values():
            if self._candidates.of(square := field.mul(u, field.inverse(v))):
                return field.mul(root, self._root(square, reasons))
            if self._candidates.of(square := field.mul(u, v)):
                return field.mul(field.inverse(root), self._root(square, reasons))
            if self._candidates.of(square := field.mul(v, field.inverse(u))):
                return field.mul(root, field.inverse(self._root(square, reasons)))
        return None

    def _of_unknown_sign(self, u: Value, w: Value) -> Value:
        """|w| for an enumeration of the signs of w."""
        field, key, signs = self._e.field, bytes_of(u), len(self._enumerated)
        if key not in self._enumerated:
            if field.columns < _EACH << (signs + 1):
                return self._unknown(u)
            is_negative = np.arange(field.columns) >> signs & 1
            self._enumerated[key] = field.mul((np.where(is_negative, field.p - 1, 1), None), w)
        return self._enumerated[key]

    def _unknown(self, u: Value) -> Value:
        return self._e.field.element(b"root of " + bytes_of(u))


class _Squares:
    """Finds rows by their squares: in the first column by a look-up, then in all."""

    def __init__(self, e: "Evaluation") -> None:
        self._e = e
        self._rows: dict[Element, list[int]] = {}
        self._signed: list[tuple[int, Element, Element]] = []  # rows of known sign, their squares and 1 / square
        self._is_seen = np.zeros(len(e.ids), dtype=bool)
        self._p = int(e.field.p[0])

    def of(self, u: Value) -> list[int]:
        """Rows whose square is u."""
        self._update()
        return [row for row in self._rows.get(_first(u), ()) if _equal(self._square(row), u)]

    def sign(self, row: int, reasons: int) -> int:
        """The proved sign of a row, if it is undefined for none but these reasons."""
        return 0 if self._e.definedness.reasons[row] & ~reasons else self._e.sign(row)

    def pair_of(self, u: Value, reasons: int) -> Value | None:
        """The product or quotient of two rows of known sign whose square is u; never negative."""
        e, field, first = self._e, self._e.field, _first(u)
        self._update()
        for a, square, inverse in self._signed:
            for factor, is_quotient in ((inverse, False), (square, True)):
                for b in self._rows.get(_product(first, factor, self._p), ()):
                    if not (sign := self.sign(a, reasons) * self.sign(b, reasons)):
                        continue
                    found = field.mul(field.inverse(e.value(a)) if is_quotient else e.value(a), e.value(b))
                    if _equal(field.mul(found, found), u):
                        return found if sign > 0 else field.neg(found)
        return None

    def _square(self, row: int) -> Value:
        value = self._e.value(row)
        return self._e.field.mul(value, value)

    def _update(self) -> None:
        """Take in the rows that have been evaluated since."""
        e = self._e
        new = np.flatnonzero(e.is_done & ~self._is_seen)
        if not len(new):
            return
        self._is_seen[new] = True
        x = e.value(new)
        real, imaginary = e.field.mul(x, x)
        zeros = [0] * len(new)
        parts = real[:, 0].tolist(), zeros if imaginary is None else imaginary[:, 0].tolist()
        for row, square in zip(new.tolist(), zip(*parts, strict=True), strict=True):
            self._rows.setdefault(square, []).append(row)
            if e.sign(row) and any(square):
                self._signed.append((row, square, _inverse(square, self._p)))


# Elements of the first column as pairs of integers.

Element = tuple[int, int]


def _first(x: Value) -> Element:
    return int(x[0][0]), 0 if x[1] is None else int(x[1][0])


def _product(x: Element, y: Element, p: int) -> Element:
    return (x[0] * y[0] - x[1] * y[1]) % p, (x[0] * y[1] + x[1] * y[0]) % p


def _inverse(x: Element, p: int) -> Element:
    k = pow(x[0] * x[0] + x[1] * x[1], -1, p)
    return x[0] * k % p, -x[1] * k % p


def _equal(x: Value, y: Value) -> bool:
    return bool((x[0] == y[0]).all() and (_imaginary(x) == _imaginary(y)).all())


def _imaginary(x: Value) -> Array:
    return np.zeros_like(x[0]) if x[1] is None else x[1]


def _is_real(x: Value) -> Array:
    return np.asarray(_imaginary(x) == 0)
