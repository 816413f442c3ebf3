"""Two surfaces in contact, in contact coordinates [PAK section 6]."""

from collections.abc import Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, vector

from .chart_change import changed, nearest_chart
from .contact_coordinates import contact_coordinates, contact_legs
from .joint import Coordinate
from .quaternion import turn_of
from .two_surfaces import TwoSurfaces


@frozen
class Contact(TwoSurfaces):
    """Two surfaces touching at a point, Q = E1(u1, v1) R_psi E2(u2, v2)^-1 [PAK eq. 9-12]; q = (u1, v1, u2, v2, psi).

    R_psi = diag(1, -1, -1) Rot_z(psi) opposes the normals; psi is the angle between the first tangents. On surfaces of
    several charts (`surfaces.atlas`) it changes among them by itself.
    """

    surface1: Any
    surface2: Any
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface1", as_surface(self.surface1))
        object.__setattr__(self, "surface2", as_surface(self.surface2))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return contact_coordinates(self.surface1, self.surface2, self.wrap)

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        return contact_legs(self.surface1, self.surface2, q)

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        made = changed([(0, self.surface1), (2, self.surface2)], q, v, 4, 1)
        return super().chart(*(made or (q, v))) or made

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return nearest_chart(self, [(0, self.surface1), (2, self.surface2)], q, to, 4, 1)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        """Differences of coordinates; among charts, how far the body is turned, and how far away in x and y."""
        if self.deflects_by_coordinates:
            return super().deflection(q, rest)
        there, here = self.pose(rest), self.pose(q)
        return [*turn_of(there.R.T @ here.R), here.p[0] - there.p[0], here.p[1] - there.p[1]]

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """Velocities; among charts, the angular velocity in the body, and its velocity along x and y of the parent."""
        if self.speeds_are_velocities:
            return v
        twist = self.jacobian(q) @ vector(*v)
        return [*twist[:3], *(self.pose(q).R[:2] @ twist[3:])]
