"""Paths of cables and muscles: through points of bodies, and around obstacles that stand in the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from anyjoint.constraints.constraint import Coordinate
from anyjoint.constraints.push import Measure
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import is_real

from .around import OBSTACLES
from .force import Vector3, body_index, check_number, checked_range, checked_vector, driven_body
from .walk import DRUM, LENGTH, MOVING, POINT, PULLEY, SOMETIMES, Course, Shape, nowhere, path_course, path_length
from .waypoint import ConditionalPoint, Drum, MovingPoint, Pulley
from .wrap import WrapCylinder, WrapSphere
from .wrap_ellipsoid import WrapEllipsoid

MOST = 2  # obstacles on one segment
Point = tuple[Where, Vector3]
Item = Point | MovingPoint | ConditionalPoint | WrapSphere | WrapCylinder | WrapEllipsoid | Drum | Pulley
EXPECTED = "(body, point), MovingPoint, ConditionalPoint, WrapSphere, WrapCylinder, WrapEllipsoid, Drum or Pulley"


@frozen
class Path:
    """A path, read: the length as a measure of bodies and coordinates, the numbers of that, and where it runs.

    Where `seen` says the length, the measure is of its speed.
    """

    measure: Measure
    bodies: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    numbers: tuple[float, ...]
    course: Course = nowhere  # points of the path by the same arguments
    seen: Measure | None = None


def check_listed(path: Any, what: str) -> None:
    """Refuse what is no list."""
    if isinstance(path, str) or not hasattr(path, "__iter__"):
        raise InputError(f"{what}: path={path!r}; expected a list of (body, point)")


class Entry(NamedTuple):
    """An item of a path: its kind, its body (None: it needs no pose) and its numbers."""

    kind: Any
    body: int | None
    numbers: Sequence[float]


def read_path(path: Sequence[Item], mechanism: Mechanism, what: str, whole: bool = False) -> Path:
    """The path of a list of items; of a `whole` one, the course runs through all of its points."""
    check_listed(path, what)
    coordinates = list[Coordinate]()

    def place(pair: Any) -> int:
        """Where a coordinate stands among those of the path."""
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"{what}: coordinate {pair!r} in a path; expected (body, number)")
        found = driven_body(mechanism, pair[0], pair[1], what).index, int(pair[1])
        if found not in coordinates:
            coordinates.append(found)
        return coordinates.index(found)

    def entry(item: Any) -> Entry:
        if isinstance(item, Drum):
            wound = DRUM, place((item.body, item.coordinate))
            return Entry(wound, None, (check_real(what, "radius", item.radius), check_real(what, "zero", item.zero)))
        if isinstance(item, Pulley):
            check_number(what, "divisor", item.divisor, least=1e-12)
            return Entry((PULLEY,), None, (float(item.divisor),))
        if isinstance(item, OBSTACLES):
            numbers = item.numbers()  # which are looked at there, before they say of which kind it is
            return Entry(item.kind, body_index(mechanism, item.body, what), numbers)
        if isinstance(item, MovingPoint):
            moving = MOVING, item.position, tuple(place(pair) for pair in item.coordinates)
            return Entry(moving, body_index(mechanism, item.body, what), ())
        if isinstance(item, ConditionalPoint):
            seldom = SOMETIMES, place(item.coordinate), item.function
            at = checked_vector(what, "point of the path", item.point)
            within = checked_range(what, "range of a point", item.range)
            return Entry(seldom, body_index(mechanism, item.body, what), (*at, *within))
        if isinstance(item, (tuple, list)) and len(item) == 2:
            at = checked_vector(what, "point of the path", item[1])
            return Entry((POINT,), body_index(mechanism, item[0], what), at)
        raise InputError(f"{what}: {item!r} in a path; expected {EXPECTED}")

    entries = [entry(item) for item in path]
    _check_order(path, what)
    entries = entries if whole else folded(entries)
    bodies = tuple(dict.fromkeys(one.body for one in entries if one.body is not None))
    kinds, sizes = tuple(one.kind for one in entries), tuple(len(one.numbers) for one in entries)
    owners = tuple(-1 if one.body is None else bodies.index(one.body) for one in entries)
    shape = Shape(kinds, sizes, owners, bool(coordinates))
    all_numbers = tuple(x for one in entries for x in one.numbers)
    return Path(path_length(shape), bodies, tuple(coordinates), all_numbers, path_course(shape))


def folded(entries: Sequence[Entry]) -> list[Entry]:
    """The same length by fewer points: a way between points of one body is a number.

    So paths are of few kinds, each of which is traced and compiled once.
    """
    if any(one.kind[0] in OBSTACLES for one in entries):  # which count the segments that they are in the way of
        return list(entries)
    starts = [k for k, one in enumerate(entries) if one.kind[0] == PULLEY]
    made = list[Entry]()
    for begin, end in pairwise([0, *starts, len(entries)]):
        made += _folded_branch(entries[begin:end])
    return made


def _folded_branch(entries: Sequence[Entry]) -> list[Entry]:
    """The same of one branch: of points that follow each other on one body, those where the path comes and goes."""
    points = [one for one in entries if one.body is not None]
    if not points:
        return list(entries)
    ways = [_way(one, other) for one, other in pairwise(points)]  # None where it changes
    inner = zip([0.0, *ways], [*ways, 0.0], strict=True)  # ways before and behind each point
    kept = [one for one, around in zip(points, inner, strict=True) if None in around]
    rest = sum(x for x in ways if x) - sum(x for x in map(_way, kept, kept[1:]) if x)
    others = [one for one in entries if one.body is None]
    return [*others, Entry((LENGTH,), None, (rest,)), *(kept or points[:1])]


def _way(one: Entry, other: Entry) -> float | None:
    """How far it is between two points, where that never changes."""
    fixed = one.body == other.body and one.kind == other.kind == (POINT,)
    return math.dist(one.numbers, other.numbers) if fixed else None


def check_real(what: str, name: str, value: Any) -> float:
    """A finite number."""
    if not is_real(value) or not math.isfinite(value):
        raise InputError(f"{what}: {name}={value!r} in a path; expected a finite number")
    return float(value)


def _check_order(path: Sequence[Item], what: str) -> None:
    """Branches begin and end with points that are always there, and obstacles have segments before them."""
    branches: list[list[Item]] = [[]]
    for item in path:
        branches += [[]] if isinstance(item, Pulley) else []
        branches[-1] += [] if isinstance(item, (Pulley, Drum)) else [item]
    if not any(branches) and not any(isinstance(item, Drum) for item in path):
        raise InputError(f"{what}: a path begins and ends with points that are always there; this one is empty")
    for branch in filter(None, branches):
        ends = [isinstance(item, (tuple, list, MovingPoint)) for item in branch]
        if len(ends) < 2 or not ends[0] or not ends[-1]:
            raise InputError(f"{what}: a path begins and ends with points that are always there")
        left = 0
        for item in reversed(branch):
            if not isinstance(item, OBSTACLES):
                left += 1
            elif item.segments > left:
                raise InputError(f"{what}: {item!r} is in the way of {item.segments} segments, but only {left} follow")
        _check_crowds(branch, what)


def _check_crowds(branch: Sequence[Item], what: str) -> None:
    """At most two obstacles on one segment, and an ellipsoid stands alone: its way is no closed form."""
    standing: list[tuple[Item, int]] = []
    for item in branch:
        if not isinstance(item, OBSTACLES):
            standing = [(other, count - 1) for other, count in standing if count > 1]
            continue
        standing.append((item, item.segments))
        if lack := crowded([other for other, _ in standing]):
            raise InputError(f"{what}: {item!r} is {lack}")


def crowded(standing: Sequence[Item]) -> str | None:
    """What the last of some obstacles on one segment is, if they are too many."""
    if len(standing) > MOST:
        return f"the third obstacle on a segment; {MOST} are gone around"
    if len(standing) > 1 and any(isinstance(item, WrapEllipsoid) for item in standing):
        return "on a segment with another obstacle; ellipsoids are gone around alone"
    return None
