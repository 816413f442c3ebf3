"""Samples of a run whose limits are met by impacts: those of its steps, and two where velocities jump."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anyjoint.scalar.array import Floats

from ..chunk import Chunk
from ..hard_stop import Stop
from ..mode_change import ModeChange
from ..recorder import Recorder
from ..request import Request
from ..trajectory import Trajectory, given
from .held import HELD, held_request
from .trajectory import ImpactTrajectory, LimitImpact

TOGETHER = 1024  # samples whose forces are computed at once


class ImpactRecorder(Recorder):
    """Takes every step of a single run; `rests` are when stretches began, and what was held in them."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.detailed = self.request.stepwise
        self.impacts: list[LimitImpact] = []
        self.modes: list[ModeChange] = []
        self.rests: list[tuple[float, tuple[Stop, ...]]] = []
        self.jumped = False  # whether the last sample is one after a jump
        self.marked: set[float] = set()  # times of changes, whose samples are kept

    def rest(self, time: float, held: tuple[Stop, ...]) -> None:
        """From now on these stops hold their coordinates."""
        self.rests = [*(x for x in self.rests if x[0] < time), (time, held)]

    def take(self, chunk: Chunk) -> bool:
        """Add a chunk, or the state after a jump; False if the run ends with it."""
        if not chunk.jumps:
            self.jumped = False
            return super().take(chunk)
        time = float(chunk.t[0])
        self.marked.add(time)
        if np.array_equal(chunk.v[0], self.v[-1][-1]):
            return True
        assert chunk.work is not None
        if self.jumped and self.newest[-1] == time:
            self.v[-1], self.work[-1] = chunk.v, (chunk.t, chunk.work)
        else:
            self.work.append((chunk.t, chunk.work))
            self._append(chunk)
        self.jumped = True
        self.values = self._values(chunk.t, chunk.q, chunk.v)
        return True

    def _wanted(self) -> Floats:
        """Every so many steps, and all changes."""
        k = np.rint(self.newest / self.request.dt)
        even = (np.abs(self.newest - k * self.request.dt) <= 1e-9 * self.request.dt) & (k % self.request.every == 0)
        return np.flatnonzero(even | np.isin(self.newest, list(self.marked)))

    def trajectory(self) -> ImpactTrajectory:
        """Everything that was recorded."""
        base = super().trajectory()
        a, forces = self._resting(base)
        facts = {name: value for name, value in given(base).items() if name != "modes"}
        return ImpactTrajectory(**facts, modes=self.modes, impacts=self.impacts, a=a, stop_forces=forces)

    def _resting(self, base: Trajectory) -> tuple[Floats, dict[str, Floats]]:
        """Accelerations where coordinates are held, else NaN, and the forces of stops on all limited coordinates."""
        a = np.full(base.v.shape, np.nan)
        forces = {stop.name: np.zeros(len(base.t)) for stop in self.request.hard or ()}
        starts = np.array([time for time, _ in self.rests])
        before = np.append(base.t[1:] == base.t[:-1], False)  # the first of two samples ends a stretch
        spans = np.where(before, np.searchsorted(starts, base.t), np.searchsorted(starts, base.t, side="right")) - 1
        for k, (_, held) in enumerate(self.rests):
            samples = np.flatnonzero((spans == k) & bool(held))
            for part in np.array_split(samples, max(1, len(samples) // TOGETHER)):
                if len(part):
                    a[part] = self._accelerations(base, part, held)
                for stop in held:
                    forces[stop.name][part] = -HELD * a[part, stop.rate]
                    a[part, stop.rate] = 0.0
        return a, forces

    def _accelerations(self, base: Trajectory, part: Floats, held: Sequence[Stop]) -> Floats:
        own = held_request(self.request, held)
        t, q, v = base.t[part], base.q[part], base.v[part]
        tau, times = own.drive.torques(t, q, v), t[:, None] if own.model.mechanism.timed else None
        rows = own.parameters.take([0] * len(part)) if own.parameters else None
        found = own.model.forward_dynamics(q, v, tau, times, parameters=rows)
        return np.asarray(found, dtype=float)
