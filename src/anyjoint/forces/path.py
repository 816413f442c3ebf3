"""Paths of cables and muscles: through points of bodies, and around spheres and cylinders that stand in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from anyjoint.constraints.push import Measure
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, atan2, less, maximum, select, sqrt
from anyjoint.spatial import Pose, cross, dot, unit_axis, vector
from anyjoint.spatial.direction import frame_about

from .force import Values, Vector3, body_index, check_number, checked_vector

TINY = 1e-36  # keeps angles finite where points are in line
POINT, SPHERE, CYLINDER = "point", "sphere", "cylinder"
SIZES = {POINT: 3, SPHERE: 4, CYLINDER: 13}  # numbers of each kind of obstacle


@dataclass(frozen=True)
class WrapSphere:
    """A sphere of a body (None: the ground) that a path goes around if it would go through it."""

    body: Any
    center: Vector3
    radius: float

    def numbers(self) -> tuple[float, ...]:
        check_number("WrapSphere", "radius", self.radius, least=1e-12)
        return (*checked_vector("WrapSphere", "center", self.center), float(self.radius))


@dataclass(frozen=True)
class WrapCylinder:
    """A long cylinder of a body (None: the ground) that a path goes around, on the shorter side."""

    body: Any
    center: Vector3
    axis: Vector3
    radius: float

    def numbers(self) -> tuple[float, ...]:
        check_number("WrapCylinder", "radius", self.radius, least=1e-12)
        center = checked_vector("WrapCylinder", "center", self.center)
        axis = [float(x) for x in unit_axis(checked_vector("WrapCylinder", "axis", self.axis))]
        turn = frame_about(axis)
        return (*(float(x) for x in turn.ravel()), *center, float(self.radius))


Item = Any  # (body, point), WrapSphere or WrapCylinder


def read_path(path: Sequence[Item], mechanism: Mechanism, what: str) -> tuple[Measure, tuple[int, ...], list[float]]:
    """The length of a path as a measure, the bodies that it touches, and its numbers."""
    kinds, bodies, numbers = [], [], list[float]()
    for item in path:
        kind = SPHERE if isinstance(item, WrapSphere) else CYLINDER if isinstance(item, WrapCylinder) else POINT
        if kind == POINT and not (isinstance(item, (tuple, list)) and len(item) == 2):
            raise InputError(f"{what}: {item!r} in a path; expected (body, point), WrapSphere or WrapCylinder")
        kinds.append(kind)
        bodies.append(body_index(mechanism, item[0] if kind == POINT else item.body, what))
        numbers += checked_vector(what, "point of the path", item[1]) if kind == POINT else item.numbers()
    alone = all(kinds[k] == POINT or (kinds[k - 1] == POINT == kinds[k + 1]) for k in range(1, len(kinds) - 1))
    if len(kinds) < 2 or kinds[0] != POINT or kinds[-1] != POINT or not alone:
        raise InputError(f"{what}: a path begins and ends with points, and has a point between any two obstacles")
    return path_length(tuple(kinds)), tuple(bodies), numbers


@cache
def path_length(kinds: tuple[str, ...]) -> Measure:
    """The length of a path of such items, as a function of the bodies' poses and of the numbers."""

    def length(*arguments: Any) -> Scalar:
        *poses, n = arguments
        total: Scalar = 0.0
        at, last, around = 0, None, None
        for kind, pose in zip(kinds, poses, strict=True):
            own = n[at : at + SIZES[kind]]
            at += SIZES[kind]
            if kind != POINT:
                around = kind, pose, own
                continue
            here = pose.act(own)
            if last is not None:
                total = total + (distance(here - last) if around is None else detour(last, here, *around))
            last, around = here, None
        return total

    return length


def distance(line: Values) -> Scalar:
    """The length of a line."""
    return sqrt(dot(line, line) + TINY)


def detour(p: Values, q: Values, kind: str, pose: Pose, n: Values) -> Scalar:
    """The way from p to q around an obstacle."""
    if kind == SPHERE:
        center = pose.act(n[:3])
        return around_circle(p - center, q - center, n[3])
    R, center = pose.R @ vector(*n[:9]).reshape(3, 3), pose.act(n[9:12])
    a, b = R.T @ (p - center), R.T @ (q - center)
    flat = around_circle(vector(a[0], a[1], 0.0), vector(b[0], b[1], 0.0), n[12])
    rise = b[2] - a[2]
    return sqrt(flat * flat + rise * rise)  # unrolled, the way is straight


def around_circle(a: Values, b: Values, radius: Scalar) -> Scalar:
    """Straight, or along two tangents and an arc between them, in the plane of a, b and the centre."""
    before, after = (sqrt(maximum(dot(x, x) - radius * radius, 0.0) + TINY) for x in (a, b))
    angle = atan2(distance(cross(a, b)), dot(a, b))
    arc = angle - atan2(before, radius) - atan2(after, radius)
    return select(less(0.0, arc), before + after + radius * arc, distance(b - a))
