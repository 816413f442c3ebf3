"""Actuators of a compiled MJCF by their numbers: gear, gain, bias, ranges, and what their activations lag by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anyjoint.forces import Filter, Integrator, MuscleLag
from anyjoint.frozen import frozen

from .compiled import MjModel, Names

FIXED, AFFINE, MUSCLE_GAIN = 0, 1, 2  # mjtGain
NO_BIAS, AFFINE_BIAS, MUSCLE_BIAS = 0, 1, 2  # mjtBias
NO_DYNAMICS, INTEGRATOR, FILTER, EXACT_FILTER, MUSCLE_DYNAMICS = range(5)  # mjtDyn
LEAST = 1e-15  # mjMINVAL
Range = tuple[float, float]
Lag = Filter | Integrator | MuscleLag


@frozen
class MjcfDrive:
    """An actuator as MuJoCo has compiled it; `on` and `other` are what its transmission of a kind is about."""

    name: str
    transmission: int
    on: int
    other: int
    gear: tuple[float, ...]
    gain: tuple[float, ...]  # by (1, length, rate)
    bias: tuple[float, ...]
    lag: Lag | None
    control_range: Range
    effort_range: Range
    rod: float
    muscle: tuple[float, ...]  # its curve, the ends of its length and the acceleration by a unit of force
    lacking: str | None  # what it has that ours have not, whatever it acts on
    winds: bool  # whether it is a servo whose targets beyond half a turn mean others, where it turns

    @property
    def moved(self) -> bool:
        """Whether its force depends on motion."""
        return any((*self.gain[1:], *self.bias[1:]))

    def period(self, torque: Sequence[float]) -> float:
        """Between targets that mean the same, of a drive about axes."""
        return (math.tau * math.hypot(*torque) if self.winds else 0.0) or math.inf

    def options(self, offset: float = 0.0) -> dict[str, Any]:
        """Arguments of an Actuator whose length is shorter by `offset`."""
        (a, b, c), (d, e, f) = self.gain, self.bias
        gain = (a + b * offset, b, c) if b or c else a
        return {"gain": gain, "bias": (d + e * offset, e, f), **self.ranges()}

    def ranges(self) -> dict[str, Any]:
        """Ranges and lag."""
        return {"lag": self.lag, "control_range": self.control_range, "effort_range": self.effort_range}


def read_drives(m: MjModel, names: Names) -> list[MjcfDrive]:
    """All actuators, in MuJoCo's order."""
    count = m.nactuator if hasattr(m, "nactuator") else m.nu
    return [_read(m, k, names) for k in range(count)]


def _read(m: MjModel, k: int, names: Names) -> MjcfDrive:
    # One that takes several controls, or gives several forces, moves those behind it on.
    out, control = (int(getattr(m, f"actuator_{what}adr", range(k + 1))[k]) for what in ("out", "ctrl"))
    muscle = _is_muscle(m, k)
    controls = _range(m.actuator_ctrllimited, m.actuator_ctrlrange, control)
    return MjcfDrive(
        names.of("actuator", k),
        int(m.actuator_trntype[k]),
        int(m.actuator_trnid[k][0]),
        int(m.actuator_trnid[k][1]),
        _floats(m.actuator_gear[out]),
        _affine(m.actuator_gainprm[k], int(m.actuator_gaintype[k]), (FIXED, AFFINE)),
        _affine(m.actuator_biasprm[k], int(m.actuator_biastype[k]), (None, AFFINE_BIAS)),
        _lag(m, k),
        controls,
        _range(m.actuator_forcelimited, m.actuator_forcerange, k),
        float(m.actuator_cranklength[k]),
        (*_floats(m.actuator_gainprm[k][:9]), *_floats(m.actuator_lengthrange[out]), float(m.actuator_acc0[out]))
        if muscle
        else (),
        _lacking_muscle(m, k, controls) if muscle else _lacking(m, k),
        _winds(m, k),
    )


def _affine(numbers: Any, kind: int, kinds: tuple[int | None, int]) -> tuple[float, ...]:
    """What is constant and what is by lengths and rates."""
    constant, affine = kinds
    if kind == affine:
        return _floats(numbers[:3])
    return (float(numbers[0]), 0.0, 0.0) if kind == constant else (0.0, 0.0, 0.0)


def _lacking(m: MjModel, k: int) -> str | None:
    if getattr(m, "actuator_delay", np.zeros(k + 1))[k]:
        return "a delay"
    if m.actuator_dyntype[k] > MUSCLE_DYNAMICS:
        return "an activation by other equations than a filter, an integrator or a muscle"
    if m.actuator_gaintype[k] not in (FIXED, AFFINE) or m.actuator_biastype[k] not in (NO_BIAS, AFFINE_BIAS):
        return "a gain or bias other than affine (muscle, motor with dynamics)"
    return None


def _winds(m: MjModel, k: int) -> bool:
    """As MuJoCo has it since version 3.11."""
    kinds = int(m.actuator_gaintype[k]), int(m.actuator_biastype[k])
    servo = kinds == (FIXED, AFFINE_BIAS) and m.actuator_gainprm[k][0] == -m.actuator_biasprm[k][1]
    return bool(servo and m.actuator_dyntype[k] in (NO_DYNAMICS, INTEGRATOR) and hasattr(m, "nactuator"))


def _is_muscle(m: MjModel, k: int) -> bool:
    kinds = int(m.actuator_dyntype[k]), int(m.actuator_gaintype[k]), int(m.actuator_biastype[k])
    return kinds == (MUSCLE_DYNAMICS, MUSCLE_GAIN, MUSCLE_BIAS)


def _lacking_muscle(m: MjModel, k: int, controls: Range) -> str | None:
    if np.any(m.actuator_gainprm[k][:9] != m.actuator_biasprm[k][:9]) or m.actuator_forcelimited[k]:
        return "a muscle whose passive force has numbers of its own, or with a limited force"
    for low, high in (controls, _range(m.actuator_actlimited, m.actuator_actrange, k)):
        if low > 0 or high < 1:
            return "a muscle whose control or activation is kept within less than 0 to 1"
    shortest, longest = m.actuator_gainprm[k][4:6]
    return None if shortest < 1 < longest else "a muscle that does not pull at its optimal length"


def _lag(m: MjModel, k: int) -> Lag | None:
    """How the activation follows the control; it begins at 0, as MuJoCo's does, or at the nearest that may be."""
    kind, numbers = int(m.actuator_dyntype[k]), _floats(m.actuator_dynprm[k][:3])
    within = _range(m.actuator_actlimited, m.actuator_actrange, k)
    start = min(max(0.0, within[0]), within[1])
    if kind == INTEGRATOR:
        return Integrator(start, within)
    if kind in (FILTER, EXACT_FILTER):
        return Filter(max(numbers[0], LEAST), start, within)
    rise, fall, smooth = numbers
    return MuscleLag(max(rise, LEAST), max(fall, LEAST), max(smooth, 0.0)) if kind == MUSCLE_DYNAMICS else None


def _range(limited: Sequence[bool], ranges: Any, k: int) -> Range:
    low, high = (float(x) for x in ranges[k])
    return (low, high) if limited[k] and low <= high else (-math.inf, math.inf)


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
