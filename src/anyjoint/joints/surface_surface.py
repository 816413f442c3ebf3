"""Two surfaces that touch, frames aligned and normals opposed [GL eq. 15]."""

import math
from collections.abc import Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry.check import finite
from anyjoint.geometry.frame import FLIP
from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Turn, as_matrix

from .chart_change import changed, check_aligned
from .joint import Coordinate
from .surface_coordinates import surface_coordinates
from .two_surfaces import TwoSurfaces


@frozen
class SurfaceSurface(TwoSurfaces):
    """Two surfaces sliding on each other, Q = S1(u1, v1) flip S2(u2, v2)^-1 [GL eq. 15]; q = (u1, v1, u2, v2).

    The flip opposes the normals, because solids touch from outside. The angle between the first tangents is held at
    `twist`: 0 aligns them; pi/2 crosses them, as the links of a chain of tori are. On surfaces with several charts
    (`surfaces.atlas`) it changes among them by itself, as long as their frames are not turned against each other.
    """

    surface1: Any
    surface2: Any
    twist: float = 0.0
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface1", as_surface(self.surface1))
        object.__setattr__(self, "surface2", as_surface(self.surface2))
        finite("SurfaceSurface", twist=self.twist)
        for surface in (self.surface1, self.surface2):
            check_aligned("SurfaceSurface", surface, "joints.Contact has the same coordinates and may turn")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return surface_coordinates(self.surface1, "1", self.wrap) + surface_coordinates(self.surface2, "2", self.wrap)

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        """Through the contact frame: A to the flipped frame of surface 1, B to the frame of surface 2."""
        A = self.surface1.frame(q[0], q[1]) @ opposed(self.twist)
        return A, self.surface2.frame(q[2], q[3])

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        made = changed([(0, self.surface1), (2, self.surface2)], q, v, None, 1)
        return super().chart(*(made or (q, v))) or made


def opposed(twist: float) -> Pose:
    """The constant rotation between two contact frames whose normals are opposed [PAK section 6, psi = twist]."""
    if twist == 0:
        return FLIP
    c, s = (round(x) if abs(x - round(x)) < 1e-15 else x for x in (math.cos(twist), math.sin(twist)))
    return Pose((Turn(as_matrix([[c, -s, 0], [-s, -c, 0], [0, 0, -1]])),))
