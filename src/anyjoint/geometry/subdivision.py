"""Catmull-Clark subdivision of polygon meshes, and the regular patches of the limit surface."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen

from .check import Table, table

Faces = tuple[tuple[int, ...], ...]
Quad = tuple[int, int, int, int]


@frozen
class Mesh:
    """Points (n, k) and faces that run counter-clockwise; open at its rim."""

    points: Table
    faces: Faces

    @cached_property
    def face_of(self) -> dict[tuple[int, int], int]:
        """The face on the left of every directed edge."""
        return {edge: f for f, face in enumerate(self.faces) for edge in _edges(face)}

    @cached_property
    def around(self) -> dict[int, list[int]]:
        """The faces about every vertex."""
        found: dict[int, list[int]] = {}
        for f, face in enumerate(self.faces):
            for v in face:
                found.setdefault(v, []).append(f)
        return found

    def neighbours(self, v: int) -> set[int]:
        """The vertices at the other ends of v's edges."""
        return {b if a == v else a for f in self.around[v] for a, b in _edges(self.faces[f]) if v in (a, b)}

    def inner(self, v: int) -> bool:
        """Whether faces surround v."""
        return all((v, w) in self.face_of and (w, v) in self.face_of for w in self.neighbours(v))

    def starting(self, a: int, b: int) -> tuple[int, ...]:
        """The face on the left of a -> b, its vertices from a on."""
        face = self.faces[self.face_of[a, b]]
        at = face.index(a)
        return face[at:] + face[:at]

    def is_regular(self, quad: Sequence[int]) -> bool:
        """Whether a face's vertices have four edges each, among quadrilaterals: the limit is one bicubic B-spline."""
        near = {f for v in quad for f in self.around[v]}
        return all(len(self.around[v]) == 4 for v in quad) and all(len(self.faces[f]) == 4 for f in near)

    def about(self, quad: Sequence[int]) -> Mesh:
        """The mesh without the faces that do not touch a quad; numbers of vertices stay."""
        near = sorted({f for v in quad for f in self.around[v]})
        return Mesh(self.points, tuple(self.faces[f] for f in near))

    def grid(self, quad: Quad) -> Table:
        """The 4 x 4 control points, array (4, 4, k), of a regular quad; its own are in the middle, u before v."""
        at = {(1, 1): quad[0], (2, 1): quad[1], (2, 2): quad[2], (1, 2): quad[3]}
        beyond = (((1, 0), (2, 0)), ((3, 1), (3, 2)), ((2, 3), (1, 3)), ((0, 2), (0, 1)))
        for k, places in enumerate(beyond):
            _, _, *at_both = self.starting(quad[(k + 1) % 4], quad[k])
            at.update(zip(places, at_both, strict=True))
        for k, corner in enumerate(((0, 0), (3, 0), (3, 3), (0, 3))):
            at[corner] = self.starting(quad[k], at[beyond[k - 1][1]])[2]
        return np.stack([np.stack([self.points[at[i, j]] for j in range(4)]) for i in range(4)])

    def limit(self, v: int) -> Any:
        """Where a vertex among quadrilaterals goes in the limit: (n^2 P + 4 sum E + sum F) / (n (n + 5))."""
        n = len(self.around[v])
        edges = sum(self.points[w] for w in self.neighbours(v))
        opposite = sum(self.points[self.faces[f][(self.faces[f].index(v) + 2) % 4]] for f in self.around[v])
        return (n * n * self.points[v] + 4 * edges + opposite) / (n * (n + 5))

    def refined(self) -> Refinement:
        """One step of subdivision: a quad for every corner of a face that other faces surround."""
        return Refinement(self)


class Refinement:
    """A subdivided mesh that remembers what its points came from; they are made as faces ask for them."""

    def __init__(self, old: Mesh) -> None:
        self.old = old
        self.numbers: dict[Any, int] = {}
        self.points: list[Any] = []
        faces = [self.corner(face, k) for face in old.faces for k, v in enumerate(face) if old.inner(v)]
        self.mesh = Mesh(np.array(self.points), tuple(faces))

    def corner(self, face: Sequence[int], k: int) -> Quad:
        """The child of a face at its vertex k: that vertex, the edge after it, the face, the edge before it."""
        v, after, before = face[k], face[(k + 1) % len(face)], face[k - 1]
        return self.vertex(v), self.edge(v, after), self.middle(v, after), self.edge(before, v)

    def vertex(self, v: int) -> int:
        """(Q + 2 R + (n - 3) P) / n: Q the mean of the middles about, R of the edges' middles."""
        P, n = self.old.points, len(self.old.around[v])
        if v not in self.numbers:
            Q = sum(self._mean(f) for f in self.old.around[v]) / n
            R = sum((P[v] + P[w]) / 2 for w in self.old.neighbours(v)) / n
            self._keep(v, (Q + 2 * R + (n - 3) * P[v]) / n)
        return self.numbers[v]

    def edge(self, a: int, b: int) -> int:
        """The mean of an edge's ends and of the middles of its two faces."""
        key = (min(a, b), max(a, b))
        if key not in self.numbers:
            sides = self._mean(self.old.face_of[a, b]) + self._mean(self.old.face_of[b, a])
            self._keep(key, (self.old.points[a] + self.old.points[b] + sides) / 4)
        return self.numbers[key]

    def middle(self, a: int, b: int) -> int:
        """The mean of the vertices of the face on the left of a -> b."""
        f = self.old.face_of[a, b]
        if ("face", f) not in self.numbers:
            self._keep(("face", f), self._mean(f))
        return self.numbers["face", f]

    def _mean(self, f: int) -> Any:
        return self.old.points[list(self.old.faces[f])].mean(axis=0)

    def _keep(self, key: Any, point: Any) -> None:
        self.numbers[key] = len(self.points)
        self.points.append(point)


def subdivide(vertices: Any, faces: Any) -> tuple[Table, Faces]:
    """One Catmull-Clark step of a mesh: all faces of the result have four vertices; an open mesh loses its rim."""
    points = table("subdivide vertices", vertices, (None, 3), (4,))
    mesh = Mesh(points, checked_faces("subdivide", faces, len(points))).refined().mesh
    return mesh.points, mesh.faces


def checked_faces(owner: str, faces: Any, count: int) -> Faces:
    """Faces as tuples of vertex numbers, each directed edge once."""
    try:
        made = tuple(tuple(int(v) for v in face) for face in faces)
    except (TypeError, ValueError) as error:
        raise InputError(f"{owner}: expected faces as lists of vertex numbers, got {faces!r}") from error
    seen: set[tuple[int, int]] = set()
    for f, face in enumerate(made):
        if len(face) < 3 or len(set(face)) < len(face) or not all(0 <= v < count for v in face):
            raise InputError(
                f"{owner}: face {f} is {face}; expected three or more different numbers from 0 to {count - 1}"
            )
        for a, b in _edges(face):
            if (a, b) in seen:
                raise InputError(
                    f"{owner}: two faces run along the edge {a} -> {b} in the same direction; all faces must run "
                    "counter-clockwise seen from outside, at most two at an edge"
                )
            seen.add((a, b))
    return made


def _edges(face: Sequence[int]) -> list[tuple[int, int]]:
    return [(v, face[(k + 1) % len(face)]) for k, v in enumerate(face)]
