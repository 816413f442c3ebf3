"""Gravity between bodies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, sqrt
from anyjoint.spatial import dot

from .energy import conservative
from .force import Values, body_index, check_number
from .spring import line

NEWTON = 6.6743e-11  # m^3 / (kg s^2)


@frozen
class Attraction:
    """All pairs of some bodies (default: of all) pull at each other's centres of mass, with G m1 m2 / r^2."""

    bodies: Sequence[Where] | None = None
    constant: float = NEWTON

    def __post_init__(self) -> None:
        check_number("Attraction", "constant", self.constant, least=0.0)

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        given = range(mechanism.nb) if self.bodies is None else self.bodies
        if not isinstance(given, Sequence) or isinstance(given, str):
            raise InputError(f"Attraction: bodies={given!r}; expected a list of bodies, or leave it out for all")
        chosen = [body_index(mechanism, body, "Attraction") for body in given]
        if min(chosen, default=0) < 0 or len(set(chosen)) < len(chosen):
            raise InputError(f"Attraction: bodies={self.bodies!r}; expected different bodies, the ground has no mass")
        return [self._pair(mechanism, a, b) for a, b in combinations(chosen, 2)]

    def _pair(self, mechanism: Mechanism, a: int, b: int) -> Push:
        ends = [mechanism.bodies[k].inertia for k in (a, b)]
        strength = self.constant * float(ends[0].mass) * float(ends[1].mass)
        numbers = *(float(x) for end in ends for x in end.com), strength
        effort = conservative(pull)
        return Push(what="Attraction", measure=line, effort=effort, bodies=(a, b), numbers=numbers, energy=pull)


def pull(s: Values, n: Values) -> Scalar:
    """The potential of two masses."""
    return -n[6] / sqrt(dot(s, s))
