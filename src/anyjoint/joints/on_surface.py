"""The child rides on a surface of the parent, or its own surface slides over a fixed point [GL section 5]."""

import math
from collections.abc import Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, vector

from .chart_change import changed, check_aligned, has_charts, nearest_chart
from .joint import Coordinate, Joint
from .product_rule import leg_motion
from .quaternion import turn_of
from .surface_coordinates import surface_coordinates


@frozen
class OnSurface(Joint):
    """Riding on a surface, Q = S(u, v) with S = [p0, n x p0, n]; `spin=True` adds Rot_z(psi) about the normal.

    With `slide=True` the surface belongs to the child and slides over a fixed point: Q is the inverse. On a surface of
    several charts (`surfaces.atlas`) it changes among them by itself; the angle psi takes up how their frames differ.
    """

    surface: Any
    spin: bool = False
    slide: bool = False
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", as_surface(self.surface))
        if not self.spin:
            check_aligned("OnSurface", self.surface, "let it turn, with spin=True")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        spin = (Coordinate("psi", period=2 * math.pi, wrap=self.wrap),) if self.spin else ()
        return surface_coordinates(self.surface, "", self.wrap) + spin

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        frame = self._riding(q)
        return (Pose(), frame) if self.slide else (frame, Pose())

    def _riding(self, q: Sequence[Scalar]) -> Pose:
        """The frame that rides on the surface."""
        frame: Pose = self.surface.frame(q[0], q[1])
        return frame @ Pose.rotation_z(q[2]) if self.spin else frame

    def chart(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]] | None:
        made = changed([(0, self.surface)], q, v, 2 if self.spin else None, -1)
        return super().chart(*(made or (q, v))) or made

    def nearest(self, q: Sequence[Scalar], to: Sequence[Scalar]) -> Sequence[Scalar]:
        return nearest_chart(self, [(0, self.surface)], q, to, 2 if self.spin else None, -1)

    def deflection(self, q: Sequence[Scalar], rest: Sequence[Scalar]) -> Sequence[Scalar]:
        """Differences of coordinates; among charts, how far it is away along the axes at rest, and turned about z."""
        if not has_charts(self.surface):
            return super().deflection(q, rest)
        there, here = self._riding(rest), self._riding(q)
        way = there.R.T @ (here.p - there.p)
        return [way[0], way[1], *(turn_of(there.R.T @ here.R)[2:] if self.spin else ())]

    @property
    def deflects_by_coordinates(self) -> bool:
        return not has_charts(self.surface)

    def speeds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Sequence[Scalar]:
        """Velocities; among charts, those along the axes x and y of the frame that rides, and its turning about z."""
        if not has_charts(self.surface):
            return v
        twist = leg_motion(self._riding, q, [0] * self.nv).S @ vector(*v)
        return [twist[3], twist[4], *(twist[2:3] if self.spin else ())]

    @property
    def speeds_are_velocities(self) -> bool:
        return not has_charts(self.surface)

    def sides(self, q: Sequence[Scalar]) -> list[tuple[str, Sequence[Scalar]]]:
        return list(self.surface.ends(q[0], q[1]))

    def barriers(self, q: Sequence[Scalar]) -> list[Scalar]:
        """None among charts, which change before any is met."""
        return [] if has_charts(self.surface) else super().barriers(q)

    def ranks(self, q: Sequence[Scalar]) -> list[Scalar]:
        if not self.spin:
            return []  # a frame that is regular moves in two ways
        return self.surface.poles(q[0], q[1]) or self.edges(q)  # where u, too, only spins

    def singularity(self, q: Sequence[float]) -> str | None:
        found: str | None = self.surface.singularity(float(q[0]), float(q[1]))
        return found
