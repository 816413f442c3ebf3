"""A Bezier curve of any degree."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..bernstein import horner, to_powers
from ..check import frozen, table
from .curve import Curve


@dataclass(frozen=True)
class Bezier(Curve):
    """The Bezier curve of control points (n, 3), one polynomial of degree n - 1; s runs from 0 to 1."""

    points: Any
    domain = defined = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(table("Bezier curve points", self.points, (None, 3), (2,))))

    @cached_property
    def powers(self) -> Any:
        """Coefficients [component][power]."""
        points = np.array(self.points)
        return frozen((to_powers(len(points)) @ points).T)

    def point(self, s: Scalar) -> Vector:
        return vector(*[horner(component, s) for component in self.powers])
