"""One step in a combination of modes: to the next sample, or less far where a stepper keeps its errors small."""

from __future__ import annotations

import math

import numpy as np

from anyjoint.scalar.array import Floats

from ..adaptive import first_step, smallest_step
from ..request import Request
from .switch import Situation


class Pace:
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
        y = np.concatenate([now.q, now.v])
        h = self.h or first_step(now.q, now.v, stepper.rates(now.t, now.q, now.v)[:-1], request)
        while True:
            used = min(h, end - now.t)
            (q, v), stages = stepper.stages(now.t, now.q, now.v, used, tableau)
            rates = np.vstack([stages, stepper.rates(now.t + used, q, v)])
            scale = request.atol + request.rtol * np.maximum(np.abs(y), np.abs(np.concatenate([q, v])))
            error = used * (np.array(tableau.error) @ rates[:, : len(y)]) / scale
            size = float(np.sqrt(np.mean(error**2)))
            factor = min(max(0.9 * max(size, 1e-10) ** -0.2, 0.2), 5.0) if math.isfinite(size) else 0.2
            if size < 1 or used < smallest_step(now.t, request):
                self.h = max(h, used * factor) if used < h else h * factor
                stepper.work = used * float(np.array(tableau.b) @ stages[:, len(y)])
                return q, v, end if used == end - now.t else now.t + used
            h = used * min(factor, 0.9)
