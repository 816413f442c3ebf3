"""States within the steps of a chunk, and the work done up to them."""

from __future__ import annotations

import numpy as np

from anyjoint.scalar.array import Floats

from ..chunk import Chunk
from ..python_step import python_stepper
from ..request import Request


class Between:
    """A chunk with the state before it; times between samples are reached by shorter steps, or by interpolants."""

    def __init__(self, request: Request, begin: Chunk, chunk: Chunk) -> None:
        self.request, self.chunk, self.stepper = request, chunk, python_stepper(request)
        self.t, q, v = (np.concatenate([getattr(begin, x), getattr(chunk, x)]) for x in ("t", "q", "v"))
        self.q, self.v = q[:, 0], v[:, 0]
        self.done = np.zeros(len(self.t))
        if chunk.work is not None and begin.work is not None:
            self.done = np.concatenate([begin.work, chunk.work])[:, 0]

    def state(self, time: float) -> tuple[Floats, Floats]:
        """The state at a time, in the chart of the step."""
        k = self.step_of(time)
        if time <= self.t[k]:
            return self.q[k].copy(), self.v[k].copy()
        if self.chunk.state_at is not None:
            return self.chunk.state_at(time)
        return self.stepper.step(float(self.t[k]), self.q[k].copy(), self.v[k].copy(), time - float(self.t[k]))

    def step_of(self, time: float) -> int:
        """The step that a time is in: the number of the sample before it."""
        return int(np.clip(np.searchsorted(self.t, time, side="left") - 1, 0, len(self.t) - 2))

    def up_to(self, time: float) -> Chunk:
        """The part of the chunk up to a time, which becomes its last sample."""
        n, chunk = int(np.searchsorted(self.chunk.t, time, side="left")), self.chunk
        k = self.step_of(time)
        q, v = self.stepper.settle(time, *self.state(time))
        work = self._done_at(k, time)
        paths = tuple((t[t <= time], x[t <= time]) for t, x in chunk.paths)
        return Chunk(
            np.append(chunk.t[:n], time), np.concatenate([chunk.q[:n], q[None, None]]),
            np.concatenate([chunk.v[:n], v[None, None]]), chunk.steps, self.state, paths,
            np.append(self.done[1 : n + 1], work)[:, None],
        )  # fmt: skip

    def _done_at(self, k: int, time: float) -> float:
        """The work done up to a time within a step."""
        if not self.request.powered or time <= self.t[k]:
            return float(self.done[k])
        if self.chunk.work_at is not None:
            return self.chunk.work_at(time)
        self.state(time)
        return float(self.done[k]) + self.stepper.work
