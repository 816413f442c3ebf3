"""Which of the evaluated nodes are equal: up to sign to another one, or to a number, or to a product of two.

Nodes of equal value are one class as far as one may take the place of the other. That needs more than equal values:
it must not be undefined where the other one is defined; and where the other one is proved never to be negative, so
must it be, lest rounding make it -1e-17 and its root not a number.
"""

import numpy as np

from anyjoint.symbolic.evaluation import Evaluation
from anyjoint.symbolic.field import Array, Value, inverses, normal_form
from anyjoint.symbolic.ops import CONDITIONS, Op
from anyjoint.symbolic.reading import Number, read, root_of

Signed = tuple[int, int]  # a row and a sign: that row's value, or its negative
Kind = tuple[int, int, bool]  # reasons to be undefined, proved sign, whether none of the reasons may vanish


class Equalities:
    """`numbers` maps rows to the constant that they are, `home` all rows to the row that stands for their class.

    A row with `is_member` may be computed in place of its class. `products` maps expensive rows (divisions, roots) to
    two rows and the sign of their product.
    """

    def __init__(self, e: Evaluation) -> None:
        self.evaluation = e
        self.numbers: dict[int, float] = {}
        self.home: list[Signed] = [(row, 1) for row in range(len(e.ids))]
        self.is_member = [True] * len(e.ids)
        self.products: dict[int, tuple[int, int, int]] = {}
        self.found = False
        self._signs, self._keys = normal_form(e.field, e.real, e.imaginary)
        self.reasons = e.definedness.reasons
        self._find_numbers()
        self.find_classes()
        self._find_products()

    def _find_numbers(self) -> None:
        """Rows that are known constants up to sign, fractions, or roots of fractions."""
        e = self.evaluation
        constants = {bytes(8 * e.field.columns): 0.0}
        for row, op in enumerate(e.op):
            if op == Op.CONST:
                value = self.numbers[row] = e.g.value(e.ids[row])
                constants.setdefault(self._keys[row], self._signs[row] * value)
        for row in np.flatnonzero(e.field.may_be_number(e.real)).tolist():
            if row in self.numbers or row in self.evaluation.definedness.fixed or e.op[row] in CONDITIONS:
                continue
            if self._keys[row] not in constants and (number := self._number(row)) is not None:
                constants[self._keys[row]] = self._signs[row] * number
            if self._keys[row] in constants:
                self.numbers[row] = self._signs[row] * constants[self._keys[row]]
                self.found = True

    def _number(self, row: int) -> float | None:
        """The fraction or root of a fraction that a row is, as the float that means it."""
        e, value = self.evaluation, self.evaluation.value(row)
        number = _fraction(e, value)
        if number is None:
            square = _fraction(e, e.field.mul(value, value))
            root = None if square is None else root_of(square.factor)
            candidate = None if root is None else e.radicals.of(root)
            sign = 0 if candidate is None else _relative_sign(e, candidate, value)
            number = None if root is None or not sign else Number(sign * root.factor, root.root)
        return None if number is None or read(float(number)) != number else float(number)

    def find_classes(self, *, only_earlier: bool = False) -> None:
        """Give every row the best of those that may take its place, or of those up to itself.

        A later row may be made of this one. With earlier ones only, every class has a member that is made of others.
        """
        e = self.evaluation
        members = [row for row, op in enumerate(e.op) if row not in self.numbers and op not in CONDITIONS]
        kind_of = {row: self._kind(row) for row in members}
        kinds: dict[bytes, dict[Kind, int]] = {}
        for row in members:
            kinds.setdefault(self._keys[row], {}).setdefault(kind_of[row], row)
        for row in members:
            same, kind = kinds[self._keys[row]], kind_of[row]
            if len(same) > 1 and not kind[2]:
                kind = _best(kind, same, row if only_earlier else len(e.op))
            home = same[kind]
            self.home[row] = home, self._signs[row] * self._signs[home]
            self.is_member[row] = kind == kind_of[row]
            self.found |= home != row and (e.op[row] != Op.NEG or e.operands[row][0] != home)

    def _kind(self, row: int) -> Kind:
        """The sign is no matter where a value of the other sign would be undefined: sqrt(x) sqrt(x) may be x."""
        reasons, sign = self.reasons[row], self._signs[row] * self.evaluation.sign(row)
        if reasons and sign and self.evaluation.definedness.is_undefined_if_negative(row):
            sign = 0
        return reasons, sign, row in self.evaluation.definedness.fixed

    def _find_products(self) -> None:
        """For divisions and roots: two rows whose product they are."""
        e = self.evaluation
        homes = [row for row, (up, _) in enumerate(self.home) if up == row and e.op[row] not in CONDITIONS]
        left_alone = self.numbers.keys() | self.evaluation.definedness.fixed
        rows = [row for row in homes if e.op[row] in (Op.DIV, Op.SQRT) and row not in left_alone]
        if not rows:
            return
        search = _ProductSearch(e, homes)
        for row in rows:
            for a, b in search.pairs(row):
                if (self.reasons[a] | self.reasons[b]) & ~self.reasons[row]:
                    continue
                product = e.field.mul(e.value(a), e.value(b))
                if sign := _relative_sign(e, product, e.value(row)):
                    self.products[row] = a, b, sign
                    self.found = True
                    break


