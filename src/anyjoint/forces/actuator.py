"""A drive that acts on a coordinate, along a path or between frames, through a gear: motors and servos."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.body import Where
from anyjoint.scalar import Scalar, floor, is_real, maximum, minimum

from .displacement import Displacement
from .force import Values, check_number, checked_range, checked_vector, driven_body
from .lag import Lag, activated, check_lag
from .path import Item, Path, check_listed, read_path
from .servo import coordinate
from .signal import Signal, check_signal, joined, parted
from .slider_crank import SliderCrank

EVERYWHERE = (-math.inf, math.inf)
Sides = tuple[bool, bool]  # of a range whether it has a lower and an upper end


@frozen
class Actuator:
    """Its own effort is gain * control + bias . (1, length, rate), with length = gear * coordinate.

    With `path` (see Cable), the length is gear * length of the path, and so with `along`, a Displacement or a
    SliderCrank; no body is needed then. A `gain` of three numbers is gain . (1, length, rate).

    A motor has no bias; a position servo of stiffness k has gain k and bias (0, -k, -d); a velocity servo has gain d
    and bias (0, 0, -d). `control` is a number or a function of time, kept within `control_range`; the effort is kept
    within `effort_range`, and the coordinate feels it times the gear. With a `lag` (Filter, Integrator, MuscleLag) what
    the gain multiplies follows the control from the time 0 on. Where the length is an angle, controls that differ by a
    `period` mean the same: what is nearest to the length acts.
    """

    body: Where = None
    control: Signal = 0.0
    gain: float | Sequence[float] = 1.0
    bias: Sequence[float] = (0.0, 0.0, 0.0)
    gear: float = 1.0
    coordinate: int = 0
    control_range: tuple[float, float] = EVERYWHERE
    effort_range: tuple[float, float] = EVERYWHERE
    path: Sequence[Item] | None = None
    lag: Lag | None = None
    along: Displacement | SliderCrank | None = None
    period: float = math.inf

    def __post_init__(self) -> None:
        check_signal("Actuator", "control", self.control)
        check_lag("Actuator", self.lag)
        if not is_real(self.period) or not self.period > 0:
            raise InputError(f"Actuator: period={self.period!r}; expected a number above 0")
        check_number("Actuator", "gear", self.gear, least=-math.inf)
        if isinstance(self.gain, (tuple, list)):
            object.__setattr__(self, "gain", checked_vector("Actuator", "gain", self.gain))
        else:
            check_number("Actuator", "gain", self.gain, least=-math.inf)
        if self.path is not None:
            check_listed(self.path, "Actuator")
        if self.along is not None and not isinstance(self.along, (Displacement, SliderCrank)):
            raise InputError(f"Actuator: along={self.along!r}; expected a Displacement or a SliderCrank")
        if sum(x is not None for x in (self.body, self.path, self.along)) > 1:
            raise InputError("Actuator: it acts on a body, along a path or along something else; give one of them")
        object.__setattr__(self, "bias", checked_vector("Actuator", "bias", self.bias))
        for name in ("control_range", "effort_range"):
            object.__setattr__(self, name, checked_range("Actuator", name, getattr(self, name)))

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        along = self._along(mechanism)
        (control,), functions, (timed,) = parted([activated(self.control, self.lag, self.control_range)])
        ranges = (*(EVERYWHERE if self.lag else self.control_range), *self.effort_range)
        sides = tuple(map(math.isfinite, ranges))
        gain = self.gain if isinstance(self.gain, tuple) else (self.gain,)
        own = control, self.gear, *self.bias, *(x if math.isfinite(x) else 0.0 for x in ranges), *gain
        turns = math.isfinite(self.period)
        own = (*own, self.period) if turns else own
        effort = push(timed, (sides[0], sides[1]), (sides[2], sides[3]), turns, len(along.numbers))
        return [
            Push(what="Actuator", measure=along.measure, effort=effort, bodies=along.bodies,
                 coordinates=along.coordinates, numbers=(*along.numbers, *own), signals=functions,
                 velocity=along.seen is not None, seen=along.seen)
        ]  # fmt: skip

    def _along(self, mechanism: Mechanism) -> Path:
        """What it acts along."""
        if self.along is not None:
            return self.along.read(mechanism)
        if self.path is not None:
            return read_path(self.path, mechanism, "Actuator")
        body = driven_body(mechanism, self.body, self.coordinate, "Actuator")
        return Path(coordinate, (), ((body.index, self.coordinate),), ())


@cache
def push(
    timed: bool, control_sides: Sides, effort_sides: Sides, turns: bool, start: int
) -> Callable[..., list[Scalar]]:
    """The effort of an actuator, by whether its control is a function of time, which ranges have ends, and whether
    controls have a period.

    Its numbers begin at `start`, behind those of what it acts along.
    """

    def effort(s: Values, rate: Values, n: Values, signals: Values) -> list[Scalar]:
        n = n[start:]
        (control,) = joined(n[:1], signals, (timed,))
        gear, length, speed = n[1], n[1] * s[0], n[1] * rate[0]
        gain = n[9] if len(n) < 12 else n[9] + n[10] * length + n[11] * speed
        control = within(control, n[5:7], control_sides)
        made = gain * (nearest_turn(control, length, n[-1]) if turns else control)
        made = made + n[2] + n[3] * length + n[4] * speed
        return [gear * within(made, n[7:9], effort_sides)]

    return effort


def nearest_turn(x: Scalar, length: Scalar, period: Scalar) -> Scalar:
    """x by as many periods more or less as bring it nearest to a length."""
    return x - period * floor((x - length) / period + 0.5)


def within(x: Scalar, ends: Values, sides: Sides) -> Scalar:
    """x kept within a range that may be open."""
    x = maximum(x, ends[0]) if sides[0] else x
    return minimum(x, ends[1]) if sides[1] else x
