"""Pieces of a trajectory as an engine delivers them, and how large they should be."""

from __future__ import annotations

import time
from collections.abc import Callable

from anyjoint.errors import AnyjointError
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

from .events import StateAt

SLICE = 0.05  # seconds between two looks at the world


class StepUnderflow(AnyjointError):
    """The step length has become too small to move time on."""

    def __init__(self, time: float, member: int, q: Floats, v: Floats) -> None:
        super().__init__(f"the step became too small at t = {time:g}")
        self.time, self.member, self.q, self.v = time, member, q, v


@frozen
class Chunk:
    """Samples (s, batch, n) at times (s,), and the steps they took; `state_at`, if given, knows states in between.

    `paths` are times and coordinates after each step of each trajectory, where samples are not the steps themselves;
    `work` (s, batch) is that of inputs, forces and dampers since the beginning, where they do some.
    """

    t: Floats
    q: Floats
    v: Floats
    steps: int
    state_at: StateAt | None = None
    paths: tuple[tuple[Floats, Floats], ...] = ()
    work: Floats | None = None
    work_at: Callable[[float], float] | None = None  # at times in between
    jumps: bool = False  # whether the state has jumped to its first sample, at the time of the sample before
    contacts: Floats | None = None  # (s, batch, 9 points): where each point of contact is, its normal, the force there


class Pace:
    """How many units to do at once so that a call lasts about a slice."""

    def __init__(self, first: int) -> None:
        self.count, self._begin = first, 0.0

    def start(self) -> int:
        """Begin a call; how many units to do in it."""
        self._begin = time.perf_counter()
        return self.count

    def stop(self) -> None:
        """End a call."""
        elapsed = max(time.perf_counter() - self._begin, 1e-6)
        self.count = max(1, min(int(self.count * min(SLICE / elapsed, 8.0)), 1 << 20))
