"""B-splines on knots of any spacing: the spans between distinct knots, and the polynomial on each."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, floor

from .bernstein import interval_powers
from .check import Table, nested, table
from .piecewise import Breaks, Grid, pick


@frozen
class Spans:
    """Pieces between increasing `edges`; cyclic ones repeat, others go on with their first and last piece."""

    edges: tuple[float, ...]
    cyclic: bool = False

    @property
    def count(self) -> int:
        """Number of pieces."""
        return len(self.edges) - 1

    @property
    def ends(self) -> tuple[float, float]:
        """Where the first piece begins and the last one ends."""
        return self.edges[0], self.edges[-1]

    @property
    def widths(self) -> tuple[float, ...]:
        """The lengths of the pieces."""
        return tuple(b - a for a, b in zip(self.edges[:-1], self.edges[1:], strict=True))

    def locate(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """The number of the piece that x lies in, and where in it (0 to 1)."""
        start, end = self.ends
        if len(set(self.widths)) == 1:
            return Grid(start, self.widths[0], self.count, self.cyclic).locate(x)
        if self.cyclic:
            x = x - (end - start) * floor((x - start) * (1 / (end - start)))
        index, beyond = Breaks(self.edges[1:-1], self.edges[:-1]).locate(x)
        return index, beyond * pick([1 / width for width in self.widths], index)


def knot_vector(owner: str, given: Any, count: int, degree: int) -> tuple[float, ...]:
    """The knots of `count` control points, checked; by default clamped, with a unit between inner knots."""
    if not (isinstance(degree, int) and 1 <= degree <= 7):
        raise InputError(f"{owner}(degree={degree!r}): expected a whole number from 1 to 7")
    if count < degree + 1:
        raise InputError(f"{owner}: {count} control points given, a spline of degree {degree} needs {degree + 1}")
    if given is None:
        return nested(np.concatenate([[0.0] * degree, np.arange(count - degree + 1.0), [count - degree] * degree]))  # type: ignore[no-any-return]
    knots = table(f"{owner} knots", given, (None,))
    if len(knots) != count + degree + 1:
        raise InputError(
            f"{owner}: {len(knots)} knots given; {count} control points of degree {degree} need {count + degree + 1}"
        )
    if (np.diff(knots) < 0).any() or not knots[degree] < knots[count]:
        raise InputError(f"{owner}: knots must not decrease and must span an interval, got {knots.tolist()}")
    inner = knots[degree + 1 : count]
    if len(inner) and np.unique(inner, return_counts=True)[1].max() > degree:
        raise InputError(f"{owner}: a knot repeated more than {degree} times inside would tear the spline apart")
    return nested(knots)  # type: ignore[no-any-return]


def spans_of(knots: tuple[float, ...], degree: int, *, cyclic: bool) -> Spans:
    """The spans that a knot vector leaves between its first and last control point."""
    inside = knots[degree : len(knots) - degree]
    return Spans(tuple(sorted(set(inside))), cyclic)


def span_powers(points: Table, degree: int, knots: tuple[float, ...], spans: Spans) -> Table:
    """Coefficients [piece, power, component] of the spline of control points (n, k) on each of its spans."""
    U, made = np.array(knots), []
    for left in spans.edges[:-1]:
        i = int(np.searchsorted(U, left, side="right")) - 1  # the last knot at `left`
        made.append(interval_powers(points[i - degree : i + 1], U[i - degree + 1 : i + degree + 1]))
    return np.stack(made)


def weights_of(owner: str, given: Any, shape: tuple[int, ...]) -> Table:
    """The weights of control points, above zero; by default all one."""
    if given is None:
        return np.ones(shape)
    weights = table(f"{owner} weights", given, shape)
    if not (weights > 0).all():
        raise InputError(f"{owner}: weights must be above zero, got {weights.min()}; a weight draws towards its point")
    return weights


def closes(owner: str, start: Any, end: Any) -> None:
    """Refuse to close what does not end where it starts."""
    a, b = np.array(start, dtype=float), np.array(end, dtype=float)
    if np.abs(a - b).max() > 1e-9 * max(1.0, np.abs(a).max()):
        raise InputError(
            f"{owner}: closed, but it does not end where it starts (distance {np.abs(a - b).max():.3g}); repeat "
            "the first control points at the end, or leave it open"
        )
