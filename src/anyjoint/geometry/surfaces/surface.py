"""What a surface is: a point of two parameters, with a frame [p0, n x p0, n] on it [GL section 5]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.scalar import Scalar, derivative
from anyjoint.spatial import Pose, Vector, cross, vector

from ..check import EVERYWHERE
from ..frame import framed, place, unit, vanishes
from .locate import locate

Interval = tuple[float, float]
Change = tuple[Scalar, Scalar, Scalar]  # whether it is time to change charts, and (u, v) in the other
PROBES = 7  # of charts
Array = np.ndarray[Any, np.dtype[Any]]


def flat(name: str, u: Scalar, v: Scalar) -> str:
    """What to say where the two tangents do not span a plane."""
    remedy = "keep away from there or choose other parameters for the surface"
    return f"the parametrisation of {name} has no tangent plane{place(u=u, v=v)}; {remedy}"


def joined(meshes: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes[:-1])])
    faces = [triangles + start for (_, triangles), start in zip(meshes, starts, strict=True)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces)


def where_defined(domain: tuple[Interval, Interval], closed: Sequence[bool]) -> tuple[Interval, Interval]:
    """Where patches end: nowhere along a parameter in which they close."""
    u, v = (EVERYWHERE if free else own for own, free in zip(domain, closed, strict=True))
    return u, v


class Surface:
    """Base of every surface. A subclass gives `point(u, v)`; a closed-form `frame(u, v)` makes it cheaper.

    Normals of solids point outward. With p0 = f_u/|f_u|, p1 = f_v/|f_v| the normal is p0 x p1 times `orientation`
    (Sphere and Ellipsoid are parametrised so that p0 x p1 points inward: their orientation is -1).
    """

    domain: tuple[Interval, Interval] = ((-math.pi, math.pi), (-math.pi, math.pi))
    periods: tuple[float | None, float | None] = (None, None)
    defined: tuple[Interval, Interval] = (EVERYWHERE, EVERYWHERE)  # the surface ends there, as open patches do
    orientation: int = 1

    def point(self, u: Scalar, v: Scalar) -> Vector:
        """The point of the surface at (u, v)."""
        raise TypeError(f"{type(self).__name__} does not say where its points are")

    @property
    def neutral(self) -> tuple[float, float]:
        """A regular point, to start from."""
        (a, b), (c, d) = self.domain
        return (a + b) / 2, (c + d) / 2

    def frame(self, u: Scalar, v: Scalar) -> Pose:
        """The frame at (u, v): first axis along f_u, third axis the normal [GL section 5]."""
        along, area = self._along(u, v), self._area(u, v)
        p0 = unit(along, flat(self.name, u, v))
        n = unit(area * self.orientation, flat(self.name, u, v))
        return framed(p0, cross(n, p0), n, self.point(u, v), along, area)

    def _along(self, u: Scalar, v: Scalar) -> Vector:
        """f_u."""
        return vector(*derivative(lambda x: list(self.point(x, v)), u))

    def _area(self, u: Scalar, v: Scalar) -> Vector:
        """f_u x f_v."""
        return cross(self._along(u, v), derivative(lambda x: list(self.point(u, x)), v))

    def poles(self, u: Scalar, v: Scalar) -> list[Scalar]:
        """Numbers that vanish where closed forms hold but u says nothing."""
        return []

    @property
    def region(self) -> tuple[Interval, Interval]:
        """Where it serves as a chart of an atlas: its domain, or what is far enough from its poles."""
        return self.domain

    def locate(self, point: Vector) -> tuple[Scalar, Scalar]:
        """The parameters (u, v) of a point of the surface."""
        return locate(self, self.region, point)

    def all_charts(self) -> Surface:
        """The same surface with as many charts as it needs to have no pole; itself where it knows of no other."""
        return self

    def other_chart(self, u: Scalar, v: Scalar) -> Change | None:
        """The same point in another chart, and whether that is the better one; None where there is one chart."""
        return None

    def aliases(self, u: float, v: float) -> list[tuple[float, float]]:
        """Parameters of the same point in other charts."""
        change = self.other_chart(u, v)
        return [] if change is None else [change[1:]]

    def change_probes(self) -> list[tuple[float, float]]:
        """Parameters at which charts may be compared."""
        (u0, u1), (v0, v1) = self.domain
        shares = [(k + 0.5) / PROBES for k in range(PROBES)]
        return [(u0 + share * (u1 - u0), v0 + (share * 3) % 1 * (v1 - v0)) for share in shares]

    def ends(self, u: Scalar, v: Scalar) -> list[tuple[str, list[Scalar]]]:
        """Numbers that are positive on the surface and vanish where it ends, each with a sentence that says so."""
        return []

    def normal(self, u: Scalar, v: Scalar) -> Vector:
        """The unit normal, outward for solids."""
        return vector(*self.frame(u, v).R[:, 2])

    def singularity(self, u: float, v: float) -> str | None:
        """A sentence if the frame breaks down at (u, v), else None."""
        try:
            regular = not any(vanishes(f, u, v) for f in (self._along, self._area))
        except SingularityError as error:
            return str(error)
        return None if regular else flat(self.name, u, v)

    @property
    def name(self) -> str:
        """How the surface is called in messages."""
        return type(self).__name__

    def mesh(self, nu: int = 48, nv: int = 24) -> tuple[Array, Array]:
        """Vertices (n, 3) and triangles (m, 3) over the domain for drawing, counter-clockwise seen from the normal."""
        if nu < 2 or nv < 2:
            raise InputError(f"mesh({nu}, {nv}) of {self.name}: at least 2 steps in each direction are needed")
        (u0, u1), (v0, v1) = self.domain
        grid = [(u, v) for u in np.linspace(u0, u1, nu + 1) for v in np.linspace(v0, v1, nv + 1)]
        vertices = np.array([[float(x) for x in self.point(float(u), float(v))] for u, v in grid])
        corner = (np.arange(nu)[:, None] * (nv + 1) + np.arange(nv)).ravel()
        right, up, far = corner + nv + 1, corner + 1, corner + nv + 2
        if self.orientation < 0:
            right, up = up, right
        return vertices, np.concatenate([np.stack([corner, right, far], 1), np.stack([corner, far, up], 1)])
