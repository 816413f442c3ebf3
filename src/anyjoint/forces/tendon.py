"""A spring and damper along a path, which pulls and pushes."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, maximum, minimum

from .force import Values, check_number
from .path import Item, check_listed, read_path


@frozen
class Tendon:
    """Resists its path (see Cable) with damping, and with stiffness where that is longer or shorter than `length`.

    `length` is a number, or two between which the tendon is slack. Other than a cable it pushes, too.
    """

    path: Sequence[Item]
    stiffness: float = 0.0
    damping: float = 0.0
    length: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        check_listed(self.path, "Tendon")
        check_number("Tendon", "stiffness", self.stiffness, least=0.0)
        check_number("Tendon", "damping", self.damping, least=0.0)
        given = self.length if isinstance(self.length, (tuple, list)) else (self.length, self.length)
        for value in given:
            check_number("Tendon", "length", value, least=-1e300)
        if len(given) != 2 or not given[0] <= given[1]:
            raise InputError(f"Tendon: length={self.length!r}; expected a number, or two in increasing order")
        object.__setattr__(self, "length", tuple(float(x) for x in given))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "Tendon")
        low, high = self.length  # type: ignore[misc]  # two numbers by now
        return [
            Push(what="Tendon", measure=path.measure, effort=resist, bodies=path.bodies, coordinates=path.coordinates,
                 numbers=(*path.numbers, low, high, self.stiffness, self.damping), energy=stored)
        ]  # fmt: skip


def beyond(s: Values, n: Values) -> Scalar:
    """By how much a tendon is longer, or shorter, than when it is slack."""
    return maximum(s[0] - n[-3], 0.0) + minimum(s[0] - n[-4], 0.0)


def resist(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    return [-n[-2] * beyond(s, n) - n[-1] * rate[0]]


def stored(s: Values, n: Values) -> Scalar:
    stretch = beyond(s, n)
    return 0.5 * n[-2] * stretch * stretch
