"""Events: a function of (t, q, v) that crosses zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.errors import InputError

Floats = np.ndarray[Any, np.dtype[Any]]
Function = Callable[[float, Floats, Floats], Any]
PRECISION = 1e-12  # seconds to which a crossing is bracketed, relative to times beyond a second


@dataclass(frozen=True)
class Event:
    """Watch where `function(t, q, v)` crosses zero; `direction` 1 upwards, -1 downwards, 0 both.

    A terminal event ends the run. Crossings are looked for between samples, so two within one step cancel.
    """

    function: Function
    terminal: bool = False
    direction: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"Event: {self.function!r} is not a function of (t, q, v)")
        if self.direction not in (-1, 0, 1):
            raise InputError(f"Event: direction={self.direction!r}; expected -1 (downwards), 0 (both) or 1 (upwards)")

    @property
    def label(self) -> str:
        """Its name, or that of its function."""
        return self.name or str(getattr(self.function, "__name__", "event"))

    def value(self, t: float, q: Floats, v: Floats) -> float:
        """The watched number."""
        found = np.asarray(self.function(t, q, v), dtype=float)
        if found.shape != () or not np.isfinite(found):
            raise InputError(f"event {self.label!r} gave {found!r} at t = {t:g}; expected one finite number")
        return float(found)

    def crosses(self, before: float, after: float) -> bool:
        """Whether there is a crossing of the right direction between two values; a start at zero is none."""
        up, down = before < 0 <= after, before > 0 >= after
        return (up and self.direction >= 0) or (down and self.direction <= 0)


def as_events(events: Any, single: bool) -> tuple[Event, ...]:
    """Events from a list of events or of plain functions."""
    given = [events] if isinstance(events, Event) or callable(events) else list(events or ())
    if given and not single:
        raise InputError("events are for a single trajectory; simulate the states of the batch one by one")
    return tuple(event if isinstance(event, Event) else Event(event) for event in given)


def locate(event: Event, begin: float, end: float, state_at: Callable[[float], tuple[Floats, Floats]]) -> float:
    """The time of the crossing between two times, by the Illinois method with bisection as its safety net."""
    low, high = begin, end
    f_low, f_high = (event.value(t, *state_at(t)) for t in (low, high))
    if f_low == 0.0:
        return low
    weight_low = weight_high = 1.0
    for count in range(200):
        width = high - low
        if width <= PRECISION * max(1.0, abs(high)) or f_high == 0.0:
            break
        a, b = weight_low * f_low, weight_high * f_high
        t = high - b * (high - low) / (b - a) if count % 4 != 3 else 0.5 * (low + high)
        t = min(max(t, low + 1e-3 * PRECISION), high - 1e-3 * PRECISION)
        f = event.value(t, *state_at(t))
        if (f > 0) == (f_high > 0) or f == 0.0:
            high, f_high, weight_high = t, f, 1.0
            weight_low *= 0.5
        else:
            low, f_low, weight_low = t, f, 1.0
            weight_high *= 0.5
    return high


def first_crossings(
    events: Sequence[Event], values: Floats, t: Floats, state_at: Callable[[float], tuple[Floats, Floats]]
) -> list[tuple[float, Event]]:
    """All crossings between samples, in time order; values are (samples, events)."""
    found = []
    for j, event in enumerate(events):
        for k in range(len(t) - 1):
            if event.crosses(values[k, j], values[k + 1, j]):
                found.append((locate(event, float(t[k]), float(t[k + 1]), state_at), event))
    return sorted(found, key=lambda pair: pair[0])
