"""Puts the chunks of a run together, watches them for trouble and events, and makes the trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError, SingularityError
from anyjoint.mechanism.hints import STABLE
from anyjoint.mechanism.singular import joint_reason
from anyjoint.scalar.array import Floats
from anyjoint.stepper import STEPPERS

from .chunk import Chunk, StepUnderflow
from .drive import read_only
from .events import Event, StateAt, first_crossings
from .guard import Trouble, guards_of
from .limits import overrun
from .python_step import coordinate_rates, python_stepper
from .request import WITHIN, Request
from .stabilise import drift, drifted
from .status import Status
from .tracks import Touched, contact_tracks
from .trajectory import Crossing, Trajectory

if TYPE_CHECKING:
    from anyjoint.model import Model


LOCKED = 0.1  # of what numbers are that vanish in a lock: it is so near


class Recorder:
    """Collects chunks, watches for numbers that are not finite and for events."""

    def __init__(self, request: Request, differentiable: bool = False) -> None:
        self.request, self.differentiable = request, differentiable
        self.guards = guards_of(request.model, request.parameters, request.batch)
        self.guarded = any(self.guards)
        # events and trouble are looked for at every step, even if fewer are kept
        self.detailed = replace(request, every=1) if request.events or self.guarded else request
        self.last = [(np.zeros(1), q[None]) for q in request.q] if self.guarded else []  # ends of paths seen so far
        self.t: list[Floats] = [np.zeros(1)]
        self.q: list[Floats] = [request.q[None].copy()]
        self.v: list[Floats] = [request.v[None].copy()]
        self.work = [(np.zeros(1), np.zeros((1, request.batch)))]  # done up to times
        self.touched = [Touched.at_start(request)]
        self.newest, self.first = self.t[0], 0  # times of the newest part, the number of its first sample
        self.values: Floats = self._values(self.t[0], self.q[0], self.v[0])
        self.status: Status | None = None
        self.crossings: list[Crossing] = []
        self.steps = 0

    @property
    def now(self) -> float:
        """The time of the last sample."""
        return float(self.t[-1][-1])

    def stop(self, ok: bool, reason: str, time: float) -> None:
        """End the run."""
        self.status = Status(ok, reason, time)

    def take(self, chunk: Chunk) -> bool:
        """Add a chunk; False if the run ends with it."""
        self.steps += chunk.steps
        if chunk.work is not None:
            self.work.append((chunk.t, chunk.work))
        if chunk.contacts is not None:
            self.touched.append(Touched(chunk.t, chunk.contacts))
        good: Floats = np.isfinite(chunk.q).all(axis=(1, 2)) & np.isfinite(chunk.v).all(axis=(1, 2))  # type: ignore[assignment]
        bad = len(good) if good.all() else int(np.argmin(good))
        if bad < len(good):
            self.stop(False, self._blow_up(chunk, bad), float(chunk.t[bad]))
        gone = overrun(self.request.model, chunk.q[:bad], self.request.dt) if self.request.stops else None
        if gone:
            bad = gone[0]
            self.stop(False, f"{gone[1]}, at t = {float(chunk.t[bad]):.6g} s", float(chunk.t[bad]))
        begin = Chunk(self.t[-1][-1:], self.q[-1][-1:], self.v[-1][-1:], 0)
        sound = Chunk(chunk.t[:bad], chunk.q[:bad], chunk.v[:bad], chunk.steps, chunk.state_at)
        if bad and self.guarded:
            sound = self._guarded(sound, chunk.paths)
        if len(sound.t) and self.request.events:
            sound = self._watch(begin, sound)
        if len(sound.t):
            self._append(sound)
        return self.status is None

    def _append(self, chunk: Chunk) -> None:
        """Keep the samples of a chunk, and of the one before only those that the user asked for."""
        self._thin(self._wanted())
        self.first += len(self.newest)
        self.newest = chunk.t
        for parts, part in ((self.t, chunk.t), (self.q, chunk.q), (self.v, chunk.v)):
            parts.append(part)

    def _wanted(self) -> Floats:
        """Which samples of the newest part the user asked for, where others were looked at, too."""
        step = self.request.every // self.detailed.every
        return np.arange(-self.first % step, len(self.newest), step)

    def _thin(self, wanted: Floats) -> None:
        """Keep some samples of the newest part."""
        if len(wanted) < len(self.newest):
            for parts in (self.t, self.q, self.v):
                parts[-1] = parts[-1][wanted]

    def _guarded(self, chunk: Chunk, paths: Sequence[tuple[Floats, Floats]]) -> Chunk:
        """Cut the chunk before the first state at which a joint is not defined or a frame has flipped."""
        members = range(len(self.last))
        found = [(trouble, member) for member in members if (trouble := self.seen(chunk, member, paths, len(chunk.t)))]
        if not found:
            return chunk
        trouble, member = min(found, key=lambda pair: pair[0].good)
        which = "" if self.request.single else f" of trajectory {member}"
        reason = f"the motion{which} left the model at t = {trouble.time:.6g} s: {trouble.sentence}"
        self.stop(False, reason, trouble.time)
        n = int(np.searchsorted(chunk.t, trouble.good, side="right"))
        return Chunk(chunk.t[:n], chunk.q[:n], chunk.v[:n], chunk.steps, chunk.state_at)

    def seen(self, chunk: Chunk, member: int, paths: Sequence[tuple[Floats, Floats]], count: int) -> Trouble | None:
        """What the guard finds first along the path of one trajectory, in so many samples of the chunk."""
        parts = [self.last[member], (chunk.t[:count], chunk.q[:count, member]), *paths[member : member + 1]]
        t, q = (np.concatenate(x) for x in zip(*parts, strict=True))
        if paths:
            order = np.argsort(t, kind="stable")
            t, q = t[order], q[order]
        self.last[member] = t[-1:], q[-1:]
        return self.guards[member].first(t, q)

    # -- events ----------------------------------------------------------------------------------------------

    def _values(self, t: Floats, q: Floats, v: Floats) -> Floats:
        events = self.request.events
        states = ((float(x), read_only(y[0]), read_only(w[0])) for x, y, w in zip(t, q, v, strict=True))
        rows = [[event.value(*state) for event in events] for state in states] if events else []
        return np.array(rows).reshape(len(rows), len(events))

    def _watch(self, begin: Chunk, chunk: Chunk) -> Chunk:
        """Record crossings; cut the chunk at the first terminal one."""
        t, q, v = (np.concatenate([getattr(begin, x), getattr(chunk, x)]) for x in ("t", "q", "v"))
        values = np.concatenate([self.values, self._values(chunk.t, chunk.q, chunk.v)])
        state_at = chunk.state_at or self._partial_steps(t, q[:, 0], v[:, 0])
        for time, event in first_crossings(self.request.events, values, t, state_at):
            at_q, at_v = state_at(time)
            self.crossings.append(Crossing(event.label, time, at_q, at_v))
            if event.terminal:
                return self._end_at(event, time, at_q, at_v, chunk)
        self.values = values[-1:]
        return chunk

    def _end_at(self, event: Event, time: float, q: Floats, v: Floats, chunk: Chunk) -> Chunk:
        self.stop(True, f"event {event.label!r} at t = {time:.10g} s", time)
        n = int(np.searchsorted(chunk.t, time, side="left"))
        return Chunk(
            np.append(chunk.t[:n], time), np.concatenate([chunk.q[:n], q[None, None]]),
            np.concatenate([chunk.v[:n], v[None, None]]), chunk.steps,
        )  # fmt: skip

    def _partial_steps(self, t: Floats, q: Floats, v: Floats) -> StateAt:
        """States within a step by a shorter step from its beginning; one that looks back has no way to begin there."""
        one_step = STEPPERS[WITHIN] if self.request.stepper.remembers else self.request.stepper
        stepper = python_stepper(replace(self.request, stepper=one_step))

        def state_at(time: float) -> tuple[Floats, Floats]:
            k = max(int(np.searchsorted(t, time, side="left")) - 1, 0)
            return stepper.step(float(t[k]), q[k].copy(), v[k].copy(), time - float(t[k]))

        return state_at

    # -- trouble -----------------------------------------------------------------------------------------------

    def _blow_up(self, chunk: Chunk, bad: int) -> str:
        """Which body, when, and what may help."""
        q, v = (self.q[-1][-1], self.v[-1][-1]) if bad == 0 else (chunk.q[bad - 1], chunk.v[bad - 1])
        finite = np.isfinite(chunk.q[bad]).all(axis=1) & np.isfinite(chunk.v[bad]).all(axis=1)
        member = int(np.argmin(finite))
        which = "" if self.request.single else f" of trajectory {member}"
        model, time = self.request.model, float(chunk.t[bad])
        where = culprit(model, q[member], v[member], self.request.dt)
        if self.request.stepper.solves:
            what = f"the equations of the step{which} to t = {time:.6g} s could not be solved"
            return f"{what}, {where}; use a shorter step than dt = {self.request.dt:g} s"
        hint = f'use a shorter step than dt = {self.request.dt:g} s, or method="dopri5"'
        return f"the motion{which} blew up at t = {time:.6g} s, {where}; {hint}"

    def _held(self, status: Status, t: Floats, q: Floats, v: Floats) -> Status:
        """The status with how well constraints have held."""
        model = self.request.model
        if not model.mechanism.constraints:
            return status
        runs = [(q, v)] if self.request.single else [(q[:, k], v[:, k]) for k in range(self.request.batch)]
        own = self.request.parameters
        found = (drift(model, t, *run, own.take([k] * len(t)) if own else None) for k, run in enumerate(runs))
        return drifted(status, *max(found, key=lambda found: found[0]))

    # -- the result --------------------------------------------------------------------------------------------

    def trajectory(self) -> Trajectory:
        """Everything that was recorded."""
        request = self.request
        self._thin(np.unique(np.append(self._wanted(), len(self.newest) - 1)))
        t, q, v = np.concatenate(self.t), np.concatenate(self.q), np.concatenate(self.v)
        if request.single:
            q, v = q[:, 0], v[:, 0]
        status = self._held(self.status or Status(True, "", float(t[-1])), t, q, v)
        status = replace(status, note=request.note)
        return Trajectory(
            t, q, v, status, request.model, request.method, self.steps, self.crossings, request.drive, self._work(t),
            parameters=request.parameters, run=request if self.differentiable else None,
            contacts=contact_tracks(request, self.touched, t),
        )  # fmt: skip

    def _work(self, t: Floats) -> Floats:
        """The work that was done up to each of the times, which are those of steps or an event between two."""
        at, work = (np.concatenate(x) for x in zip(*self.work, strict=True))
        if len(at) == 1:
            work = np.zeros((len(t), self.request.batch))
        else:
            k = np.searchsorted(at, t) + np.arange(len(t)) - np.searchsorted(t, t)  # equal times in their order
            before = np.maximum(k - 1, 0)
            share = ((t - at[before]) / np.maximum(at[k] - at[before], 1e-300))[:, None]
            work = np.where((t < at[k])[:, None], work[before] + share * (work[k] - work[before]), work[k])
        return np.asarray(work[:, 0] if self.request.single else work)


def underflow(request: Request, trouble: StepUnderflow) -> str:
    """Why no step is short enough."""
    which = "" if request.single else f" of trajectory {trouble.member}"
    where = culprit(request.model, trouble.q, trouble.v, request.dt)
    return (
        f"the step{which} became too small at t = {trouble.time:.6g} s, {where}; the tolerances rtol = {request.rtol:g}"
        f" and atol = {request.atol:g} cannot be met there: loosen them, or look for a singularity or a jump"
        + _lost_digits(request.model)
    )


def _lost_digits(model: Model) -> str:
    """A heavy load on a light body, where the formulation loses digits by it: the noise may be what stops the steps."""
    hints = [] if model.formulation == STABLE else model.mechanism.hints()
    return f"; {hints[0].where}: {hints[0].message}" if hints else ""


def culprit(model: Model, q: Floats, v: Floats, h: float) -> str:
    """The body to look at: what the dynamics say here or a step ahead, a singular joint, or what moves fastest."""
    for ahead in (0.0, h, 2 * h):
        try:
            model.forward_dynamics(q + ahead * coordinate_rates(model, q, v), v)
        except SingularityError as error:
            return f"because of {error}"
        except InputError:  # so fast that a step leads out of all numbers
            break
    for body in model.mechanism.bodies:
        reason = joint_reason(body, q)
        if reason:
            return f"at body {body.name!r} ({reason})"
        if body.joint.lock and min(map(float, body.joint.barriers(q[body.q].tolist()))) < LOCKED**2:
            return f"at body {body.name!r}, where {body.joint.lock}"
    fastest = int(np.argmax(np.abs(v))) if len(v) else 0
    body = next((b for b in model.mechanism.bodies if b.v.start <= fastest < b.v.stop), model.mechanism.bodies[0])
    return f"most of all at body {body.name!r}"
