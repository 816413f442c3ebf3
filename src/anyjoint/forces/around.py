"""What paths go around: on which of its segments a path meets an obstacle, and two of them on one segment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True)
class Pair:
    """Two obstacles on the same segment, and what the path is longer by around both."""

    first: Standing
    second: Standing
    segment: int
    longer: Scalar

    def correction(self) -> Scalar:
        """How much that is more than around each of them alone, where at least one is met here and none elsewhere."""
        both = self.longer - self.first.extra() - self.second.extra()
        for obstacle in (self.first, self.second):
            elsewhere = select(less(obstacle.least(), obstacle.longer[self.segment]), 0.0, both)
            both = select(obstacle.met(), elsewhere, both)
        return select(self.first.met(), both, select(self.second.met(), both, 0.0))


class Obstacles:
    """The obstacles of one branch of a path, which passes segment after segment."""

    def __init__(self) -> None:
        self.all: list[Standing] = []
        self.pairs: list[Pair] = []
        self.segment = 0

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
            both = select(less(*along), around_both(p, q, first, second), around_both(p, q, second, first))
            self.pairs.append(Pair(first, second, self.segment, both - way))
        self.segment += 1

    def extra(self) -> Scalar:
        """What the path is longer by in all."""
        total: Scalar = 0.0
        for part in [*(o.extra() for o in self.all), *(pair.correction() for pair in self.pairs)]:
            total = total + part
        return total


def around_both(p: Values, q: Values, first: Standing, second: Standing) -> Scalar:
    """How long a way is that goes around one obstacle where it meets it, and then around the other where it meets it.

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
    return total


def _either(arc: Scalar, touched: Sequence[Scalar], end: Values) -> Values:
    """Where a way leaves or meets an obstacle, or its end if it does not meet it."""
    return vector(*(select(less(0.0, arc), x, y) for x, y in zip(touched, end, strict=True)))
