"""A Bezier curve of any degree."""

from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..bernstein import horner, to_powers
from ..check import nested, table
from .curve import Curve


@frozen
class Bezier(Curve):
    """The Bezier curve of control points (n, 3), one polynomial of degree n - 1; s runs from 0 to 1."""

    points: Any
    domain = defined = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", nested(table("Bezier curve points", self.points, (None, 3), (2,))))

    @cached_property
    def powers(self) -> Any:
        """Coefficients [component][power]."""
        points = np.array(self.points)
        return nested((to_powers(len(points)) @ points).T)

    def point(self, s: Scalar) -> Vector:
        return vector(*[horner(component, s) for component in self.powers])
