"""Piecewise polynomials of any number of pieces over any scalar: the pieces' coefficients are gathered from tables.

So the generated code is as long as one piece, whatever their number, and derivatives pass through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, floor, gather, less, maximum, minimum, select

from .check import Table, nested


@frozen
class Grid:
    """Equal pieces of width `step` from `start`; outside, the first and last piece go on, or all repeat (cyclic)."""

    start: float
    step: float
    count: int
    cyclic: bool = False

    def locate(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """The number of the piece that x lies in, and where in it (0 to 1)."""
        t = self._pieces(x)
        if self.cyclic:
            t = t - self.count * floor(t / self.count)
        if self.count == 1:
            return 0, t
        index = minimum(maximum(floor(t), 0.0), self.count - 1.0)
        return index, t - index

    def turns(self, x: Scalar) -> Scalar:
        """How many whole periods x lies beyond the start."""
        return floor(self._pieces(x) / self.count)

    def _pieces(self, x: Scalar) -> Scalar:
        """How many pieces x lies beyond the start."""
        return x if self.start == 0 and self.step == 1 else (x - self.start) * (1 / self.step)


@frozen
class Breaks:
    """Pieces parted by increasing numbers; piece i is written about `origins[i]`."""

    breaks: tuple[float, ...]
    origins: tuple[float, ...]

    def locate(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """The number of the piece that x lies in, and x measured from the piece's origin."""
        index: Scalar = 0.0
        for edge in self.breaks:
            index = index + select(less(x, edge), 0.0, 1.0)
        return index, x - pick(self.origins, index)


def pick(values: Sequence[float], index: Scalar) -> Scalar:
    """values[index]; a table of one value, or of equal values, is that value."""
    return values[0] if all(value == values[0] for value in values) else gather(values, index)


@frozen
class Piecewise:
    """A scalar function made of polynomials: `tables[k][i]` is the coefficient of power k in piece i."""

    grid: Grid | Breaks
    tables: tuple[tuple[float, ...], ...]

    def __call__(self, x: Scalar) -> Scalar:
        return polynomial(self.tables, *self.grid.locate(x))


def polynomial(tables: Sequence[Sequence[float]], index: Scalar, t: Scalar) -> Scalar:
    """The polynomial of piece `index` at t, by Horner's rule; powers that no piece uses are left out."""
    used = len(tables)
    while used > 1 and not any(tables[used - 1]):
        used -= 1
    total = pick(tables[used - 1], index)
    for table in reversed(tables[: used - 1]):
        total = total * t + pick(table, index)
    return total


def pieces(values: Table) -> Any:
    """Tables [power][piece] for each component from coefficients [piece, power, component]."""
    return tuple(nested(np.ascontiguousarray(values[:, :, k].T)) for k in range(values.shape[2]))


def spline_through(values: Table, *, cyclic: bool) -> Table:
    """Coefficients [piece, power, component] of the C2 cubic spline through equidistant values, one unit apart."""
    n = len(values) if cyclic else len(values) - 1
    slopes = _spline_slopes(values, cyclic=cyclic)
    y0, y1 = values[:n], np.roll(values, -1, axis=0)[:n]
    m0, m1 = slopes[:n], np.roll(slopes, -1, axis=0)[:n]
    return np.stack([y0, m0, 3 * (y1 - y0) - 2 * m0 - m1, 2 * (y0 - y1) + m0 + m1], axis=1)


def _spline_slopes(y: Table, *, cyclic: bool) -> Table:
    n = len(y)
    A = np.zeros((n, n))
    right = np.zeros_like(y)
    for i in range(n):
        if cyclic or 0 < i < n - 1:
            A[i, i - 1], A[i, i], A[i, (i + 1) % n] = 1, 4, 1
            right[i] = 3 * (y[(i + 1) % n] - y[i - 1])
    if not cyclic:  # fourth-order one-sided slopes at both ends
        A[0, 0] = A[-1, -1] = 1
        one_sided = np.array([-25, 48, -36, 16, -3]) / 12
        right[0], right[-1] = one_sided @ y[:5], -one_sided @ y[-5:][::-1]
    return np.asarray(np.linalg.solve(A, right))
