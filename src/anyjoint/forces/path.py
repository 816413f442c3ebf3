"""Paths of cables and muscles: through points of bodies, and around spheres and cylinders that stand in the way."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from anyjoint.constraints.constraint import Coordinate
from anyjoint.constraints.push import Measure
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, minimum, select
from anyjoint.spatial import vector

from .force import Values, Vector3, body_index, checked_vector, driven_body
from .wrap import WrapCylinder, WrapSphere, detour, distance

POINT, MOVING, SOMETIMES = "point", "moving", "sometimes"
NEVER = 1e30  # what a path gets longer by around an obstacle that it does not meet


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point that moves on its body (None: the ground) with coordinates: position(x, ...) gives its three numbers.

    `coordinates` are (body, number) each. `position` is differentiated as joints are.
    """

    body: Any
    position: Callable[..., Any]
    coordinates: Sequence[tuple[Any, int]]


@dataclass(frozen=True)
class ConditionalPoint:
    """A point of a body (None: the ground) that a path passes only while a coordinate is within a range.

    `coordinate` is (body, number); with `function`, that of the coordinate has to be within the range. The length of
    the path jumps where the point comes and goes, unless the path passes it just then.
    """

    body: Any
    point: Vector3
    coordinate: tuple[Any, int]
    range: tuple[float, float]
    function: Callable[[Any], Any] | None = None


Item = Any  # (body, point), MovingPoint, ConditionalPoint, WrapSphere or WrapCylinder
EXPECTED = "(body, point), MovingPoint, ConditionalPoint, WrapSphere or WrapCylinder"


@dataclass(frozen=True)
class Path:
    """A path, read: the length as a measure of bodies and coordinates, and the numbers of that."""

    measure: Measure
    bodies: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    numbers: tuple[float, ...]


def check_listed(path: Any, what: str) -> None:
    """Refuse what is no list."""
    if isinstance(path, str) or not hasattr(path, "__iter__"):
        raise InputError(f"{what}: path={path!r}; expected a list of (body, point)")


def read_path(path: Sequence[Item], mechanism: Mechanism, what: str) -> Path:
    """The path of a list of items."""
    check_listed(path, what)
    kinds, bodies = list[Hashable](), list[int]()
    coordinates, numbers = list[Coordinate](), list[float]()

    def place(pair: Any) -> int:
        """Where a coordinate stands among those of the path."""
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"{what}: coordinate {pair!r} in a path; expected (body, number)")
        found = driven_body(mechanism, pair[0], pair[1], what).index, int(pair[1])
        if found not in coordinates:
            coordinates.append(found)
        return coordinates.index(found)

    for item in path:
        if isinstance(item, (WrapSphere, WrapCylinder)):
            kinds.append(item.kind)
            own: Sequence[float] = item.numbers()
        elif isinstance(item, MovingPoint):
            kinds.append((MOVING, item.position, tuple(place(pair) for pair in item.coordinates)))
            own = ()
        elif isinstance(item, ConditionalPoint):
            kinds.append((SOMETIMES, place(item.coordinate), item.function))
            own = (*checked_vector(what, "point of the path", item.point), *_range(item.range, what))
        elif isinstance(item, (tuple, list)) and len(item) == 2:
            kinds.append((POINT,))
            own = checked_vector(what, "point of the path", item[1])
        else:
            raise InputError(f"{what}: {item!r} in a path; expected {EXPECTED}")
        bodies.append(body_index(mechanism, item[0] if isinstance(item, (tuple, list)) else item.body, what))
        numbers += own
    _check_order(path, what)
    sizes = tuple(_size(item) for item in path)
    return Path(path_length(tuple(kinds), sizes, bool(coordinates)), tuple(bodies), tuple(coordinates), tuple(numbers))


def _size(item: Item) -> int:
    """How many numbers an item has."""
    if isinstance(item, MovingPoint):
        return 0
    return 5 if isinstance(item, ConditionalPoint) else 3 if isinstance(item, (tuple, list)) else len(item.numbers())


def _range(given: Any, what: str) -> tuple[float, float]:
    low, high = (float(x) for x in given)
    if not low <= high:
        raise InputError(f"{what}: range {given!r} of a point; expected two numbers in increasing order")
    return low, high


def _check_order(path: Sequence[Item], what: str) -> None:
    ends = [isinstance(item, (tuple, list, MovingPoint)) for item in path]
    if len(ends) < 2 or not ends[0] or not ends[-1]:
        raise InputError(f"{what}: a path begins and ends with points that are always there")
    left = 0
    for item in reversed(path):
        if isinstance(item, (WrapSphere, WrapCylinder)):
            if item.segments > left:
                raise InputError(f"{what}: {item!r} is in the way of {item.segments} segments, but only {left} follow")
        else:
            left += 1


@cache
def path_length(kinds: tuple[Any, ...], sizes: tuple[int, ...], moved: bool) -> Measure:
    """The length of a path of such items, as a function of the bodies' poses, coordinates and numbers."""

    def length(*arguments: Any) -> Scalar:
        poses, n = arguments[: len(kinds)], arguments[-1]
        q = arguments[-2] if moved else ()
        total: Scalar = 0.0
        at, last = 0, None
        standing: list[Standing] = []
        for kind, size, pose in zip(kinds, sizes, poses, strict=True):
            own = n[at : at + size]
            at += size
            if kind[0] in (WrapSphere, WrapCylinder):
                standing.append(Standing(kind, pose, own))
                continue
            here = pose.act(_point(kind, own, q))
            active = (_seen(kind, q), own[3], own[4]) if kind[0] == SOMETIMES else None
            if last is not None:
                way = distance(here - last)
                total = total + _while(active, way, 0.0)
                for obstacle in standing:
                    obstacle.pass_by(last, here, way, active)
            last = here if last is None or active is None else vector(*(
                _while(active, x, y) for x, y in zip(here, last, strict=True)))  # fmt: skip
            total = total + sum((obstacle.extra() for obstacle in standing if not obstacle.left), 0.0)
            standing = [obstacle for obstacle in standing if obstacle.left]
        return total

    return length


class Standing:
    """An obstacle in the way of the next segments; a path goes around it on one of them, where that is shortest."""

    def __init__(self, kind: Any, pose: Any, numbers: Values) -> None:
        self.given, self.left = (kind, pose, numbers), int(kind[2])
        self.longer: Scalar = NEVER

    def pass_by(self, p: Values, q: Values, way: Scalar, active: Any) -> None:
        """The segment from p to q, of length `way`."""
        around = detour(p, q, *self.given)
        longer = select(less(0.0, around.arc), around.length - way, NEVER)
        longer = _while(active, longer, NEVER)
        self.longer = longer if isinstance(self.longer, float) else minimum(self.longer, longer)
        self.left -= 1

    def extra(self) -> Scalar:
        """What the path is longer by."""
        return select(less(self.longer, NEVER / 2), self.longer, 0.0)


def _point(kind: Any, own: Values, q: Values) -> Values:
    """Where a point is on its body."""
    return vector(*kind[1](*(q[k] for k in kind[2]))) if kind[0] == MOVING else own[:3]


def _seen(kind: Any, q: Values) -> Scalar:
    """What a point that comes and goes depends on."""
    return q[kind[1]] if kind[2] is None else kind[2](q[kind[1]])


def _while(active: Any, then: Scalar, other: Scalar) -> Scalar:
    """`then` while a coordinate is within its range, (x, low, high), or always."""
    if active is None:
        return then
    x, low, high = active
    return select(less(x, low), other, select(less(high, x), other, then))
