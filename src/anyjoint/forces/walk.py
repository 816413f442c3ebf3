"""The walk along a path: its length, and the points that it runs through, as functions of poses and coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

from anyjoint.constraints.push import Measure
from anyjoint.scalar import Scalar, less, select
from anyjoint.spatial import Pose, vector

from .around import OBSTACLES, Obstacles, Standing
from .force import Values
from .wrap import distance

POINT, MOVING, SOMETIMES, DRUM, PULLEY, LENGTH = "point", "moving", "sometimes", "drum", "pulley", "length"
SHARES = tuple(k / 8 for k in range(9))  # points of an arc that a picture shows
Course = Callable[..., list[list[Values]]]  # of every branch its points


class Shape(NamedTuple):
    """What paths of one kind have in common: kinds of their items, how many numbers each has, which are on one body."""

    kinds: tuple[Any, ...]
    sizes: tuple[int, ...]
    bodies: tuple[int, ...]  # of every item, among the bodies of the path
    moved: bool  # whether coordinates have a part in it


@dataclass
class Branch:
    """A part of a path between pulleys; of a branch behind one, a share counts."""

    divisor: Scalar | None = None
    straight: Scalar = 0.0  # the length without what obstacles add
    vertices: list[Values] = field(default_factory=list)
    own: tuple[int, Values] | None = None  # the body that the last vertex is on, and where it is there
    obstacles: Obstacles = field(default_factory=Obstacles)

    def go(self, pose: Pose, body: int, point: Values, active: Any) -> None:
        """On to a point of a body, if that is there."""
        here = pose.act(point)
        if not self.vertices:
            self.vertices.append(here)
            self.own = body, point
            return
        last = self.vertices[-1]
        # Where the last point is on the same body, the way does not change with its pose.
        before = self.own[1] if self.own is not None and self.own[0] == body else None
        way = distance(here - last if before is None else point - before)
        self.straight = self.straight + _while(active, way, 0.0)
        self.obstacles.pass_by(last, here, way, partial(_while, active))
        self.vertices.append(_chosen(active, here, last))
        if active is None or before is not None:
            self.own = body, _chosen(active, point, before)
        else:
            self.own = None  # it is on the one body or on the other

    def length(self) -> Scalar:
        """What it adds to the path."""
        total = self.straight + self.obstacles.extra()
        return total if self.divisor is None else total / self.divisor

    def points(self) -> Iterator[Values]:
        """What it runs through; points that are not there lie where the one before is."""
        yield from self.vertices[:1]
        for segment, vertex in enumerate(self.vertices[1:]):
            yield from self.obstacles.points(segment, SHARES)
            yield vertex


def walk(shape: Shape, arguments: Any) -> list[Branch | Scalar]:
    """The branches of a path, and what drums wind up; a branch comes last."""
    n, q = arguments[-1], arguments[-2] if shape.moved else ()
    parts, branch, at = list[Branch | Scalar](), Branch(), 0
    for kind, size, body in zip(shape.kinds, shape.sizes, shape.bodies, strict=True):
        own, pose = n[at : at + size], arguments[body]  # what has no body looks at no pose
        at += size
        if kind[0] == DRUM:
            parts.append(own[0] * (q[kind[1]] - own[1]))
        elif kind[0] == PULLEY:
            parts.append(branch)
            branch = Branch(own[0])
        elif kind[0] == LENGTH:
            branch.straight = branch.straight + own[0]
        elif kind[0] in OBSTACLES:
            branch.obstacles.all.append(Standing(kind, pose, own))
        else:
            active = (_seen(kind, q), own[3], own[4]) if kind[0] == SOMETIMES else None
            branch.go(pose, body, _point(kind, own, q), active)
    return [*parts, branch]


@cache
def path_length(shape: Shape) -> Measure:
    """The length of a path of such items, as a function of the bodies' poses, coordinates and numbers."""

    def length(*arguments: Any) -> Scalar:
        *parts, last = (x.length() if isinstance(x, Branch) else x for x in walk(shape, arguments))
        return sum(parts, last)

    return length


@cache
def path_course(shape: Shape) -> Course:
    """The points of every branch of such a path, by the same arguments."""

    def course(*arguments: Any) -> list[list[Values]]:
        parts = walk(shape, arguments)
        return [list(part.points()) for part in parts if isinstance(part, Branch) and part.vertices]

    return course


def nowhere(*arguments: Any) -> list[list[Values]]:
    """The course of what has no place in space, such as a coordinate."""
    return []


def _point(kind: Any, own: Values, q: Values) -> Values:
    """Where a point is on its body."""
    return vector(*kind[1](*(q[k] for k in kind[2]))) if kind[0] == MOVING else own[:3]


def _seen(kind: Any, q: Values) -> Scalar:
    """What a point that comes and goes depends on."""
    return q[kind[1]] if kind[2] is None else kind[2](q[kind[1]])


def _chosen(active: Any, then: Values, other: Values) -> Values:
    """One of two points."""
    return then if active is None else vector(*(_while(active, x, y) for x, y in zip(then, other, strict=True)))


def _while(active: Any, then: Scalar, other: Scalar) -> Scalar:
    """`then` while a coordinate is within its range, (x, low, high), or always."""
    if active is None:
        return then
    x, low, high = active
    return select(less(x, low), other, select(less(high, x), other, then))
