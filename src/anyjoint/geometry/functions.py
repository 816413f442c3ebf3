"""Scalar functions of coordinates, as biomechanics models use them: constant, linear, polynomial, splines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, maximum, minimum, sin

from .bernstein import horner
from .check import Table, finite, nested, table
from .piecewise import Breaks, Piecewise

__all__ = [
    "Bounded", "Composed", "Constant", "Held", "Linear", "NaturalCubic", "Of", "PiecewiseLinear", "Polynomial",
    "Powers", "Scaled", "SimmSpline", "Sine", "Step", "Tied",
]  # fmt: skip
QUINTIC = (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)  # from 0 to 1, with slopes and curvatures of zero at the ends
MOST_POWERS = 10
MOST_KNOTS = 10_000  # code looks for a piece among all of them


@frozen
class Constant:
    """f(x) = value."""

    value: float = 0.0

    def __post_init__(self) -> None:
        finite("Constant", value=self.value)

    def __call__(self, x: Scalar) -> Scalar:
        return self.value


@frozen
class Linear:
    """f(x) = slope x + intercept."""

    slope: float = 1.0
    intercept: float = 0.0

    def __post_init__(self) -> None:
        finite("Linear", slope=self.slope, intercept=self.intercept)

    def __call__(self, x: Scalar) -> Scalar:
        scaled = x if self.slope == 1 else self.slope * x
        return scaled if self.intercept == 0 else scaled + self.intercept


@frozen
class Polynomial:
    """f(x) = sum coefficients[k] x^k, lowest power first."""

    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        given = table("Polynomial coefficients", self.coefficients, (None,), (1,))
        object.__setattr__(self, "coefficients", nested(given))

    def __call__(self, x: Scalar) -> Scalar:
        return horner(self.coefficients, x)


@frozen
class Powers:
    """f(x, y, ...) = sum coefficients[k] x^a y^b ..., all a + b + ... <= order; powers of the last one go up first."""

    coefficients: tuple[float, ...]
    arguments: int = 2
    order: int = 1

    def __post_init__(self) -> None:
        if self.arguments not in range(1, MOST_POWERS) or self.order not in range(MOST_POWERS):
            raise InputError(f"Powers: {self.arguments} arguments and order {self.order}; expected 1 to"
                             f" {MOST_POWERS - 1} arguments, and an order of 0 to {MOST_POWERS - 1}")  # fmt: skip
        given = table("Powers coefficients", self.coefficients, (comb(self.arguments + self.order, self.order),))
        object.__setattr__(self, "coefficients", nested(given))

    def __call__(self, *x: Scalar) -> Scalar:
        return self._sum(x, self.order, iter(self.coefficients))

    def _sum(self, x: Sequence[Scalar], order: int, coefficients: Iterator[float]) -> Scalar:
        """By Horner's rule in the first argument, whose factors are such sums of the others."""
        if not x:
            return next(coefficients)
        return horner([self._sum(x[1:], order - power, coefficients) for power in range(order + 1)], x[0])


@frozen
class Sine:
    """f(x) = amplitude sin(omega x + phase) + offset."""

    amplitude: float = 1.0
    omega: float = 1.0
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        finite("Sine", amplitude=self.amplitude, omega=self.omega, phase=self.phase, offset=self.offset)

    def __call__(self, x: Scalar) -> Scalar:
        return self.amplitude * sin(self.omega * x + self.phase) + self.offset


@frozen
class Step:
    """From one value to another between `start` and `end`, with two continuous derivatives."""

    start: float = 0.0
    end: float = 1.0
    before: float = 0.0
    after: float = 1.0

    def __post_init__(self) -> None:
        finite("Step", start=self.start, end=self.end, before=self.before, after=self.after)
        if not self.start < self.end:
            raise InputError(f"Step: start {self.start:g} must be below end {self.end:g}")

    def __call__(self, x: Scalar) -> Scalar:
        z = Bounded(0.0, 1.0)((x - self.start) / (self.end - self.start))
        return self.before + (self.after - self.before) * horner(QUINTIC, z)


