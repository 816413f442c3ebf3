"""Values of all nodes at a random place of finite fields, from which only algebra speaks.

| operation | value |
|---|---|
| + - * / | itself; a quotient by something that is zero in a column is an unknown |
| constant | the number that the float means (reading.py) |
| variable | a random element: an unknown |
| sin, cos, tan, exp, log | of a random angle or number per atom of the argument (angle.py) |
| sqrt, abs | a root, where algebra cannot know its sign (radical.py) |
| x^c | x^floor(c) times an unknown of (x, c - floor(c)); the root for one half |
| condition | an unknown, not 0 or 1: else a branch behind many conditions would never be seen |
| select, min, max | b + condition * (a - b) |
| asin, acos, atan2, floor, gather | an unknown for each argument |

What holds for unknowns in place of functions, conditions and tables holds for these, whatever they do: a step, a
plateau, a spike. What is lost are identities that rest on more than algebra. An unknown is the hash of the operation
and the values of its operands, so equal operands give equal unknowns. Derivatives need no rule: they are nodes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from anyjoint.symbolic.angle import Angles
from anyjoint.symbolic.definedness import Definedness
from anyjoint.symbolic.field import COLUMNS, MANY_COLUMNS, Array, Field, Value, bytes_of, stacked
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.radical import MissingRoot, Radicals
from anyjoint.symbolic.ranges import intervals
from anyjoint.symbolic.reading import read

_LARGEST_POWER = 2**12  # a degree, which has to be small against the primes

# What takes a root: evaluated after everything that needs fewer roots, so that as much as possible is known by then.
_TAKE_ROOTS = frozenset({Op.SQRT, Op.ABS, Op.POW, Op.ASIN, Op.ACOS, Op.ATAN2})


def evaluate_exactly(g: Graph, ids: list[int]) -> "Evaluation":
    """The nodes `ids` (operands first) with their values, in columns in which all roots exist."""
    field, free = Field.of(COLUMNS), frozenset[int]()
    while True:
        try:
            return Evaluation(g, ids, field, free)
        except MissingRoot as missing:
            grows = field.drawn == COLUMNS
            field, free = Field.of(MANY_COLUMNS) if grows else field.only(missing.exists), missing.free


class Evaluation:
    """A row for each of some nodes of a graph: its operation, the rows of its operands, its interval and its value.

    `index` maps a node's id to its row. `free` are rows whose radicands are known to be no squares.
    """

    def __init__(self, g: Graph, ids: list[int], field: Field, free: frozenset[int] = frozenset()) -> None:
        n = len(ids)
        self.g, self.ids, self.field = g, ids, field
        self.index = index = dict(zip(ids, range(n), strict=True))
        self.op = [g.op[i] for i in ids]
        self.operands: list[tuple[int, ...]] = [tuple([index[x] for x in g.operands(i)]) for i in ids]
        self.interval = intervals(g, ids, self.operands)
        self.real = np.zeros((n, field.columns), dtype=np.int64)
        self.imaginary: Array | None = None
        self.is_complex = np.zeros(n, dtype=bool)
        self.is_done = np.zeros(n, dtype=bool)
        self.definedness = Definedness(self)
        self.angles = Angles(self)
        self.radicals = Radicals(self, free)
        self._first, self._second = (
            np.array([x[k] if len(x) > k else 0 for x in self.operands], dtype=np.intp) for k in (0, 1)
        )
        for op, rows in self._groups():
            self._put(rows, RULES[op](self, rows))
            for row in rows:
                self.definedness.add(row)
            if self.radicals.branched:
                self.radicals.branched.update(row for row in rows if self._is_branched(row))

    # Reading values

    def value(self, rows: Sequence[int] | Array | int) -> Value:
        """The value of a row, or those of several."""
        if self.imaginary is None or not self.is_complex[rows].any():
            return self.real[rows], None
        return self.real[rows], self.imaginary[rows]

    def key(self, row: int) -> bytes:
        """What two rows of equal values, and no others, have in common."""
        return bytes_of(self.value(row))

    def operand_values(self, rows: Sequence[int]) -> tuple[Value, Value]:
        """Values of the first and of the second operands of some rows."""
        return self.value(self._first[rows]), self.value(self._second[rows])

    def sign(self, row: int) -> int:
        """1 or -1 if a value is never negative or never positive wherever it is defined, else 0."""
        low, high = self.interval[row]
        if low >= 0.0:
            return 1
        return -1 if high <= 0.0 else 0

    def constant(self, row: int) -> float | None:
        """The number of a constant row."""
        return self.g.value(self.ids[row]) if self.op[row] == Op.CONST else None

    # Filling them in

    def unknowns(self, keys: Iterable[bytes]) -> Value:
        """Random elements in rows, one for each key."""
        return self.field.random(keys), None

    def _put(self, rows: Sequence[int], values: Value) -> None:
        self.real[rows] = values[0]
        if values[1] is not None and values[1].any():
            if self.imaginary is None:
                self.imaginary = np.zeros_like(self.real)
            self.imaginary[rows] = values[1]
            self.is_complex[rows] = values[1].any(axis=1)
        self.is_done[rows] = True

    def _is_branched(self, row: int) -> bool:
        """Whether a row is made of roots whose signs are enumerated."""
        operands = self.operands[row]
        parts = self.angles.atoms(operands[0]) if self.op[row] in (Op.SIN, Op.COS, Op.TAN) else ()
        return not self.radicals.branched.isdisjoint((*operands, *parts))

    def _groups(self) -> list[tuple[Op, list[int]]]:
        """Rows that can be evaluated together: same operation, operands in earlier groups, roots as late as can be."""
        depths: list[tuple[int, int]] = []  # roots below a row, operations since the last of them
        groups: dict[tuple[int, int, int, int], list[int]] = {}
        for row, (op, operands) in enumerate(zip(self.op, self.operands, strict=True)):
            roots, since = max([depths[x] for x in operands], default=(0, -1))
            takes_root = op in _TAKE_ROOTS
            depth = (roots + 1, 0) if takes_root else (roots, since + 1)
            depths.append(depth)
            # A root may be made of another one: one at a time.
            groups.setdefault((*depth, op, row if takes_root else 0), []).append(row)
        return [(Op(key[2]), groups[key]) for key in sorted(groups)]


Rule = Callable[[Evaluation, list[int]], Value]


def _each(rule: Callable[[Evaluation, int], Value]) -> Rule:
    """A rule that takes row after row."""
    return lambda e, rows: stacked([rule(e, row) for row in rows])


def _unknown(op: Op) -> Rule:
    """An unknown for each different tuple of operands."""
    return lambda e, rows: e.unknowns(unknown_key(op, *(e.key(x) for x in e.operands[row])) for row in rows)


def unknown_key(op: Op, *operands: bytes) -> bytes:
    """What names the unknown of an operation on operands of some values."""
    return b"%s of %d: " % (op.name.encode(), len(operands)) + b"".join(operands)


def _constant(e: Evaluation, row: int) -> Value:
    number = read(e.g.value(e.ids[row]))
    value = e.radicals.of(number)
    return value if value is not None else e.field.element(repr(number).encode())


def _variables(e: Evaluation, rows: list[int]) -> Value:
    return e.unknowns(b"variable %d" % e.g.a[e.ids[row]] for row in rows)


def _quotients(e: Evaluation, rows: list[int]) -> Value:
    field, (x, y) = e.field, e.operand_values(rows)
    divisors, places = np.unique(e._second[rows], return_inverse=True)
    y = field.inverse(e.value(divisors))
    real, imaginary = field.mul(x, (y[0][places], None if y[1] is None else y[1][places]))
    nonzero = y[0] != 0 if y[1] is None else (y[0] != 0) | (y[1] != 0)
    good = nonzero.all(axis=1)[places, None]
    if not good.all():
        real = np.where(good, real, _unknown(Op.DIV)(e, rows)[0])
        imaginary = None if imaginary is None else np.where(good, imaginary, 0)
    return real, imaginary


def _tangent(e: Evaluation, row: int) -> Value:
    cos, sin = e.angles.circle(e.operands[row][0])
    return e.field.mul(sin, e.field.inverse(cos))


def _absolute(e: Evaluation, row: int) -> Value:
    x = e.value(e.operands[row][0])
    sign = e.sign(e.operands[row][0])
    if sign:
        return x if sign > 0 else e.field.neg(x)
    return e.radicals.root(e.field.mul(x, x), row)


def _power(e: Evaluation, row: int) -> Value:
    base, exponent = e.operands[row]
    c = e.constant(exponent)
    if c is None or abs(c) > _LARGEST_POWER:
        return e.field.element(unknown_key(Op.POW, e.key(base), e.key(exponent)))
    whole = math.floor(c)
    value = e.field.power(e.value(base), whole)
    if c - whole == 0.5:
        return e.field.mul(value, e.radicals.root(e.value(base), row))
    if c == whole:
        return value
    rest = Fraction(c) - whole
    return e.field.mul(value, e.field.element(unknown_key(Op.POW, e.key(base), repr(rest).encode())))


def _branches(e: Evaluation, rows: list[int]) -> Value:
    condition, x, y = (e.value([e.operands[row][k] for row in rows]) for k in range(3))
    return _mix(e, condition, x, y)


def _mix(e: Evaluation, condition: Value, x: Value, y: Value) -> Value:
    return e.field.add(y, e.field.mul(condition, e.field.sub(x, y)))


def _extremum(e: Evaluation, row: int, smaller: bool) -> Value:
    """The unknown is that of the condition a < b, in the order of their values: min(a, b) is min(b, a)."""
    a, b = sorted(e.operands[row], key=e.key)
    condition = e.field.element(unknown_key(Op.LT, e.key(a), e.key(b)))
    x, y = (e.value(a), e.value(b)) if smaller else (e.value(b), e.value(a))
    return _mix(e, condition, x, y)


def _gather(e: Evaluation, row: int) -> Value:
    table = b"%d" % e.g.b[e.ids[row]]
    return e.field.element(unknown_key(Op.GATHER, table, e.key(e.operands[row][0])))


# The values of rows that share an operation, from those of their operands; of others than these nothing is known.
RULES: dict[Op, Rule] = {op: _unknown(op) for op in Op} | {
    Op.CONST: _each(_constant),
    Op.VAR: _variables,
    Op.ADD: lambda e, rows: e.field.add(*e.operand_values(rows)),
    Op.SUB: lambda e, rows: e.field.sub(*e.operand_values(rows)),
    Op.MUL: lambda e, rows: e.field.mul(*e.operand_values(rows)),
    Op.DIV: _quotients,
    Op.NEG: lambda e, rows: e.field.neg(e.operand_values(rows)[0]),
    Op.SQRT: _each(lambda e, row: e.radicals.root(e.value(e.operands[row][0]), row)),
    Op.SIN: _each(lambda e, row: e.angles.circle(e.operands[row][0])[1]),
    Op.COS: _each(lambda e, row: e.angles.circle(e.operands[row][0])[0]),
    Op.TAN: _each(_tangent),
    Op.EXP: _each(lambda e, row: e.angles.exponential(e.operands[row][0])),
    Op.LOG: _each(lambda e, row: e.angles.logarithm(e.operands[row][0])),
    Op.POW: _each(_power),
    Op.ABS: _each(_absolute),
    Op.MIN: _each(lambda e, row: _extremum(e, row, smaller=True)),
    Op.MAX: _each(lambda e, row: _extremum(e, row, smaller=False)),
    Op.SELECT: _branches,
    Op.GATHER: _each(_gather),
}
