"""A servo that pulls a coordinate to a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, is_real, maximum, minimum

from .force import Values, check_number, driven_body
from .signal import Signal, check_signal, joined, parted


@frozen
class Servo:
    """Pulls one coordinate of a body's joint to a target (a number or a function of time), with at most `limit`."""

    body: Where
    target: Signal
    stiffness: float
    damping: float = 0.0
    coordinate: int = 0
    limit: float = math.inf

    def __post_init__(self) -> None:
        check_signal("Servo", "target", self.target)
        check_number("Servo", "stiffness", self.stiffness, least=0.0)
        check_number("Servo", "damping", self.damping, least=0.0)
        if not is_real(self.limit) or not self.limit > 0:
            raise InputError(f"Servo: limit={self.limit!r}; expected a positive number, or leave it out")

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = driven_body(mechanism, self.body, self.coordinate, "Servo")
        if body.joint.coordinates[self.coordinate].wrap:
            raise InputError(f"Servo: body {body.name!r} takes whole turns off (wrap=True), a jolt; use wrap=False")
        (target,), functions, (timed,) = parted([self.target])
        limited = math.isfinite(self.limit)
        numbers = target, self.stiffness, self.damping, *((self.limit,) if limited else ())
        where = ((body.index, self.coordinate),)
        return [
            Push(what="Servo", measure=coordinate, effort=pull(timed, limited), coordinates=where, numbers=numbers,
                 signals=functions)
        ]  # fmt: skip


def coordinate(q: Values, n: Values) -> Scalar:
    """The coordinate itself."""
    return q[0]


@cache
def pull(timed: bool, limited: bool) -> Callable[..., list[Scalar]]:
    """The effort of a servo whose target is a function of time or not, and whose effort is limited or not."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> list[Scalar]:
        (target,) = joined(n[:1], signals, (timed,))
        push = n[1] * (target - s[0]) - n[2] * rate[0]
        return [minimum(maximum(push, -n[3]), n[3]) if limited else push]

    return effort
