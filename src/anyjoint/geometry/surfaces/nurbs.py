"""Rational B-spline surfaces: spheres, tori and all surfaces of revolution without error [PAK section 6]."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector

from ..check import nested, positive, table
from ..curves.nurbs import NURBS as Profile
from ..patches import Patches
from ..spans import Spans, closes, knot_vector, span_powers, spans_of, weights_of
from .surface import Interval, Surface, where_defined


@frozen
class NURBS(Surface):
    """The rational tensor-product B-spline of an m x n grid of control points, array (m, n, 3), weights (m, n).

    `degree` and `knots` are pairs, for u and v; knots are clamped with a unit between by default.
    `closed=(True, False)` goes on in u from the start where the surface ends there. `NURBS.torus(R, r)` is a torus
    to the last bits.
    """

    points: Any
    weights: Any = None
    degree: tuple[int, int] = (3, 3)
    knots: Any = (None, None)
    closed: tuple[bool, bool] = (False, False)

    def __post_init__(self) -> None:
        points = table("NURBS surface points", self.points, (None, None, 3), (2, 2))
        object.__setattr__(self, "points", nested(points))
        object.__setattr__(self, "weights", nested(weights_of("NURBS surface", self.weights, points.shape[:2])))
        object.__setattr__(self, "degree", tuple(self.degree))
        object.__setattr__(self, "closed", (bool(self.closed[0]), bool(self.closed[1])))
        made = [
            knot_vector(f"NURBS surface in {name}", knots, count, degree)
            for name, knots, count, degree in zip("uv", self.knots, points.shape, self.degree, strict=False)
        ]
        object.__setattr__(self, "knots", tuple(made))
        for k in (k for k in range(2) if self.closed[k]):
            closes(f"NURBS surface in {'uv'[k]}", *self._ends(k))

    def _ends(self, k: int) -> tuple[Any, Any]:
        """Where the lines of control points along u (k = 0) or v start and end, lifted."""
        lines = np.moveaxis(self._lifted(), k, 0)
        powers = span_powers(lines.reshape(len(lines), -1), self.degree[k], self.knots[k], self.spans[k])
        return powers[0, 0], powers[-1].sum(axis=0)

    def _lifted(self) -> Any:
        """The control points (w x, w y, w z, w), array (m, n, 4)."""
        w = np.array(self.weights)[:, :, None]
        return np.concatenate([np.array(self.points) * w, w], axis=2)

    @staticmethod
    def revolved(profile: Profile) -> NURBS:
        """A curve turned about z: u round the axis, a quarter of a turn per unit, v along the curve, right of z."""
        if not isinstance(profile, Profile):
            raise InputError(f"NURBS.revolved({profile!r}): expected a curves.NURBS in the plane y = 0")
        P, w = np.array(profile.points), np.array(profile.weights)
        if np.abs(P[:, 1]).max() > 0 or P[:, 0].min() < 0:
            raise InputError("NURBS.revolved: the profile lies in the plane y = 0 with x >= 0; z is the axis")
        circle = Profile.circle()
        ring = np.array(circle.points)
        points = np.stack([np.outer(ring[:, 0], P[:, 0]), np.outer(ring[:, 1], P[:, 0]), 0 * ring[:, :1] + P[:, 2]], 2)
        knots, degree, closed = (circle.knots, profile.knots), (2, profile.degree), (True, profile.closed)
        return NURBS(points, np.outer(circle.weights, w), degree, knots, closed)

    @staticmethod
    def torus(R: float, r: float) -> NURBS:
        """The torus of surfaces.Torus(R, r), u and v in quarters of a turn."""
        positive("NURBS.torus", R=R, r=r)
        if r >= R:
            raise InputError(f"NURBS.torus(R={R}, r={r}): R must exceed r")
        circle = Profile.circle(r)
        profile = [(R + x, 0.0, y) for x, y, _ in circle.points]
        return NURBS.revolved(Profile(profile, circle.weights, 2, circle.knots, closed=True))

    @property
    def spans(self) -> tuple[Spans, Spans]:
        """The pieces in u and in v."""
        u, v = (spans_of(self.knots[k], self.degree[k], cyclic=self.closed[k]) for k in range(2))
        return u, v

    @property
    def domain(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        u, v = self.spans
        return u.ends, v.ends

    @property
    def defined(self) -> tuple[Interval, Interval]:  # type: ignore[override]
        return where_defined(self.domain, self.closed)

    @property
    def periods(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        (a, b), (c, d) = self.domain
        return (b - a if self.closed[0] else None), (d - c if self.closed[1] else None)

    @cached_property
    def patches(self) -> Patches:
        """(w x, w y, w z, w), patch by patch."""
        grid = self._lifted()
        m, n, _ = grid.shape
        (du, dv), (ku, kv), (u, v) = self.degree, self.knots, self.spans
        along_u = span_powers(grid.reshape(m, n * 4), du, ku, u)  # [i, power, n * 4]
        rows = along_u.reshape(-1, n, 4).transpose(1, 0, 2).reshape(n, -1)
        both = span_powers(rows, dv, kv, v)  # [j, power, (i, power, 4)]
        return Patches.between(
            self.spans, both.reshape(v.count, dv + 1, u.count, du + 1, 4).transpose(2, 0, 3, 1, 4)
        )

    def point(self, u: Scalar, v: Scalar) -> Vector:
        x, y, z, w = self.patches(u, v)
        return vector(x / w, y / w, z / w)
