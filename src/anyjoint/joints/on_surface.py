"""The child rides on a surface of the parent, or its own surface slides over a fixed point [GL section 5]."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate, Joint
from .surface_coordinates import surface_coordinates


@dataclass(frozen=True)
class OnSurface(Joint):
    """Riding on a surface, Q = S(u, v) with S = [p0, n x p0, n]; `spin=True` adds Rot_z(psi) about the normal.

    With `slide=True` the surface belongs to the child and slides over a fixed point: Q is the inverse.
    """

    surface: Any
    spin: bool = False
    slide: bool = False
    wrap: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "surface", as_surface(self.surface))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        spin = (Coordinate("psi", period=2 * math.pi, wrap=self.wrap),) if self.spin else ()
        return surface_coordinates(self.surface, "", self.wrap) + spin

    def legs(self, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
        frame = self.surface.frame(q[0], q[1])
        if self.spin:
            frame = frame @ Pose.rotation_z(q[2])
        return (Pose(), frame) if self.slide else (frame, Pose())

    def ranks(self, q: Sequence[Scalar]) -> list[Scalar]:
        if not self.spin:
            return []  # a frame that is regular moves in two ways
        return self.surface.poles(q[0], q[1]) or self.edges(q)  # where u, too, only spins

    def singularity(self, q: Sequence[float]) -> str | None:
        found: str | None = self.surface.singularity(float(q[0]), float(q[1]))
        return found
