"""simulate: run an engine, watch it, and put the trajectory together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.options import named_options

from .chunk import BadInput, Chunk, StateAt, StepUnderflow
from .drive import read_only
from .engine import engine
from .events import Event, first_crossings
from .progress import Progress
from .python_step import PythonStepper
from .request import Request, make_request
from .status import Status
from .trajectory import Crossing, Trajectory

Floats = np.ndarray[Any, np.dtype[Any]]


@named_options
def simulate(
    model: Any,
    q0: Any = None,
    v0: Any = None,
    duration: float = 10.0,
    dt: float = 1e-3,
    method: str = "rk4",
    *,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    tau: Any = None,
    forces: Sequence[Any] = (),
    events: Any = (),
    save_every: int | None = None,
    progress: Any = None,
    threads: int = 1,
    limits: bool = True,
) -> Trajectory:
    """Simulate a model from (q0, v0); rows (n,) give one trajectory, batches (batch, n) many at once.

    Without q0 the mechanism's own start is taken, or its neutral coordinates at rest. `dt` is the step of "rk4" and
    "semi-implicit-euler", and the distance of the samples of "dopri5", which chooses its steps by `rtol` and `atol`.
    `tau` is constant, (samples, nv) spread over the duration, (times, values), or a function tau(t, q, v); functions
    are called from Python at every stage, which is slower. `forces` are springs, wrenches and servos of
    `anyjoint.forces`; `events` are functions of (t, q, v) or `Event`s. Limits that joints declare hold, by stops as
    hard as the steps can follow, unless `forces` has a `Limits` or `limits` is False. Every `save_every`-th step is
    kept (default all, fewer where they would fill more than a gibibyte). Trouble and Ctrl-C end the run early with a
    status that says why.
    """
    request = make_request(
        model, q0, v0, duration, dt, method, rtol, atol, tau, forces, events, save_every, threads, limits
    )  # fmt: skip
    bar = Progress(progress, f"simulating {model.mechanism.name}")
    recorder = Recorder(request)
    try:
        for chunk in engine(recorder.detailed):
            if not recorder.take(chunk):
                break
            bar.show(recorder.now / request.duration if request.duration else 1.0)
    except KeyboardInterrupt:
        recorder.stop(False, "interrupted; the trajectory ends where the run was", recorder.now)
    except StepUnderflow as trouble:
        recorder.stop(False, underflow(request, trouble), trouble.time)
    except BadInput as trouble:
        recorder.stop(False, str(trouble), trouble.time)
    finally:
        bar.close()
    return recorder.trajectory()


class Recorder:
    """Collects chunks, watches for numbers that are not finite and for events."""

    def __init__(self, request: Request) -> None:
        self.request = request
        # events are looked for at every step, even if fewer are kept
        self.detailed = replace(request, every=1) if request.events else request
        self.t: list[Floats] = [np.zeros(1)]
        self.q: list[Floats] = [request.q[None].copy()]
        self.v: list[Floats] = [request.v[None].copy()]
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
        good: Floats = np.isfinite(chunk.q).all(axis=(1, 2)) & np.isfinite(chunk.v).all(axis=(1, 2))  # type: ignore[assignment]
        bad = len(good) if good.all() else int(np.argmin(good))
        if bad < len(good):
            self.stop(False, self._blow_up(chunk, bad), float(chunk.t[bad]))
        begin = Chunk(self.t[-1][-1:], self.q[-1][-1:], self.v[-1][-1:], 0)
        kept = Chunk(chunk.t[:bad], chunk.q[:bad], chunk.v[:bad], chunk.steps, chunk.state_at)
        if bad and self.request.events:
            kept = self._watch(begin, kept)
        if len(kept.t):
            self.t.append(kept.t)
            self.q.append(kept.q)
            self.v.append(kept.v)
        return self.status is None

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
        """States within a step by a shorter step from its beginning."""
        stepper = PythonStepper(self.request.model, self.request.drive, self.request.method)

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
        where = culprit(self.request.model, q[member], v[member])
        which = "" if self.request.single else f" of trajectory {member}"
        hint = f'use a shorter step than dt = {self.request.dt:g} s, or method="dopri5"'
        return f"the motion{which} blew up at t = {float(chunk.t[bad]):.6g} s, {where}; {hint}"

    # -- the result --------------------------------------------------------------------------------------------

    def trajectory(self) -> Trajectory:
        """Everything that was recorded."""
        request = self.request
        t, q, v = np.concatenate(self.t), np.concatenate(self.q), np.concatenate(self.v)
        if self.detailed.every != request.every:
            keep = np.unique(np.append(np.arange(0, len(t), request.every), len(t) - 1))
            t, q, v = t[keep], q[keep], v[keep]
        if request.single:
            q, v = q[:, 0], v[:, 0]
        status = self.status or Status(True, "", float(t[-1]))
        return Trajectory(
            t, q, v, status, request.model, request.method, self.steps, self.crossings, request.drive
        )  # fmt: skip


def underflow(request: Request, trouble: StepUnderflow) -> str:
    """Why no step is short enough."""
    which = "" if request.single else f" of trajectory {trouble.member}"
    where = culprit(request.model, trouble.q, trouble.v)
    return (
        f"the step{which} became too small at t = {trouble.time:.6g} s, {where}; the tolerances rtol = {request.rtol:g}"
        f" and atol = {request.atol:g} cannot be met there: loosen them, or look for a singularity or a jump"
    )


def culprit(model: Any, q: Floats, v: Floats) -> str:
    """The body to look at: what the dynamics say, a singular joint, or the one that moves fastest."""
    try:
        model.forward_dynamics(q, v)
    except SingularityError as error:
        return f"because of {error}"
    for body in model.mechanism.bodies:
        reason = body.joint.singularity([float(x) for x in q[body.q]]) if body.joint.nq else None
        if reason:
            return f"at body {body.name!r} ({reason})"
    fastest = int(np.argmax(np.abs(v))) if len(v) else 0
    body = next((b for b in model.mechanism.bodies if b.v.start <= fastest < b.v.stop), model.mechanism.bodies[0])
    return f"most of all at body {body.name!r}"
