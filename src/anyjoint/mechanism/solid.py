"""Exact volume integrals over a closed triangle mesh."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.spatial import Matrix, Vector


def mesh_integrals(vertices: Any, faces: Any) -> tuple[float, Vector, Matrix]:
    """Volume, centroid and the integral of x x^T about the centroid."""
    points, triangles = check_mesh(vertices, faces)
    check_closed(triangles)
    middle = points.mean(axis=0)  # near the solid: less cancellation in the sum of signed tetrahedra
    a, b, c = (points[triangles[:, k]] - middle for k in range(3))
    six = np.einsum("ij,ij->i", a, np.cross(b, c))  # six times the signed volume of each tetrahedron
    volume = float(six.sum() / 6)
    if not volume > 0:
        raise InputError(f"mesh: its volume is {volume:.6g}; list each face anticlockwise as seen from outside")
    s = a + b + c
    first = np.einsum("i,ij->j", six, s) / 24
    second = sum(np.einsum("i,ij,ik->jk", six, x, x) for x in (a, b, c, s)) / 120
    shift = first / volume
    return volume, middle + shift, np.asarray(second - volume * np.outer(shift, shift))


def check_mesh(vertices: Any, faces: Any) -> tuple[Matrix, Matrix]:
    """Vertices as (n, 3) floats and faces as (m, 3) indices, or a clear error."""
    points = np.asarray(vertices, dtype=float)
    triangles = np.asarray(faces)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise InputError(f"mesh: vertices must be finite numbers of shape (n, 3), got shape {points.shape}")
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        given = f"{triangles.dtype} of shape {triangles.shape}"
        raise InputError(f"mesh: faces must be integers of shape (m, 3), got {given}")
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < len(points)):
        raise InputError(f"mesh: a face names vertex {triangles.max()} but there are {len(points)}, counted from 0")
    return points, triangles


def check_closed(triangles: Matrix) -> None:
    """Every edge must be met once in each direction."""
    edges = Counter((int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3))
    for (i, j), count in edges.items():
        if count != 1 or edges[j, i] != 1:
            raise InputError(
                f"mesh: edge ({i}, {j}) does not join exactly two faces of opposite direction; "
                "a mass needs a closed surface with all faces anticlockwise as seen from outside"
            )
