"""Where a value is undefined: a set of reasons for each row, such as "u is negative" for sqrt(u) and all that uses it.

An expression may take the place of an equal one only if each of its reasons is one of the other's: x / x may become 1,
sqrt(x) sqrt(x) may become x, and neither way back; sqrt(x y) is never sqrt(x) sqrt(y), which is undefined where both
are negative. A reason is there or not, exactly: none is left out, and none is added "to be safe", because a reason too
many on the one side is a merge too many on the other. Below a comparison no reason may vanish either: to compare with
an undefined value is false, to look up an undefined index gives the first entry, and both are results like others.

Reasons are the bits of an int. Equal values share their reasons: "u is negative" is about the value of u.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING

from anyjoint.symbolic.field import bytes_of, normal_form, stacked
from anyjoint.symbolic.interval import holds_zero
from anyjoint.symbolic.ops import CONDITIONS, Op

if TYPE_CHECKING:
    from anyjoint.symbolic.evaluation import Evaluation


class Definedness:
    """`reasons[row]` is the set of all reasons for which the value of a row of an evaluation may be undefined."""

    def __init__(self, e: "Evaluation") -> None:
        self.e = e
        self.reasons = [0] * len(e.ids)
        self._bits: dict[Hashable, int] = {}
        self._sound: list[int] = []  # rows that are defined and not zero anywhere, not yet among the next
        self._never_zero: set[bytes] = set()

    def add(self, row: int) -> None:
        """Find the reasons of a row that has just been evaluated."""
        found = 0
        for x in self.e.operands[row]:
            found |= self.reasons[x]
        if rule := REASONS.get(self.e.op[row]):
            found = rule(self, row, found)
        self.reasons[row] = found
        if not found and not holds_zero(self.e.interval[row]):
            self._sound.append(row)

    @cached_property
    def fixed(self) -> frozenset[int]:
        """Rows below comparisons that may be undefined: they stay as undefined as they are."""
        e, found = self.e, set[int]()
        for row in reversed(range(len(e.op))):
            if row in found or e.op[row] in _ABSORBING:
                found.update(x for x in e.operands[row] if self.reasons[x])
        return frozenset(found)

    def bit(self, *reason: Hashable) -> int:
        """The bit of a reason."""
        return self._bits.setdefault(reason, 1 << len(self._bits))

    def negative(self, row: int) -> int:
        """A value is below zero."""
        return 0 if self.e.interval[row][0] >= 0.0 else self.bit("negative", self.e.key(row))

    def is_undefined_if_negative(self, row: int) -> bool:
        """Is it one of the reasons of a row that its own value would be below zero?"""
        return bool(self.reasons[row] & self._bits.get(("negative", self.e.key(row)), 0))

    def zero(self, row: int) -> int:
        """A value is zero: for products, that one of the factors is."""
        e, found, rows = self.e, 0, [row]
        seen = set(rows)
        while rows:
            row = rows.pop()
            op, operands = e.op[row], e.operands[row]
            key = self._key(row)
            if not holds_zero(e.interval[row]) or op == Op.EXP or self._is_never_zero(key):
                continue
            if op in (Op.MUL, Op.NEG, Op.SQRT, Op.ABS, Op.DIV):
                factors = operands[:1] if op == Op.DIV else operands
                rows += [x for x in factors if x not in seen]
                seen.update(factors)
            else:
                found |= self.bit("zero", key)
        return found

    def _is_never_zero(self, key: bytes) -> bool:
        """Whether some row of this value, up to sign, is defined and not zero anywhere."""
        if self._sound:
            self._never_zero.update(normal_form(self.e.field, *self.e.value(self._sound))[1])
            self._sound.clear()
        return key in self._never_zero

    def _key(self, row: int) -> bytes:
        return normal_form(self.e.field, *self.e.value([row]))[1][0]


_ABSORBING = frozenset({*CONDITIONS, Op.GATHER})

Rule = Callable[[Definedness, int, int], int]


def _beyond_one(d: Definedness, row: int, below: int) -> int:
    """asin and acos: 1 - x^2 is negative."""
    x, field = d.e.operands[row][0], d.e.field
    low, high = d.e.interval[x]
    if low >= -1.0 and high <= 1.0:
        return below
    rest = field.sub(field.whole(1), field.mul(d.e.value(x), d.e.value(x)))
    return below | d.bit("negative", bytes_of(rest))


def _power(d: Definedness, row: int, below: int) -> int:
    base, exponent = d.e.operands[row]
    c = d.e.constant(exponent)
    if c is None:
        return below if d.e.interval[base][0] > 0.0 else below | d.bit("power", d.e.key(base), d.e.key(exponent))
    if c != int(c):
        below |= d.negative(base)
    return below | d.zero(base) if c < 0 else below


def _tangent(d: Definedness, row: int, below: int) -> int:
    cos, _ = d.e.angles.circle(d.e.operands[row][0])
    return below | d.bit("zero", normal_form(d.e.field, *stacked([cos]))[1][0])


def _one_of(d: Definedness, row: int, below: int) -> int:
    """select: undefined where both branches are; else a matter of which one is taken."""
    e, (_, x, y) = d.e, d.e.operands[row]
    certain = d.reasons[x] & d.reasons[y]
    if certain == below:
        return below
    about = [(e.key(k), d.reasons[k]) for k in e.operands[row]]
    return certain | d.bit("branch", e.op[row], *about)


def _looked_up(d: Definedness, row: int, below: int) -> int:
    """gather: every index means some entry, an undefined one too."""
    x = d.e.operands[row][0]
    return d.bit("index", d.e.key(x), d.reasons[x]) if below else 0


# The reasons of an operation, given all those of its operands; what is not listed adds none.
REASONS: dict[int, Rule] = {
    Op.DIV: lambda d, row, below: below | d.zero(d.e.operands[row][1]),
    Op.SQRT: lambda d, row, below: below | d.negative(d.e.operands[row][0]),
    Op.TAN: _tangent,
    Op.ASIN: _beyond_one,
    Op.ACOS: _beyond_one,
    Op.LOG: lambda d, row, below: below | d.negative(d.e.operands[row][0]) | d.zero(d.e.operands[row][0]),
    Op.POW: _power,
    Op.SELECT: _one_of,
    Op.GATHER: _looked_up,
    Op.REM: lambda d, row, below: below | d.zero(d.e.operands[row][1]),
}
