"""The user's events in a run with contacts: functions of time and of the released model's states."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anyjoint.scalar.array import Floats

from ..events import Event, StateAt, locate
from ..trajectory import Crossing
from .lift import Lifted
from .monitor import Look
from .switch import Situation


class Crossings:
    """Watches events from look to look; `found` are the crossings so far."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events, self.found = events, list[Crossing]()
        self.values: list[float] = []

    def begin(self, look: Look) -> None:
        """Take the values of all events at a state."""
        lifted = look.solved.lifted if self.events else None
        self.values = [event.value(look.t, lifted.q, lifted.v) for event in self.events] if lifted else []

    def up_to(self, look: Look, now: Situation, state_at: StateAt) -> tuple[float, Event] | None:
        """Record what is crossed from the last state to this one; a terminal event, and when, if there is one."""
        before, lift = self.values, now.stepper.free.lift
        self.begin(look)
        crossed = []
        for event, a, b in zip(self.events, before, self.values, strict=True):
            if event.crosses(a, b):
                crossed.append((locate(Event(_lifted(event, lift)), now.t, look.t, state_at), event))
        for time, event in sorted(crossed, key=lambda pair: pair[0]):
            lifted = lift(*now.stepper.settle(time, *state_at(time)))
            self.found.append(Crossing(event.label, time, lifted.q, lifted.v))
            if event.terminal:
                return time, event
        return None


def _lifted(event: Event, lift: Callable[[Floats, Floats], Lifted]) -> Callable[[float, Floats, Floats], float]:
    """An event's value at states of the present modes."""

    def value(t: float, q: Floats, v: Floats) -> float:
        free = lift(q, v)
        return event.value(t, free.q, free.v)

    return value
