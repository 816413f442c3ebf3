"""A bicubic B-spline surface of any number of patches."""

from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..bernstein import spline_pieces
from ..check import nested, table
from ..patches import Patches
from .surface import Interval, Surface, where_defined


@frozen
class BSpline(Surface):
    """A bicubic C2 spline over an m x n grid of control points, array (m, n, 3); one unit of u or v per patch.

    `closed=(True, False)` closes it in u; open directions are clamped, so that the corners are control points.
    """

    points: Any
    closed: tuple[bool, bool] = (False, False)

    def __post_init__(self) -> None:
        points = table("BSpline surface points", self.points, (None, None, 3), (4, 4))
        object.__setattr__(self, "points", nested(points))
        object.__setattr__(self, "closed", (bool(self.closed[0]), bool(self.closed[1])))

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of patches in u and in v."""
        m, n = len(self.points), len(self.points[0])
        return (m if self.closed[0] else m - 3), (n if self.closed[1] else n - 3)

    @property
    def domain(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        return (0.0, float(self.counts[0])), (0.0, float(self.counts[1]))

    @property
    def defined(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        return where_defined(self.domain, self.closed)

    @property
    def periods(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        return (
            float(self.counts[0]) if self.closed[0] else None,
            float(self.counts[1]) if self.closed[1] else None,
        )

    @cached_property
    def patches(self) -> Patches:
        grid = np.array(self.points)
        m, n, _ = grid.shape
        along_u = spline_pieces(grid.reshape(m, n * 3), closed=self.closed[0], clamped=True)  # [i, power, n * 3]
        rows = along_u.reshape(-1, n, 3).transpose(1, 0, 2).reshape(n, -1)
        both = spline_pieces(rows, closed=self.closed[1], clamped=True)  # [j, power, (i, power, 3)]
        i, j = self.counts
        return Patches.of(both.reshape(j, 4, i, 4, 3).transpose(2, 0, 3, 1, 4), self.closed)

    def point(self, u: Scalar, v: Scalar) -> Vector:
        return vector(*self.patches(u, v))
