"""Classes of equal expressions: every node of a graph is sorted into one by its values at random points.

A class stands for a value up to sign, so `a - b` and `b - a` meet. It remembers its cheapest member: an operation
on other classes. A member that is defined everywhere is never displaced by one that may divide by zero.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.interval import EVERYTHING, INTERVAL_RULES, Interval, square
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.probing import SAMPLE_RULES, Array, Points, Sample, chosen, constant, exact, negated, with_signs

_TIGHT = 1e-12  # a comparison counts only where both values are known to this relative error
_ENOUGH = 0.7  # share of the points at which it must count

# Rough cost of an operation in units of one addition; what is not listed costs 20.
COST = {Op.ADD: 1, Op.SUB: 1, Op.MUL: 1, Op.NEG: 1, Op.DIV: 6, Op.SQRT: 8, Op.SIN: 15, Op.COS: 15, Op.ABS: 1}
COST |= {Op.MIN: 1, Op.MAX: 1, Op.LT: 1, Op.LE: 1, Op.EQ: 1, Op.SELECT: 1, Op.FLOOR: 1, Op.GATHER: 3}

_EVEN = frozenset({Op.COS, Op.ABS})
_ODD = frozenset({Op.SIN, Op.TAN})

Signed = tuple[int, int]  # a class and a sign: the value of the class, or its negative


@dataclass(slots=True)
class Member:
    """One way to compute a class: an operation on signed classes (GATHER: and a table), a leaf's id, or a number."""

    op: Op
    operands: tuple[Signed, ...]
    leaf: int  # node id of a variable, table index of a gather
    number: float
    cost: float
    total: bool  # defined on the whole domain
    sign: int = 1  # -1: the class is the negative of the operation


@dataclass(slots=True)
class Class:
    """Values that all members have (up to sign), what is certain about them, and the best member."""

    sample: Sample | None  # None for conditions
    interval: Interval
    best: Member
    alias: Signed | None = None  # a class found later that this one equals


