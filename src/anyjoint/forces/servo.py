"""A servo that pulls a coordinate to a target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar, maximum, minimum

from .force import Effort, check_number
from .trace import ForceTrace, Signal, body_index


@dataclass(frozen=True)
class Servo:
    """Pulls one coordinate of a body's joint to a target (a number or a function of time), with at most `limit`."""

    body: Any
    target: Signal
    stiffness: float
    damping: float = 0.0
    coordinate: int = 0
    limit: float = math.inf

    def __post_init__(self) -> None:
        check_number("Servo", "stiffness", self.stiffness, least=0.0)
        check_number("Servo", "damping", self.damping, least=0.0)
        if not self.limit > 0:
            raise InputError(f"Servo: limit={self.limit!r}; expected a positive number, or leave it out")

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        body = trace.mechanism.bodies[body_index(trace.mechanism, self.body, "Servo")]
        if not body.joint.rates_are_velocities or not 0 <= self.coordinate < body.joint.nv:
            raise InputError(
                f"Servo: body {body.name!r} has no coordinate {self.coordinate} to drive; it has {body.joint.nv}"
            )
        if body.joint.coordinates[self.coordinate].wrap:
            raise InputError(f"Servo: body {body.name!r} takes whole turns off (wrap=True), a jolt; use wrap=False")
        q, v = trace.q[body.q][self.coordinate], trace.v[body.v][self.coordinate]
        push = trace.number(self.stiffness) * (trace.signal(self.target) - q) - trace.number(self.damping) * v
        if math.isfinite(self.limit):
            most = trace.number(self.limit)
            push = minimum(maximum(push, -most), most)
        return [(push, v)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0
