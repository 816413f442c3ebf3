"""Stops at the limits of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, minimum, select

from .force import Effort, check_number
from .trace import ForceTrace


@dataclass(frozen=True)
class Limits:
    """Pushes coordinates back into the limits of their joints: springs that act only outside, and never pull.

    Stiffness and damping are one number for all, or one for each limited coordinate in the mechanism's order.
    """

    stiffness: float | Sequence[float]
    damping: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            given = getattr(self, name)
            for value in given if isinstance(given, (list, tuple)) else (given,):
                check_number("Limits", name, value, least=0.0)

    def _stops(self, trace: ForceTrace) -> Iterator[tuple[Any, Any, Any, Any]]:
        """For each side of a limited coordinate: how far it is beyond (with a sign), velocity, stiffness, damping."""
        found = list(limited(trace.mechanism))
        stiffness, damping = (_each(x, len(found)) for x in (self.stiffness, self.damping))
        for (_, at_q, at_v, (low, high)), *numbers in zip(found, stiffness, damping, strict=True):
            x, v, (k, d) = trace.q[at_q], trace.v[at_v], map(trace.number, numbers)
            if math.isfinite(high):
                yield maximum(x - trace.number(high), 0.0), v, k, d
            if math.isfinite(low):
                yield minimum(x - trace.number(low), 0.0), v, k, d

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        made = []
        for x, v, k, d in self._stops(trace):
            back = k * x + d * v
            push = select(less(0.0, x), maximum(back, 0.0), select(less(x, 0.0), minimum(back, 0.0), 0.0))
            made.append((-push, v))
        return made

    def potential(self, trace: ForceTrace) -> Scalar:
        return sum((0.5 * k * x * x for x, _, k, _ in self._stops(trace)), 0.0)


def limited(mechanism: Mechanism) -> Iterator[tuple[str, int, int, tuple[float, float]]]:
    """Coordinates with limits: name, place among the coordinates, place among the velocities, limits."""
    for body in mechanism.bodies:
        for k, (name, c) in enumerate(zip(body.coordinate_names, body.joint.coordinates, strict=True)):
            rate = body.joint.velocity_of(k)
            if rate is not None and any(map(math.isfinite, c.limits)):
                yield name, body.q.start + k, body.v.start + rate, c.limits


def _each(given: float | Sequence[float], n: int) -> Sequence[float]:
    if isinstance(given, (int, float)):
        return [float(given)] * n
    if len(given) != n:
        raise InputError(f"Limits: {len(given)} numbers for {n} coordinates that have limits; give one, or one each")
    return given
