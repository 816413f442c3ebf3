"""A batch whose limits are met by impacts: each trajectory by itself, since each has its own events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.scalar.array import Floats

from ..engine import member_of
from ..request import Request
from .trajectory import ImpactTrajectory


def simulate_members(request: Request, run: Callable[[Request], Any]) -> ImpactTrajectory:
    """All trajectories of a batch at the times of their steps; it ends where the first of them does."""
    runs: list[ImpactTrajectory] = [run(replace(member_of(request, k), single=True)) for k in range(request.batch)]
    first = min(runs, key=lambda x: (x.status.ok, x.t[-1]))
    end = min(x.t[-1] for x in runs)
    marks = np.concatenate([[0.0], request.times])
    t = marks[marks <= end]
    at = [np.searchsorted(x.t, t, side="right") - 1 for x in runs]  # the second of two samples at a jump

    def together(rows: Sequence[Floats | None]) -> Floats:
        return np.stack([row[k] for row, k in zip(rows, at, strict=True) if row is not None], axis=1)

    status = first.status
    if not status.ok:
        status = replace(status, reason=f"trajectory {runs.index(first)}: {status.reason}")
    return ImpactTrajectory(
        t, together([x.q for x in runs]), together([x.v for x in runs]), status, request.model, request.method,
        sum(x.steps for x in runs), drive=request.drive, done=together([x.done for x in runs]),
        parameters=request.parameters, modes=[x.modes for x in runs], a=together([x.a for x in runs]),
        impacts=[replace(impact, member=k) for k, x in enumerate(runs) for impact in x.impacts],
        stop_forces={name: together([x.stop_forces[name] for x in runs]) for name in runs[0].stop_forces},
    )  # fmt: skip
