"""Many steps in one combination of modes at once, by machine code, where nothing is asked between them.

What is watched is looked at after each of them, as after a single step, and a stride ends before the step in which
something happens: that one is taken by itself, and the event is located in it. Flying bodies need not be looked at
while they cannot have come as far as their parents are away. A contact that slides and rubs does so within the code
(`quantity/sliding.py`) while its slip is far from its end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism.contact import FLIGHT
from anyjoint.quantity.sliding import RUBBING
from anyjoint.scalar.array import Floats

from ..compiled_stepper import CompiledStepper, compiled_stepper, initial_rows, numbers_of
from ..drive import Drive
from ..kept import Joints, kept
from ..request import Request
from ..step import make_step
from .monitor import Look
from .stepper import CREEP, ModeStepper, Solved
from .switch import Situation, Switchboard

LENGTH = 64  # steps at once
WORTH = 200  # steps that have to be left, or it takes longer to make the code of friction than to do without
ALIGNED = 1e-6  # of a step: a time so near to a sample is there


@frozen
class Stride:
    """Times, states and work after each of some steps."""

    t: Floats
    q: Floats
    v: Floats
    work: Floats


class Strider:
    """Takes strides where it can."""

    def __init__(self, board: Switchboard, request: Request) -> None:
        self.board, self.request = board, request
        self.made: dict[int, tuple[Request, CompiledStepper]] = {}
        self.able = not request.stepper.adaptive and request.drive.callback is None

    def take(self, now: Situation) -> Stride | None:
        """The steps to the next samples; None where a single step has to be taken."""
        stepper, dt = now.stepper, self.request.dt
        if not self.able or not stepper.idle or stepper.model.mechanism.timed or not self._rubs_alone(now):
            return None
        first = round(now.t / dt)
        count = min(LENGTH, int(self.request.duration / dt - 1e-9) - first, self._clear(now))
        if count < 2 or abs(now.t - first * dt) > ALIGNED * dt:
            return None
        request, code = self._code(stepper)
        state = initial_rows(replace(request, q=now.q[None], v=now.v[None]), code.step.row)
        if stepper.rough:
            forces, numbers = [*request.forces.numbers, *stepper.damping], stepper.rubbing.numbers
        else:
            forces, numbers = request.numbers, numbers_of(request)
        given = np.zeros((1, stepper.model.nv)), code.settings(dt, forces=forces), numbers
        rows = code.advance(state, *given, count)[:, 0]
        good = np.isfinite(rows).all(axis=1)
        nq, nv = stepper.model.nq, stepper.model.nv
        rows = rows[: count if good.all() else int(np.argmin(good))]
        rows = rows[: self._clear(now, rows[:, nq : nq + nv])]
        rows = rows[: self._slipping(now, rows[:, :nq], rows[:, nq : nq + nv])]
        if not len(rows):
            return None
        work = np.diff(rows[:, nq + nv], prepend=0.0) if request.powered or stepper.rough else np.zeros(len(rows))
        t = (first + 1 + np.arange(len(rows))) * dt
        return Stride(t, rows[:, :nq].copy(), rows[:, nq : nq + nv].copy(), work)

    def looks(self, now: Situation, stride: Stride) -> list[Look]:
        """The states after all steps, looked at: accelerations and forces of all of them are computed together."""
        stepper, (t, q, v) = now.stepper, (stride.t, stride.q, stride.v)
        solved = self._solved(stepper, q, v)
        needed = np.array([stepper.free.raised(x.lifted, x.a) for x in solved])
        lifted = [np.array([getattr(x.lifted, name) for x in solved]) for name in "qv"]
        lacking = np.asarray(stepper.inverse(*lifted, needed)) if stepper.free.touching else needed
        made = []
        for k, row in enumerate(solved):
            if stepper.multipliers:
                made.append(Look(self.board, now, float(t[k]), q[k], v[k]))  # what loops pass is asked one by one
                continue
            wrenches = {own.name: lacking[k, free.v] for own, free in stepper.free.touching}
            made.append(Look(self.board, now, float(t[k]), q[k], v[k], (row, wrenches)))
        return made

    def _code(self, stepper: ModeStepper) -> tuple[Request, CompiledStepper]:
        model, key = stepper.model, id(stepper.model)
        if key not in self.made:
            request = replace(
                self.request, model=model, q=np.zeros((1, model.nq)), v=np.zeros((1, model.nv)), every=1,
                drive=Drive(np.zeros((1, model.nv)), forces=self.request.drive.forces),
            )  # fmt: skip
            code = self._rubbing(stepper, request) if stepper.rough else compiled_stepper(request)
            code.prepare(1)
            self.made[key] = request, code
        return self.made[key]

    # -- a contact that slides and rubs ----------------------------------------------------------------------------

    def _rubs_alone(self, now: Situation) -> bool:
        """Whether nothing rubs, or one contact alone, in a way that the code knows."""
        stepper, rough = now.stepper, now.stepper.rough
        if not rough:
            return True
        plain = self.request.stepper.dynamics == "forward_dynamics" and not stepper.model.mechanism.constraints
        pays = id(stepper.model) in self.made or self.request.duration - now.t > WORTH * self.request.dt
        return len(rough) == 1 and plain and pays and not now.pushed

    @staticmethod
    def _rubbing(stepper: ModeStepper, request: Request) -> CompiledStepper:
        program, mechanism = stepper.rubbing, stepper.model.mechanism

        def make() -> CompiledStepper:
            given = request.stepper, mechanism, program.trace.schedule, request.forces
            step = make_step(*given, varying=False, powered=True, rubbing=RUBBING)
            return CompiledStepper(step, program.dtype, program.code.target.width)

        joints = Joints(tuple(body.joint for body in mechanism.bodies))
        return kept(program, (request.method, request.forces, joints), make)

    def _slipping(self, now: Situation, q: Floats, v: Floats) -> int:
        """After how many steps slip is so near to its end that they have to become shorter."""
        stepper, dt = now.stepper, self.request.dt
        if not stepper.rough or not len(q):
            return len(q)
        q, v = np.vstack([now.q, q[:-1]]), np.vstack([now.v, v[:-1]])
        at = stepper.rough[0].v.start + 3
        slip, rate = v[:, at : at + 2], self._rubbed(stepper, q, v)[0][:, at : at + 2]
        loss, size = -(slip * rate).sum(axis=1), (slip * slip).sum(axis=1)
        good = (size > CREEP * CREEP) & (size > 2 * dt * loss)
        return len(q) if good.all() else int(np.argmin(good))

    def _rubbed(self, stepper: ModeStepper, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Accelerations and friction of the contact that rubs, at many states."""
        rows = np.asarray(stepper.rubbing(q, v, np.zeros_like(v), np.full((len(q), 1), self.request.dt)))
        return rows[:, : v.shape[1]], rows[:, v.shape[1] :]

    def _solved(self, stepper: ModeStepper, q: Floats, v: Floats) -> list[Solved]:
        """Accelerations of idle modes at many states."""
        applied, tau = np.zeros(stepper.released.nv), np.zeros_like(v)
        if stepper.rough:
            a, rubbing = self._rubbed(stepper, q, v)
            at = stepper.rough[0].v.start + 3
            tau[:, at : at + 2] = rubbing[:, 1:]
        else:
            a = np.asarray(stepper.forward(q, v, tau))
        power = [stepper.power(*row) for row in zip(q, v, tau, strict=True)]
        lifted = stepper.free.lift_all(q, v)
        return [Solved(x, a[k], tau[k], applied, power[k]) for k, x in enumerate(lifted)]

    # -- bodies that fly -------------------------------------------------------------------------------------------

    def _clear(self, now: Situation, v: Floats | None = None) -> int:
        """How many steps flying bodies can go before one may meet its parent: at twice their speed, or at speeds v."""
        dt, found = self.request.dt, [LENGTH]
        for body in now.stepper.model.mechanism.bodies:
            if now.modes.get(body.name) != FLIGHT:
                continue
            if body.name not in now.near:
                return 0
            reach = self.board.reach(body.name)
            twists = (2 * now.v[None] if v is None else 1.1 * v)[:, body.v]
            speed = np.linalg.norm(twists[:, 3:], axis=1) + reach * np.linalg.norm(twists[:, :3], axis=1)
            way = dt * (np.cumsum(speed) if v is not None else np.arange(1, LENGTH + 1) * speed[0])
            found.append(int(np.searchsorted(way, now.near[body.name].gap)))
        return min(found)