@frozen
class Bounded:
    """f(x) = x within low and high, and the nearer of these outside."""

    low: float
    high: float

    def __post_init__(self) -> None:
        finite("Bounded", low=self.low, high=self.high)
        if not self.low <= self.high:
            raise InputError(f"Bounded: low {self.low:g} must not be above high {self.high:g}")

    def __call__(self, x: Scalar) -> Scalar:
        return minimum(maximum(x, self.low), self.high)


@frozen
class PiecewiseLinear:
    """Straight lines through (x_i, y_i); the end lines go on outside."""

    x: Sequence[float]
    y: Sequence[float]

    def __post_init__(self) -> None:
        _keep_knots(self, "PiecewiseLinear", 2)

    @cached_property
    def pieces(self) -> Piecewise:
        x, y = np.array(self.x), np.array(self.y)
        return Piecewise(Breaks(nested(x[1:-1]), nested(x[:-1])), (nested(y[:-1]), nested(np.diff(y) / np.diff(x))))

    def __call__(self, x: Scalar) -> Scalar:
        return self.pieces(x)


@frozen
class NaturalCubic:
    """The cubic spline through (x_i, y_i), straight outside.

    `ends="natural"` has no curvature at the ends; `ends="fitted"` takes the third derivative there from the cubic
    through the four end points (Forsythe, Malcolm and Moler), as OpenSim's SimmSpline does; through three points that
    is a parabola.
    """

    x: Sequence[float]
    y: Sequence[float]
    ends: str = "natural"

    def __post_init__(self) -> None:
        if self.ends not in ("natural", "fitted"):
            raise InputError(f"NaturalCubic(ends={self.ends!r}): expected 'natural' or 'fitted'")
        _keep_knots(self, "NaturalCubic", 3)

    @cached_property
    def pieces(self) -> Piecewise:
        x, y = np.array(self.x), np.array(self.y)
        powers = spline_powers(x, y, fitted=self.ends == "fitted")
        last = powers[-1, 1] + (x[-1] - x[-2]) * (2 * powers[-1, 2] + 3 * (x[-1] - x[-2]) * powers[-1, 3])
        rows = np.vstack([[y[0], powers[0, 1], 0, 0], powers, [y[-1], last, 0, 0]])
        origins = np.concatenate([x[:1], x[:-1], x[-1:]])
        return Piecewise(Breaks(nested(x), nested(origins)), nested(np.ascontiguousarray(rows.T)))

    def __call__(self, x: Scalar) -> Scalar:
        return self.pieces(x)


@frozen
class Scaled:
    """f(x, ...) = scale * function(x, ...)."""

    function: Any
    scale: float

    def __post_init__(self) -> None:
        _keep_functions("Scaled", self.function)
        finite("Scaled", scale=self.scale)

    def __call__(self, *x: Scalar) -> Scalar:
        return self.scale * self.function(*x)


@frozen
class Composed:
    """f(x, ...) = outer(inner(x, ...))."""

    outer: Any
    inner: Any

    def __post_init__(self) -> None:
        _keep_functions("Composed", self.outer, self.inner)

    def __call__(self, *x: Scalar) -> Scalar:
        return self.outer(self.inner(*x))


@frozen
class Of:
    """A function of some entries of a list: f(q) = function(q[i], q[j], ...); what a coupled joint follows."""

    function: Any
    indices: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        _keep_functions("Of", self.function)
        object.__setattr__(self, "indices", tuple(int(k) for k in self.indices))

    def __call__(self, q: Sequence[Scalar]) -> Scalar:
        return self.function(*(q[k] for k in self.indices))


@frozen
class Held:
    """A function with some of its arguments held: `values` has None where an argument stays free."""

    function: Any
    values: tuple[float | None, ...]

    def __post_init__(self) -> None:
        _keep_functions("Held", self.function)
        object.__setattr__(self, "values", tuple(None if x is None else float(x) for x in self.values))

    def __call__(self, *x: Scalar) -> Scalar:
        free = iter(x)
        return self.function(*(next(free) if value is None else value for value in self.values))


