"""Where a point of a surface is, in the parameters of a chart that has no closed form for it: Newton's method."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.scalar import Scalar, derivative, less, select
from anyjoint.spatial import Vector, dot, vector

Interval = tuple[float, float]
GRID = 6  # starts in each direction, of which the nearest is taken
STEPS = 8  # the point lies on the surface, so that Newton's method doubles the digits with each of them


def locate(surface: Any, region: tuple[Interval, Interval], point: Vector) -> tuple[Scalar, Scalar]:
    """(u, v) with surface.point(u, v) = point, from the nearest of some starts; a fixed number of steps, no branch."""
    (u, v), *others = starts(region)
    nearest = distance(surface, u, v, point)
    for other_u, other_v in others:
        other = distance(surface, other_u, other_v, point)
        nearer = less(other, nearest)
        u, v, nearest = (select(nearer, x, y) for x, y in ((other_u, u), (other_v, v), (other, nearest)))
    for _ in range(STEPS):
        u, v = newton(surface, u, v, point)
    return u, v


def starts(region: tuple[Interval, Interval]) -> list[tuple[float, float]]:
    """The middles of a net of cells."""
    share = (np.arange(GRID) + 0.5) / GRID
    (u0, u1), (v0, v1) = region
    return [(float(u0 + s * (u1 - u0)), float(v0 + t * (v1 - v0))) for s in share for t in share]


def distance(surface: Any, u: Scalar, v: Scalar, point: Vector) -> Scalar:
    """The square of the distance between two points."""
    way = surface.point(u, v) - point
    return dot(way, way)


def newton(surface: Any, u: Scalar, v: Scalar, point: Vector) -> tuple[Scalar, Scalar]:
    """One step: the parameters of the nearest point of the tangent plane."""
    way = point - surface.point(u, v)
    a = vector(*derivative(lambda x: list(surface.point(x, v)), u))
    b = vector(*derivative(lambda x: list(surface.point(u, x)), v))
    aa, ab, bb, aw, bw = dot(a, a), dot(a, b), dot(b, b), dot(a, way), dot(b, way)
    share = 1 / (aa * bb - ab * ab)
    return u + (bb * aw - ab * bw) * share, v + (aa * bw - ab * aw) * share
