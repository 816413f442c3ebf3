"""Rational B-spline curves: conic sections without error [PAK section 6]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, derivative, sqrt
from anyjoint.spatial import Vector, vector

from ..check import EVERYWHERE, nested, positive, table
from ..piecewise import pieces, polynomial
from ..spans import Spans, closes, knot_vector, span_powers, spans_of, weights_of
from .curve import Curve, in_a_plane

SMOOTH = 4  # so many derivatives are compared where pieces meet; beyond, a curve counts as smooth


@frozen
class NURBS(Curve):
    """The rational B-spline sum N_i(s) w_i P_i / sum N_i(s) w_i of control points (n, 3).

    `knots` has n + degree + 1 numbers; by default they are clamped with a unit between. `closed=True` goes on from the
    start where the curve ends there. `NURBS.circle(radius)` is a circle to the last bits, which no B-spline is.
    """

    points: Any
    weights: Any = None
    degree: int = 3
    knots: Any = None
    closed: bool = False

    def __post_init__(self) -> None:
        points = table("NURBS curve points", self.points, (None, 3), (2,))
        object.__setattr__(self, "points", nested(points))
        object.__setattr__(self, "weights", nested(weights_of("NURBS curve", self.weights, points.shape[:1])))
        object.__setattr__(self, "knots", knot_vector("NURBS curve", self.knots, len(points), self.degree))
        if self.closed:
            closes("NURBS curve", self._on_piece(0, 0.0), self._on_piece(self.spans.count - 1, 1.0))

    @staticmethod
    def circle(radius: float = 1.0) -> NURBS:
        """The circle radius (cos, sin, 0) in four rational quadratic arcs, one unit of s each; s = 1 is a quarter."""
        positive("NURBS.circle", radius=radius)
        points = [(radius * x, radius * y, 0.0) for x, y in SQUARE]
        return NURBS(points, CIRCLE_WEIGHTS, 2, CIRCLE_KNOTS, closed=True)

    @property
    def spans(self) -> Spans:
        """The pieces of the curve."""
        return spans_of(self.knots, self.degree, cyclic=self.closed)

    @property
    def domain(self) -> tuple[float, float]:  # type: ignore[override]
        return self.spans.ends

    @property
    def defined(self) -> tuple[float, float]:  # type: ignore[override]
        return EVERYWHERE if self.closed else self.domain

    @property
    def period(self) -> float | None:  # type: ignore[override]
        return self.domain[1] - self.domain[0] if self.closed else None

    @cached_property
    def planar(self) -> bool:  # type: ignore[override]
        return in_a_plane(self.points)

    @cached_property
    def tables(self) -> Any:
        """Coefficients [component][power][piece] of (w x, w y, w z, w)."""
        w = np.array(self.weights)[:, None]
        lifted = np.hstack([np.array(self.points) * w, w])
        return pieces(span_powers(lifted, self.degree, self.knots, self.spans))

    def point(self, s: Scalar) -> Vector:
        index, t = self.spans.locate(s)
        return self._on_piece(index, t)

    def _on_piece(self, index: Scalar, t: Scalar) -> Vector:
        x, y, z, w = (polynomial(component, index, t) for component in self.tables)
        return vector(x / w, y / w, z / w)

    @cached_property
    def continuity(self) -> float:  # type: ignore[override]
        """How many derivatives by arc length are continuous, with the speed: a frame that rides along feels no more.

        The arcs of a circle meet with a jump in the second derivative by s, but as one smooth curve.
        """
        last = self.spans.count - 1
        meetings = [(k, k + 1) for k in range(last)] + ([(last, 0)] if self.closed else [])
        return min((_agreement(self._jet(a, 1.0), self._jet(b, 0.0)) for a, b in meetings), default=math.inf)

    def _jet(self, piece: int, t: float) -> list[Any]:
        """The speed of a piece at t, and its derivatives by arc length."""

        def speed(x: Scalar) -> Scalar:
            velocity = derivative(lambda y: list(self._on_piece(piece, y)), x)
            return sqrt(sum(v * v for v in velocity))

        def by_length(f: Any) -> Any:
            return lambda x: [d / speed(x) for d in derivative(f, x)]

        f: Any = lambda x: list(self._on_piece(piece, x))  # noqa: E731
        jet = [np.array([float(speed(t)) / self.spans.widths[piece]])]
        for _ in range(SMOOTH):
            f = by_length(f)
            jet.append(np.array(f(t), float))
        return jet


CIRCLE_WEIGHTS = (1.0, *(math.sqrt(0.5), 1.0) * 4)
CIRCLE_KNOTS = (0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0)
SQUARE = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0))


def _agreement(one: Sequence[Any], other: Sequence[Any]) -> float:
    """How many derivatives of two jets [speed, by arc length ...] agree."""
    scale = max(1e-300, *(float(np.abs(x).max()) for x in one))
    same = [bool(np.abs(a - b).max() <= 1e-8 * scale) for a, b in zip(one, other, strict=True)]
    if not (same[0] and same[1]):
        return 0
    return math.inf if all(same) else same.index(False) - 1
