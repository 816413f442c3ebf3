"""Interval arithmetic over operations: what is certain about a value wherever it is defined.

Merging asks it whether a candidate for |f| is never negative, and whether an argument can leave the domain of its
function. A variable is anywhere within its bounds, which its setter enforces: a parameter of a joint has some, a
coordinate has none. Results are widened a little, so rounding never makes them too narrow.
"""

import math
from collections.abc import Callable

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


def add(x: Interval, y: Interval) -> Interval:
    return widened(x[0] + y[0], x[1] + y[1])


def sub(x: Interval, y: Interval) -> Interval:
    return widened(x[0] - y[1], x[1] - y[0])


def mul(x: Interval, y: Interval) -> Interval:
    if x == EVERYTHING or y == EVERYTHING:
        return EVERYTHING
    corners = [a * b if a and b else 0.0 for a in x for b in y]  # no value is infinite, so 0 * infinity is 0
    return widened(min(corners), max(corners))


def square(x: Interval) -> Interval:
    """x * x, which is tighter than the product of two unrelated values."""
    low, high = absolute(x)
    low, high = widened(low * low, high * high)
    return max(low, 0.0), high


def div(x: Interval, y: Interval) -> Interval:
    if y[0] < 0.0 < y[1] or y == (0.0, 0.0):
        return EVERYTHING
    low, high = (1.0 / end if end else math.copysign(math.inf, y[0] + y[1]) for end in (y[1], y[0]))
    return mul(x, widened(low, high))


def increasing(f: Callable[[float], float], low: float, high: float) -> Callable[[Interval], Interval]:
    """The rule of an increasing function that lives on [low, high]."""

    def rule(x: Interval) -> Interval:
        if x[1] < low or x[0] > high:
            return EVERYTHING
        try:
            return widened(f(max(x[0], low)), f(min(x[1], high)))
        except (ValueError, OverflowError):
            return EVERYTHING

    return rule


def cos(x: Interval) -> Interval:
    """Extremes at the ends, or at multiples of pi in between."""
    if not x[1] - x[0] < 2.0 * math.pi or max(abs(x[0]), abs(x[1])) > 1e6:
        return -1.0, 1.0
    ends = math.cos(x[0]), math.cos(x[1])
    low, high = min(ends), max(ends)
    for k in range(math.ceil(x[0] / math.pi - 1e-9), math.floor(x[1] / math.pi + 1e-9) + 1):
        low, high = (min(low, -1.0), high) if k % 2 else (low, max(high, 1.0))
    return widened(low, high)


def sin(x: Interval) -> Interval:
    return cos((x[0] - math.pi / 2.0, x[1] - math.pi / 2.0)) if math.isfinite(x[1] - x[0]) else (-1.0, 1.0)


def tan(x: Interval) -> Interval:
    return widened(math.tan(x[0]), math.tan(x[1])) if _is_tame(x) else EVERYTHING


def _is_tame(x: Interval) -> bool:
    """Does the tangent stay away from its poles?"""
    return x[0] > -1.57 and x[1] < 1.57


def acos(x: Interval) -> Interval:
    low, high = increasing(math.asin, -1.0, 1.0)(x)
    return widened(math.pi / 2.0 - high, math.pi / 2.0 - low)


def exp(x: Interval) -> Interval:
    return widened(math.exp(min(x[0], 700.0)), math.exp(x[1]) if x[1] < 700.0 else math.inf)


def log(x: Interval) -> Interval:
    if x[0] <= 0.0:
        return -math.inf, math.log(x[1]) + 1e-12 if 0.0 < x[1] < math.inf else math.inf
    return widened(math.log(x[0]), math.log(x[1]) if x[1] < math.inf else math.inf)


def power(x: Interval, y: Interval) -> Interval:
    return exp(mul(log(x), y)) if x[0] > 0.0 else EVERYTHING


def absolute(x: Interval) -> Interval:
    a, b = abs(x[0]), abs(x[1])
    return (0.0 if holds_zero(x) else min(a, b)), max(a, b)


def hull(x: Interval, y: Interval) -> Interval:
    return min(x[0], y[0]), max(x[1], y[1])


def smaller(x: Interval, y: Interval) -> Interval:
    """Of the smaller of two values."""
    return min(x[0], y[0]), min(x[1], y[1])


def larger(x: Interval, y: Interval) -> Interval:
    """Of the larger of two values."""
    return max(x[0], y[0]), max(x[1], y[1])
