"""Events: a function of (t, q, v) that crosses zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar.array import ArrayLike, Floats

Function = Callable[[float, Floats, Floats], ArrayLike]
StateAt = Callable[[float], tuple[Floats, Floats]]  # states between samples
PRECISION = 1e-12  # seconds to which a crossing is bracketed, relative to times beyond a second
HALVINGS = 50  # of a step, to find a time at which what begins at zero is away from it


@frozen
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


Events = Event | Function | Iterable[Event | Function]


def as_events(events: Events, single: bool) -> tuple[Event, ...]:
    """Events from a list of events or of plain functions."""
    given = [events] if isinstance(events, Event) or callable(events) else list(events or ())
    if given and not single:
        raise InputError("events are for a single trajectory; simulate the states of the batch one by one")
    return tuple(event if isinstance(event, Event) else Event(event) for event in given)


def locate(event: Event, begin: float, end: float, state_at: StateAt) -> float:
    """The time of the crossing between two times, by Chandrupatla's method: inverse quadratics where they are safe."""
    a, b = begin, end
    f_a, f_b = (event.value(t, *state_at(t)) for t in (a, b))
    if f_a == 0.0:
        return a
    share = 0.5
    for _ in range(200):
        t = a + share * (b - a)
        f = event.value(t, *state_at(t))
        if (f > 0) == (f_a > 0):
            c, f_c = a, f_a
        else:
            c, b, f_c, f_b = b, a, f_b, f_a
        a, f_a = t, f  # the newest; the crossing is between a and b
        least = PRECISION * max(1.0, abs(a)) / max(abs(b - a), 1e-300)
        if f == 0.0 or least > 1.0:
            break
        xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
            share = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        else:
            share = 0.5
        share = min(1 - 0.5 * least, max(0.5 * least, share))
    return t if f == 0.0 else max(a, b)


def away_from_zero(event: Event, begin: float, end: float, state_at: StateAt) -> float | None:
    """A time at which what begins at zero, and will be below it, is above; None if it does not get there."""
    times = (begin + (end - begin) / 2**k for k in range(1, HALVINGS))
    return next((t for t in times if event.value(t, *state_at(t)) > 0), None)


def first_crossings(
    events: Sequence[Event], values: Floats, t: Floats, state_at: StateAt
) -> list[tuple[float, Event]]:
    """All crossings between samples, in time order; values are (samples, events)."""
    found = []
    for j, event in enumerate(events):
        for k in range(len(t) - 1):
            if event.crosses(values[k, j], values[k + 1, j]):
                found.append((locate(event, float(t[k]), float(t[k + 1]), state_at), event))
    return sorted(found, key=lambda pair: pair[0])
