"""Values of all nodes at random points, each with a bound of its rounding error, and with an interval.

Two analytic expressions that agree at random points are equal everywhere on a connected domain (the identity
theorem); functions with several branches break that, so they are made analytic first. A square root whose argument
may vanish takes a random sign at every point, an inverse sine a random branch, min, max and select a random
operand, and what is left (floor, gather, log of a possibly negative number) is an unknown of its own. What then
holds at all points holds on every branch, hence on the right one: sqrt(x^2) is never x, but its square is x^2.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.interval import EVERYTHING, INTERVAL_RULES, TOTAL_RULES, Interval, square
from anyjoint.symbolic.ops import CONDITIONS, Op

Array = np.ndarray[Any, np.dtype[Any]]
# A sample has a row per node and a column per point: values, their magnitudes, bounds of their errors.
Sample = tuple[Array, Array, Array]

_FEW = 0.25  # share of points at which a value may be undefined
ROUNDING = 2.0**-52  # twice the unit roundoff, so that a bound to first order is safe


class Points:
    """Random points of the domain, and the random branches taken there; the same for the same seed."""

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self.seed = seed
        self.random = np.random.default_rng(seed)  # of branches; variables have streams of their own

    def variable(self, index: int, domain: tuple[float, float]) -> Array:
        """Values of a variable, spread evenly over its domain (one per stratum), a few of them near zero."""
        random = np.random.default_rng((self.seed, index + 1))  # not 0, which would repeat the stream of branches
        low, high = domain
        place = (random.permutation(self.count) + random.uniform(0.02, 0.98, self.count)) / self.count
        if low > 0.0 and high > 100.0 * low:  # magnitudes matter more than lengths
            return np.asarray(low * (high / low) ** place)
        values = low + (high - low) * place
        if low < 0.0 < high:
            values[-2:] *= 0.03
        return values

    def shuffled(self, rows: int) -> Array:
        """In every row the numbers 0, 1, ... in another order."""
        return self.random.permuted(np.tile(np.arange(self.count), (rows, 1)), axis=1)

    def choices(self, rows: int) -> Array:
        """Random patterns with as many True as False."""
        return self.shuffled(rows) * 2 < self.count

    def signs(self, rows: int) -> Array:
        """Random patterns of +1 and -1, both equally often."""
        return np.where(self.choices(rows), 1.0, -1.0)

    def turns(self, rows: int) -> Array:
        """Random whole numbers, some odd, some even, some negative."""
        return self.shuffled(rows) % 4 - 1.0

    def unknowns(self, rows: int) -> Array:
        """Numbers between 0 and 1 that are independent of everything else."""
        return self.random.uniform(0.0, 1.0, (rows, self.count))


class Probe:
    """The nodes `ids` of a graph (operands first) with their samples, intervals and whether they are total.

    `index` maps an id to its row; `operands` are the rows of operands. `roots` are square roots and absolute values
    of random sign: their values are right up to sign, and they are never negative.
    """

    def __init__(self, g: Graph, ids: list[int], points: Points) -> None:
        n = len(ids)
        self.g, self.ids, self.points = g, ids, points
        self.index = dict(zip(ids, range(n), strict=True))
        self.op = [g.op[i] for i in ids]
        index = self.index
        self.operands = [tuple([index[x] for x in g.operands(i)]) for i in ids]
        self.interval: list[Interval] = []
        self.total: list[bool] = []
        for row in range(n):
            self._find_interval(row)
        self.values, self.size, self.error = (np.zeros((n, points.count)) for _ in range(3))
        self.roots: list[int] = []
        with np.errstate(all="ignore"):
            for op, rows in self._groups():
                self._evaluate(op, rows)

    def _find_interval(self, row: int) -> None:
        """Append what is certain about a row."""
        op, operands = self.op[row], self.operands[row]
        ranges = [self.interval[x] for x in operands]
        rule = TOTAL_RULES.get(op)
        self.total.append(all(self.total[x] for x in operands) and (rule is None or rule(*ranges)))
        if op == Op.MUL and operands[0] == operands[1]:
            self.interval.append(square(ranges[0]))
        elif op in INTERVAL_RULES:
            self.interval.append(INTERVAL_RULES[op](*ranges))
        else:
            self.interval.append(self._interval_of_data(self.ids[row]))

    def _interval_of_data(self, i: int) -> Interval:
        g, op = self.g, self.g.op[i]
        if op == Op.CONST:
            return g.value(i), g.value(i)
        if op == Op.VAR:
            return g.variables[g.a[i]].domain
        return (min(g.tables[g.b[i]]), max(g.tables[g.b[i]])) if op == Op.GATHER else EVERYTHING

    def _groups(self) -> list[tuple[Op, list[int]]]:
        """Rows that can be evaluated together: the same operation, operands in earlier groups."""
        levels: list[int] = []
        groups: dict[tuple[int, int], list[int]] = {}
        for row, operands in enumerate(self.operands):
            level = 1 + max([levels[x] for x in operands]) if operands else 0
            levels.append(level)
            groups.setdefault((level, self.op[row]), []).append(row)
        return [(Op(op), groups[level, op]) for level, op in sorted(groups)]

    def _evaluate(self, op: Op, rows: list[int]) -> None:
        """Fill in the samples of rows that have one operation."""
        n = len(rows)
        if op in (Op.CONST, Op.VAR):
            self._evaluate_leaves(op, rows)
            return
        if op in CONDITIONS:
            self.values[rows] = self.points.choices(n)
            self.error[rows] = np.inf  # never equal to anything
            return
        operands = [self.sample(list(x)) for x in zip(*(self.operands[row] for row in rows), strict=True)]
        if op == Op.SELECT:
            sample = _chosen(operands[0][0] > 0.5, operands[1], operands[2])
        elif op == Op.GATHER:
            low, high = np.array([self.interval[row] for row in rows]).T[:, :, None]
            sample = _exact(low + (high - low) * self.points.unknowns(n))
        else:
            sample = SAMPLE_RULES[op](self.points, *operands)
        if op in _BRANCHED:
            sample = self._made_analytic(op, rows, sample)
        self.values[rows], self.size[rows], self.error[rows] = sample

    def _evaluate_leaves(self, op: Op, rows: list[int]) -> None:
        g = self.g
        for row in rows:
            k = g.a[self.ids[row]]
            if op == Op.VAR:
                self.values[row] = self.points.variable(k, g.variables[k].domain)
            else:
                self.values[row] = value = g.constants[k]
                # A number that is not a short binary fraction is taken to be a rounded real number.
                self.error[row] = 0.0 if (value * 64.0).is_integer() else 2.0 * ROUNDING * abs(value)
        self.size[rows] = np.abs(self.values[rows])

    def _made_analytic(self, op: Op, rows: list[int], sample: Sample) -> Sample:
        """Random signs for roots that may vanish, unknowns for what may be undefined and for sampled branches that are.

        A root of a root of random sign is such a branch: imaginary, although its argument is never negative.
        """
        certain = np.array([op not in _CLEAR or _CLEAR[op](self.interval[self.operands[row][0]]) for row in rows])
        defined = np.count_nonzero(np.isnan(sample[0]), axis=1) <= _FEW * self.points.count
        if op in (Op.LOG, Op.POW):
            defined &= certain
        elif op in (Op.SQRT, Op.ABS):
            self.roots += [row for row, is_root in zip(rows, defined & ~certain, strict=True) if is_root]
            signs = np.where(certain[:, None], 1.0, self.points.signs(len(rows)))
            sample = sample[0] * signs, sample[1], sample[2]
        return _chosen(defined[:, None], sample, _exact(0.5 + self.points.unknowns(len(rows))))

    def sample(self, rows: Any) -> Sample:
        """Values, magnitudes and error bounds of some rows."""
        return self.values[rows], self.size[rows], self.error[rows]


_BRANCHED = frozenset({Op.SQRT, Op.ABS, Op.LOG, Op.POW, Op.ASIN, Op.ACOS})
# When an interval of the first operand leaves no doubt which branch is meant.
_CLEAR: dict[int, Callable[[Interval], bool]] = {
    Op.SQRT: lambda x: x[0] > 0.0,
    Op.ABS: lambda x: x[0] >= 0.0 or x[1] <= 0.0,
    Op.LOG: lambda x: x[0] > 0.0,
    Op.POW: lambda x: x[0] > 0.0,
}


def _exact(values: Array) -> Sample:
    return values, np.abs(values), np.zeros_like(values)


def _bounded(values: Array, error: Array) -> Sample:
    """A sample from its value and the error that comes from its operands; adds the rounding of the result."""
    size = np.abs(values)
    return values, size, error + size * ROUNDING


def _chosen(pattern: Array, x: Sample, y: Sample) -> Sample:
    """x where the pattern holds, else y."""
    return np.where(pattern, x[0], y[0]), np.where(pattern, x[1], y[1]), np.where(pattern, x[2], y[2])


def _div(_: Points, x: Sample, y: Sample) -> Sample:
    values = x[0] / y[0]
    return _bounded(values, (x[2] + np.abs(values) * y[2]) / y[1])


def _sqrt(_: Points, x: Sample) -> Sample:
    values = np.sqrt(x[0])
    return _bounded(values, x[2] * 0.5 / values)


def _tan(_: Points, x: Sample) -> Sample:
    values = np.tan(x[0])
    return _bounded(values, x[2] * (1.0 + values * values))


def _asin(points: Points, x: Sample) -> Sample:
    turns = points.turns(len(x[0]))
    values = np.arcsin(x[0]) * (1.0 - 2.0 * (turns % 2.0)) + math.pi * turns
    return _bounded(values, x[2] / np.sqrt(1.0 - x[0] * x[0]) + 8.0 * ROUNDING)


def _acos(points: Points, x: Sample) -> Sample:
    n = len(x[0])
    values = np.arccos(x[0]) * points.signs(n) + 2.0 * math.pi * points.turns(n)
    return _bounded(values, x[2] / np.sqrt(1.0 - x[0] * x[0]) + 16.0 * ROUNDING)


def _atan2(points: Points, y: Sample, x: Sample) -> Sample:
    values = np.arctan2(y[0], x[0]) + 2.0 * math.pi * points.turns(len(x[0]))
    return _bounded(values, (x[1] * y[2] + y[1] * x[2]) / (x[0] * x[0] + y[0] * y[0]) + 16.0 * ROUNDING)


def _exp(_: Points, x: Sample) -> Sample:
    values = np.exp(x[0])
    return _bounded(values, values * x[2])


def _pow(_: Points, x: Sample, y: Sample) -> Sample:
    values = np.power(x[0], y[0])
    return _bounded(values, np.abs(values) * (y[1] * x[2] / x[1] + np.abs(np.log(x[0])) * y[2] + ROUNDING))


def _either(points: Points, x: Sample, y: Sample) -> Sample:
    return _chosen(points.choices(len(x[0])), x, y)


# The sample of an operation from those of its operands. Leaves, GATHER, conditions and SELECT need the graph.
SAMPLE_RULES: dict[Op, Callable[..., Sample]] = {
    Op.ADD: lambda _, x, y: _bounded(x[0] + y[0], x[2] + y[2]),
    Op.SUB: lambda _, x, y: _bounded(x[0] - y[0], x[2] + y[2]),
    Op.MUL: lambda _, x, y: _bounded(x[0] * y[0], x[1] * y[2] + y[1] * x[2]),
    Op.DIV: _div,
    Op.NEG: lambda _, x: (-x[0], x[1], x[2]),
    Op.SQRT: _sqrt,
    Op.SIN: lambda _, x: _bounded(np.sin(x[0]), x[2]),
    Op.COS: lambda _, x: _bounded(np.cos(x[0]), x[2]),
    Op.TAN: _tan,
    Op.ASIN: _asin,
    Op.ACOS: _acos,
    Op.ATAN2: _atan2,
    Op.EXP: _exp,
    Op.LOG: lambda _, x: _bounded(np.log(x[0]), x[2] / x[1] + ROUNDING),
    Op.POW: _pow,
    Op.ABS: lambda _, x: (x[1], x[1], x[2]),
    Op.MIN: _either,
    Op.MAX: _either,
    Op.FLOOR: lambda points, x: _exact(np.floor(x[0]) + points.turns(len(x[0]))),
}
