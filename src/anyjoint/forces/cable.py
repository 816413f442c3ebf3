"""A cable that pulls along its path and hangs slack where it is too long; on a winch, its length changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from anyjoint.constraints import Push
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, select

from .force import Values, check_number
from .path import Item, check_listed, read_path
from .signal import Signal, joined, parted


@dataclass(frozen=True)
class Cable:
    """Pulls with stiffness * (length of the path - length) + damping * its rate, and never pushes.

    The path is a list of (body, point), from one end to the other, through which the cable runs without friction;
    between two points it may go around a `WrapSphere`, `WrapCylinder` or `WrapEllipsoid`; a `MovingPoint` moves on
    its body, and a `ConditionalPoint` is there at times only. `length` is that of the cable when it is slack, a number
    or, on a winch, a function of time.
    """

    path: Sequence[Item]
    stiffness: float
    length: Signal
    damping: float = 0.0

    def __post_init__(self) -> None:
        check_number("Cable", "stiffness", self.stiffness, least=0.0)
        check_number("Cable", "damping", self.damping, least=0.0)
        if not callable(self.length):
            check_number("Cable", "length", self.length, least=0.0)
        check_listed(self.path, "Cable")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "Cable")
        (length,), functions, (timed,) = parted([self.length])
        numbers = (*path.numbers, length, self.stiffness, self.damping)
        energy = None if timed else stretched
        return [
            Push(what="Cable", measure=path.measure, effort=tension(timed), bodies=path.bodies, numbers=numbers,
                 coordinates=path.coordinates, signals=functions, energy=energy)
        ]  # fmt: skip


@cache
def tension(timed: bool) -> Callable[..., Values]:
    """What a cable pulls with, whose length is a function of time or not."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> Values:
        (length,) = joined(n[-3:-2], signals, (timed,))
        stretch = s[0] - length
        return [select(less(0.0, stretch), -maximum(n[-2] * stretch + n[-1] * rate[0], 0.0), 0.0)]

    return effort


def stretched(s: Values, n: Values) -> Scalar:
    beyond = maximum(s[0] - n[-3], 0.0)
    return 0.5 * n[-2] * beyond * beyond
