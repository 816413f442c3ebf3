"""Meshes that a model names, read with trimesh where that is installed; each file once."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.mechanism.shapes import Mesh, Shape
from anyjoint.mechanism.solid import check_mesh
from anyjoint.spatial import Matrix, Pose

from .paths import PathRefused, Paths
from .progress import Bar
from .report import Report
from .vtp import read_vtp

MOST_BYTES = 256 << 20
KINDS = ("stl", "obj", "dae", "ply", "off", "glb", "vtp")
HEADER = 84  # bytes of a binary STL before its triangles, which take 50 each
Triangles = tuple[Matrix, Matrix]


class Meshes:
    """Reads meshes for a report; `wanted=False` leaves all of them out."""

    def __init__(self, paths: Paths, report: Report, wanted: bool, expected: int) -> None:
        self.paths, self.report, self.wanted = paths, report, wanted
        self._read: dict[Path, Triangles | None] = {}
        self._refusals: set[str] = set()
        self._told_to_install = False
        self._bar = Bar(f"reading meshes of {report.file}", expected)

    def shape(self, line: int, reference: str, scale: Sequence[float], pose: Pose, **look: Any) -> Shape | None:
        """A mesh as a shape, or None with a warning."""
        if not self.wanted:
            return None
        self._bar.advance()
        try:
            path = self.paths.find(reference)
        except PathRefused as refusal:
            if str(refusal) not in self._refusals:  # a package that is not known is told once
                self._refusals.add(str(refusal))
                self.report.warn(line, "mesh", f"not shown: {refusal}")
            return None
        if path not in self._read:
            self._read[path] = self._triangles(line, path)
        found = self._read[path]
        if found is None:
            return None
        vertices, faces = found
        if not all(scale):
            self.report.warn(line, "mesh", f"not shown: scale {tuple(scale)} leaves nothing of {reference!r}")
            return None
        inside_out = np.prod(np.sign(scale)) < 0
        return Mesh(vertices * np.asarray(scale), faces[:, ::-1] if inside_out else faces, pose=pose, **look)

    def close(self) -> None:
        """All meshes have been read."""
        self._bar.close()

    def _triangles(self, line: int, path: Path) -> Triangles | None:
        try:
            return read_triangles(path)
        except ImportError:
            if not self._told_to_install:
                self._told_to_install = True
                self.report.warn(line, "mesh", "meshes are not shown without trimesh: pip install anyjoint[meshes]")
        except AnyjointError as error:
            self.report.warn(line, "mesh", f"not shown: {error}")
        return None


def read_triangles(path: Path) -> Triangles:
    """Vertices and faces of a mesh file, checked; whatever it holds, it opens no other file."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise AnyjointError(f"{path.name}: meshes of this kind are not read; convert it to one of {', '.join(KINDS)}")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise AnyjointError(f"{path.name}: it has {size:,} bytes; meshes of at most {MOST_BYTES:,} are read")
    data = path.read_bytes()
    if kind == "vtp":
        return check_mesh(*read_vtp(data, path.name))
    if kind == "stl":
        _check_stl(path.name, data)
    import trimesh

    try:
        made: Any = trimesh.load(io.BytesIO(data), file_type=kind, force="mesh", process=False, skip_materials=True)
        vertices, faces = check_mesh(np.asarray(made.vertices, dtype=float), np.asarray(made.faces))
    except AnyjointError as error:
        raise AnyjointError(f"{path.name}: {error}") from None
    except Exception as error:  # whatever a reader of foreign files stumbles over
        raise AnyjointError(f"{path.name}: it cannot be read: {type(error).__name__}: {error}") from None
    if not len(faces):
        raise AnyjointError(f"{path.name}: it has no triangles")
    return _merged(vertices, faces)


def _check_stl(name: str, data: bytes) -> None:
    """A binary STL holds as many triangles as it says; a text begins with `solid`."""
    count = struct.unpack_from("<I", data, HEADER - 4)[0] if len(data) >= HEADER else 0
    if len(data) < HEADER + 50 * count and not data.lstrip()[:5].lower() == b"solid":
        raise AnyjointError(f"{name}: it says {count:,} triangles but has {len(data):,} bytes; it is cut off")


def _merged(vertices: Matrix, faces: Matrix) -> Triangles:
    """Equal vertices as one: an STL has each corner of each triangle."""
    unique, index = np.unique(vertices, axis=0, return_inverse=True)
    return unique, index.reshape(-1)[faces]
