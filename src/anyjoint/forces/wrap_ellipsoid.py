"""An ellipsoid that stands in the way of cables and muscles, and the shortest way around it in a plane.

Scaled to a unit ball, a plane section is a circle, whose tangents are closed forms, and stay tangents when scaled back.
The length of the arc is an integral by Gauss and Legendre's rule. Among the planes through both ends the one is
taken in which the way is shortest: for a ball that is the shortest of all, for an ellipsoid nearly so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, atan2, cos, less, maximum, minimum, select, sin, sqrt
from anyjoint.spatial import Pose, cross, dot, rotation_problem

from .force import Values, Vector3, check_number, checked_vector
from .wrap import TINY, Detour, check_segments, distance

COARSE, FINE = 6, 16  # points of the rule while planes are looked for, and in the end
SPREADS = (0.4, 0.2, 0.1, 0.03)  # angles between the planes that are compared, round after round
FARTHEST = 1.4  # how far a plane may turn from the one through the centre


@frozen
class WrapEllipsoid:
    """An ellipsoid of a body (None: the ground) that a path goes around if it would go through it.

    `radii` are the half axes along its own x, y and z, which `rotation`, three rows, turns to the body's. With `side`,
    a direction in the body's frame, the path goes around on that side. `segments` is as for `WrapSphere`.
    """

    body: Where
    center: Vector3
    radii: Vector3
    rotation: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    side: Vector3 | None = None
    segments: int = 1

    def numbers(self) -> tuple[float, ...]:
        radii = checked_vector("WrapEllipsoid", "radii", self.radii)
        for radius in radii:
            check_number("WrapEllipsoid", "radii", radius, least=1e-12)
        check_segments("WrapEllipsoid", self.segments)
        try:
            turn = np.array(self.rotation, dtype=float)
        except (TypeError, ValueError):
            turn = np.zeros(0)
        if turn.shape != (3, 3) or rotation_problem(turn):
            raise InputError(f"WrapEllipsoid: rotation={self.rotation!r}; expected the three rows of a rotation matrix")
        side = () if self.side is None else turn.T @ checked_vector("WrapEllipsoid", "side", self.side)
        center = checked_vector("WrapEllipsoid", "center", self.center)
        return (*turn.ravel().tolist(), *center, *radii, *(float(x) for x in side))

    @property
    def kind(self) -> Hashable:
        """What makes two obstacles the same expressions."""
        return WrapEllipsoid, self.side is not None, self.segments


class Section(NamedTuple):
    """Planes through a line past the unit ball, and how the ellipsoid is scaled.

    Along the line the ends are at `ends`; `line` is its direction, `out` from the centre to where the way goes around,
    `up` is normal to both; the line passes at `height` along `out`, and `beyond` are the tangents' lengths.
    """

    line: Values
    out: Values
    up: Values
    ends: tuple[Scalar, Scalar]
    height: Scalar
    beyond: tuple[Scalar, Scalar]
    radii: Values


class Way(NamedTuple):
    """A way around in one plane: its length, where it touches and leaves, and the points between."""

    length: Scalar
    enter: Values
    leave: Values
    bend: Callable[[float], Values]


def around_ellipsoid(p: Values, q: Values, kind: Any, pose: Pose, n: Values) -> Detour:
    """The way from p to q around an ellipsoid."""
    R, center, radii = pose.R @ n[:9].reshape(3, 3), pose.act(n[9:12]), n[12:15]
    a, b = ((R.T @ (x - center)) / radii for x in (p, q))
    outside = [dot(x, x) - 1 for x in (a, b)]
    beyond = tuple(sqrt(maximum(x, 0.0) + TINY) for x in outside)
    line = (b - a) / distance(b - a)
    foot = a - dot(a, line) * line
    height = distance(foot)
    out = foot / height
    ends = dot(a, line), dot(b, line)
    arc = _arc(ends, height, beyond, 1.0)[2]
    for x in outside:  # from within, there is no way around
        arc = select(less(x, 0.0), -1.0, arc)
    if kind[1]:
        turned = select(less(dot(out * radii, n[15:18]), 0.0), -1.0, 1.0)
        out, height = turned * out, turned * height
    section = Section(line, out, cross(line, out), ends, height, (beyond[0], beyond[1]), radii)
    way = _around(section, _best(section), FINE)
    enter, leave = center + R @ way.enter, center + R @ way.leave
    return Detour(arc, way.length, enter, leave, lambda s: center + R @ way.bend(s))


def _best(section: Section) -> Scalar:
    """How far the plane of the shortest way is turned from that through the centre: the lowest point of parabolas."""
    angle: Scalar = 0.0
    for spread in SPREADS:
        low, middle, high = (_around(section, angle + k * spread, COARSE).length for k in (-1, 0, 1))
        bend = low - 2 * middle + high
        step = 0.5 * spread * (low - high) / maximum(bend, 1e-9 * middle)
        angle = minimum(maximum(angle + step, -FARTHEST), FARTHEST)
    return angle


def _around(section: Section, angle: Scalar, count: int) -> Way:
    """The way in a plane."""
    s, c = sin(angle), cos(angle)
    out, normal = c * section.out + s * section.up, c * section.up - s * section.out
    aside = -s * section.height  # of the plane from the centre
    radius = sqrt(maximum(1 - aside * aside, TINY))
    first, last, arc = _arc(section.ends, section.height * c, section.beyond, radius)
    middle = aside * normal

    def touched(x: Scalar) -> Values:
        return middle + radius * (sin(x) * section.line + cos(x) * out)

    enter, leave = touched(first), touched(last)
    start, end = (middle + t * section.line + section.height * c * out for t in section.ends)
    straight = sum(distance((x - y) * section.radii) for x, y in ((start, enter), (end, leave)))
    bent: Scalar = 0.0
    for at, weight in zip(*_rule(count), strict=True):
        x = first + at * arc
        bent = bent + weight * distance((cos(x) * section.line - sin(x) * out) * section.radii)
    length = straight + radius * arc * bent
    return Way(length, enter * section.radii, leave * section.radii, lambda s: touched(first + s * arc) * section.radii)


def _arc(ends: tuple[Scalar, Scalar], height: Scalar, beyond: Any, radius: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Angles about a circle's centre, from the way out, where two points' tangents touch it, and the arc between."""
    first = atan2(ends[0], height) + atan2(beyond[0], radius)
    last = atan2(ends[1], height) - atan2(beyond[1], radius)
    return first, last, last - first


def _rule(count: int) -> tuple[list[float], list[float]]:
    """Gauss and Legendre's points and weights from 0 to 1."""
    at, weights = np.polynomial.legendre.leggauss(count)
    return [float(x + 1) / 2 for x in at], [float(w) / 2 for w in weights]
