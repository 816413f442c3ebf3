"""A batch whose trajectories end one by one: where one is in trouble, the others go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.model.parameter_rows import Given
from anyjoint.scalar.array import Floats

from .chunk import Chunk
from .engine import engine
from .limits import overrun
from .python_step import coordinate_rates
from .recorder import Recorder
from .request import Request, make_request
from .stabilise import APART, row_name
from .start import singular_start, started
from .status import Status
from .trajectory import Trajectory

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.model import Model
    from anyjoint.simulate.drive import Torques
    from anyjoint.simulate.stabilise import Stabilise

OTHER_METHOD = ', or method="dopri5"'


def simulate_each(
    model: Model, q0: Floats, v0: Floats, *, duration: float, dt: float, method: str, rtol: float = 1e-8,
    atol: float = 1e-10, tau: Torques = None, forces: Sequence[Force] = (), save_every: int | None = None,
    limits: bool = True, stabilise: Stabilise = "project", parameters: Given | None = None,
) -> tuple[Trajectory, list[Status]]:  # fmt: skip
    """As `simulate` for a batch, with a status for each trajectory; one that has ended is meaningless from there on.

    A start that some of the states cannot make raises; so does a step that becomes too small.
    """
    request = make_request(
        model, q0, v0, duration, dt, method, rtol, atol, tau, forces, (), save_every, 1, limits, None, stabilise,
        parameters,
    )  # fmt: skip
    request = started(request)
    reason = singular_start(request)
    if reason:
        raise SingularityError(reason)
    recorder = EachRecorder(request)
    for chunk in engine(recorder.detailed):
        if not recorder.take(chunk):
            break
    return recorder.trajectory(), recorder.statuses()


class EachRecorder(Recorder):
    """Collects the chunks of a batch and notes which of its trajectories end early, when and why."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.ended: dict[int, Status] = {}

    def take(self, chunk: Chunk) -> bool:
        """Add a chunk whole; False if no trajectory goes on."""
        self.steps += chunk.steps
        if chunk.work is not None:
            self.work.append((chunk.t, chunk.work))
        good: Floats = np.isfinite(chunk.q).all(axis=2) & np.isfinite(chunk.v).all(axis=2)  # type: ignore[assignment]
        ends = np.where(good.all(axis=0), len(good), np.argmin(good, axis=0))
        for member, k, reason in (*self._overrun(chunk, ends), *self._left(chunk, ends), *self._blown_up(chunk, ends)):
            self.ended.setdefault(member, Status(False, reason, float(chunk.t[k])))
        self._append(chunk)
        return len(self.ended) < self.request.batch

    def _blown_up(self, chunk: Chunk, ends: Floats) -> Iterator[tuple[int, int, str]]:
        request = self.request
        hint = f"use a shorter step than dt = {request.dt:g} s" + ("" if request.stepper.solves else OTHER_METHOD)
        for member in np.flatnonzero(ends < len(chunk.t)):
            k = int(ends[member])
            time, why = f"t = {chunk.t[k]:.6g} s", self._cause(chunk, int(member), k)
            solving = f"the equations of the step to {time} could not be solved"
            what = solving if request.stepper.solves else f"the motion blew up at {time}"
            yield int(member), k, f"{what}{why}; {hint}"

    def _cause(self, chunk: Chunk, member: int, k: int) -> str:
        """What the guard says of the last good state of a trajectory, or of one that lies ahead of it."""
        if not self.guarded:
            return ""
        q, v = (x[k - 1, member] if k else y[-1][-1, member] for x, y in ((chunk.q, self.q), (chunk.v, self.v)))
        rates = coordinate_rates(self.request.model, q, v)
        reasons = (self.guards[member].at_start(q + ahead * self.request.dt * rates) for ahead in range(3))
        return next((f", because of {reason}" for reason in reasons if reason), "")

    def _overrun(self, chunk: Chunk, ends: Floats) -> Iterator[tuple[int, int, str]]:
        """Trajectories whose stops have given way."""
        model, dt = self.request.model, self.request.dt
        if not self.request.stops or not overrun(model, chunk.q, dt):
            return
        for member, end in enumerate(ends):
            gone = overrun(model, chunk.q[:end, member : member + 1], dt) if member not in self.ended else None
            if gone:
                yield member, gone[0], f"{gone[1]}, at t = {float(chunk.t[gone[0]]):.6g} s"

    def _left(self, chunk: Chunk, ends: Floats) -> Iterator[tuple[int, int, str]]:
        """Trajectories that have left the model."""
        for member, end in enumerate(ends) if self.guarded else ():
            trouble = self.seen(chunk, member, chunk.paths, int(end)) if end and member not in self.ended else None
            if trouble:
                k = min(int(np.searchsorted(chunk.t, trouble.time)), len(chunk.t) - 1)
                yield member, k, f"the motion left the model at t = {trouble.time:.6g} s: {trouble.sentence}"

    def statuses(self) -> list[Status]:
        """How each trajectory has ended."""
        end = self.now
        fine = Status(True, "", end)
        found = [self.ended.get(member, fine) for member in range(self.request.batch)]
        going = np.array([status.ok for status in found])
        if self.request.model.mechanism.constraints and going.any():
            for member, size, row in self._apart(np.flatnonzero(going)):
                reason = f"the mechanism came apart: {row} was off by {size:.3g}; take shorter steps"
                found[member] = Status(size <= APART, reason if size > APART else "", end, size)
        return found

    def _held(self, status: Status, t: Floats, q: Floats, v: Floats) -> Status:
        """The status of the batch says nothing of constraints; each trajectory's own does."""
        return status

    def _apart(self, members: Floats) -> Iterator[tuple[int, float, str]]:
        """The largest error of constraints along each of some trajectories, and in which row."""
        model, rows = self.request.model, self.request.parameters
        own = rows.take(members) if rows else None
        worst = np.zeros((len(members), len(model.hard_rows)))
        for t, q, v in zip(*map(np.concatenate, (self.t, self.q, self.v)), strict=True):
            given = (x[members].astype(model.dtype) for x in (q, v))
            errors, _ = model.constraint_errors(*given, t=float(t), parameters=own)
            np.maximum(worst, np.where(model.hard_rows, np.abs(errors), 0.0), out=worst)
        for member, sizes in zip(members, worst, strict=True):
            row = int(sizes.argmax()) if sizes.size else 0
            yield int(member), float(sizes.max(initial=0.0)), row_name(model.mechanism, row) if sizes.size else ""