@frozen
class Tied:
    """f(x) = outer(...) where some arguments are entries of x, by number, and those that are None are inner(x[i], ...).

    `inner_entries` are the numbers of the entries that `inner` takes.
    """

    outer: Any
    entries: tuple[int | None, ...]
    inner: Any
    inner_entries: tuple[int, ...]

    def __post_init__(self) -> None:
        _keep_functions("Tied", self.outer, self.inner)
        object.__setattr__(self, "entries", tuple(None if k is None else int(k) for k in self.entries))
        object.__setattr__(self, "inner_entries", tuple(int(k) for k in self.inner_entries))

    def __call__(self, *x: Scalar) -> Scalar:
        tied = self.inner(*(x[k] for k in self.inner_entries))
        return self.outer(*(tied if k is None else x[k] for k in self.entries))


def _keep_functions(owner: str, *functions: Any) -> None:
    for function in functions:
        if not callable(function):
            raise InputError(f"{owner}: expected a function such as functions.Linear(), got {function!r}")


def SimmSpline(x: Sequence[float], y: Sequence[float]) -> NaturalCubic:
    """The spline of OpenSim's SimmSpline (also called natural cubic spline there)."""
    return NaturalCubic(x, y, ends="fitted")


def spline_powers(x: Table, y: Table, *, fitted: bool) -> Table:
    """Powers (n - 1, 4) of the C2 cubic spline about each left knot, from its second derivatives."""
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    lower, diagonal, upper, right = np.zeros((4, n))
    lower[1:-1], diagonal[1:-1], upper[1:-1] = h[:-1], 2 * (h[:-1] + h[1:]), h[1:]
    right[1:-1] = 6 * np.diff(slope)
    diagonal[[0, -1]] = 1
    if fitted:  # the third derivative at each end is that of the cubic through four points
        diagonal[0], upper[0], lower[-1], diagonal[-1] = -1 / h[0], 1 / h[0], -1 / h[-1], 1 / h[-1]
        if n > 3:
            right[0], right[-1] = 6 * _third_difference(x[:4], y[:4]), 6 * _third_difference(x[-4:], y[-4:])
    m = _tridiagonal(lower, diagonal, upper, right)
    return np.stack([y[:-1], slope - h * (2 * m[:-1] + m[1:]) / 6, m[:-1] / 2, np.diff(m) / (6 * h)], axis=1)


def _tridiagonal(lower: Table, diagonal: Table, upper: Table, right: Table) -> Table:
    """The solution of equations of three entries a row; these need no pivoting."""
    d, r = diagonal.copy(), right.copy()
    for i in range(1, len(d)):
        factor = lower[i] / d[i - 1]
        d[i] -= factor * upper[i - 1]
        r[i] -= factor * r[i - 1]
    r[-1] /= d[-1]
    for i in range(len(d) - 2, -1, -1):
        r[i] = (r[i] - upper[i] * r[i + 1]) / d[i]
    return r


def _third_difference(x: Table, y: Table) -> float:
    d = y.copy()
    for level in range(1, 4):
        d = np.diff(d) / (x[level:] - x[:-level])
    return float(d[0])


def _keep_knots(owner: Any, name: str, least: int) -> None:
    x = table(f"{name} x", owner.x, (None,), (least,))
    y = table(f"{name} y", owner.y, (len(x),))
    if len(x) > MOST_KNOTS:
        raise InputError(f"{name}: {len(x):,} knots are given, and at most {MOST_KNOTS:,} are used; thin them out")
    if not (np.diff(x) > 0).all():
        raise InputError(f"{name}: x must increase strictly, got {x.tolist()}")
    object.__setattr__(owner, "x", nested(x))
    object.__setattr__(owner, "y", nested(y))
