"""A run with contacts that open and close: steps in modes, and what happens between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import InputError
from anyjoint.joints import Rolling
from anyjoint.mechanism.contact import FLIGHT, ROLLING, SLIDING
from anyjoint.mechanism.fence import check_inside
from anyjoint.scalar.array import Floats

from ..events import Event, StateAt, away_from_zero, locate
from ..guard import guard_of
from ..limits import overrun
from ..request import Request
from ..stabilise import check_mobility, check_on_constraints
from ..status import Status
from ..zeno import Crowd
from .crossings import Crossings
from .monitor import GAP, GRIP, NORMAL, SLIP, Look, Watched
from .recorder import ContactRecorder
from .records import ModeChange
from .stride import Strider
from .switch import SAME, STILL, Situation, Switchboard
from .walker import Walker

if TYPE_CHECKING:
    from anyjoint.model import Model

OVERLAP = 1e-9  # m: bodies that overlap more than that cannot begin
CLEAR = 1e-12  # m: a gap from which a body can touch down again
LOOSE = 1e4  # times the slack of forces: by how much a contact that has just stuck may exceed its friction
LOOK_ROUND = 8  # steps after which nearest points are searched for among all, not just followed
GUARDED = 64  # steps after which the path is looked at for places where joints break down
FAR = 1e9  # a number for what is watched where there is none: a body without nearest points is away
TURNED = 1e-7  # m/s: slip that large where its direction has turned has not ended


class ContactRun:
    """A run between two of its steps."""

    def __init__(self, model: Model, request: Request, q: Floats, v: Floats) -> None:
        self.request = request
        self.board = Switchboard(model, request)
        stepper = self.board.stepper(model.modes)
        check_inside("simulate", guard_of(stepper.model).fences, q[None])
        check_on_constraints(stepper.model, q[None], v[None])
        check_mobility(stepper.model, q)
        self.now = Situation(0.0, stepper, *stepper.settle(0.0, q, v))
        self.recorder, self.walker = ContactRecorder(self.board), Walker(request)
        self.strider = Strider(self.board, request)
        self.status: Status | None = None
        self.clear: dict[Watched, bool] = {}  # what has got away from 0, where modes begin, and can come back to it
        self.crowd = Crowd(request)
        self.path: list[tuple[float, Floats]] = []  # steps that the guard has not seen
        self.crossings = Crossings(request.events)

    def stop(self, reason: str, ok: bool = False) -> None:
        """End the run."""
        if not self.recorder.rows:
            self.recorder.take_start(Look(self.board, self.now, self.now.t, self.now.q, self.now.v))
        self.status = Status(ok, reason, self.now.t)

    # -- the beginning -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take the first sample, and find the modes that forces agree with at the start."""
        now = self.now
        for name in [name for name, mode in now.modes.items() if mode == FLIGHT]:
            near = self.board.points(name, now.stepper.free.lift(now.q, now.v).q, None)
            if near is not None and near.gap < -OVERLAP:
                raise InputError(
                    f"simulate: {name!r} begins inside its parent, by {-near.gap:.3g} m; begin outside, or touching "
                    'with start="sliding" or "rolling"'
                )
            if near is not None:
                now.near[name] = near
        for own, _ in now.stepper.free.touching:
            if isinstance(own.joint, Rolling) and not own.joint.parts_around(now.q[own.q].tolist()):
                raise InputError(
                    f"simulate: {own.name!r} overlaps its parent around the point where it begins: there it bends less "
                    "than the parent does; begin elsewhere, or use a smaller body"
                )
        self._take(now)
        for name, near in list(now.near.items()):
            if near.gap <= CLEAR and self._closing(name):
                self._touch(name)
        self._settle([])
        if self.request.duration <= 0:
            self.stop("", ok=True)

    def _closing(self, name: str) -> bool:
        frame = self.board.frame(name, self.now.near[name])
        twist = self.now.stepper.free.lift(self.now.q, self.now.v).v[self.board.bodies[name].v]
        return bool(frame.velocity(twist)[2] <= STILL)

    def _take(self, now: Situation) -> None:
        """Take the situation as it is: a sample, values of events, directions of slip."""
        now.stepper.begin(now.q, now.v, now.pushed)
        self.now, self.path = now, [(now.t, now.q)]
        self.look = look = Look(self.board, now, now.t, now.q, now.v)
        self.recorder.take(look)
        self.crossings.begin(look)
        for watched in look.watched():
            if watched not in self.clear and watched.what != NORMAL:
                self.is_due(watched, look.value(watched))  # what begins away from 0 is clear at once

    # -- steps ---------------------------------------------------------------------------------------------------

    def stride(self) -> bool:
        """Take many steps at once, up to the first in which something happens; whether there was one to take."""
        now, taken = self.now, self.strider.take(self.now)
        if taken is None:
            return False
        looks = self.strider.looks(now, taken)
        first = round(now.t / self.request.dt)
        for k, look in enumerate(looks):
            now.stepper.begin(now.q, now.v, now.pushed)
            watched = [x for x in look.watched() if x.what != GAP]
            if any(self.is_due(x, look.value(x)) for x in watched):
                return k > 0
            self.board.steps += 1
            self.accept(look, float(taken.work[k]), (first + 1 + k) % self.request.every == 0, away=True)
            if self.status is not None:
                return True
        for name in now.near:
            now.near[name] = self.board.points(name, looks[-1].solved.lifted.q, None) or now.near[name]
        return True

    def step(self) -> None:
        """One step to the next sample or, where steps choose their length, towards it; or to an event before that."""
        now, dt, duration = self.now, self.request.dt, self.request.duration
        now.stepper.begin(now.q, now.v, now.pushed)
        k = math.floor(now.t / dt + 1e-9) + 1
        last = k * dt > duration - 1e-9 * dt
        target = duration if last else k * dt
        q, v, end = self.walker.step(now, min(target, self._before_stop(target)))
        work, sampled = now.stepper.work, end == target
        self.board.steps += 1
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            hint = f'use a shorter step than dt = {dt:g} s, or method="dopri5"'
            self.stop(f"the motion blew up at t = {end:.6g} s; {hint}")
            return
        look = Look(self.board, now, end, *now.stepper.settle(end, q, v))
        turned = Look(self.board, now, end, q, v)  # slip is followed in the charts of the step
        due = [x for x in look.watched() if self.is_due(x, (turned if x.what == SLIP else look).value(x))]
        if due:
            self._to_event(due, end)
            return
        self.accept(look, work, sampled and (last or k % self.request.every == 0))
        if self.status is None and end == duration:
            self._watch_path(ends=True)
            if self.status is None:
                self.stop("", ok=True)

    def _before_stop(self, target: float) -> float:
        """A time at which slip that is about to end will have lost half of its speed: its direction may still turn."""
        now = self.now
        if not now.stepper.rough:
            return target
        stop = now.stepper.until_stop(now.q, now.v, self.look.solved.a)
        return now.t + 0.5 * stop if stop < 2 * (target - now.t) else target

    def is_due(self, watched: Watched, value: float) -> bool:
        """Whether a mode ends within the step; what begins at 0 must get clear of it before it can come back.

        A contact that sticks just when friction is at its limit may need a little more until it is clear.
        """
        what, slack = watched.what, self.board.slack
        if what == NORMAL:
            return value < -slack
        away, back = {GAP: (CLEAR, CLEAR), SLIP: (STILL, STILL), GRIP: (slack, LOOSE * slack)}[what]
        if not self.clear.get(watched):
            self.clear[watched] = value > away
            return value < -back
        return value < -slack if what == GRIP else value <= 0

    def accept(self, look: Look, work: float, sample: bool, away: bool = False) -> None:
        """Go on to a state, unless one of the user's events ends the run before; `away` if nothing can touch down."""
        now = self.now
        look, work, sample = self._happened(look, work, sample)
        self.look = look
        now.t, now.q, now.v = look.t, look.q, look.v
        now.near.update(look.near)
        now.pushed = {x: d for x, d in now.pushed.items() if self._slip_of(x) <= STILL}
        if self.board.steps % LOOK_ROUND == 0:
            self._look_round(look, away)
        self.recorder.work += work
        if sample:
            self.recorder.take(look)
        self.path.append((now.t, now.q))
        self._watch_path()

    def _look_round(self, look: Look, away: bool) -> None:
        """Search for nearer points of flying bodies, and for second points of touching ones, which end the run."""
        now, q = self.now, look.solved.lifted.q
        for name in () if away else now.near:
            now.near[name] = self.board.points(name, q, None) or now.near[name]
        for own, _ in now.stepper.free.touching:
            depth = self.board.overlap(own.name, q)
            if depth:
                self.stop(
                    f"{own.name!r} touches its parent at a second point, and overlaps it there by {depth:.2g} m at "
                    f"t = {now.t:.6g} s; a contact body touches at one point"
                )

    def _slip_of(self, name: str) -> float:
        body = self.now.stepper.model.mechanism[name]
        return float(np.linalg.norm(self.now.v[body.v][3:]))

    def _watch_path(self, ends: bool = False) -> None:
        """End the run where a joint has come to a place where it breaks down."""
        if len(self.path) < GUARDED and not ends:
            return
        guard = guard_of(self.now.stepper.model)
        t, q = (np.array(x) for x in zip(*self.path, strict=True))
        trouble = guard.first(t, q) if guard and len(t) > 1 else None
        gone = overrun(self.now.stepper.model, q[:, None], self.request.dt) if self.request.stops else None
        self.path = self.path[-1:]
        if gone:
            self._end_at(float(t[gone[0]]), float(t[gone[0]]), gone[1])
        elif trouble:
            self._end_at(trouble.good, trouble.time, f"the motion left the model: {trouble.sentence}")

    def _end_at(self, good: float, time: float, sentence: str) -> None:
        """End the run at a time that is past; samples up to a good one are kept."""
        self.recorder.cut(good)
        self.now.t = time
        self.stop(f"{sentence}, at t = {time:.6g} s")

    # -- events --------------------------------------------------------------------------------------------------

    def _between(self) -> StateAt:
        """States within the step from the present one, by shorter steps."""
        now, t, q, v = self.now, self.now.t, self.now.q, self.now.v
        return lambda time: now.stepper.step(t, q, v, time - t) if time > t else (q, v)

    def _to_event(self, due: Sequence[Watched], end: float) -> None:
        """Go to the first of the events within a step, and change modes there."""
        now, state_at = self.now, self._between()
        time, watched = min(((self._time_of(x, end, state_at), x) for x in due), key=lambda pair: pair[0])
        at_once = time <= now.t
        q, v = state_at(time)
        look = Look(self.board, now, time, *now.stepper.settle(time, q, v))
        if watched.what == GAP:
            look.gap(watched.body)
        self.accept(look, now.stepper.work if time > now.t else 0.0, sample=True)
        if self.status is None:
            self._watch_path(ends=True)
        if self.status is None:
            self._switch(*watched, look, at_once)

    def _time_of(self, watched: Watched, end: float, state_at: StateAt) -> float:
        """When a watched number reaches 0 within the step."""
        now = self.now

        def value(t: float, q: Floats, v: Floats) -> float:
            return min(Look(self.board, now, t, q, v).value(watched), FAR)

        if watched.what in (GAP, SLIP) and not self.clear.get(watched):
            # It has just begun, and ends within this step: find a time at which it is away from 0.
            away = away_from_zero(Event(value), now.t, end, state_at)
            return now.t if away is None else locate(Event(value), away, end, state_at)
        if value(now.t, now.q, now.v) <= 0:
            return now.t
        return locate(Event(value), now.t, end, state_at)

    def _happened(self, look: Look, work: float, sample: bool) -> tuple[Look, float, bool]:
        """The state to go on to; a terminal event of the user's comes before it and ends the run."""
        now, state_at = self.now, self._between()
        ended = self.crossings.up_to(look, now, state_at)
        if ended is None:
            return look, work, sample
        now.t, event = ended
        q, v = now.stepper.settle(now.t, *state_at(now.t))
        self.stop(f"event {event.label!r} at t = {now.t:.10g} s", ok=True)
        return Look(self.board, now, now.t, q, v), now.stepper.work, True

    # -- changes of modes ----------------------------------------------------------------------------------------

    def _switch(self, what: str, name: str, look: Look, at_once: bool) -> None:
        """Change modes at an event; `at_once` where no time has passed since the last one."""
        now = self.now
        if what == GAP:
            self._meet(name, at_once)
            return
        if what == NORMAL:
            mode, reason = FLIGHT, "normal force fell to 0"
        elif what == GRIP:
            mode, reason = SLIDING, "friction reached its limit"
            force = look.solved.lifted.frame(name).force(look.wrenches[name])
            now.pushed[name] = now.stepper.gives_way(now.stepper.model.mechanism[name], now.q, force)
        elif self._slip_of(name) > TURNED:
            return  # the direction of slip has turned, slip itself goes on
        else:
            mode, reason = ROLLING, "slip ended"
        self._settle([ModeChange(now.t, name, f"{now.modes[name]} -> {mode}", reason)], {name: mode})

    def _meet(self, name: str, at_once: bool) -> None:
        """A flying body is at its parent: it touches, or goes away; if it could not within a step, it is at rest."""
        gap, depth = Watched(GAP, name), -self.now.near[name].gap
        if depth > SAME:
            self.stop(
                f"{name!r} overlaps its parent by {depth:.2g} m at t = {self.now.t:.6g} s, at a place that was not "
                f"seen before; use a shorter step than dt = {self.request.dt:g} s"
            )
        elif self._closing(name) or (at_once and not self.clear.get(gap)):
            self._touch(name, rests=not self._closing(name))
            self._settle([])
        else:
            self.clear[gap] = False

    def _touch(self, name: str, rests: bool = False) -> None:
        """Let a body meet its parent; one that `rests` stays there, whatever speed is left."""
        situation, records, impact = self.board.impact(self.now, name, rests)
        self.recorder.impacts.append(impact)
        self._switched(situation, records)

    def _settle(self, records: list[ModeChange], changes: dict[str, str] | None = None) -> None:
        """Enter other modes, then those that forces agree with."""
        now, more = self.board.settled(self.board.enter(self.now, changes) if changes else self.now)
        self.board.check_same(self.now, now)
        if records or more:
            self._switched(now, [*records, *more])

    def _switched(self, situation: Situation, records: list[ModeChange]) -> None:
        """Go on in other modes; count changes that come too close."""
        self.recorder.modes += records
        self.recorder.work += self.board.kinetic(situation) - self.board.kinetic(self.now)
        changed = {record.body for record in records}
        self.clear = {watched: clear for watched, clear in self.clear.items() if watched.body not in changed}
        self._take(situation)
        if crowded := self.crowd.add(situation.t):
            hint = "give it less restitution, or other friction"
            self.stop(f"the contact of {records[-1].body!r} changed its mode {crowded}; {hint}")
