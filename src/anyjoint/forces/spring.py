"""A spring and damper between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anyjoint.scalar import Scalar, sqrt

from .force import Effort, Vector3, check_number, checked_vector
from .trace import TINY, ForceTrace, dot3, point


@dataclass(frozen=True)
class Spring:
    """A spring and damper between a point of one body and a point of another (None: the ground).

    The force along the line is stiffness * (distance - length) + damping * its rate.
    """

    body_a: Any
    point_a: Vector3
    body_b: Any
    point_b: Vector3
    stiffness: float
    damping: float = 0.0
    length: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "length"):
            check_number("Spring", name, getattr(self, name), least=0.0)
        for name in ("point_a", "point_b"):
            object.__setattr__(self, name, checked_vector("Spring", name, getattr(self, name)))

    def _line(self, trace: ForceTrace) -> list[Any]:
        """From a to b, in the world."""
        a = point(trace.pose(self.body_a, "Spring"), self.point_a)
        b = point(trace.pose(self.body_b, "Spring"), self.point_b)
        return [y - x for x, y in zip(a, b, strict=True)]

    def _stretch(self, trace: ForceTrace, distance: Any) -> Any:
        return distance - trace.number(self.length) if self.length else distance

    def efforts(self, trace: ForceTrace) -> list[Effort]:
        line = self._line(trace)
        along = dot3(line, trace.rate_of(line))
        if not self.length and not self.damping:  # no direction needed, so points may coincide
            return [(-trace.number(self.stiffness), along)]
        distance = sqrt(dot3(line, line) + TINY)
        rate = along / distance
        pull = trace.number(self.stiffness) * self._stretch(trace, distance) + trace.number(self.damping) * rate
        return [(-pull, rate)]

    def potential(self, trace: ForceTrace) -> Scalar:
        line = self._line(trace)
        stretch = self._stretch(trace, sqrt(dot3(line, line) + TINY))
        return 0.5 * trace.number(self.stiffness) * stretch * stretch
