"""Shapes of the mechanism as plain data for the page; one small function per shape kind, found by class name."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.mechanism.shapes import Group, Mesh, Shape, Tube
from anyjoint.scalar.array import ArrayLike, Floats

from .palette import checked_color

if TYPE_CHECKING:
    from anyjoint.mechanism import Body

Drawing = dict[str, Any]  # a shape as the page reads it
Drawn = Shape | list[Shape] | tuple[Shape, ...] | None


def packed(values: ArrayLike, kind: str = "<f4") -> str:
    """An array as base64 of little-endian numbers: a third of the size of printed decimals."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def drawings(shape: Drawn, where: str = "shape") -> list[Drawing]:
    """A shape, a group of shapes, a list of them or None as a flat list of drawings."""
    return list(_walk(shape, np.eye(4), None, where))


def _walk(shape: Drawn, pose: Floats, color: str | None, where: str) -> Iterator[Drawing]:
    if shape is None:
        return
    if isinstance(shape, list | tuple):
        for part in shape:
            yield from _walk(part, pose, color, where)
        return
    if type(shape).__name__.lower() not in KINDS and not isinstance(shape, Group):
        known = f"{', '.join(sorted(KINDS))} and group"
        raise InputError(f"{where}: cannot draw a {type(shape).__name__}; shapes are {known}")
    placed = pose if shape.pose is None else pose @ np.asarray(shape.pose.matrix, dtype=float)
    given = shape.color or color
    if isinstance(shape, Group):
        yield from _walk(tuple(shape.parts), placed, given, where)
        return
    for part, paint in _by_color(shape, given):
        yield _one(part, placed, paint, where)


def _by_color(shape: Shape, color: str | None) -> Iterator[tuple[Shape, str | None]]:
    """A mesh of several colours as one mesh for each of them."""
    if not isinstance(shape, Mesh):
        yield shape, color
        return
    start = 0
    for own, count in shape.colors:
        yield _piece(shape, start, start + count), own
        start += count
    if start == 0:
        yield shape, color
    elif start < len(shape.faces):
        yield _piece(shape, start, len(shape.faces)), color


def _piece(mesh: Mesh, start: int, end: int) -> Mesh:
    """Some faces of a mesh with their vertices."""
    used, faces = np.unique(mesh.faces[start:end], return_inverse=True)
    return Mesh(mesh.vertices[used], faces.reshape(-1, 3), opacity=mesh.opacity)


def _one(shape: Shape, pose: Floats, color: str | None, where: str) -> Drawing:
    drawing = KINDS[type(shape).__name__.lower()](shape)
    if color is not None:
        drawing["color"] = checked_color(color, where)
    if shape.opacity < 1:
        drawing["opacity"] = float(shape.opacity)
    if not np.array_equal(pose, np.eye(4)):
        drawing["pose"] = [_short(x) for x in pose[:3].ravel()]
    return drawing


def _short(x: float) -> float:
    """A nanometre or a nanoradian is enough; whole numbers need no point."""
    rounded = round(float(x), 9)
    return int(rounded) if rounded.is_integer() else rounded


def _mesh(vertices: ArrayLike, faces: ArrayLike) -> Drawing:
    return {"type": "mesh", "vertices": np.asarray(vertices, dtype=float), "faces": np.asarray(faces)}


def _tube(shape: Tube) -> Drawing:
    closed = len(shape.points) > 3 and bool(np.allclose(shape.points[0], shape.points[-1]))
    return {"type": "tube", "points": packed(shape.points), "radius": float(shape.radius), "closed": closed}


KINDS: dict[str, Callable[[Any], Drawing]] = {
    "box": lambda s: {"type": "box", "size": [float(s.x), float(s.y), float(s.z)]},
    "sphere": lambda s: {"type": "sphere", "radius": float(s.radius)},
    "ellipsoid": lambda s: {"type": "ellipsoid", "radii": [float(s.a), float(s.b), float(s.c)]},
    "cylinder": lambda s: {"type": "cylinder", "radius": float(s.radius), "length": float(s.length)},
    "capsule": lambda s: {"type": "capsule", "radius": float(s.radius), "length": float(s.length)},
    "torus": lambda s: {"type": "torus", "major": float(s.major), "minor": float(s.minor)},
    "mesh": lambda s: _mesh(s.vertices, s.faces),
    "tube": _tube,
}


def curve_drawing(points: ArrayLike, radius: float, color: str = "#8b94a7") -> Drawing:
    """A wire through points."""
    xyz = np.asarray(points, dtype=float)
    closed = len(xyz) > 3 and bool(np.allclose(xyz[0], xyz[-1], atol=1e-9 * float(np.ptp(xyz) or 1.0)))
    return {"type": "tube", "points": packed(xyz), "radius": float(radius), "closed": closed, "color": color}


def surface_drawing(vertices: ArrayLike, faces: ArrayLike, color: str = "#a7b4cc", opacity: float = 0.45) -> Drawing:
    """A see-through sheet."""
    return _mesh(vertices, faces) | {"color": color, "opacity": opacity}


def capsule_between(a: ArrayLike, b: ArrayLike, radius: float) -> Drawing | None:
    """A rod from a to b; None when they coincide."""
    start, end = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(end - start))
    if length < 1e-9:
        return None
    z = (end - start) / length
    x = np.cross(z, (0.0, 0.0, 1.0) if abs(z[2]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    pose = np.column_stack([x, np.cross(z, x), z, (start + end) / 2])
    rows = [_short(v) for v in pose.ravel()]
    return {"type": "capsule", "radius": float(radius), "length": length, "pose": rows}


def typical_length(bodies: Sequence[Body]) -> float:
    """A length to size balls and wires by: the middle offset between joints and centres of mass."""
    lengths = [float(np.linalg.norm(np.asarray(b.placement.matrix, dtype=float)[:3, 3])) for b in bodies]
    lengths += [float(np.linalg.norm(np.asarray(b.inertia.com, dtype=float))) for b in bodies]
    used = [x for x in lengths if x > 1e-9]
    return float(np.median(used)) if used else 1.0
