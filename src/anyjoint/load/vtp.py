"""VTK's polygons as text (.vtp), which OpenSim keeps its bones in."""

from __future__ import annotations

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.spatial import Matrix

from .markup import Element, parse


def read_vtp(data: bytes, name: str) -> tuple[Matrix, Matrix]:
    """Vertices and triangles; larger polygons become fans."""
    root = parse(data, name)
    points, triangles, start = list[Matrix](), list[tuple[int, int, int]](), 0
    for piece in (element for element in root.walk() if element.tag == "Piece"):
        own = _array(piece, "Points", None, name).reshape(-1, 3)
        corners = _array(piece, "Polys", "connectivity", name).astype(int) + start
        begin = 0
        for end in _array(piece, "Polys", "offsets", name).astype(int):
            polygon = corners[begin:end]
            triangles += [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, len(polygon) - 1)]
            begin = end
        points.append(own)
        start += len(own)
    if not triangles:
        raise AnyjointError(f"{name}: it has no polygons")
    return np.concatenate(points), np.array(triangles, dtype=int)


def _array(piece: Element, owner: str, name: str | None, file: str) -> Matrix:
    """The numbers of a <DataArray>."""
    holder = piece.find(owner)
    arrays = holder.all("DataArray") if holder is not None else []
    found = [x for x in arrays if name is None or x.attributes.get("Name") == name]
    if not found or found[0].attributes.get("format", "ascii") != "ascii":
        raise AnyjointError(f"{file}: <{owner}> has no numbers as text; save it as VTK XML of format ascii")
    try:
        numbers = np.array(found[0].text.split(), dtype=float)
    except ValueError as error:
        raise AnyjointError(f"{file}:{found[0].line}: {error}") from None
    if not np.isfinite(numbers).all() or (name is None and len(numbers) % 3):
        raise AnyjointError(f"{file}:{found[0].line}: <{owner}> must have finite numbers, three for each point")
    return numbers
