"""Spheres and cylinders that stand in the way of cables and muscles, and the shortest way around them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, absolute, atan2, cos, is_real, less, maximum, minimum, select, sin, sqrt
from anyjoint.spatial import Pose, cross, dot, unit_axis, vector
from anyjoint.spatial.direction import frame_about

from .force import Values, Vector3, check_number, checked_vector

TINY = 1e-36  # keeps angles finite where points are in line
WHOLE = 2 * math.pi


class Detour(NamedTuple):
    """The way around an obstacle, and where it touches it first and last; it is taken where `arc` is positive.

    `bend(s)` is a point of the bent part, from where it touches first, s = 0, to where it does last, s = 1.
    """

    arc: Scalar
    length: Scalar
    enter: Values
    leave: Values
    bend: Callable[[float], Values]


class Circle(NamedTuple):
    """The way around a circle, and the lengths of its two tangents."""

    way: Detour
    before: Scalar
    after: Scalar


@frozen
class WrapSphere:
    """A sphere of a body (None: the ground) that a path goes around if it would go through it.

    The path goes around on the shorter side, or with `side`, a direction in the body's frame, on that side of the
    centre also where it would not go through. In a path, the sphere stands between two points; with `segments` it may
    be in the way of as many following ones, and the path goes around it on one of them.
    """

    body: Where
    center: Vector3
    radius: float
    side: Vector3 | None = None
    segments: int = 1

    def numbers(self) -> tuple[float, ...]:
        check_number("WrapSphere", "radius", self.radius, least=1e-12)
        check_segments("WrapSphere", self.segments)
        side = () if self.side is None else checked_vector("WrapSphere", "side", self.side)
        return (*checked_vector("WrapSphere", "center", self.center), float(self.radius), *side)

    @property
    def kind(self) -> Hashable:
        """What makes two obstacles the same expressions."""
        return WrapSphere, self.side is not None, self.segments


@frozen
class WrapCylinder:
    """A cylinder of a body (None: the ground) that a path goes around.

    `side` and `segments` are as for `WrapSphere`. With a `length` the cylinder ends: a path that would touch it
    beyond both ends goes straight.
    """

    body: Where
    center: Vector3
    axis: Vector3
    radius: float
    side: Vector3 | None = None
    length: float = math.inf
    segments: int = 1

    def numbers(self) -> tuple[float, ...]:
        check_number("WrapCylinder", "radius", self.radius, least=1e-12)
        check_segments("WrapCylinder", self.segments)
        if not is_real(self.length) or not self.length > 0:
            raise InputError(f"WrapCylinder: length={self.length!r}; expected a positive number, or leave it out")
        center = checked_vector("WrapCylinder", "center", self.center)
        axis = [float(x) for x in unit_axis(checked_vector("WrapCylinder", "axis", self.axis))]
        turn = frame_about(axis)
        side = () if self.side is None else turn.T @ checked_vector("WrapCylinder", "side", self.side)
        half = () if math.isinf(self.length) else (self.length / 2,)
        return (*(float(x) for x in turn.ravel()), *center, float(self.radius), *(float(x) for x in side), *half)

    @property
    def kind(self) -> Hashable:
        """What makes two obstacles the same expressions."""
        return WrapCylinder, self.side is not None, self.segments, math.isfinite(self.length)


def check_segments(what: str, count: Any) -> None:
    """Refuse what is no whole number of segments."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"{what}: segments={count!r}; expected a whole number of at least 1")


def around_sphere(p: Values, q: Values, kind: Any, pose: Pose, n: Values) -> Detour:
    """The way from p to q around a sphere."""
    center = pose.act(n[:3])
    side = pose.R @ n[4:7] if kind[1] else None
    way = _around_circle(p - center, q - center, n[3], side).way
    return way._replace(enter=center + way.enter, leave=center + way.leave, bend=lambda s: center + way.bend(s))


def around_cylinder(p: Values, q: Values, kind: Any, pose: Pose, n: Values) -> Detour:
    """The way from p to q around a cylinder."""
    R, center, radius = pose.R @ n[:9].reshape(3, 3), pose.act(n[9:12]), n[12]
    a, b = R.T @ (p - center), R.T @ (q - center)
    side = vector(n[13], n[14], 0.0) if kind[1] else None
    flat, before, after = _around_circle(vector(a[0], a[1], 0.0), vector(b[0], b[1], 0.0), radius, side)
    rise, arc = b[2] - a[2], flat.arc
    # Unrolled, the way is straight, so that it climbs evenly.
    touched, left = a[2] + rise * before / flat.length, b[2] - rise * after / flat.length
    if kind[3]:
        nearer = -maximum(-absolute(touched), -absolute(left))
        arc = select(less(n[-1], nearer), -1.0, arc)
    enter, leave = (center + R @ vector(x[0], x[1], z) for x, z in ((flat.enter, touched), (flat.leave, left)))

    def bend(s: float) -> Values:
        x = flat.bend(s)
        return center + R @ vector(x[0], x[1], touched + s * (left - touched))

    return Detour(arc, sqrt(flat.length * flat.length + rise * rise), enter, leave, bend)


def _around_circle(a: Values, b: Values, radius: Scalar, side: Values | None) -> Circle:
    """Along two tangents and an arc between them, in the plane of a, b and the centre."""
    outside = [dot(x, x) - radius * radius for x in (a, b)]
    before, after = (sqrt(maximum(x, 0.0) + TINY) for x in outside)
    angle = atan2(distance(cross(a, b)), dot(a, b))
    tangents, turned = atan2(before, radius) + atan2(after, radius), 1.0
    if side is not None:
        # A path that would go through goes around where the side is, and one that passes by passes on that side.
        way = b - a
        share = minimum(maximum(-dot(a, way) / (dot(way, way) + TINY), 0.0), 1.0)
        middle, nearest = a / distance(a) + b / distance(b), a + share * way
        towards = select(less(tangents, angle), dot(middle, side), dot(nearest, side))
        angle, turned = select(less(towards, 0.0), WHOLE - angle, angle), select(less(towards, 0.0), -1.0, 1.0)
    around = arc = angle - tangents
    length = before + after + radius * arc
    for x in outside:  # from within, there is no way around
        arc = select(less(x, 0.0), -1.0, arc)
    enter, leave = _touched(a, b, before, radius, turned), _touched(b, a, after, radius, turned)

    def bend(s: float) -> Values:
        turn, across = atan2(before, radius) + s * around, _across(a, b)
        return radius * ((cos(turn) / distance(a)) * a + (turned * sin(turn) / distance(across)) * across)

    return Circle(Detour(arc, length, enter, leave, bend), before, after)


def _touched(a: Values, b: Values, tangent: Scalar, radius: Scalar, turned: Scalar) -> Values:
    """Where the tangent from a touches, on the way to b, or, `turned` by -1, on the way around behind."""
    square, across = dot(a, a) + TINY, _across(a, b)
    return (radius / square) * (radius * a + (tangent * turned * sqrt(square) / distance(across)) * across)


def _across(a: Values, b: Values) -> Values:
    """What of b is normal to a."""
    return b - (dot(a, b) / (dot(a, a) + TINY)) * a


def distance(line: Values) -> Scalar:
    """The length of a line."""
    return sqrt(dot(line, line) + TINY)
