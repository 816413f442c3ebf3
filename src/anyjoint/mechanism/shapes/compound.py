"""Triangle meshes, tubes and groups."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen

from ..inertia import Inertia
from ..solid import check_mesh
from .color import check_color
from .shape import Shape


@frozen(eq=False)
class Mesh(Shape):
    """Triangles: `vertices` (n, 3) and `faces` (m, 3), anticlockwise as seen from outside.

    `colors` are those of the first faces, as pairs: a colour, and how many faces have it.
    """

    vertices: Any
    faces: Any
    colors: Sequence[tuple[str, int]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        vertices, faces = check_mesh(self.vertices, self.faces)
        object.__setattr__(self, "colors", _runs(self.colors, len(faces)))
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @property
    def volume(self) -> float:
        return Inertia.mesh(self.vertices, self.faces, density=1.0).mass

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.mesh(self.vertices, self.faces, mass=mass)


def _runs(colors: Any, most: int) -> tuple[tuple[str, int], ...]:
    """Pairs of colours and counts, which together are no more than the faces."""
    try:
        runs = tuple((color, index(count)) for color, count in colors)
    except (TypeError, ValueError):
        runs = (("", 0),)
    if any(count < 1 for _, count in runs) or sum(count for _, count in runs) > most:
        raise InputError(f"Mesh: colors={colors!r}; expected pairs of a colour and a number of faces, {most} in all")
    for color, _ in runs:
        check_color(color, "Mesh")
    return runs


@frozen(eq=False)
class Tube(Shape):
    """A round tube along points (n, 3): wires, tracks and ropes."""

    points: Any
    radius: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        points = np.asarray(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2 or not np.isfinite(points).all():
            raise InputError(f"Tube: points must be at least two finite points of shape (n, 3), got {points.shape}")
        object.__setattr__(self, "points", points)


@frozen(eq=False)
class Group(Shape):
    """Several shapes as one; a part without a colour takes the group's."""

    parts: Sequence[Shape]

    def __post_init__(self) -> None:
        super().__post_init__()
        for part in self.parts:
            if not isinstance(part, Shape):
                raise InputError(f"Group: every part must be a shape, got {type(part).__name__}")
        object.__setattr__(self, "parts", tuple(self.parts))

    @property
    def volume(self) -> float:
        return sum(part.volume for part in self.parts)

    def _inertia(self, mass: float) -> Inertia:
        total = Inertia.point(0.0)
        for part in self.parts:
            total = total + part.inertia(density=mass / self.volume)
        return total
