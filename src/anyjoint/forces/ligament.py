"""A ligament: it pulls along its path by a curve of how far it is stretched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, select

from .force import Values, check_number
from .path import Item, check_listed, read_path

SHORTEST = 1e-12


@frozen
class Ligament:
    """Pulls along a path (see Cable) with force * curve(stretch), where the stretch, by lengths, is above 1.

    `curve` is a function of one number, such as those of `anyjoint.functions`.
    """

    path: Sequence[Item]
    curve: Callable[[Scalar], Scalar]
    length: float
    force: float = 1.0

    def __post_init__(self) -> None:
        check_listed(self.path, "Ligament")
        check_number("Ligament", "length", self.length, least=SHORTEST)
        check_number("Ligament", "force", self.force, least=0.0)
        if not callable(self.curve):
            raise InputError(f"Ligament: curve={self.curve!r}; expected a function of one number")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "Ligament")
        return [
            Push(what="Ligament", measure=path.measure, effort=tension(self.curve), bodies=path.bodies,
                 coordinates=path.coordinates, numbers=(*path.numbers, float(self.length), float(self.force)))
        ]  # fmt: skip


@cache
def tension(curve: Callable[[Scalar], Scalar]) -> Callable[..., Values]:
    """What ligaments of a curve pull with."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> Values:
        stretch = s[0] / n[-2]
        return [select(less(1.0, stretch), -n[-1] * curve(maximum(stretch, 1.0)), 0.0)]

    return effort
