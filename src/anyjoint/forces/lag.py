"""Activations that lag behind controls. Controls are numbers or functions of time, so activations are, too.

Between moments of a grid an activation goes by one step of its equation; what was found at these moments is kept.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

from anyjoint.errors import InputError
from anyjoint.frozen import frozen

from .force import check_number, checked_range
from .signal import Signal

GRID = 2.5e-4  # s
Range = tuple[float, float]
EVERYWHERE: Range = (-math.inf, math.inf)
WHOLE: Range = (0.0, 1.0)


@runtime_checkable
class Lag(Protocol):
    """How an activation follows a control."""

    @property
    def start(self) -> float:
        """The activation at the time 0."""

    def step(self, activation: float, first: float, middle: float, last: float, h: float) -> float:
        """The activation after h, by the controls at the beginning, in the middle and at the end."""


@frozen
class Filter:
    """tau * d(activation)/dt = control - activation, kept within `range`; exact for a control that is a line."""

    tau: float
    start: float = 0.0
    range: Range = EVERYWHERE

    def __post_init__(self) -> None:
        check_number("Filter", "tau", self.tau, least=1e-15)
        _check_start("Filter", self.start, self.range)

    def step(self, activation: float, first: float, middle: float, last: float, h: float) -> float:
        slope = (last - first) / h
        held = first - slope * self.tau  # the line that it ends on, tau behind the control
        return _kept(held + slope * h + (activation - held) * math.exp(-h / self.tau), self.range)


@frozen
class Integrator:
    """d(activation)/dt = control; kept within `range`."""

    start: float = 0.0
    range: Range = EVERYWHERE

    def __post_init__(self) -> None:
        _check_start("Integrator", self.start, self.range)

    def step(self, activation: float, first: float, middle: float, last: float, h: float) -> float:
        return _kept(activation + h * (first + 4 * middle + last) / 6, self.range)


@frozen
class MuscleLag:
    """Calcium comes faster than it goes: tau * d(activation)/dt = control - activation, as MuJoCo's muscles have it.

    tau is rise * (0.5 + 1.5 activation) below the control and fall / (0.5 + 1.5 activation) above it; `smooth` is the
    width of the difference over which the one becomes the other.
    """

    rise: float = 0.01
    fall: float = 0.04
    smooth: float = 0.0
    start: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("rise", 1e-15), ("fall", 1e-15), ("smooth", 0.0), ("start", 0.0)):
            check_number("MuscleLag", name, getattr(self, name), least)

    def rate(self, activation: float, control: float) -> float:
        """d(activation)/dt."""
        away = _kept(control, WHOLE) - activation
        share = 0.5 + 1.5 * _kept(activation, WHOLE)
        up = _smooth_step(away / self.smooth + 0.5) if self.smooth else float(away > 0)
        return away / (up * self.rise * share + (1 - up) * self.fall / share)

    def step(self, activation: float, first: float, middle: float, last: float, h: float) -> float:
        """Runge and Kutta's."""
        a = self.rate(activation, first)
        b = self.rate(activation + h / 2 * a, middle)
        c = self.rate(activation + h / 2 * b, middle)
        d = self.rate(activation + h * c, last)
        return activation + h / 6 * (a + 2 * b + 2 * c + d)


def _kept(x: float, within: Range) -> float:
    return min(max(x, within[0]), within[1])


def _check_start(what: str, start: float, within: Range) -> None:
    check_number(what, "start", start, least=-math.inf)
    low, high = checked_range(what, "range", within)
    if not low <= start <= high:
        raise InputError(f"{what}: start={start!r} is not within range={within!r}; give two numbers around it")


def _smooth_step(x: float) -> float:
    """From 0 to 1 by a quintic."""
    x = _kept(x, WHOLE)
    return x * x * x * (3 * x * (2 * x - 5) + 10)


class Followed:
    """The activation of a control as a function of time."""

    def __init__(self, lag: Lag, control: Signal, within: Range) -> None:
        self.lag, self.control, self.within = lag, control, within
        self.known = [float(lag.start)]

    def __call__(self, t: float) -> float:
        at = max(int(t / GRID), 0)
        while len(self.known) <= at:
            k = len(self.known) - 1
            self.known.append(self._step(self.known[k], k * GRID, GRID))
        h = t - at * GRID
        return self._step(self.known[at], at * GRID, h) if h > 0 else self.known[at]

    def _step(self, activation: float, t: float, h: float) -> float:
        first, middle, last = (self._asked(t + part * h) for part in (0.0, 0.5, 1.0))
        return self.lag.step(activation, first, middle, last, h)

    def _asked(self, t: float) -> float:
        given = self.control(t) if callable(self.control) else self.control
        return _kept(float(given), self.within)


def check_lag(what: str, lag: Any) -> None:
    """Refuse what is no lag."""
    if lag is not None and (isinstance(lag, type) or not isinstance(lag, Lag)):
        raise InputError(f"{what}: lag={lag!r}; expected Filter(...), Integrator(...), MuscleLag(...) or none")


def activated(control: Signal, lag: Lag | None, within: Range = EVERYWHERE) -> Signal:
    """What a drive does with a control: follow it at once, or with a lag."""
    return control if lag is None else Followed(lag, control, within)
