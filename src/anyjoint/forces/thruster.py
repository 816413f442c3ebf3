"""A drive that pushes a body along and about given directions: propellers, jets, reaction wheels."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from anyjoint.constraints import Push
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Twist, dot

from .actuator import EVERYWHERE, Sides, within
from .force import Values, Vector3, check_number, checked_range, checked_vector, moving_index
from .lag import Lag, activated, check_lag
from .signal import Signal, check_signal, joined, parted


@frozen
class Thruster:
    """Pushes with gain * control + bias, times `force` at `point` of a body and times `torque`, in body axes.

    `control` is a number or a function of time, kept within `control_range`; the effort is kept within `effort_range`.
    With a `lag` (Filter, Integrator, MuscleLag) what the gain multiplies follows the control from the time 0 on.
    """

    body: Where
    control: Signal = 0.0
    force: Vector3 = (0.0, 0.0, 0.0)
    torque: Vector3 = (0.0, 0.0, 0.0)
    point: Vector3 = (0.0, 0.0, 0.0)
    gain: float = 1.0
    bias: float = 0.0
    control_range: tuple[float, float] = EVERYWHERE
    effort_range: tuple[float, float] = EVERYWHERE
    lag: Lag | None = None

    def __post_init__(self) -> None:
        check_signal("Thruster", "control", self.control)
        check_lag("Thruster", self.lag)
        for name in ("force", "torque", "point"):
            object.__setattr__(self, name, checked_vector("Thruster", name, getattr(self, name)))
        for name in ("gain", "bias"):
            check_number("Thruster", name, getattr(self, name), least=-math.inf)
        for name in ("control_range", "effort_range"):
            object.__setattr__(self, name, checked_range("Thruster", name, getattr(self, name)))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        body = (moving_index(mechanism, self.body, "Thruster"),)
        (control,), functions, (timed,) = parted([activated(self.control, self.lag, self.control_range)])
        ranges = (*(EVERYWHERE if self.lag else self.control_range), *self.effort_range)
        ends = tuple(x if math.isfinite(x) else 0.0 for x in ranges)
        sides = tuple(map(math.isfinite, ranges))
        numbers = (*self.force, *self.torque, *self.point, control, self.gain, self.bias, *ends)
        effort = thrust(timed, (sides[0], sides[1]), (sides[2], sides[3]))
        return [
            Push(what="Thruster", measure=speed, effort=effort, bodies=body, numbers=numbers, signals=functions,
                 velocity=True)
        ]  # fmt: skip


def speed(pose: Pose, twist: Twist, n: Values) -> Scalar:
    """Along the force and about the torque."""
    return dot(n[:3], twist.at(n[6:9])) + dot(n[3:6], twist.angular)


@cache
def thrust(timed: bool, control_sides: Sides, effort_sides: Sides) -> Callable[..., list[Scalar]]:
    """The effort, by whether its control is a function of time and which ranges have ends."""

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> list[Scalar]:
        (control,) = joined(n[9:10], signals, (timed,))
        return [within(n[10] * within(control, n[12:14], control_sides) + n[11], n[14:16], effort_sides)]

    return effort
