"""A drive that acts on a coordinate through a gear: motors, position and velocity servos."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import maximum, minimum

from .force import Values, check_number, checked_vector, driven_body
from .servo import coordinate
from .signal import Signal, joined, parted

EVERYWHERE = (-math.inf, math.inf)
Sides = tuple[bool, bool]  # of a range whether it has a lower and an upper end


@dataclass(frozen=True)
class Actuator:
    """Its own effort is gain * control + bias . (1, length, rate), with length = gear * coordinate.

    A motor has no bias; a position servo of stiffness k has gain k and bias (0, -k, -d); a velocity servo has gain d
    and bias (0, 0, -d). `control` is a number or a function of time, kept within `control_range`; the effort is kept
    within `effort_range`, and the coordinate feels it times the gear.
    """

    body: Any
    control: Signal = 0.0
    gain: float = 1.0
    bias: Sequence[float] = (0.0, 0.0, 0.0)
    gear: float = 1.0
    coordinate: int = 0
    control_range: tuple[float, float] = EVERYWHERE
    effort_range: tuple[float, float] = EVERYWHERE

    def __post_init__(self) -> None:
        for name in ("gain", "gear"):
            check_number("Actuator", name, getattr(self, name), least=-math.inf)
        object.__setattr__(self, "bias", checked_vector("Actuator", "bias", self.bias))
        for name in ("control_range", "effort_range"):
            low, high = getattr(self, name)
            if not low <= high:
                raise InputError(f"Actuator: {name}={(low, high)}; expected two numbers in increasing order")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = driven_body(mechanism, self.body, self.coordinate, "Actuator")
        (control,), functions, (timed,) = parted([self.control])
        ranges = (*self.control_range, *self.effort_range)
        sides = tuple(map(math.isfinite, ranges))
        numbers = control, self.gain, self.gear, *self.bias, *(x if math.isfinite(x) else 0.0 for x in ranges)
        effort = push(timed, (sides[0], sides[1]), (sides[2], sides[3]))
        where = ((body.index, self.coordinate),)
        return [
            Push(what="Actuator", measure=coordinate, effort=effort, coordinates=where, numbers=numbers,
                 signals=functions)
        ]  # fmt: skip


@cache
def push(timed: bool, control_sides: Sides, effort_sides: Sides) -> Callable[..., list[Any]]:
    """The effort of an actuator, by whether its control is a function of time and which ranges have ends."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> list[Any]:
        (control,) = joined(n[:1], signals, (timed,))
        gain, gear, own, on_length, on_rate = n[1:6]
        made = gain * within(control, n[6:8], control_sides)
        made = made + own + on_length * (gear * s[0]) + on_rate * (gear * rate[0])
        return [gear * within(made, n[8:10], effort_sides)]

    return effort


def within(x: Any, ends: Values, sides: Sides) -> Any:
    """x kept within a range that may be open."""
    x = maximum(x, ends[0]) if sides[0] else x
    return minimum(x, ends[1]) if sides[1] else x
