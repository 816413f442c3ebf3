"""A B-spline curve of any number of pieces."""

import math
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..bernstein import spline_pieces
from ..check import EVERYWHERE, nested, table
from ..piecewise import Grid, pieces, polynomial
from .curve import Curve, in_a_plane

DEGREES = range(3, 8)


@frozen
class BSpline(Curve):
    """The B-spline of control points (n, 3), one unit of s per piece [RM eq. 52-54]; cubic (C2) by default.

    `closed=True` joins the end to the start; an open curve begins and ends at its first and last control point, unless
    `clamped=False` asks for the plain uniform spline. `degree=5` is C4: what rides on it has smooth accelerations.
    """

    points: Any
    closed: bool = False
    clamped: bool = True
    degree: int = 3

    def __post_init__(self) -> None:
        if self.degree not in DEGREES:
            raise InputError(f"BSpline(degree={self.degree!r}): expected a whole number from 3 to 7")
        least = (self.degree + 1,)
        object.__setattr__(self, "points", nested(table("BSpline curve points", self.points, (None, 3), least)))

    @property
    def count(self) -> int:
        """Number of pieces."""
        return len(self.points) if self.closed else len(self.points) - self.degree

    @property
    def domain(self) -> tuple[float, float]:  # type: ignore[override]
        return 0.0, float(self.count)

    @property
    def defined(self) -> tuple[float, float]:  # type: ignore[override]
        return EVERYWHERE if self.closed else self.domain

    @property
    def period(self) -> float | None:  # type: ignore[override]
        return float(self.count) if self.closed else None

    @property
    def continuity(self) -> float:  # type: ignore[override]
        return math.inf if self.count == 1 and not self.closed else self.degree - 1

    @cached_property
    def planar(self) -> bool:  # type: ignore[override]
        return in_a_plane(self.points)

    @cached_property
    def tables(self) -> Any:
        """Coefficients [component][power][piece]."""
        return pieces(spline_pieces(np.array(self.points), self.degree, closed=self.closed, clamped=self.clamped))

    def point(self, s: Scalar) -> Vector:
        index, t = Grid(0, 1, self.count, self.closed).locate(s)
        return vector(*[polynomial(component, index, t) for component in self.tables])
