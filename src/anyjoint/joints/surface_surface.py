"""Two surfaces that touch, frames aligned and normals opposed [GL eq. 15]."""

import math
from collections.abc import Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry.check import finite
from anyjoint.geometry.frame import FLIP
from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Turn, as_matrix, vector

from .chart_change import changed, check_aligned, nearest_chart
from .joint import Coordinate
from .product_rule import leg_motion
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
        made = changed(self._surfaces, q, v, None, 1)
        return super().chart(*(made or (q, v))) or made

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return nearest_chart(self, self._surfaces, q, to, None, 1)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        """Differences of coordinates; among charts, how far the point is away on each surface, along the axes at rest.
        """
        if self.deflects_by_coordinates:
            return super().deflection(q, rest)
        pairs = [[surface.frame(*x[k : k + 2]) for x in (rest, q)] for k, surface in self._surfaces]
        return [x for there, here in pairs for x in (there.R.T @ (here.p - there.p))[:2]]

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """Velocities; among charts, those of the point over each surface, along the axes of its frame."""
        if self.speeds_are_velocities:
            return v
        made: list[Scalar] = []
        for k, surface in self._surfaces:
            S = leg_motion(lambda x: surface.frame(x[0], x[1]), q[k : k + 2], [0, 0]).S  # noqa: B023
            made += list(S[3:5] @ vector(*v[k : k + 2]))
        return made

    @property
    def _surfaces(self) -> tuple[tuple[int, Any], tuple[int, Any]]:
        """Both surfaces, with where their parameters begin."""
        return (0, self.surface1), (2, self.surface2)


def opposed(twist: float) -> Pose:
    """The constant rotation between two contact frames whose normals are opposed [PAK section 6, psi = twist]."""
    if twist == 0:
        return FLIP
    c, s = (round(x) if abs(x - round(x)) < 1e-15 else x for x in (math.cos(twist), math.sin(twist)))
    return Pose((Turn(as_matrix([[c, -s, 0], [-s, -c, 0], [0, 0, -1]])),))