class Classes:
    """Sorts the nodes of a graph, operands first, into classes."""

    def __init__(self, g: Graph, points: Points, with_roots: bool) -> None:
        self.g = g
        self.points = points
        self.with_roots = with_roots
        self.classes: list[Class] = []
        self.of: dict[int, Signed] = {}
        self.merged = 0
        self._structures: dict[tuple[int, ...], Signed] = {}
        self._buckets: dict[tuple[int, int, int], list[int]] = {}
        self._positive: dict[tuple[int, int, int], list[tuple[int, Sample, bool]]] = {}
        self._patterns: dict[int, Array] = {}
        self._numbers: dict[float, int] = {}

    def add(self, i: int) -> None:
        """Sort node i in; its operands must have been."""
        g = self.g
        op = Op(g.op[i])
        if op == Op.CONST:
            self.of[i] = self._number(g.value(i))
        elif op == Op.VAR:
            self.of[i] = self._variable(i)
        elif op == Op.NEG:
            k, sign = self.of[g.a[i]]
            self.of[i] = k, -sign
        else:
            table = g.b[i] if op == Op.GATHER else -1
            self.of[i] = self._operation(op, tuple(self.of[x] for x in g.operands(i)), table)

    # Leaves

    def _number(self, value: float) -> Signed:
        size, sign = abs(value), -1 if value < 0.0 else 1
        if size not in self._numbers:
            best = Member(Op.CONST, (), -1, size, 0.0, True)
            self._numbers[size] = self._new(constant(size, self.points.count), (size, size), best)
        return self._numbers[size], sign

    def _variable(self, i: int) -> Signed:
        index = self.g.a[i]
        domain = self.g.variables[index].domain
        sample = exact(self.points.variable(index, domain))
        return self._registered(sample, domain, Member(Op.VAR, (), i, 0.0, 0.0, True))

    # Operations

    def _operation(self, op: Op, operands: tuple[Signed, ...], table: int) -> Signed:
        op, operands, sign = _normal_form(op, operands)
        structure = (op, table, *(x for pair in operands for x in pair))
        found = self._structures.get(structure)
        if found is None:
            found = self._structures[structure] = self._sorted(op, operands, table)
        return found[0], found[1] * sign

    def _sorted(self, op: Op, operands: tuple[Signed, ...], table: int) -> Signed:
        interval, total = self._certainty(op, operands, table)
        cost = COST.get(op, 20) + sum(self.classes[k].best.cost for k, _ in operands)
        member = Member(op, operands, table, 0.0, cost, total)
        if op in (Op.LT, Op.LE, Op.EQ):
            k = self._new(None, interval, member)
            self._patterns[k] = self.points.choice()
            return k, 1
        if op in (Op.SQRT, Op.ABS):
            return self._root(op, operands[0], interval, member)
        sample = self._sample(op, operands, table)
        if op in (Op.ADD, Op.SUB) and self._vanishes(sample, operands):
            self.merged += 1
            return self._number(0.0)
        return self._registered(sample, interval, member)

    def _sample(self, op: Op, operands: tuple[Signed, ...], table: int) -> Sample:
        if op == Op.GATHER:
            values = self.g.tables[table]
            return self.points.unknown(min(values), max(values))
        if op == Op.SELECT:
            return chosen(self._patterns[operands[0][0]], self._value(operands[1]), self._value(operands[2]))
        if op in (Op.LOG, Op.POW) and self._interval(operands[0])[0] <= 0.0:
            return self.points.unknown(0.5, 2.0)
        if len(operands) == 2:
            return SAMPLE_RULES[op](self.points, self._value(operands[0]), self._value(operands[1]))
        return SAMPLE_RULES[op](self.points, self._value(operands[0]))

    def _root(self, op: Op, operand: Signed, interval: Interval, member: Member) -> Signed:
        """A square root or absolute value: a class that is certainly not negative, or a value of random sign."""
        low, high = self._interval(operand)
        if op == Op.ABS and (low >= 0.0 or high <= 0.0):
            self.merged += 1
            return operand[0], operand[1] if low >= 0.0 else -operand[1]
        x = self._value(operand)
        root = SAMPLE_RULES[op](self.points, x) if op == Op.SQRT else (x[1], x[1], x[2])
        if op == Op.SQRT and low > 0.0:
            return self._registered(root, interval, member)
        for key in _keys(root):
            for k, sample, _ in self._positive.get(key, ()):
                if _agree(root, sample, 1.0):
                    self._join(k, interval, member)
                    return k, self._direction(k)
        k = self._new(with_signs(self.points, root), interval, member)
        for key in _keys(root)[:1]:
            self._positive.setdefault(key, []).append((k, root, True))
        self._file(k)
        return k, 1

    def _direction(self, k: int) -> int:
        """+1 for a class that is never negative, -1 for one that is never positive."""
        return 1 if self.classes[k].interval[0] >= 0.0 else -1

    # Finding and making classes

    def _registered(self, sample: Sample, interval: Interval, member: Member) -> Signed:
        """The class that a sample belongs to; a new one if no class has its values."""
        number = _constant_value(sample)
        if number is not None:
            self.merged += 1
            return self._number(number)
        for key in _keys(sample):
            j = key[0]
            for k in self._buckets.get(key, ()):
                other = self.classes[k].sample
                if other is None:
                    continue
                sign = 1 if (sample[0][j] > 0.0) == (other[0][j] > 0.0) else -1
                if _agree(sample, other, sign):
                    self._join(k, interval if sign > 0 else (-interval[1], -interval[0]), member, sign)
                    return k, sign
        k = self._new(sample, interval, member)
        self._file(k)
        if self.with_roots and (interval[0] >= 0.0 or interval[1] <= 0.0):
            self._file_positive(k, sample)
        return k, 1

    def _new(self, sample: Sample | None, interval: Interval, best: Member) -> int:
        self.classes.append(Class(sample, interval, best))
        return len(self.classes) - 1

    def _file(self, k: int) -> None:
        sample = self.classes[k].sample
        if sample is not None:
            for key in _keys(sample)[:1]:
                self._buckets.setdefault(key, []).append(k)

    def _file_positive(self, k: int, sample: Sample) -> None:
        """Remember a class of certain sign as a candidate for roots, also for one that came before it."""
        size = (sample[1], sample[1], sample[2])
        keys = _keys(size)
        for key in keys:
            for root, values, is_root in self._positive.get(key, ()):
                if is_root and self.classes[root].alias is None and _agree(size, values, 1.0):
                    self.classes[root].alias = k, self._direction(k)
                    self.merged += 1
        for key in keys[:1]:
            self._positive.setdefault(key, []).append((k, size, False))

    def _join(self, k: int, interval: Interval, member: Member, sign: int = 1) -> None:
        """Add a member to a class; keep the better one (total before partial, then by cost)."""
        self.merged += 1
        found = self.classes[k]
        low, high = max(found.interval[0], interval[0]), min(found.interval[1], interval[1])
        if low <= high:
            found.interval = low, high
        better = member.cost < found.best.cost if member.total == found.best.total else member.total
        if better:
            found.best = member if sign > 0 else replace(member, sign=-1)

    # Looking up

    def _value(self, x: Signed) -> Sample:
        sample = self.classes[x[0]].sample
        assert sample is not None  # conditions are operands of SELECT only, which asks for their pattern
        return sample if x[1] > 0 else negated(sample)

    def _interval(self, x: Signed) -> Interval:
        low, high = self.classes[x[0]].interval
        return (low, high) if x[1] > 0 else (-high, -low)

    def _certainty(self, op: Op, operands: tuple[Signed, ...], table: int) -> tuple[Interval, bool]:
        """The interval of an operation, and whether it is defined on all of the domain."""
        ranges = [self._interval(x) for x in operands]
        total = all(self.classes[k].best.total for k, _ in operands) and _is_total(op, ranges)
        if op == Op.GATHER:
            values = self.g.tables[table]
            return (min(values), max(values)), total
        if op in (Op.LT, Op.LE, Op.EQ):
            return EVERYTHING, total
        if op == Op.MUL and operands[0] == operands[1]:
            return square(ranges[0]), total
        return INTERVAL_RULES[op](*ranges), total

    def _vanishes(self, sample: Sample, operands: tuple[Signed, ...]) -> bool:
        """Is a sum zero at all points, up to an error that is tiny against its terms?"""
        if not sample[1][0] <= sample[2][0]:
            return False
        scale = self._value(operands[0])[1] + self._value(operands[1])[1]
        finite = np.isfinite(sample[2])
        tight = sample[2] <= _TIGHT * scale
        return bool(tight.mean() >= _ENOUGH and (sample[1] <= sample[2])[finite].all())


