"""A cubic B-spline curve of any number of pieces."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..bernstein import cubic_pieces
from ..check import EVERYWHERE, frozen, table
from ..piecewise import Grid, pieces, polynomial
from .curve import Curve


@dataclass(frozen=True)
class BSpline(Curve):
    """The C2 cubic B-spline of control points (n, 3), one unit of s per piece [RM eq. 52-54].

    `closed=True` joins the end to the start; an open curve begins and ends at its first and last control point, unless
    `clamped=False` asks for the plain uniform spline.
    """

    points: Any
    closed: bool = False
    clamped: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(table("BSpline curve points", self.points, (None, 3), (4,))))

    @property
    def count(self) -> int:
        """Number of pieces."""
        return len(self.points) if self.closed else len(self.points) - 3

    @property
    def domain(self) -> tuple[float, float]:  # type: ignore[override]
        return 0.0, float(self.count)

    @property
    def defined(self) -> tuple[float, float]:  # type: ignore[override]
        return EVERYWHERE if self.closed else self.domain

    @property
    def period(self) -> float | None:  # type: ignore[override]
        return float(self.count) if self.closed else None

    @cached_property
    def tables(self) -> Any:
        """Coefficients [component][power][piece]."""
        return pieces(cubic_pieces(np.array(self.points), closed=self.closed, clamped=self.clamped))

    def point(self, s: Scalar) -> Vector:
        index, t = Grid(0, 1, self.count, self.closed).locate(s)
        return vector(*[polynomial(component, index, t) for component in self.tables])
