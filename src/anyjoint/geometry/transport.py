"""Rotation-minimising frames: transport a normal along a curve by double reflection, keep it as a spline."""

from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import frame_about

from .piecewise import Grid, pieces, polynomial, spline_through

STEPS = 256
Array = np.ndarray[Any, np.dtype[Any]]


@frozen
class Reference:
    """A vector along a curve, a C2 spline; made perpendicular to the tangent it is the second axis of the frame."""

    grid: Grid
    tables: Any

    def __call__(self, s: Scalar) -> list[Scalar]:
        index, t = self.grid.locate(s)
        return [polynomial(component, index, t) for component in self.tables]


def transported(
    point: Callable[[Scalar], Any],
    tangent: Callable[[Scalar], Any],
    domain: tuple[float, float],
    *,
    closed: bool,
) -> Reference:
    """The rotation-minimising normal over the domain."""
    lo, hi = domain
    at = np.linspace(lo, hi, STEPS + 1)
    p = np.array([point(float(s)) for s in at], dtype=float)
    t = np.array([tangent(float(s)) for s in at], dtype=float)
    r = double_reflection(p, t)
    step = (hi - lo) / STEPS
    if closed:
        r = _closed_up(r, t)[:-1]
    return Reference(Grid(lo, step, STEPS, closed), pieces(spline_through(r, cyclic=closed)))


def double_reflection(p: Array, t: Array) -> Array:
    """Normals at the points p with tangents t: reflect in the bisecting plane, then to the next tangent."""
    r = np.empty_like(p)
    r[0] = frame_about(t[0])[:, 0]
    for i in range(len(p) - 1):
        v = p[i + 1] - p[i]
        r_left = r[i] - 2 / (v @ v) * (v @ r[i]) * v
        t_left = t[i] - 2 / (v @ v) * (v @ t[i]) * v
        w = t[i + 1] - t_left
        square = w @ w
        r[i + 1] = r_left if square < 1e-30 else r_left - 2 / square * (w @ r_left) * w
    return r


def _closed_up(r: Array, t: Array) -> Array:
    """Spread the angle that is left after one round evenly along the curve."""
    missing = -np.arctan2(np.cross(r[0], r[-1]) @ t[0], r[0] @ r[-1])
    angle = np.linspace(0, missing, len(r))[:, None]
    return np.asarray(r * np.cos(angle) + np.cross(t, r) * np.sin(angle))
