"""Six bicubic B-spline values over two coordinates as one pose [RM section 5.3, alg. 5]."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.geometry.bernstein import uniform_basis
from anyjoint.geometry.check import nested, table
from anyjoint.geometry.patches import Patches
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint


@frozen
class SplineSurface(Joint):
    """Over a grid of control values, Q = Trans(f1, f2, f3) Rot_x(f4) Rot_y(f5) Rot_z(f6) [RM eq. 63]; q = (u, v).

    `values` is an array (6, m, n) of x, y, z and the three angles at m x n control points; each f is a uniform bicubic
    B-spline [RM eq. 60], one unit of u or v per patch.
    """

    values: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", nested(table("SplineSurface values", self.values, (6, None, None), (4, 4))))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        m, n = len(self.values[0]) - 3, len(self.values[0][0]) - 3
        ends = {"u": (0.0, float(m)), "v": (0.0, float(n))}
        return tuple(
            Coordinate(name, domain=end, neutral=end[1] / 2, unit="", defined=end) for name, end in ends.items()
        )

    @cached_property
    def patches(self) -> Patches:
        """The six functions, patch by patch."""
        values = np.array(self.values)
        windows = np.lib.stride_tricks.sliding_window_view(values, (4, 4), axis=(1, 2))  # [k, i, j, 4, 4]
        basis = uniform_basis(3)
        return Patches.of(np.einsum("kijab,ap,bq->ijpqk", windows, basis, basis))

    def pose(self, q: Sequence[Scalar]) -> Pose:
        x, y, z, a, b, c = self.patches(q[0], q[1])
        shift = Pose.translation(x, y, z)
        return shift @ Pose.rotation_x(a) @ Pose.rotation_y(b) @ Pose.rotation_z(c)  # [RM eq. 62, 63]
