"""What paths go around: on which of its segments a path meets an obstacle, and two of them on one segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar, less, minimum, select
from anyjoint.spatial import Pose, dot, vector

from .force import Values
from .wrap import Detour, WrapCylinder, WrapSphere, around_cylinder, around_sphere, distance
from .wrap_ellipsoid import WrapEllipsoid, around_ellipsoid

WAYS: dict[type, Callable[..., Detour]] = {
    WrapSphere: around_sphere,
    WrapCylinder: around_cylinder,
    WrapEllipsoid: around_ellipsoid,
}
OBSTACLES: Any = tuple(WAYS)
NEVER = 1e30  # what a path gets longer by around an obstacle that it does not meet
ROUNDS = 4  # of two obstacles that each see where the path leaves the other


@dataclass
class Standing:
    """An obstacle in the way of the next segments; a path goes around it on one of them, where that is shortest."""

    kind: Any
    pose: Pose
    numbers: Values
    longer: dict[int, Scalar] = field(default_factory=dict)  # by the number of the segment

    @property
    def left(self) -> int:
        """How many segments it is still in the way of."""
        return int(self.kind[2]) - len(self.longer)

    def detour(self, p: Values, q: Values) -> Detour:
        """The way around it."""
        return WAYS[self.kind[0]](p, q, self.kind, self.pose, self.numbers)

    def least(self) -> Scalar:
        """What the path gets longer by where that is least; NEVER if it meets it nowhere."""
        first, *others = self.longer.values()
        for other in others:
            first = minimum(first, other)
        return first

    def extra(self) -> Scalar:
        """What the path is longer by."""
        return select(self.met(), self.least(), 0.0)

    def met(self) -> Scalar:
        """Whether the path goes around it."""
        return less(self.least(), NEVER / 2)

    def here(self, segment: int, then: Scalar, other: Scalar) -> Scalar:
        """`then` where the path goes around it on this segment."""
        return select(self.met(), select(less(self.least(), self.longer[segment]), other, then), other)


class Both(NamedTuple):
    """The way around two obstacles: its length, and the detours around the one and then around the other."""

    length: Scalar
    one: Detour
    other: Detour
    between: Values  # where it leaves the first one

    def points(self, p: Values, shares: Sequence[float]) -> list[Values]:
        """Points of the bent parts; those of an obstacle that is not met lie where the way before it ends."""
        ones = [_either(self.one.arc, self.one.bend(s), p) for s in shares]
        return [*ones, *(_either(self.other.arc, self.other.bend(s), self.between) for s in shares)]


@frozen
class Pair:
    """Two obstacles on the same segment, and what the path is longer by around both, in the order of the ways.

    The first one comes first where `ahead` is true.
    """

    first: Standing
    second: Standing
    segment: int
    ahead: Scalar
    ways: tuple[Both, Both]  # around the first one first, and around the second one first
    longer: Scalar

    def correction(self) -> Scalar:
        """How much that is more than around each of them alone."""
        return self.when(self.longer - self.first.extra() - self.second.extra(), 0.0)

    def when(self, then: Scalar, other: Scalar) -> Scalar:
        """`then` where at least one of them is met here, and none elsewhere."""
        for obstacle in (self.first, self.second):
            elsewhere = select(less(obstacle.least(), obstacle.longer[self.segment]), other, then)
            then = select(obstacle.met(), elsewhere, then)
        return select(self.first.met(), then, select(self.second.met(), then, other))


class Obstacles:
    """The obstacles of one branch of a path, which passes segment after segment."""

    def __init__(self) -> None:
        self.all: list[Standing] = []
        self.pairs: list[Pair] = []
        self.passed: list[tuple[Values, list[Standing], list[Detour]]] = []  # of each segment its start and detours

    @property
    def segment(self) -> int:
        """How many segments have passed."""
        return len(self.passed)

    def pass_by(self, p: Values, q: Values, way: Scalar, when: Callable[[Scalar, Scalar], Scalar]) -> None:
        """A segment from p to q, of length `way`; `when(x, other)` is x where the segment is there."""
        here = [obstacle for obstacle in self.all if obstacle.left]
        ways = [obstacle.detour(p, q) for obstacle in here]
        for obstacle, around in zip(here, ways, strict=True):
            longer = select(less(0.0, around.arc), around.length - way, NEVER)
            obstacle.longer[self.segment] = when(longer, NEVER)
        if len(here) > 1:
            first, second = here
            along = [dot(around.enter + around.leave, q - p) for around in ways]
            # In the order in which they stand along the segment.
            ahead, both = less(*along), (around_both(p, q, first, second), around_both(p, q, second, first))
            longer = select(ahead, both[0].length, both[1].length) - way
            self.pairs.append(Pair(first, second, self.segment, ahead, both, longer))
        self.passed.append((p, here, ways))

    def points(self, segment: int, shares: Sequence[float]) -> list[Values]:
        """Points where the path is bent on a segment, in order; those of obstacles that are not met lie at its start.

        They are asked for when all segments have passed.
        """
        p, here, ways = self.passed[segment]
        alone = [
            [_chosen(partial(o.here, segment), way.bend(s), p) for s in shares]
            for o, way in zip(here, ways, strict=True)
        ]
        pair = next((pair for pair in self.pairs if pair.segment == segment), None)
        if pair is None:
            return [point for points in alone for point in points]
        ordered = partial(_chosen, partial(select, pair.ahead))
        one, other = ([*alone[0], *alone[1]], [*alone[1], *alone[0]])
        both = [way.points(p, shares) for way in pair.ways]
        single, double = (list(map(ordered, *lists)) for lists in ((one, other), both))
        return [_chosen(pair.when, x, y) for x, y in zip(double, single, strict=True)]

    def extra(self) -> Scalar:
        """What the path is longer by in all."""
        total: Scalar = 0.0
        for part in [*(o.extra() for o in self.all), *(pair.correction() for pair in self.pairs)]:
            total = total + part
        return total


def around_both(p: Values, q: Values, first: Standing, second: Standing) -> Both:
    """The way that goes around one obstacle where it meets it, and then around the other where it meets it.

    Each is passed from where the way leaves the other one; the way stops to change quickly, and what is left of the
    change counts by its square, since the way is the shortest.
    """
    ahead, behind = q, p
    for _ in range(ROUNDS):
        one = first.detour(p, ahead)
        behind = _either(one.arc, one.leave, p)
        other = second.detour(behind, q)
        total = select(less(0.0, one.arc), one.length, distance(ahead - p)) - distance(ahead - behind)
        total = total + select(less(0.0, other.arc), other.length, distance(q - behind))
        ahead = _either(other.arc, other.enter, q)
    return Both(total, one, other, behind)


def _either(arc: Scalar, touched: Sequence[Scalar], end: Values) -> Values:
    """Where a way leaves or meets an obstacle, or its end if it does not meet it."""
    return _chosen(partial(select, less(0.0, arc)), touched, end)


def _chosen(when: Callable[[Scalar, Scalar], Scalar], then: Sequence[Scalar], other: Sequence[Scalar]) -> Values:
    """One of two points."""
    return vector(*(when(x, y) for x, y in zip(then, other, strict=True)))
