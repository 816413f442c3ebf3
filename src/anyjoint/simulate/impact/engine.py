"""Chunks of a single run whose limits are met by impacts: stretches of the usual engines, and jumps between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import AnyjointError
from anyjoint.scalar.array import Floats

from ..chunk import Chunk
from ..engine import engine
from ..hard_stop import Stop
from ..mode_change import ModeChange
from ..python_step import python_stepper
from ..request import Request
from ..zeno import Crowd, shortest_bounce
from .between import Between
from .bounce import bounce, effects
from .complementarity import complementary
from .held import held_request
from .trajectory import LimitImpact
from .watch import PULL, Watch

if TYPE_CHECKING:
    from .recorder import ImpactRecorder

NEAR = 1e-9  # of a unit: coordinates so close to a limit touch it
STILL = 1e-11  # of the largest velocity: a speed that is none


class Crowded(AnyjointError):
    """Limits are met infinitely often within a finite time."""

    def __init__(self, time: float, name: str, crowded: str) -> None:
        super().__init__(f"{name} met its limits {crowded}; give it less restitution")
        self.time = time


def impact_engine(recorder: ImpactRecorder) -> Iterator[Chunk]:
    """Chunks from the beginning to the end; a chunk that `jumps` has one sample, the state after a change."""
    request = replace(recorder.detailed, between=True)
    now = Chunk(np.zeros(1), request.q[None], request.v[None], 0, work=np.zeros((1, 1)))
    changes = Changes(request, recorder)
    now = changes.at(now)
    yield now
    while now.t[-1] < request.duration:
        for chunk in stretch(request, changes.held, now, changes.watch):
            yield chunk
            now = last_of(chunk)
        if now.t[-1] < request.duration:
            now = changes.at(now)
            yield now


def stretch(request: Request, held: Sequence[Stop], now: Chunk, watch: Watch) -> Iterator[Chunk]:
    """Chunks until something changes, or to the end."""
    base = float(now.work[-1, 0]) if now.work is not None else 0.0
    own = replace(held_request(request, held), q=now.q[-1], v=now.v[-1], begin=float(now.t[-1]))
    rates = [stop.rate for stop in held]
    for made in engine(own):
        chunk = _on_from(base, made)
        between = Between(own, now, chunk)
        ends = watch.first(between) if np.isfinite(chunk.q).all() and np.isfinite(chunk.v).all() else None
        chunk = replace(chunk, state_at=between.state) if ends is None else between.up_to(ends)
        now = last_of(chunk)
        still = chunk.v.copy()
        still[..., rates] = 0.0
        yield replace(chunk, v=still)
        if ends is not None:
            return


def last_of(chunk: Chunk) -> Chunk:
    """The last sample."""
    work = None if chunk.work is None else chunk.work[-1:]
    return Chunk(chunk.t[-1:], chunk.q[-1:], chunk.v[-1:], 0, work=work)


def _on_from(base: float, chunk: Chunk) -> Chunk:
    """A chunk whose work goes on from that of the stretches before."""
    work_at = chunk.work_at
    on = None if work_at is None else lambda t: base + work_at(t)
    work = np.zeros((len(chunk.t), 1)) if chunk.work is None else chunk.work
    return replace(chunk, work=base + work, work_at=on)


def _pull(W: Floats, u: Floats, stuck: Floats) -> Floats:
    """Impulses that take speeds of separation away which lead nowhere."""
    pull, leaving = np.zeros(len(u)), stuck & (u > 0)
    if leaving.any():
        pull[leaving] = np.linalg.lstsq(W[np.ix_(leaving, leaving)], -u[leaving], rcond=None)[0]
    return pull


class Changes:
    """What happens where a stretch ends: impulses, and which coordinates then rest against their stops."""

    def __init__(self, request: Request, recorder: ImpactRecorder) -> None:
        self.request, self.recorder = request, recorder
        self.stepper = python_stepper(request)
        self.held: tuple[Stop, ...] = ()
        self.watch = Watch(request.hard or (), (), request.q[0], 0.0)
        self.crowd = Crowd(request)

    def at(self, now: Chunk) -> Chunk:
        """The state after a change, as a chunk that jumps."""
        t, q, v = float(now.t[-1]), now.q[-1, 0], now.v[-1, 0].copy()
        near = [stop for stop in self.request.hard or () if stop.gap(q) <= NEAR * (1.0 + abs(stop.end))]
        new, lost = v, 0.0
        if near:
            new, lost = self._met(t, q, v, near)
            if crowded := self.crowd.add(t):
                raise Crowded(t, near[0].name, crowded)
        work = (0.0 if now.work is None else float(now.work[-1, 0])) - lost
        self.recorder.rest(t, self.held)
        return Chunk(now.t[-1:], now.q[-1:], new[None, None], 0, work=np.array([[work]]), jumps=True)

    def _met(self, t: float, q: Floats, v: Floats, near: list[Stop]) -> tuple[Floats, float]:
        """Velocities after the impulses of stops that are touched, and the energy that these take."""
        way = effects(self.request.model, self.request.parameters, t, q, near)
        J = np.zeros_like(way)
        J[np.arange(len(near)), [stop.rate for stop in near]] = [stop.side for stop in near]
        W = J @ way.T
        W = (W + W.T) / 2
        stuck = np.array([stop in self.watch.stuck for stop in near])
        u, e = J @ v, np.array([0.0 if x else stop.restitution for stop, x in zip(near, stuck, strict=True)])
        pull = _pull(W, u, stuck)
        while True:
            p = pull + bounce(W, u + W @ pull, e)
            new = v + p @ way
            tired = self._tired(t, q, new, J, W) & (e > 0) & (p > 0)
            if not tired.any():
                break
            e = np.where(tired, 0.0, e)
        self._rest(t, q, new, near, J, W)
        new[[stop.rate for stop in self.held]] = 0.0
        # Energy by impulses and mean speeds: differences of energies would lose digits.
        shares = -p * (u + J @ new) / 2
        self.recorder.impacts += [
            LimitImpact(t, stop.name, float(stop.side * x), float(share))
            for stop, x, share in zip(near, p, shares, strict=True)
            if x > 0
        ]
        return new, float(shares.sum())

    def _pressed(self, t: float, q: Floats, v: Floats, J: Floats, W: Floats) -> tuple[Floats, Floats, Floats]:
        """Which stops are neither left nor neared, how hard they push, and accelerations along all stops."""
        u, free = J @ v, J @ self.stepper.accelerate(t, q, v)[0]
        still = np.abs(u) <= STILL * (1.0 + np.abs(v).max())
        push = np.zeros(len(u))
        push[still] = complementary(W[np.ix_(still, still)], free[still])
        return still, push, free + W @ push

    def _tired(self, t: float, q: Floats, v: Floats, J: Floats, W: Floats) -> Floats:
        """Which bounces are too short to follow."""
        still, _, a = self._pressed(t, q, v, J, W)
        return np.asarray(~still & (2 * (J @ v) < -a * shortest_bounce(self.request)))

    def _rest(self, t: float, q: Floats, v: Floats, near: list[Stop], J: Floats, W: Floats) -> None:
        """Hold what is pressed onto its stop, or neither pressed nor drawn away."""
        still, push, a = self._pressed(t, q, v, J, W)
        slack = PULL * (1.0 + float(np.abs(a).max(initial=0.0)) + float(np.abs(W @ push).max(initial=0.0)))
        before = self.held
        pressed = still & ((push > 0) | ((a <= slack) & np.array([x not in self.watch.pulling for x in near])))
        self.held = tuple(stop for stop, yes in zip(near, pressed, strict=True) if yes)
        ease = float(np.diag(W).min(initial=np.inf))
        self.watch = Watch(self.request.hard or (), self.held, q, slack / ease if ease > 0 else 0.0)
        self.recorder.modes += [
            ModeChange(t, stop.name, f"free -> {stop.label}", "came to rest at it")
            for stop in self.held if stop not in before
        ]  # fmt: skip
        self.recorder.modes += [
            ModeChange(t, stop.name, f"{stop.label} -> free", "the stop would have to pull")
            for stop in before if stop not in self.held
        ]  # fmt: skip
