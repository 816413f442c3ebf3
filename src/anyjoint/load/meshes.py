"""Meshes that a model names, read with trimesh where that is installed; each file once."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.mechanism.shapes import Mesh, Shape
from anyjoint.mechanism.solid import check_mesh
from anyjoint.spatial import Matrix, Pose

from .numbers import read_number
from .paint import Runs, by_color
from .paths import PathRefused, Paths
from .progress import Bar
from .report import Report
from .vtp import read_vtp

MOST_BYTES = 256 << 20
KINDS = ("stl", "obj", "dae", "ply", "off", "glb", "vtp")
HEADER = 84  # bytes of a binary STL before its triangles, which take 50 each
PAINTED = ("dae", "obj", "glb")  # those that may have materials
ASSET = 1 << 16  # bytes at the head of a .dae, within which it says its unit
Triangles = tuple[Matrix, Matrix, Runs]


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
        vertices, faces, colors = found
        if not all(scale):
            self.report.warn(line, "mesh", f"not shown: scale {tuple(scale)} leaves nothing of {reference!r}")
            return None
        inside_out = np.prod(np.sign(scale)) < 0
        faces = faces[:, ::-1] if inside_out else faces
        return Mesh(vertices * np.asarray(scale), faces, colors, pose=pose, **look)

    def close(self) -> None:
        """All meshes have been read."""
        self._bar.close()

    def _triangles(self, line: int, path: Path) -> Triangles | None:
        try:
            return read_triangles(path, self.paths, partial(self.report.warn, line, "mesh"))
        except ImportError:
            if not self._told_to_install:
                self._told_to_install = True
                self.report.warn(line, "mesh", "meshes are not shown without trimesh: pip install anyjoint[meshes]")
        except AnyjointError as error:
            self.report.warn(line, "mesh", f"not shown: {error}")
        return None


def read_triangles(path: Path, paths: Paths | None = None, tell: Callable[[str], object] = print) -> Triangles:
    """Vertices, faces and their colours of a mesh file, checked; it opens no other file than `paths` let it.

    What goes wrong with colours is told.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise AnyjointError(f"{path.name}: meshes of this kind are not read; convert it to one of {', '.join(KINDS)}")
    data = _bytes(path)
    if kind == "vtp":
        return *check_mesh(*read_vtp(data, path.name)), ()
    if kind == "stl":
        _check_stl(path.name, data)
    lost = dict[str, None]()
    try:
        if paths is None or kind not in PAINTED:
            vertices, faces, colors = _plain(data, kind)
        else:
            vertices, faces, colors = _painted(data, kind, path, paths, lost)
        vertices, faces = check_mesh(vertices * (_metres(data) if kind == "dae" else 1.0), faces)
    except AnyjointError as error:
        raise AnyjointError(f"{path.name}: {error}") from None
    except ImportError:
        raise
    except Exception as error:  # whatever a reader of foreign files stumbles over
        raise AnyjointError(f"{path.name}: it cannot be read: {type(error).__name__}: {error}") from None
    if not len(faces):
        raise AnyjointError(f"{path.name}: it has no triangles")
    for what in lost:
        tell(f"{path.name}: {what}")
    return *_merged(vertices, faces), colors


def _metres(data: bytes) -> float:
    """The unit of a .dae, whose numbers may be inches; RViz and others take it, too, and leave its up_axis alone."""
    said = re.search(rb"<unit\b[^>]*?\bmeter\s*=\s*[\"']([^\"']{1,40})[\"']", data[:ASSET])
    metres = (read_number(said[1].decode("latin1")) if said else None) or 1.0
    return metres if metres > 0 else 1.0


def _plain(data: bytes, kind: str) -> Triangles:
    import trimesh

    made: Any = trimesh.load(io.BytesIO(data), file_type=kind, force="mesh", process=False, skip_materials=True)
    return np.asarray(made.vertices, dtype=float), np.asarray(made.faces), ()


def _painted(data: bytes, kind: str, path: Path, paths: Paths, lost: dict[str, None]) -> Triangles:
    """With the colours of materials, and of pictures beside the file; what is lost of them is noted."""

    def beside(name: str) -> bytes:
        try:
            return _bytes(paths.find(name, path.parent))
        except (AnyjointError, PathRefused, OSError) as error:
            lost[f"its colours are not all known: {error}"] = None
            raise

    try:
        return by_color(data, kind, beside)
    except Exception as error:  # the mesh itself can do without materials
        lost[f"it is shown in one colour: {type(error).__name__}: {error}"] = None
        return _plain(data, kind)


def _bytes(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise AnyjointError(f"{path.name}: it has {size:,} bytes; meshes of at most {MOST_BYTES:,} are read")
    return path.read_bytes()


def _check_stl(name: str, data: bytes) -> None:
    """A binary STL holds as many triangles as it says; a text begins with `solid`."""
    count = struct.unpack_from("<I", data, HEADER - 4)[0] if len(data) >= HEADER else 0
    if len(data) < HEADER + 50 * count and not data.lstrip()[:5].lower() == b"solid":
        raise AnyjointError(f"{name}: it says {count:,} triangles but has {len(data):,} bytes; it is cut off")


def _merged(vertices: Matrix, faces: Matrix) -> tuple[Matrix, Matrix]:
    """Equal vertices as one: an STL has each corner of each triangle."""
    unique, index = np.unique(vertices, axis=0, return_inverse=True)
    return unique, index.reshape(-1)[faces]
