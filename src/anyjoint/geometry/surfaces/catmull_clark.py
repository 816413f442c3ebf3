"""Catmull-Clark subdivision surfaces: one face of a control mesh as a patch [PAK section 6], after Stam (1998)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, gather, less, maximum, select
from anyjoint.spatial import Vector, vector

from ..bernstein import horner, uniform_basis
from ..check import Table, nested, table
from ..piecewise import polynomial
from ..subdivision import Mesh, Quad, Refinement, checked_faces
from .surface import Surface

LEVELS = 24  # rings of patches about a vertex; the corner that is left is 6e-8 of the face wide
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))  # (u, v) of a face's vertices


@frozen
class CatmullClark(Surface):
    """The limit surface over one quadrilateral of a control mesh: `vertices` (n, 3), `faces` as lists of their numbers.

    u runs from the face's first vertex to its second, v to its fourth, 0 to 1; faces run counter-clockwise seen from
    outside. Among vertices of four edges the patch is one bicubic B-spline. Towards any other vertex it is made of
    rings of B-splines, each half as wide as the last, exact to rounding. At such a vertex the surface has a tangent
    plane, but its points have no derivatives by u and v: a singular place of this chart.
    """

    vertices: Any
    faces: Any
    face: int = 0
    domain = defined = ((0.0, 1.0), (0.0, 1.0))

    def __post_init__(self) -> None:
        vertices = table("CatmullClark vertices", self.vertices, (None, 3), (4,))
        faces = checked_faces("CatmullClark", self.faces, len(vertices))
        object.__setattr__(self, "vertices", nested(vertices))
        object.__setattr__(self, "faces", faces)
        if not 0 <= self.face < len(faces):
            raise InputError(f"CatmullClark(face={self.face}): the mesh has faces 0 to {len(faces) - 1}")
        if len(faces[self.face]) != 4:
            raise InputError(
                f"CatmullClark: face {self.face} has {len(faces[self.face])} vertices; subdivide the mesh once with "
                "surfaces.subdivide(vertices, faces): then all faces have four"
            )
        for v in faces[self.face]:
            if not self.control.inner(v):
                raise InputError(
                    f"CatmullClark: vertex {v} of face {self.face} lies on the rim of the mesh; a patch needs faces "
                    "all around its vertices: choose an inner face, or add a ring of faces"
                )

    @cached_property
    def control(self) -> Mesh:
        """The control mesh."""
        return Mesh(np.array(self.vertices), self.faces)

    @property
    def quad(self) -> Quad:
        """The vertices of the face."""
        a, b, c, d = self.faces[self.face]
        return a, b, c, d

    @cached_property
    def extraordinary(self) -> tuple[tuple[float, float], ...]:
        """(u, v) of the vertices near which the patch is not one B-spline."""
        return () if self.control.is_regular(self.quad) else tuple(
            at for at, v in zip(CORNERS, self.quad, strict=True) if len(self.control.around[v]) != 4
        )  # fmt: skip

    @cached_property
    def tables(self) -> Any:
        """Coefficients [component][power of u][power of v][piece]."""
        if self.control.is_regular(self.quad):
            made = [_powers(self.control.grid(self.quad))]
        else:
            made = [powers for k in range(4) for powers in corner_pieces(self.control, self.quad, k)]
        return nested(np.moveaxis(np.array(made), (0, 3), (3, 0)))

    def point(self, u: Scalar, v: Scalar) -> Vector:
        index, s, t = (0, u, v) if self.control.is_regular(self.quad) else located(u, v)
        return vector(*[horner([polynomial(row, index, t) for row in component], s) for component in self.tables])

    def singularity(self, u: float, v: float) -> str | None:
        for at in self.extraordinary:
            if max(abs(u - at[0]), abs(v - at[1])) < 0.5**LEVELS:
                return (
                    f"(u, v) = {at} is an extraordinary vertex of the {self.name} mesh, where its points have no "
                    "derivatives by u and v; keep away from it"
                )
        return super().singularity(u, v)


def located(u: Scalar, v: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The number of the piece at (u, v) among those of the four corners, and where in it (0 to 1, twice)."""
    left, low = less(u, 0.5), less(v, 0.5)
    corner = select(low, select(left, 0.0, 1.0), select(left, 3.0, 2.0))
    x = select(low, select(left, u, v), select(left, 1 - v, 1 - u))  # from the corner along the edge after it
    y = select(low, select(left, v, 1 - u), select(left, u, 1 - v))
    level: Scalar = 0.0
    for k in range(1, LEVELS):
        level = level + select(less(maximum(x, y), 0.5 ** (k + 1)), 1.0, 0.0)
    scale = gather([2.0 ** (k + 2) for k in range(LEVELS)], level)
    x, y = x * scale, y * scale  # 0 to 2, the nearer quarter left out
    right, up = select(less(x, 1.0), 0.0, 1.0), select(less(y, 1.0), 0.0, 1.0)
    piece = maximum(right + 2 * up - 1, 0.0)  # the corner that is left takes the patch beside it
    index = (corner * LEVELS + level) * 3 + piece
    return index, x - gather((1.0, 0.0, 1.0), piece), y - gather((0.0, 1.0, 1.0), piece)


def corner_pieces(mesh: Mesh, quad: Quad, k: int) -> list[Table]:
    """Powers of the three patches of every ring about a face's vertex k, the widest ring first.

    Subdivision goes on about the vertex's limit point, so that differences keep their digits as rings shrink.
    """
    step = mesh.about(quad).refined()
    quad = step.corner(quad, k)
    limit = step.mesh.limit(quad[0])
    mesh = Mesh(step.mesh.points - limit, step.mesh.faces).about(quad)
    made = []
    for _ in range(LEVELS):
        step = mesh.refined()
        for turned in _outer(step, quad):
            powers = _powers(step.mesh.grid(turned))
            powers[0, 0] += limit
            made.append(powers)
        quad = step.corner(quad, 0)
        mesh = step.mesh.about(quad)
    return made


def _outer(step: Refinement, quad: Quad) -> list[Quad]:
    """The children of a quad at its vertices 1, 3 and 2, each turned as the quad is."""
    children = ((step.corner(quad, k), k) for k in (1, 3, 2))
    return [child[-k:] + child[:-k] for child, k in children]  # type: ignore[misc]


def _powers(grid: Table) -> Table:
    """Coefficients [power of u, power of v, component] of the uniform bicubic B-spline of 4 x 4 control points."""
    basis = uniform_basis(3)
    return np.asarray(np.einsum("ap,bq,abk->pqk", basis, basis, grid))
