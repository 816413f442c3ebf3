"""Meshes of a page: each one once, however many links show it, coarser where it is large, and packed."""

from __future__ import annotations

import base64
import zlib
from typing import TypedDict

import numpy as np

from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.view.drawing import Drawing

MOST_FACES = 15_000  # of one mesh in a page; finer detail is not seen there
LEVELS = 65535  # of a coordinate between the ends of a mesh


class PackedMesh(TypedDict):
    """A mesh as JSON data: the least coordinates, the steps between their levels, and both tables as text."""

    low: list[float]
    step: list[float]
    vertices: str
    faces: str


class MeshTable:
    """Meshes by number; equal ones have the same."""

    def __init__(self, most_faces: int = MOST_FACES) -> None:
        self.most_faces = most_faces
        self.data: list[PackedMesh] = []
        self._known: dict[tuple[bytes, bytes], int] = {}

    def number(self, vertices: ArrayLike, faces: ArrayLike) -> int:
        """The number of a mesh."""
        xyz, corners = np.asarray(vertices, dtype=float), np.asarray(faces, dtype="<u4")
        key = xyz.tobytes(), corners.tobytes()
        if key not in self._known:
            self._known[key] = len(self.data)
            self.data.append(_packed(*coarser(xyz, corners, self.most_faces)))
        return self._known[key]

    def placed(self, drawing: Drawing) -> Drawing:
        """A drawing whose mesh stands in the table."""
        if drawing.get("type") != "mesh":
            return drawing
        rest = {name: value for name, value in drawing.items() if name not in ("vertices", "faces")}
        return rest | {"mesh": self.number(drawing["vertices"], drawing["faces"])}


def _packed(vertices: Floats, faces: Floats) -> PackedMesh:
    """Levels between the least and largest coordinates, and corners as differences, which deflate well."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    step = np.maximum(high - low, 1e-30) / LEVELS
    levels = np.rint((vertices - low) / step).astype("<u2")
    corners = faces.ravel().astype(np.int64)
    change = np.diff(corners, prepend=0)
    zigzag = np.where(change < 0, -2 * change - 1, 2 * change).astype("<u4")
    return {
        "low": low.tolist(), "step": step.tolist(), "vertices": _text(levels), "faces": _text(zigzag),
    }  # fmt: skip


def _text(values: Floats) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(values).tobytes(), 9)).decode("ascii")


def coarser(vertices: Floats, faces: Floats, most: int) -> tuple[Floats, Floats]:
    """A mesh of at most so many faces: vertices of one cell of a grid become one, on a grid as fine as can be."""
    if len(faces) <= most:
        return vertices, faces
    low, size = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    best, fine, coarse = (vertices, faces), 4096, 4
    while fine - coarse > 1:  # the finest grid that leaves few enough, by halving
        cells = (fine + coarse) // 2
        made = _clustered(vertices, faces, low, size / cells)
        if len(made[1]) <= most:
            best, coarse = made, cells
        else:
            fine = cells
    return best if len(best[1]) <= most else _clustered(vertices, faces, low, size / 4)


def _clustered(vertices: Floats, faces: Floats, low: Floats, cell: float) -> tuple[Floats, Floats]:
    place = np.floor((vertices - low) / cell).astype(np.int64)
    span = place.max(axis=0) + 1
    _, index, count = np.unique(
        (place[:, 0] * span[1] + place[:, 1]) * span[2] + place[:, 2], return_inverse=True, return_counts=True
    )
    index = index.reshape(-1)
    middle = np.stack([np.bincount(index, vertices[:, k]) / count for k in range(3)], axis=1)
    corners = index[faces]
    flat = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2]) | (corners[:, 0] == corners[:, 2])
    return middle, corners[~flat].astype("<u4")
