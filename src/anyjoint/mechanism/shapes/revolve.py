"""Solids of revolution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anyjoint.errors import InputError
from anyjoint.spatial import Pose

from .compound import Mesh


def revolved(
    profile: Sequence[Sequence[float]], *, sectors: int = 48, color: str | None = None, pose: Pose | None = None,
    opacity: float = 1.0,
) -> Mesh:  # fmt: skip
    """A closed mesh about z: `profile` are points (radius, height) from the axis outwards and back to the axis.

    >>> from anyjoint import shapes
    >>> cone = shapes.revolved([(0, 0), (0.1, 0), (0, 0.3)], sectors=96)
    >>> round(cone.volume / (3.14159 * 0.1**2 * 0.3 / 3), 2)
    1.0
    """
    points = np.asarray(profile, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3 or not np.isfinite(points).all():
        raise InputError(f"revolved: expected at least three points (radius, height), got shape {points.shape}")
    if points[0, 0] or points[-1, 0] or not (points[1:-1, 0] > 0).all():
        raise InputError("revolved: the first and the last point lie on the axis, at radius 0, all others off it")
    if not isinstance(sectors, int) or sectors < 3:
        raise InputError(f"revolved: sectors={sectors!r}; expected a whole number of at least 3")
    r, z = points.T
    if (r[:-1] * z[1:] - r[1:] * z[:-1]).sum() < 0:  # inside out
        r, z = r[::-1], z[::-1]
    angles = 2 * math.pi * np.arange(sectors) / sectors
    rings = [[(x * c, x * s, y) for c, s in zip(np.cos(angles), np.sin(angles), strict=True)]
             for x, y in zip(r[1:-1], z[1:-1], strict=True)]  # fmt: skip
    vertices = [(0.0, 0.0, z[0]), *(point for ring in rings for point in ring), (0.0, 0.0, z[-1])]
    return Mesh(vertices, _faces(len(rings), sectors), color=color, pose=pose, opacity=opacity)


def _faces(rings: int, sectors: int) -> list[tuple[int, int, int]]:
    """Triangles from the first vertex over the rings to the last, anticlockwise as seen from outside."""
    last, faces = 1 + rings * sectors, []
    for j in range(sectors):
        k = (j + 1) % sectors
        faces.append((0, 1 + k, 1 + j))
        faces.append((last, last - sectors + j, last - sectors + k))
        for i in range(rings - 1):
            a, b = 1 + i * sectors, 1 + (i + 1) * sectors
            faces += [(a + j, a + k, b + k), (a + j, b + k, b + j)]
    return faces
