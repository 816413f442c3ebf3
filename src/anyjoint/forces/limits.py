"""Stops at the limits of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, minimum, select

from .force import Values, check_number
from .servo import coordinate


@frozen
class Limits:
    """Pushes coordinates back into the limits of their joints: springs that act only outside, and never pull.

    Each is one number for all, or one for each limited coordinate in the mechanism's order. Damping begins at once, or
    grows with the depth and is half of its own at the `onset`: steps that solve equations want forces without jumps.
    """

    stiffness: float | Sequence[float]
    damping: float | Sequence[float] = 0.0
    onset: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "onset"):
            given = getattr(self, name)
            for value in given if isinstance(given, (list, tuple)) else (given,):
                check_number("Limits", name, value, least=0.0)

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        found = list(limited(mechanism))
        stiffness, damping, onset = (_each(x, len(found)) for x in (self.stiffness, self.damping, self.onset))
        made = []
        for (place, pair), k, d, depth in zip(found, stiffness, damping, onset, strict=True):
            for end, high in zip(pair, (False, True), strict=True):
                if math.isfinite(end):
                    law = LAWS[high, depth > 0]
                    numbers = (end, k, d, depth) if depth > 0 else (end, k, d)
                    made.append(
                        Push(what="Limits", measure=coordinate, effort=law, coordinates=(place,), numbers=numbers,
                             energy=above if high else below)
                    )  # fmt: skip
        return made


def hold_below(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """What pushes back from an upper limit, and never pulls."""
    return [select(less(n[0], s[0]), minimum(-(n[1] * (s[0] - n[0]) + n[2] * rate[0]), 0.0), 0.0)]


def hold_above(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """What pushes back from a lower limit, and never pulls."""
    return [select(less(s[0], n[0]), maximum(-(n[1] * (s[0] - n[0]) + n[2] * rate[0]), 0.0), 0.0)]


def stop_below(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """The same with a damping that grows with the depth."""
    depth = maximum(s[0] - n[0], 0.0)
    return [minimum(-(n[1] * depth + n[2] * rate[0] * depth / (depth + n[3])), 0.0)]


def stop_above(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """The same with a damping that grows with the depth."""
    depth = maximum(n[0] - s[0], 0.0)
    return [maximum(n[1] * depth - n[2] * rate[0] * depth / (depth + n[3]), 0.0)]


LAWS = {
    (True, False): hold_below, (False, False): hold_above, (True, True): stop_below, (False, True): stop_above,
}  # fmt: skip


def above(s: Values, n: Values) -> Scalar:
    beyond = maximum(s[0] - n[0], 0.0)
    return 0.5 * n[1] * beyond * beyond


def below(s: Values, n: Values) -> Scalar:
    beyond = minimum(s[0] - n[0], 0.0)
    return 0.5 * n[1] * beyond * beyond


def limited(mechanism: Mechanism) -> Iterator[tuple[tuple[int, int], tuple[float, float]]]:
    """Coordinates with limits: body and number of each, and its limits."""
    for body in mechanism.bodies:
        for k, c in enumerate(body.joint.coordinates):
            if body.joint.velocity_of(k) is not None and any(map(math.isfinite, c.limits)):
                yield (body.index, k), c.limits


class Limited(NamedTuple):
    """A coordinate with limits: its places among coordinates and velocities, and both ends."""

    name: str
    at: int
    rate: int
    ends: tuple[float, float]


def limited_coordinates(mechanism: Mechanism) -> Iterator[Limited]:
    """All coordinates with limits."""
    for (index, k), limits in limited(mechanism):
        body = mechanism.bodies[index]
        rate = body.joint.velocity_of(k)
        yield Limited(body.coordinate_names[k], body.q.start + k, body.v.start + (rate or 0), limits)


def _each(given: float | Sequence[float], n: int) -> Sequence[float]:
    if isinstance(given, (int, float)):
        return [float(given)] * n
    if len(given) != n:
        raise InputError(f"Limits: {len(given)} numbers for {n} coordinates that have limits; give one, or one each")
    return given
