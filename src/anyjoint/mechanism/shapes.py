"""Shapes of bodies: what the viewer draws, and what a solid's inertia is made of."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.spatial import Matrix, Pose

from .inertia import Inertia
from .solid import check_mesh

COLOR = re.compile(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[a-zA-Z]+")


@dataclass(frozen=True, eq=False)
class Shape:
    """Base of all shapes: `color` is a CSS name or #rrggbb, `pose` places the shape in the body's frame."""

    color: str | None = field(default=None, kw_only=True)
    pose: Pose | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        if self.color is not None and not (isinstance(self.color, str) and COLOR.fullmatch(self.color)):
            raise InputError(f"{kind}: color {self.color!r} is not a CSS colour name or #rrggbb")
        if self.pose is not None and not isinstance(self.pose, Pose):
            raise InputError(f"{kind}: pose must be a Pose, got {type(self.pose).__name__}")
        for name, value in vars(self).items():
            if isinstance(value, (int, float)) and not (math.isfinite(value) and value > 0):
                raise InputError(f"{kind}: {name} = {value} must be positive and finite")

    def inertia(self, mass: float | None = None, *, density: float | None = None) -> Inertia:
        """The solid's inertia in the body's frame; give `mass` or `density`."""
        if (density is None) == (mass is None):
            raise InputError(f"{type(self).__name__}.inertia: give either mass= or density=")
        made = self._inertia(float(mass) if mass is not None else float(density or 0.0) * self.volume)
        return made if self.pose is None else made.moved(self.pose)

    @property
    def volume(self) -> float:
        """The solid's volume."""
        raise InputError(f"{type(self).__name__} has no volume; make the inertia by hand, e.g. aj.Inertia.box(...)")

    def _inertia(self, mass: float) -> Inertia:
        raise InputError(f"{type(self).__name__} is not a solid; make the inertia by hand, e.g. aj.Inertia.box(...)")


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box with edges x, y, z about the origin."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        return self.x * self.y * self.z

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.box(mass, self.x, self.y, self.z)


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball about the origin."""

    radius: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.radius**3

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.sphere(mass, self.radius)


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid with semi-axes a, b, c."""

    a: float
    b: float
    c: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.a * self.b * self.c

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.ellipsoid(mass, self.a, self.b, self.c)


@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A cylinder about z, its middle at the origin."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.length

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.cylinder(mass, self.radius, self.length)


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """A cylinder about z with half balls at both ends; `length` is the cylinder's."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.length + 4 / 3 * self.radius)

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.capsule(mass, self.radius, self.length)


@dataclass(frozen=True, eq=False)
class Torus(Shape):
    """A ring about z."""

    major: float
    minor: float

    @property
    def volume(self) -> float:
        return 2 * math.pi**2 * self.major * self.minor**2

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.torus(mass, self.major, self.minor)


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """Triangles: `vertices` (n, 3) and `faces` (m, 3), anticlockwise as seen from outside."""

    vertices: Any
    faces: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        vertices, faces = check_mesh(self.vertices, self.faces)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)

    @property
    def volume(self) -> float:
        return Inertia.mesh(self.vertices, self.faces, density=1.0).mass

    def _inertia(self, mass: float) -> Inertia:
        return Inertia.mesh(self.vertices, self.faces, mass=mass)


@dataclass(frozen=True, eq=False)
class Tube(Shape):
    """A round tube along points (n, 3): wires, tracks and ropes."""

    points: Any
    radius: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        points = np.asarray(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2 or not np.isfinite(points).all():
            raise InputError(f"Tube: points must be at least two finite points of shape (n, 3), got {points.shape}")
        object.__setattr__(self, "points", points)


@dataclass(frozen=True, eq=False)
class Group(Shape):
    """Several shapes as one; a part without a colour takes the group's."""

    parts: Sequence[Shape]

    def __post_init__(self) -> None:
        super().__post_init__()
        for part in self.parts:
            if not isinstance(part, Shape):
                raise InputError(f"Group: every part must be a shape, got {type(part).__name__}")
        object.__setattr__(self, "parts", tuple(self.parts))

    @property
    def volume(self) -> float:
        return sum(part.volume for part in self.parts)

    def _inertia(self, mass: float) -> Inertia:
        total = Inertia.point(0.0)
        for part in self.parts:
            total = total + part.inertia(density=mass / self.volume)
        return total


# -- drawing curves and surfaces -----------------------------------------------------------------


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
) -> Mesh:
    """A sheet of triangles over a surface (or any function of two parameters), by ranges or over its domain."""
    domain = getattr(of, "domain", None) or (None, None)
    (u_start, u_stop), (v_start, v_stop) = u or (None, None), v or (None, None)
    u_lo, u_hi = _interval(domain[0], u_start, u_stop, "surface u")
    v_lo, v_hi = _interval(domain[1], v_start, v_stop, "surface v")
    point, (nu, nv) = _point_function(of), samples
    grid = [point(a, b) for a in np.linspace(u_lo, u_hi, nu) for b in np.linspace(v_lo, v_hi, nv)]
    return Mesh(grid, grid_faces(nu, nv), color=color, pose=pose)


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


def _interval(domain: Any, start: float | None, stop: float | None, what: str) -> tuple[float, float]:
    lo = start if start is not None else domain[0] if domain else math.nan
    hi = stop if stop is not None else domain[1] if domain else math.nan
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        raise InputError(f"{what}: nothing to draw from {lo} to {hi}; give two finite numbers in increasing order")
    return float(lo), float(hi)
