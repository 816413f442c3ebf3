"""A torque and a force on a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anyjoint.errors import InputError
from anyjoint.scalar import Scalar

from .force import Effort, Vector3, checked_vector
from .trace import ForceTrace, Signal, angular_velocity, point


@dataclass(frozen=True)
class Wrench:
    """A torque and a force (constant, or functions of time) on a point of a body, in world or body axes."""

    body: Any
    torque: Sequence[Signal] = (0.0, 0.0, 0.0)
    force: Sequence[Signal] = (0.0, 0.0, 0.0)
    point: Vector3 = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        if self.axes not in ("world", "body"):
            raise InputError(f'Wrench: axes={self.axes!r}; expected "world" or "body"')
        object.__setattr__(self, "point", checked_vector("Wrench", "point", self.point))
        for name in ("torque", "force"):
            given = tuple(getattr(self, name))
            numbers = checked_vector("Wrench", name, [0.0 if callable(x) else x for x in given])
            object.__setattr__(self, name, tuple(x if callable(x) else y for x, y in zip(given, numbers, strict=True)))

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        pose = trace.pose(self.body, "Wrench")
        R = pose.R
        made: list[Effort] = []
        if any(callable(x) or x for x in self.force):
            velocity = trace.rate_of(point(pose, self.point))
            made += zip(self._in_world(R, self.force, trace), velocity, strict=True)
        if any(callable(x) or x for x in self.torque):
            made += zip(self._in_world(R, self.torque, trace), angular_velocity(trace, R), strict=True)
        return made

    def _in_world(self, R: Any, values: Sequence[Signal], trace: ForceTrace) -> list[Any]:
        given = [trace.signal(x) if callable(x) or x else 0.0 for x in values]
        return given if self.axes == "world" else [sum(R[i][k] * given[k] for k in range(3)) for i in range(3)]

    def potential(self, trace: ForceTrace) -> Scalar:
        return 0.0