def _normal_form(op: Op, operands: tuple[Signed, ...]) -> tuple[Op, tuple[Signed, ...], int]:
    """An operation with signs moved out of it where that is possible, and the sign that came out."""
    if op in (Op.MUL, Op.DIV):
        (a, s), (b, t) = operands
        return op, (((b, 1), (a, 1)) if op == Op.MUL and b < a else ((a, 1), (b, 1))), s * t
    if op in (Op.ADD, Op.SUB):  # s a + t b = s (a + st b)
        (a, s), (b, t) = operands
        relative = s * t if op == Op.ADD else -s * t
        if b < a:
            a, b, s = b, a, s * relative
        return (Op.ADD if relative > 0 else Op.SUB), ((a, 1), (b, 1)), s
    if op in _EVEN:
        return op, ((operands[0][0], 1),), 1
    if op in _ODD:
        return op, ((operands[0][0], 1),), operands[0][1]
    if op in (Op.MIN, Op.MAX, Op.EQ) and operands[1] < operands[0]:
        return op, (operands[1], operands[0]), 1
    return op, operands, 1


def _is_total(op: Op, ranges: list[Interval]) -> bool:
    """Is an operation defined for all operands in these ranges?"""
    if op == Op.DIV:
        return not ranges[1][0] <= 0.0 <= ranges[1][1]
    if op == Op.SQRT:
        return ranges[0][0] >= 0.0
    if op in (Op.LOG, Op.POW):
        return ranges[0][0] > 0.0
    if op in (Op.ASIN, Op.ACOS):
        return ranges[0][0] >= -1.0 and ranges[0][1] <= 1.0
    if op == Op.TAN:
        return ranges[0][0] > -1.57 and ranges[0][1] < 1.57
    return True


def _keys(sample: Sample) -> list[tuple[int, int, int]]:
    """Buckets to search: magnitude at the first point where it is known well, rounded to about nine digits.

    The first key is where a sample is filed; a second one is there if the magnitude is close to a rounding edge.
    """
    for j in range(sample[0].shape[0]):
        size = sample[1].item(j)
        if sample[2].item(j) <= _TIGHT * size < math.inf and size > 0.0:
            mantissa, exponent = math.frexp(size)
            place = mantissa * 2.0**30
            whole = int(place)
            fraction = place - whole
            if fraction < 0.01:
                low = (j, exponent, whole - 1) if whole > 2**29 else (j, exponent - 1, 2**30 - 1)
                return [(j, exponent, whole), low]
            if fraction > 0.99:
                high = (j, exponent, whole + 1) if whole + 1 < 2**30 else (j, exponent + 1, 2**29)
                return [(j, exponent, whole), high]
            return [(j, exponent, whole)]
    return []


def _agree(x: Sample, y: Sample, sign: float) -> bool:
    """Are two samples equal up to sign, at all points where both are finite, and well known at enough of them?"""
    error = x[2] + y[2]
    close = np.abs(x[0] - sign * y[0]) <= error
    tight = error <= 2.0 * _TIGHT * x[1]
    return bool((close & tight).mean() >= _ENOUGH and (close | ~np.isfinite(error)).all())


def _constant_value(sample: Sample) -> float | None:
    """The number that a sample is at all points; a simple fraction if one is within the error."""
    values, size, error = sample
    first, second = values.item(0), values.item(1)
    if not abs(first - second) <= 1e-9 * abs(first):
        return None
    known = error <= _TIGHT * size
    if known.mean() < _ENOUGH:
        return None
    best = int(np.argmin(np.where(known, error, math.inf)))
    value, bound = values.item(best), error.item(best)
    if not ((np.abs(values - value) <= error + bound) | ~np.isfinite(error)).all():
        return None
    simple = Fraction(value).limit_denominator(64)
    return float(simple) if abs(float(simple) - value) <= bound else value
