"""A path that is kept within a range of lengths, as by a rope that goes taut or by a stop on a rod."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar

from .force import Values, check_number, checked_range
from .limits import above, below, stop_above, stop_below
from .path import Item, check_listed, read_path

OWN = 4  # numbers: the end, stiffness, damping, onset


@frozen
class Tether:
    """Pushes the length of a path (see Cable) back into `range`: springs that act only outside, and never pull.

    Damping grows with the depth, and is half of its own at the `onset`.
    """

    path: Sequence[Item]
    range: tuple[float, float]
    stiffness: float
    damping: float = 0.0
    onset: float = 1e-3

    def __post_init__(self) -> None:
        check_listed(self.path, "Tether")
        for name, least in (("stiffness", 0.0), ("damping", 0.0), ("onset", 1e-12)):
            check_number("Tether", name, getattr(self, name), least)
        object.__setattr__(self, "range", checked_range("Tether", "range", self.range))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "Tether")
        made = []
        for end, (law, energy) in zip(self.range, (LOWER, UPPER), strict=True):
            if math.isfinite(end):
                numbers = *path.numbers, float(end), self.stiffness, self.damping, self.onset
                made.append(
                    Push(what="Tether", measure=path.measure, effort=law, bodies=path.bodies,
                         coordinates=path.coordinates, numbers=numbers, energy=energy)
                )  # fmt: skip
        return made


def _behind(
    law: Callable[..., Values], energy: Callable[..., Scalar]
) -> tuple[Callable[..., Values], Callable[..., Scalar]]:
    """A law and an energy whose numbers stand behind those of a path."""
    return lambda s, rate, n, signals: law(s, rate, n[-OWN:], signals), lambda s, n: energy(s, n[-OWN:])


LOWER, UPPER = _behind(stop_above, below), _behind(stop_below, above)
