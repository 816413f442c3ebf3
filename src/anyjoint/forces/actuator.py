"""A drive that acts on a coordinate through a gear: motors, position and velocity servos."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, maximum, minimum

from .force import Effort, check_number, checked_vector
from .trace import ForceTrace, Signal, body_index

EVERYWHERE = (-math.inf, math.inf)


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

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        body = trace.mechanism.bodies[body_index(trace.mechanism, self.body, "Actuator")]
        if not body.joint.rates_are_velocities or not 0 <= self.coordinate < body.joint.nv:
            raise InputError(
                f"Actuator: body {body.name!r} has no coordinate {self.coordinate} to drive; it has {body.joint.nv}"
            )
        q, v = trace.q[body.q][self.coordinate], trace.v[body.v][self.coordinate]
        gear, (own, on_length, on_rate) = trace.number(self.gear), self.bias
        push = trace.number(self.gain) * _within(trace, trace.signal(self.control), self.control_range)
        if own:
            push = push + trace.number(own)
        if on_length:
            push = push + trace.number(on_length) * (gear * q)
        if on_rate:
            push = push + trace.number(on_rate) * (gear * v)
        return [(gear * _within(trace, push, self.effort_range), v)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0


def _within(trace: ForceTrace, x: Any, limits: tuple[float, float]) -> Any:
    low, high = limits
    x = maximum(x, trace.number(low)) if math.isfinite(low) else x
    return minimum(x, trace.number(high)) if math.isfinite(high) else x
