"""The arc length of any curve, over any scalar: Gauss quadrature between knots, quintics in between."""

from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, derivative, sqrt
from anyjoint.spatial import dot

from .check import Table, nested
from .piecewise import Grid, polynomial

STEPS = 400


@frozen
class ArcLength:
    """The length from the start of the domain; `total` is added for each whole round of a closed curve."""

    grid: Grid
    tables: tuple[tuple[float, ...], ...]
    total: float

    def __call__(self, s: Scalar) -> Scalar:
        length = polynomial(self.tables, *self.grid.locate(s))
        return length + self.total * self.grid.turns(s) if self.grid.cyclic else length


def arc_length_of(
    velocity: Callable[[Scalar], Any], domain: tuple[float, float], *, closed: bool
) -> ArcLength:
    """Tables of quintics that match the length, the speed and its derivative at every knot."""

    def speed(s: Scalar) -> Scalar:
        v = velocity(s)
        return sqrt(dot(v, v))

    lo, hi = domain
    step = (hi - lo) / STEPS
    knots = lo + step * np.arange(STEPS + 1)
    nodes, weights = np.polynomial.legendre.leggauss(5)
    gauss = list(zip((1 + nodes) / 2, weights / 2, strict=True))
    inner = [sum(w * speed(float(k + step * x)) for x, w in gauss) for k in knots[:-1]]
    length = np.concatenate([[0.0], np.cumsum(np.array(inner, dtype=float) * step)])
    slope = step * np.array([speed(float(s)) for s in knots], dtype=float)
    bend = step**2 * np.array([derivative(speed, float(s)) for s in knots], dtype=float)
    tables = quintic_pieces(length, slope, bend)
    return ArcLength(Grid(lo, step, STEPS, closed), nested(tables), float(length[-1]))


def quintic_pieces(y: Table, d: Table, dd: Table) -> Table:
    """Powers (6, n - 1) of quintics on unit intervals with these values, slopes and second derivatives at the knots."""
    rise = np.diff(y) - d[:-1] - dd[:-1] / 2
    tilt = np.diff(d) - dd[:-1]
    bend = np.diff(dd)
    return np.stack([
        y[:-1], d[:-1], dd[:-1] / 2,
        10 * rise - 4 * tilt + bend / 2, -15 * rise + 7 * tilt - bend, 6 * rise - 3 * tilt + bend / 2,
    ])  # fmt: skip
