"""Paths of cables and muscles: through points of bodies, and around obstacles that stand in the way."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.constraints.constraint import Coordinate
from anyjoint.constraints.push import Measure
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where

from .around import OBSTACLES
from .force import Vector3, body_index, check_number, checked_range, checked_vector, driven_body, is_number
from .walk import DRUM, MOVING, POINT, PULLEY, SOMETIMES, Course, nowhere, path_course, path_length
from .waypoint import ConditionalPoint, Drum, MovingPoint, Pulley
from .wrap import WrapCylinder, WrapSphere
from .wrap_ellipsoid import WrapEllipsoid

MOST = 2  # obstacles on one segment
Point = tuple[Where, Vector3]
Item = Point | MovingPoint | ConditionalPoint | WrapSphere | WrapCylinder | WrapEllipsoid | Drum | Pulley
EXPECTED = "(body, point), MovingPoint, ConditionalPoint, WrapSphere, WrapCylinder, WrapEllipsoid, Drum or Pulley"


@dataclass(frozen=True)
class Path:
    """A path, read: the length as a measure of bodies and coordinates, the numbers of that, and where it runs."""

    measure: Measure
    bodies: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    numbers: tuple[float, ...]
    course: Course = nowhere  # points of the path by the same arguments


def check_listed(path: Any, what: str) -> None:
    """Refuse what is no list."""
    if isinstance(path, str) or not hasattr(path, "__iter__"):
        raise InputError(f"{what}: path={path!r}; expected a list of (body, point)")


def read_path(path: Sequence[Item], mechanism: Mechanism, what: str) -> Path:
    """The path of a list of items."""
    check_listed(path, what)
    kinds, bodies = list[Hashable](), list[int]()
    coordinates, numbers, sizes = list[Coordinate](), list[float](), list[int]()

    def place(pair: Any) -> int:
        """Where a coordinate stands among those of the path."""
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"{what}: coordinate {pair!r} in a path; expected (body, number)")
        found = driven_body(mechanism, pair[0], pair[1], what).index, int(pair[1])
        if found not in coordinates:
            coordinates.append(found)
        return coordinates.index(found)

    for item in path:
        if isinstance(item, OBSTACLES):
            own: Sequence[float] = item.numbers()
            kinds.append(item.kind)
        elif isinstance(item, MovingPoint):
            kinds.append((MOVING, item.position, tuple(place(pair) for pair in item.coordinates)))
            own = ()
        elif isinstance(item, ConditionalPoint):
            kinds.append((SOMETIMES, place(item.coordinate), item.function))
            at = checked_vector(what, "point of the path", item.point)
            own = (*at, *checked_range(what, "range of a point", item.range))
        elif isinstance(item, Drum):
            kinds.append((DRUM, place((item.body, item.coordinate))))
            own = (check_real(what, "radius", item.radius), check_real(what, "zero", item.zero))
        elif isinstance(item, Pulley):
            check_number(what, "divisor", item.divisor, least=1e-12)
            kinds.append((PULLEY,))
            own = (float(item.divisor),)
        elif isinstance(item, (tuple, list)) and len(item) == 2:
            kinds.append((POINT,))
            own = checked_vector(what, "point of the path", item[1])
        else:
            raise InputError(f"{what}: {item!r} in a path; expected {EXPECTED}")
        owner = item[0] if isinstance(item, (tuple, list)) else getattr(item, "body", None)
        # Drums and pulleys need no pose.
        bodies.append(-1 if isinstance(item, (Drum, Pulley)) else body_index(mechanism, owner, what))
        numbers += own
        sizes.append(len(own))
    _check_order(path, what)
    shape = tuple(kinds), tuple(sizes), bool(coordinates)
    return Path(path_length(*shape), tuple(bodies), tuple(coordinates), tuple(numbers), path_course(*shape))


def check_real(what: str, name: str, value: Any) -> float:
    """A finite number."""
    if not is_number(value) or not math.isfinite(value):
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
