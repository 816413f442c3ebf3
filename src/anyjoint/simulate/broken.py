"""Trajectories whose velocities jump at some times, where there are two samples: before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.scalar.array import Floats

from .samples import hermite
from .trajectory import Trajectory


@dataclass(eq=False, repr=False)
class BrokenTrajectory(Trajectory):
    """A motion in stretches; `impacts` are what lies between some of them."""

    impacts: list[Any] = field(default_factory=list)
    a: Floats | None = None  # accelerations; NaN where they are those of the model

    def accelerations(self) -> Floats:
        """dv/dt at every sample, in the stretch that it belongs to."""
        if self.a is None or np.isnan(self.a).any():
            own = super().accelerations()
            return own if self.a is None else np.where(np.isnan(self.a), own, self.a)
        return self.a

    def _at_stops(self) -> Floats:
        """What impacts take is counted as work, so no step is left out of the balance of energy."""
        return np.zeros((len(self.t) - 1, *self.q.shape[1:-1]), dtype=bool)

    def resample(self, times: Sequence[float] | Floats) -> Trajectory:
        """The motion at other times inside the run, by cubic Hermite interpolation between jumps."""
        at = self._inside(times)
        longer = np.flatnonzero(np.diff(self.t) > 0)  # between the two samples at a jump there is no time
        k = longer[np.clip(np.searchsorted(self.t[longer], at, side="right") - 1, 0, len(longer) - 1)]
        q = hermite(self.t, self.q, self.coordinate_rates(), k, at)
        v = hermite(self.t, self.v, self.accelerations(), k, at)
        return Trajectory(
            at, q, v, self.status, self.model, self.method, self.steps, list(self.events), modes=list(self.modes)
        )
