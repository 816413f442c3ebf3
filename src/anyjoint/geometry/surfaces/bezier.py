"""A Bezier patch of any degree."""

from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..bernstein import horner, to_powers
from ..check import nested, table
from .surface import Surface


@frozen
class Bezier(Surface):
    """A patch with an m x n grid of control points, array (m, n, 3); u and v run from 0 to 1."""

    points: Any
    domain = defined = ((0.0, 1.0), (0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", nested(table("Bezier surface points", self.points, (None, None, 3), (2, 2))))

    @cached_property
    def powers(self) -> Any:
        """Coefficients [component][power of u][power of v]."""
        grid = np.array(self.points)
        grid = np.einsum("im,mnk->ink", to_powers(grid.shape[0]), grid)
        return nested(np.einsum("jn,ink->kij", to_powers(grid.shape[1]), grid))

    def point(self, u: Scalar, v: Scalar) -> Vector:
        return vector(*[horner([horner(row, v) for row in component], u) for component in self.powers])
