"""A motor with a torque-speed curve, behind a gear."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import maximum, minimum

from .force import Values, check_number, driven_body
from .servo import coordinate
from .signal import Signal, check_signal, joined, parted


@frozen
class Motor:
    """Drives one coordinate with the torque stall_torque * (command - speed / no_load_speed), times the gear.

    `command` is a share of the full voltage, -1 to 1, a number or a function of time, and is kept within that; the
    torque is kept within the stall torque. The motor turns `gear` times as fast as the coordinate. Its rotor's inertia
    is the body's `armature`, times the gear squared.
    """

    body: Where
    command: Signal
    stall_torque: float
    no_load_speed: float
    gear: float = 1.0
    coordinate: int = 0

    def __post_init__(self) -> None:
        check_signal("Motor", "command", self.command)
        check_number("Motor", "stall_torque", self.stall_torque, least=0.0)
        check_number("Motor", "no_load_speed", self.no_load_speed, least=1e-12)
        check_number("Motor", "gear", self.gear, least=-1e300)

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = driven_body(mechanism, self.body, self.coordinate, "Motor")
        (command,), functions, (timed,) = parted([self.command])
        numbers = command, self.stall_torque, self.no_load_speed, self.gear
        where = ((body.index, self.coordinate),)
        return [
            Push(what="Motor", measure=coordinate, effort=curve(timed), coordinates=where, numbers=numbers,
                 signals=functions)
        ]  # fmt: skip


@cache
def curve(timed: bool) -> Callable[..., Values]:
    """The torque of a motor whose command is a function of time or not."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> Values:
        (command,) = joined(n[:1], signals, (timed,))
        stall, free, gear = n[1:4]
        share = minimum(maximum(command, -1.0), 1.0) - gear * rate[0] / free
        return [gear * stall * minimum(maximum(share, -1.0), 1.0)]

    return effort
