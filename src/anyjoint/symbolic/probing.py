"""Values of operations at random points, each with a bound of its rounding error.

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

from anyjoint.symbolic.interval import Interval
from anyjoint.symbolic.ops import Op

Array = np.ndarray[Any, np.dtype[np.float64]]
# A sample of one value: numbers at the points, their magnitudes, and bounds of their errors.
Sample = tuple[Array, Array, Array]

ROUNDING = 2.0**-52  # twice the unit roundoff, so that a bound to first order is safe


class Points:
    """Random points of the domain, and the random branches taken there; the same for the same seed."""

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self.seed = seed
        self.random = np.random.default_rng(seed)

    def variable(self, index: int, domain: Interval) -> Array:
        """Values of a variable, spread evenly over its domain (one per stratum), a few of them near zero."""
        random = np.random.default_rng((self.seed, index))
        low, high = domain
        place = (random.permutation(self.count) + random.uniform(0.02, 0.98, self.count)) / self.count
        if low > 0.0 and high > 100.0 * low:  # magnitudes matter more than lengths
            return np.asarray(low * (high / low) ** place)
        values = low + (high - low) * place
        if low < 0.0 < high:
            values[-2:] *= 0.03
        return values

    def choice(self) -> Array:
        """A random pattern with as many True as False."""
        return np.asarray(self.random.permutation(self.count) * 2 < self.count)

    def signs(self) -> Array:
        """A random pattern of +1 and -1, both equally often."""
        return np.where(self.choice(), 1.0, -1.0)

    def turns(self) -> Array:
        """Random whole numbers, some odd, some even, some negative."""
        return self.random.permutation(self.count) % 4 - 1.0

    def unknown(self, low: float, high: float) -> Sample:
        """A value that is independent of everything else."""
        return exact(self.random.uniform(low, high, self.count))


def exact(values: Array) -> Sample:
    """A sample without error."""
    return values, np.abs(values), np.zeros_like(values)


def constant(value: float, count: int) -> Sample:
    """A constant; one that is not a small dyadic number is taken to be a rounded real number."""
    values = np.full(count, value)
    magnitude = np.abs(values)
    error = 0.0 if value * 64.0 == math.floor(value * 64.0) and abs(value) < 1e6 else 2.0 * ROUNDING
    return values, magnitude, magnitude * error


def _bounded(values: Array, error: Array) -> Sample:
    """A sample from its value and the error that comes from its operands; adds the rounding of the result."""
    magnitude = np.abs(values)
    return values, magnitude, error + magnitude * ROUNDING


def _add(_: Points, x: Sample, y: Sample) -> Sample:
    return _bounded(x[0] + y[0], x[2] + y[2])


def _sub(_: Points, x: Sample, y: Sample) -> Sample:
    return _bounded(x[0] - y[0], x[2] + y[2])


def _mul(_: Points, x: Sample, y: Sample) -> Sample:
    return _bounded(x[0] * y[0], x[1] * y[2] + y[1] * x[2])


def _div(_: Points, x: Sample, y: Sample) -> Sample:
    values = x[0] / y[0]
    return _bounded(values, (x[2] + np.abs(values) * y[2]) / y[1])


def _sqrt(_: Points, x: Sample) -> Sample:
    values = np.sqrt(x[0])
    return _bounded(values, x[2] * 0.5 / values)


def _sin(_: Points, x: Sample) -> Sample:
    return _bounded(np.sin(x[0]), x[2])


def _cos(_: Points, x: Sample) -> Sample:
    return _bounded(np.cos(x[0]), x[2])


def _tan(_: Points, x: Sample) -> Sample:
    values = np.tan(x[0])
    return _bounded(values, x[2] * (1.0 + values * values))


def _asin(points: Points, x: Sample) -> Sample:
    turns = points.turns()
    values = np.arcsin(x[0]) * (1.0 - 2.0 * (turns % 2.0)) + math.pi * turns
    return _bounded(values, x[2] / np.sqrt(1.0 - x[0] * x[0]) + 8.0 * ROUNDING)


def _acos(points: Points, x: Sample) -> Sample:
    values = np.arccos(x[0]) * points.signs() + 2.0 * math.pi * points.turns()
    return _bounded(values, x[2] / np.sqrt(1.0 - x[0] * x[0]) + 16.0 * ROUNDING)


def _atan2(points: Points, y: Sample, x: Sample) -> Sample:
    values = np.arctan2(y[0], x[0]) + 2.0 * math.pi * points.turns()
    return _bounded(values, (x[1] * y[2] + y[1] * x[2]) / (x[0] * x[0] + y[0] * y[0]) + 16.0 * ROUNDING)


def _exp(_: Points, x: Sample) -> Sample:
    values = np.exp(x[0])
    return _bounded(values, values * x[2])


def _log(_: Points, x: Sample) -> Sample:
    return _bounded(np.log(x[0]), x[2] / x[1] + ROUNDING)


def _pow(_: Points, x: Sample, y: Sample) -> Sample:
    values = np.power(x[0], y[0])
    return _bounded(values, values * (y[1] * x[2] / x[1] + np.abs(np.log(x[0])) * y[2] + ROUNDING))


def chosen(pattern: Array, x: Sample, y: Sample) -> Sample:
    """x where the pattern holds, else y."""
    return np.where(pattern, x[0], y[0]), np.where(pattern, x[1], y[1]), np.where(pattern, x[2], y[2])


def _either(points: Points, x: Sample, y: Sample) -> Sample:
    return chosen(points.choice(), x, y)


def _floor(points: Points, x: Sample) -> Sample:
    return exact(np.floor(x[0]) + points.turns())


def negated(x: Sample) -> Sample:
    """-x."""
    return -x[0], x[1], x[2]


def with_signs(points: Points, x: Sample) -> Sample:
    """x with a random sign at every point."""
    return x[0] * points.signs(), x[1], x[2]


# The sample of an operation from those of its operands. SQRT gives the positive root and ABS is missing: the caller
# knows whether their sign is certain. So are leaves, GATHER, conditions and SELECT, which need the graph.
SAMPLE_RULES: dict[Op, Callable[..., Sample]] = {
    Op.ADD: _add,
    Op.SUB: _sub,
    Op.MUL: _mul,
    Op.DIV: _div,
    Op.SQRT: _sqrt,
    Op.SIN: _sin,
    Op.COS: _cos,
    Op.TAN: _tan,
    Op.ASIN: _asin,
    Op.ACOS: _acos,
    Op.ATAN2: _atan2,
    Op.EXP: _exp,
    Op.LOG: _log,
    Op.POW: _pow,
    Op.MIN: _either,
    Op.MAX: _either,
    Op.FLOOR: _floor,
}
