"""Interval arithmetic over operations: what is certain about a value wherever it is defined.

Merging asks it whether a candidate for |f| is never negative, and whether an argument can leave the domain of its
function. A variable is anywhere within its bounds, which its setter enforces: a parameter of a joint has some, a
coordinate has none. Results are widened a little, so rounding never makes them too narrow.
"""

import math
from collections.abc import Callable, Sequence

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op

Interval = tuple[float, float]
EVERYTHING: Interval = (-math.inf, math.inf)
_SLACK = 1e-15


def widened(low: float, high: float) -> Interval:
    """An interval with room for rounding errors; ends that make no sense (NaN, infinity as a value) mean anything."""
    if not low <= high or low == math.inf or high == -math.inf:
        return EVERYTHING
    return low - _SLACK * abs(low), high + _SLACK * abs(high)


def holds_zero(x: Interval) -> bool:
    """May the value be zero?"""
    return x[0] <= 0.0 <= x[1]


def _add(x: Interval, y: Interval) -> Interval:
    return widened(x[0] + y[0], x[1] + y[1])


def _sub(x: Interval, y: Interval) -> Interval:
    return widened(x[0] - y[1], x[1] - y[0])


def _mul(x: Interval, y: Interval) -> Interval:
    if x == EVERYTHING or y == EVERYTHING:
        return EVERYTHING
    corners = [a * b if a and b else 0.0 for a in x for b in y]  # no value is infinite, so 0 * infinity is 0
    return widened(min(corners), max(corners))


def square(x: Interval) -> Interval:
    """x * x, which is tighter than the product of two unrelated values."""
    low, high = _abs(x)
    low, high = widened(low * low, high * high)
    return max(low, 0.0), high


def _div(x: Interval, y: Interval) -> Interval:
    if y[0] < 0.0 < y[1] or y == (0.0, 0.0):
        return EVERYTHING
    low, high = (1.0 / end if end else math.copysign(math.inf, y[0] + y[1]) for end in (y[1], y[0]))
    return _mul(x, widened(low, high))


def _increasing(f: Callable[[float], float], low: float, high: float) -> Callable[[Interval], Interval]:
    """The rule of an increasing function that lives on [low, high]."""

    def rule(x: Interval) -> Interval:
        if x[1] < low or x[0] > high:
            return EVERYTHING
        try:
            return widened(f(max(x[0], low)), f(min(x[1], high)))
        except (ValueError, OverflowError):
            return EVERYTHING

    return rule


def _cos(x: Interval) -> Interval:
    """Extremes at the ends, or at multiples of pi in between."""
    if not x[1] - x[0] < 2.0 * math.pi or max(abs(x[0]), abs(x[1])) > 1e6:
        return -1.0, 1.0
    ends = math.cos(x[0]), math.cos(x[1])
    low, high = min(ends), max(ends)
    for k in range(math.ceil(x[0] / math.pi - 1e-9), math.floor(x[1] / math.pi + 1e-9) + 1):
        low, high = (min(low, -1.0), high) if k % 2 else (low, max(high, 1.0))
    return widened(low, high)


def _sin(x: Interval) -> Interval:
    return _cos((x[0] - math.pi / 2.0, x[1] - math.pi / 2.0)) if math.isfinite(x[1] - x[0]) else (-1.0, 1.0)


def _tan(x: Interval) -> Interval:
    return widened(math.tan(x[0]), math.tan(x[1])) if _is_tame(x) else EVERYTHING


def _is_tame(x: Interval) -> bool:
    """Does the tangent stay away from its poles?"""
    return x[0] > -1.57 and x[1] < 1.57


def _acos(x: Interval) -> Interval:
    low, high = _increasing(math.asin, -1.0, 1.0)(x)
    return widened(math.pi / 2.0 - high, math.pi / 2.0 - low)


def _exp(x: Interval) -> Interval:
    return widened(math.exp(min(x[0], 700.0)), math.exp(x[1]) if x[1] < 700.0 else math.inf)


def _log(x: Interval) -> Interval:
    if x[0] <= 0.0:
        return -math.inf, math.log(x[1]) + 1e-12 if 0.0 < x[1] < math.inf else math.inf
    return widened(math.log(x[0]), math.log(x[1]) if x[1] < math.inf else math.inf)


def _pow(x: Interval, y: Interval) -> Interval:
    return _exp(_mul(_log(x), y)) if x[0] > 0.0 else EVERYTHING


def _abs(x: Interval) -> Interval:
    a, b = abs(x[0]), abs(x[1])
    return (0.0 if holds_zero(x) else min(a, b)), max(a, b)


def _hull(x: Interval, y: Interval) -> Interval:
    return min(x[0], y[0]), max(x[1], y[1])


# The interval of an operation from those of its operands; leaves, GATHER and conditions are none of its business.
INTERVAL_RULES: dict[int, Callable[..., Interval]] = {
    Op.ADD: _add,
    Op.SUB: _sub,
    Op.MUL: _mul,
    Op.DIV: _div,
    Op.NEG: lambda x: (-x[1], -x[0]),
    Op.SQRT: _increasing(math.sqrt, 0.0, math.inf),
    Op.SIN: _sin,
    Op.COS: _cos,
    Op.TAN: _tan,
    Op.ASIN: _increasing(math.asin, -1.0, 1.0),
    Op.ACOS: _acos,
    Op.ATAN2: lambda y, x: (-3.1416, 3.1416),
    Op.EXP: _exp,
    Op.LOG: _log,
    Op.POW: _pow,
    Op.ABS: _abs,
    Op.MIN: lambda x, y: (min(x[0], y[0]), min(x[1], y[1])),
    Op.MAX: lambda x, y: (max(x[0], y[0]), max(x[1], y[1])),
    Op.FLOOR: lambda x: (x[0] - 1.0, x[1]),
    Op.SELECT: lambda _condition, x, y: _hull(x, y),
    Op.REM: lambda x, _y: (min(x[0], 0.0), max(x[1], 0.0)),
}


def intervals(g: Graph, ids: Sequence[int], operands: Sequence[tuple[int, ...]]) -> list[Interval]:
    """The interval of every node of a list (operands first), whose operands are given as places in that list."""
    found: list[Interval] = []
    for i, places in zip(ids, operands, strict=True):
        op = g.op[i]
        if op == Op.MUL and places[0] == places[1]:
            found.append(square(found[places[0]]))
        elif rule := INTERVAL_RULES.get(op):
            found.append(rule(*[found[k] for k in places]))
        else:
            found.append(_of_data(g, i))
    return found


def _of_data(g: Graph, i: int) -> Interval:
    op = g.op[i]
    if op == Op.CONST:
        return g.value(i), g.value(i)
    if op == Op.VAR:
        return g.variables[g.a[i]].bounds
    return (min(g.tables[g.b[i]]), max(g.tables[g.b[i]])) if op == Op.GATHER else EVERYTHING
