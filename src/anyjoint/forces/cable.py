"""A cable that pulls along its path and hangs slack where it is too long; on a winch, its length changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, select

from .force import Values, check_number
from .path import Item, check_listed, read_path
from .signal import Signal, joined, parted


@frozen
class Cable:
    """Pulls with stiffness * stretch * (1 + dissipation * rate) + damping * rate, and never pushes.

    The path is a list of (body, point), from one end to the other, through which the cable runs without friction;
    between two points it may go around a `WrapSphere`, `WrapCylinder` or `WrapEllipsoid`; a `MovingPoint` moves on
    its body, and a `ConditionalPoint` is there at times only. `length` is that of the cable when it is slack, a number
    or, on a winch, a function of time, and the stretch is what the path is longer.
    """

    path: Sequence[Item]
    stiffness: float
    length: Signal
    damping: float = 0.0
    dissipation: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "dissipation"):
            check_number("Cable", name, getattr(self, name), least=0.0)
        if not callable(self.length):
            check_number("Cable", "length", self.length, least=0.0)
        check_listed(self.path, "Cable")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "Cable")
        (length,), functions, (timed,) = parted([self.length])
        numbers = (*path.numbers, length, self.stiffness, self.damping, self.dissipation)
        energy = None if timed else stretched
        return [
            Push(what="Cable", measure=path.measure, effort=tension(timed), bodies=path.bodies, numbers=numbers,
                 coordinates=path.coordinates, signals=functions, energy=energy)
        ]  # fmt: skip


@cache
def tension(timed: bool) -> Callable[..., Values]:
    """What a cable pulls with, whose length is a function of time or not."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> Values:
        (length,) = joined(n[-4:-3], signals, (timed,))
        stretch = s[0] - length
        pull = n[-3] * stretch * (1 + n[-1] * rate[0]) + n[-2] * rate[0]
        return [select(less(0.0, stretch), -maximum(pull, 0.0), 0.0)]

    return effort


def stretched(s: Values, n: Values) -> Scalar:
    beyond = maximum(s[0] - n[-4], 0.0)
    return 0.5 * n[-3] * beyond * beyond
