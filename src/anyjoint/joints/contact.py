"""Two surfaces in contact, in contact coordinates [PAK section 6]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.geometry.surfaces import as_surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .contact_coordinates import contact_coordinates, contact_legs
from .joint import Coordinate, Joint


@dataclass(frozen=True)
class Contact(Joint):
    """Two surfaces touching at a point, Q = E1(u1, v1) R_psi E2(u2, v2)^-1 [PAK eq. 9-12]; q = (u1, v1, u2, v2, psi).

    R_psi = diag(1, -1, -1) Rot_z(psi) opposes the normals; psi is the angle between the first tangents.
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

    def singularity(self, q: Sequence[float]) -> str | None:
        first: str | None = self.surface1.singularity(float(q[0]), float(q[1]))
        return first or self.surface2.singularity(float(q[2]), float(q[3])) or self.stuck(q)
