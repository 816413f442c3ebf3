"""Bounces that follow each other ever faster (Zeno): the shortest that is followed, and where there are too many."""

from __future__ import annotations

from .request import Request

SHORTEST = 1e-4  # share of dt: a bounce that lasts no longer is none
FIRST_ORDER = 2.0  # the same for steps of first order: one of them, v + h a, then q + h v, ends such a bounce at rest
CROWD, MOMENT = 256, 1e-3  # so many changes within this share of dt are infinitely many


def shortest_bounce(request: Request) -> float:
    """The time in seconds up to which a bounce is none."""
    return (FIRST_ORDER if request.stepper.order == 1 else SHORTEST) * request.dt


class Crowd:
    """Counts changes of a run."""

    def __init__(self, request: Request) -> None:
        self.moment, self.times = MOMENT * request.dt, list[float]()

    def add(self, t: float) -> str:
        """Count a change; what to say where they are infinitely many, else nothing."""
        self.times = [*self.times, t][-CROWD:]
        span = t - self.times[0]
        crowded = len(self.times) == CROWD and span < self.moment
        return f"{CROWD} times within {span:.1g} s (Zeno) at t = {t:.6g} s" if crowded else ""
