"""Drawing helpers: rods between points, wires along curves, sheets over surfaces, colours that run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.spatial import Matrix, Pose, frame_about

from .compound import Group, Mesh, Tube
from .solids import Capsule

SUNSET = ("#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51")


def shade(k: int, n: int, stops: Sequence[str] = SUNSET) -> str:
    """The k-th of n colours that run smoothly through the stops, each #rrggbb."""
    x = k / max(n - 1, 1) * (len(stops) - 1)
    i = min(int(x), len(stops) - 2)
    low, high = (np.array([int(stops[j][c : c + 2], 16) for c in (1, 3, 5)]) for j in (i, i + 1))
    return "#" + "".join(f"{round(float(v)):02x}" for v in low + (x - i) * (high - low))


def between(start: Sequence[float], end: Sequence[float]) -> Pose:
    """The pose in the middle of two points, its z axis from one to the other."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    if not length > 0:
        raise InputError(f"nothing to draw between {tuple(start)} and {tuple(end)}; give two different points")
    return Pose.from_rotation(frame_about((b - a) / length), tuple(float(x) for x in (a + b) / 2))


def rod(start: Sequence[float], end: Sequence[float], radius: float, color: str | None = None) -> Capsule:
    """A rod with round ends from one point to another."""
    length = float(np.linalg.norm(np.subtract(end, start)))
    return Capsule(radius, length, color=color, pose=between(start, end))


def curve(
    of: Any,
    start: float | None = None,
    stop: float | None = None,
    *,
    radius: float = 0.01,
    samples: int = 200,
    color: str | None = None,
    pose: Pose | None = None,
) -> Tube:
    """A tube along a curve (or any function of one parameter), from `start` to `stop` or over its domain."""
    lo, hi = _interval(getattr(of, "domain", None), start, stop, "curve")
    point = _point_function(of)
    return Tube([point(s) for s in np.linspace(lo, hi, samples)], radius, color=color, pose=pose)


def surface(
    of: Any,
    u: tuple[float, float] | None = None,
    v: tuple[float, float] | None = None,
    *,
    samples: tuple[int, int] = (48, 48),
    color: str | None = None,
    pose: Pose | None = None,
    opacity: float = 1.0,
) -> Mesh:
    """A sheet of triangles over a surface (or any function of two parameters), by ranges or over its domain."""
    point, (nu, nv) = _point_function(of), samples
    along_u, along_v = (np.linspace(*ends, n) for ends, n in zip(_rectangle(of, u, v), samples, strict=True))
    grid = [point(a, b) for a in along_u for b in along_v]
    return Mesh(grid, grid_faces(nu, nv), color=color, pose=pose, opacity=opacity)


def net(
    of: Any,
    u: tuple[float, float] | None = None,
    v: tuple[float, float] | None = None,
    *,
    lines: tuple[int, int] = (13, 13),
    radius: float = 0.006,
    color: str | None = None,
    pose: Pose | None = None,
) -> Group:
    """Lines of constant u and of constant v on a surface: one sees the surface and what is behind it."""
    point, (ends_u, ends_v) = _point_function(of), _rectangle(of, u, v)
    across = [[point(a, b) for b in np.linspace(*ends_v, 41)] for a in np.linspace(*ends_u, lines[0])]
    along = [[point(a, b) for a in np.linspace(*ends_u, 41)] for b in np.linspace(*ends_v, lines[1])]
    return Group([Tube(points, radius) for points in across + along], color=color, pose=pose)


def grid_faces(nu: int, nv: int) -> Matrix:
    """Triangles over an nu x nv grid of vertices, facing along (d/du) x (d/dv)."""
    faces = []
    for i in range(nu - 1):
        for j in range(nv - 1):
            k = i * nv + j
            faces += [(k, k + nv, k + nv + 1), (k, k + nv + 1, k + 1)]
    return np.array(faces, dtype=int)


def _point_function(of: Any) -> Callable[..., list[float]]:
    point = getattr(of, "point", of)
    return lambda *parameters: [float(x) for x in point(*(float(s) for s in parameters))]


def _rectangle(of: Any, u: Any, v: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    domain = getattr(of, "domain", None) or (None, None)
    (u_lo, u_hi), (v_lo, v_hi) = u or (None, None), v or (None, None)
    return _interval(domain[0], u_lo, u_hi, "surface u"), _interval(domain[1], v_lo, v_hi, "surface v")


def _interval(domain: Any, start: float | None, stop: float | None, what: str) -> tuple[float, float]:
    least, most = domain or (math.nan, math.nan)
    lo, hi = least if start is None else start, most if stop is None else stop
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        raise InputError(f"{what}: nothing to draw from {lo} to {hi}; give two finite numbers in increasing order")
    return float(lo), float(hi)
