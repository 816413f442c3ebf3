"""Colours of mesh files: their triangles by material, and by the pictures that lie on them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anyjoint.spatial import Matrix

PALETTE = 12  # colours that are taken of a picture, where it is seen in the middle of triangles
STEP = 16  # between shades
UNSAID = "#666666"  # what trimesh says where a material is not there
Runs = tuple[tuple[str, int], ...]  # colours, and how many faces have each


class Beside:
    """What trimesh asks for files beside a mesh (materials, pictures); `read` may raise for those it does not give."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.get = read

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)


def by_color(data: bytes, kind: str, read: Callable[[str], bytes]) -> tuple[Matrix, Matrix, Runs]:
    """The triangles of a mesh file, colour by colour; those without one are the last."""
    import trimesh

    beside: Any = Beside(read)  # trimesh asks no more of it
    scene: Any = trimesh.load(io.BytesIO(data), file_type=kind, process=False, force="scene", resolver=beside)
    points, found, start = list[Matrix](), dict[str | None, list[Matrix]](), 0
    for node in scene.graph.nodes_geometry:
        place, name = scene.graph[node]
        mesh = scene.geometry[name].copy()
        mesh.apply_transform(place)
        for color, faces in _colors(mesh):
            found.setdefault(color, []).append(faces + start)
        points.append(np.asarray(mesh.vertices, dtype=float))
        start += len(mesh.vertices)
    plain = found.pop(None, [])
    runs = tuple((color, sum(map(len, faces))) for color, faces in found.items() if color)
    return np.concatenate(points), np.concatenate([*(x for faces in found.values() for x in faces), *plain]), runs


def _colors(mesh: Any) -> Iterator[tuple[str | None, Matrix]]:
    """The faces of a mesh by colour."""
    faces, material = np.asarray(mesh.faces), getattr(mesh.visual, "material", None)
    if material is None:
        yield None, faces
        return
    picture = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
    if picture is None or mesh.visual.uv is None:
        color = _hex(material.main_color)
        yield None if color == UNSAID else color, faces
        return
    u, v = np.asarray(mesh.visual.uv)[faces].mean(axis=1).T
    for color, chosen in pictured(np.asarray(picture.convert("RGB")), u, 1 - v):
        yield color, faces[chosen]


def pictured(pixels: Matrix, across: Matrix, down: Matrix) -> Iterator[tuple[str, Matrix]]:
    """The few main colours of a picture (height, width, 3) at some places, each with which of the places have it."""
    height, width, _ = pixels.shape
    rows, columns = ((x % 1.0 * n).astype(int) % n for x, n in ((down, height), (across, width)))
    shades, which, count = np.unique(pixels[rows, columns] // STEP, axis=0, return_inverse=True, return_counts=True)
    main = shades[np.argsort(-count, kind="stable")[:PALETTE]].astype(int)
    nearest = np.square(shades[:, None].astype(int) - main).sum(axis=2).argmin(axis=1)[which.reshape(-1)]
    for k, shade in enumerate(main):
        yield _hex(shade * (STEP + 1)), nearest == k


def _hex(color: Any) -> str:
    return "#" + "".join(f"{int(x):02x}" for x in color[:3])
