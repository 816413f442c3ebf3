"""One step in a combination of modes: to the next sample, or less far where a stepper keeps its errors small."""

from __future__ import annotations

from anyjoint.scalar.array import Floats
from anyjoint.stepper.error_control import SAFETY

from ..adaptive import first_step, smallest_step, try_step
from ..request import Request
from .switch import Situation


class Walker:
    """Takes steps; remembers the length that errors allow."""

    def __init__(self, request: Request) -> None:
        self.request, self.h = request, 0.0

    def step(self, now: Situation, end: float) -> tuple[Floats, Floats, float]:
        """The state after a step to `end`, or to an earlier time where errors would be too large; and that time."""
        if now.stepper.stepper.adaptive:
            return self._controlled(now, end)
        return *now.stepper.step(now.t, now.q, now.v, end - now.t), end

    def _controlled(self, now: Situation, end: float) -> tuple[Floats, Floats, float]:
        stepper, tableau, request = now.stepper, now.stepper.stepper.tableau, self.request
        assert tableau is not None  # adaptive steppers have one
        h = self.h or first_step(now.q, now.v, stepper.rates(now.t, now.q, now.v)[:-1], request)
        while True:
            used = min(h, end - now.t)
            tried = try_step(stepper, tableau, request, (now.t, now.q, now.v), used)
            if tried.error < 1 or used < smallest_step(now.t, request):
                self.h = max(h, used * tried.factor) if used < h else h * tried.factor
                stepper.work = tried.work
                return tried.q, tried.v, end if used == end - now.t else now.t + used
            h = used * min(tried.factor, SAFETY)
