"""Contact coordinates of two surfaces, q = (u1, v1, u2, v2, psi) [PAK section 6]."""

import math
from collections.abc import Sequence

from anyjoint.geometry.frame import FLIP
from anyjoint.geometry.surfaces import Surface
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose

from .joint import Coordinate
from .surface_coordinates import surface_coordinates


def contact_coordinates(first: Surface, second: Surface, wrap: bool) -> tuple[Coordinate, ...]:
    """Parameters of both surfaces, and the angle psi between their first tangents."""
    psi = Coordinate("psi", period=2 * math.pi, wrap=wrap)
    return (*surface_coordinates(first, "1", wrap), *surface_coordinates(second, "2", wrap), psi)


def contact_legs(first: Surface, second: Surface, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
    """A ends in frame 2c, turned by psi against frame 1c [PAK eq. 10]; B is frame 2c seen from body 2."""
    return first.frame(q[0], q[1]) @ FLIP @ Pose.rotation_z(q[4]), second.frame(q[2], q[3])