def _fraction(e: Evaluation, x: Value) -> Number | None:
    is_real = x[1] is None or not x[1].any()
    fraction = e.field.as_fraction(x[0]) if is_real else None
    return None if fraction is None else Number(fraction)


def _best(kind: Kind, others: dict[Kind, int], last: int) -> Kind:
    """The kind that may take the place of this one and is undefined at the fewest places; the earliest of equals."""
    reasons, sign, _ = kind
    allowed = [k for k, row in others.items() if row <= last and not k[0] & ~reasons and (not sign or k[1] == sign)]
    return min(allowed, key=lambda k: (k[0].bit_count(), k[1] == 0))


def _relative_sign(e: Evaluation, x: Value, y: Value) -> int:
    """1 if two values are equal, -1 if one is the other's negative, else 0."""
    for sign, z in ((1, y), (-1, e.field.neg(y))):
        imaginary = [0 if part is None else part for part in (x[1], z[1])]
        if (x[0] == z[0]).all() and np.all(imaginary[0] == imaginary[1]):
            return sign
    return 0


class _ProductSearch:
    """Pairs of rows whose product is a row up to sign, found in the first column."""

    def __init__(self, e: Evaluation, rows: list[int]) -> None:
        self._e = e
        self._p = e.field.p[:1]
        x = e.value(rows)
        first: Value = (x[0][:, :1], None if x[1] is None else x[1][:, :1])
        places = np.argsort(self._packed(first), kind="stable")
        self._rows = np.array(rows)[places]
        self._values: Value = (first[0][places], None if first[1] is None else first[1][places])
        self._keys = self._packed(self._values)
        norm = self._product(self._values, self._conjugate(self._values))[0]
        self._inverses = self._product(self._conjugate(self._values), (inverses(norm, self._p), None))

    def pairs(self, row: int) -> list[tuple[int, int]]:
        """Candidates for two factors of a row, itself left out; early ones first."""
        x = self._e.value(row)
        value: Value = (x[0][:1], None if x[1] is None else x[1][:1])
        wanted = self._packed(self._product(value, self._inverses))
        places = np.searchsorted(self._keys, wanted)
        a, b = self._rows, self._rows[np.minimum(places, len(self._keys) - 1)]
        fits = (self._keys[np.minimum(places, len(self._keys) - 1)] == wanted) & (a <= b) & (a != row) & (b != row)
        return sorted(zip(a[fits].tolist(), b[fits].tolist(), strict=True))

    def _product(self, x: Value, y: Value) -> Value:
        field = self._e.field.only(np.array([0]))
        return field.mul(x, y)

    def _conjugate(self, x: Value) -> Value:
        return x[0], None if x[1] is None else -x[1] % self._p

    def _packed(self, x: Value) -> Array:
        """One integer for an element and its negative."""
        p = self._p
        real, imaginary = x[0][:, 0], np.zeros_like(x[0][:, 0]) if x[1] is None else x[1][:, 0]
        return np.asarray(np.minimum((real << 31) + imaginary, ((-real % p) << 31) + -imaginary % p))
