"""Samples of a run with contacts, in the coordinates of the released model, which are there in every mode."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.scalar.array import Floats

from ..stabilise import drift, drifted
from ..status import Status
from ..trajectory import Crossing
from .lift import Lifted
from .monitor import Look
from .records import ContactTrack, Impact, ModeChange
from .switch import Switchboard
from .trajectory import ContactTrajectory, Piece

if TYPE_CHECKING:
    from anyjoint.model import Model


@dataclass
class Span:
    """Samples in one combination of modes, in its own coordinates."""

    model: Model
    t: list[float] = field(default_factory=list)
    q: list[Floats] = field(default_factory=list)
    v: list[Floats] = field(default_factory=list)


class ContactRecorder:
    """Takes samples; `work` is what inputs, forces, friction, dampers and impacts have done so far."""

    def __init__(self, board: Switchboard) -> None:
        self.board = board
        self.spans: list[Span] = []
        self.rows: list[tuple[Floats, ...]] = []  # q, v, a of the released model, work
        self.touches: list[dict[str, tuple[Floats, Floats]]] = []  # points and wrenches in body frames
        self.work = 0.0
        self.modes: list[ModeChange] = []
        self.impacts: list[Impact] = []

    def take(self, look: Look) -> None:
        """Take a sample."""
        lifted = look.solved.lifted
        touches = {name: (lifted.touches[name].p, f) for name, f in look.wrenches.items()}
        self._add(look, lifted, look.now.stepper.free.raised(lifted, look.solved.a), touches)

    def take_start(self, look: Look) -> None:
        """Take the state of a run that cannot begin: it has no accelerations and no forces."""
        lifted = look.now.stepper.free.lift(look.q, look.v)
        self._add(look, lifted, np.full(len(lifted.v), np.nan), {})

    def _add(self, look: Look, lifted: Lifted, a: Floats, touches: dict[str, tuple[Floats, Floats]]) -> None:
        stepper, q = look.now.stepper, lifted.q.copy()
        if self.rows:
            for body in self.board.bodies.values():  # both signs of a quaternion are the same attitude: keep to one
                turn = slice(body.q.start, body.q.start + 4)
                if q[turn] @ self.rows[-1][0][turn] < 0:
                    q[turn] *= -1
        self.rows.append((q, lifted.v, a, np.array([self.work])))
        self.touches.append(touches)
        if not self.spans or self.spans[-1].model is not stepper.model:
            self.spans.append(Span(stepper.model))
        last = self.spans[-1]
        last.t.append(look.t)
        last.q.append(look.q)
        last.v.append(look.v)

    def cut(self, time: float) -> None:
        """Forget what came after a time."""
        last = self.spans[-1]
        while len(last.t) > 1 and last.t[-1] > time:
            for part in (last.t, last.q, last.v, self.rows, self.touches):
                part.pop()

    def trajectory(self, status: Status, crossings: list[Crossing]) -> ContactTrajectory:
        """Everything that was recorded."""
        released, request = self.board.released, self.board.request
        t = np.array([x for span in self.spans for x in span.t])
        q, v, a, work = (np.array(column) for column in zip(*self.rows, strict=True))
        if released.mechanism.constraints:
            status = drifted(status, *drift(released, t, q, v))
        status = replace(status, note=request.note)
        poses = np.asarray(released.body_poses(q), dtype=float)
        pieces = [Piece(x.model, np.array(x.t), np.array(x.q), np.array(x.v)) for x in self.spans]
        return ContactTrajectory(
            t, q, v, status, released, request.method, self.board.steps, crossings, request.drive, work[:, 0],
            modes=self.modes, impacts=self.impacts, pieces=pieces, a=a,
            contacts={name: self._track(name, poses[:, body.index]) for name, body in self.board.bodies.items()},
        )  # fmt: skip

    def _track(self, name: str, poses: Floats) -> ContactTrack:
        """Contact points and forces of a body in the world."""
        none = np.full(3, np.nan), np.zeros(6)
        rows = [touch.get(name, none) for touch in self.touches]
        points, forces = np.array([p for p, _ in rows]), np.array([f[3:] for _, f in rows])
        return ContactTrack(
            np.einsum("nij,nj->ni", poses[:, :3, :3], points) + poses[:, :3, 3],
            np.einsum("nij,nj->ni", poses[:, :3, :3], forces),
        )
