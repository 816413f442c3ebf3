"""Stops whose strength comes in over a way: smooth twice, so that any method steps over their edge."""

from __future__ import annotations

import math
from collections.abc import Sequence

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, is_real, maximum, minimum

from .force import Values, check_number, checked_range, driven_body
from .servo import coordinate


@frozen
class SoftStop:
    """Pushes one coordinate of a body's joint back between two ends, of which one may be infinite.

    Behind an end the force is strength * (stiffness * depth, and damping * rate): the strength grows from 0 to 1 over
    the `transition`, as 10 u^3 - 15 u^4 + 6 u^5. `stiffness` is one number, or two for the lower and the upper end.
    OpenSim's CoordinateLimitForce is this, by degrees.
    """

    body: Where
    limits: tuple[float, float]
    stiffness: float | Sequence[float]
    damping: float = 0.0
    transition: float = 0.1
    coordinate: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", checked_range("SoftStop", "limits", self.limits))
        if not any(map(math.isfinite, self.limits)):
            raise InputError(f"SoftStop: limits={self.limits!r}; expected at least one end that is finite")
        each = self.stiffness if isinstance(self.stiffness, (tuple, list)) else (self.stiffness,) * 2
        if len(each) != 2:
            raise InputError(f"SoftStop: stiffness={self.stiffness!r}; expected a number, or two for both ends")
        for value in each:
            check_number("SoftStop", "stiffness", value, least=0.0)
        object.__setattr__(self, "stiffness", tuple(float(x) for x in each))
        check_number("SoftStop", "damping", self.damping, least=0.0)
        if not is_real(self.transition) or not 0 < self.transition < math.inf:
            raise InputError(f"SoftStop: transition={self.transition!r}; expected a positive number")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = driven_body(mechanism, self.body, self.coordinate, "SoftStop")
        made = []
        for end, stiffness, side in zip(self.limits, self.stiffness, (-1.0, 1.0), strict=True):  # type: ignore[arg-type]  # two numbers by now
            if math.isfinite(end):
                made.append(
                    Push(what="SoftStop", measure=coordinate, effort=push_back,
                         coordinates=((body.index, self.coordinate),), energy=stored,
                         numbers=(side, end, stiffness, self.damping, self.transition))
                )  # fmt: skip
        return made


def _depth(s: Values, n: Values) -> tuple[Scalar, Scalar]:
    """How far the coordinate is behind the end, and that by the transition, at most 1."""
    depth = maximum(n[0] * (s[0] - n[1]), 0.0)
    return depth, minimum(depth / n[4], 1.0)


def push_back(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    """The force of one end."""
    depth, u = _depth(s, n)
    strength = u * u * u * (10 - u * (15 - 6 * u))
    return [-strength * (n[0] * n[2] * depth + n[3] * rate[0])]


def stored(s: Values, n: Values) -> Scalar:
    """The integral of strength * stiffness * depth: a polynomial within the transition, a parabola behind it."""
    depth, u = _depth(s, n)
    within = u * u * u * u * u * (2 - u * (5 / 2 - 6 / 7 * u))  # 5/14 at its end
    behind = maximum(depth, n[4])
    return n[2] * (n[4] * n[4] * (within - 0.5) + 0.5 * behind * behind)
