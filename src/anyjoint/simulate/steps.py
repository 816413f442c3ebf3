"""The steps that a run took: when, how long, from which states, and where its samples lie among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats, Ints

from .compiled_stepper import compiled_stepper, numbers_of
from .fixed import drive_rows
from .request import Request

if TYPE_CHECKING:
    from .trajectory import Trajectory

END = 1e-9  # of a step: a sample so close to its end is there
Rows = tuple[Floats, Floats]  # (q, v) and what a step looks back at; accelerations of its stages


@frozen
class Steps:
    """Steps of one trajectory; sample i stands at the part s[i] of step at[i], the first one before them all."""

    t: Floats
    h: Floats
    at: Floats
    s: Floats
    states: Callable[[int, int], Rows]  # before each of some steps, in new arrays
    cuts: Floats  # steps between two of these have their states at a time
    parts: tuple[float, ...]  # of each, after which it asks for inputs

    @property
    def count(self) -> int:
        """How many."""
        return len(self.h)

    def instants(self, k: Ints) -> Floats:
        """When steps k ask for inputs, (steps, parts)."""
        return np.asarray(self.t[k, None] + self.h[k, None] * np.array(self.parts))


def steps_of(traj: Trajectory, request: Request, member: int) -> Steps:
    """The steps of a trajectory that reached its end, or an event."""
    n, none = len(traj.t), np.zeros(0)
    if n == 1 or not request.model.nv:  # nothing has happened
        nothing = lambda a, b: (none[:, None], none[:, None])  # noqa: E731
        return Steps(none, none, np.full(n, -1), np.ones(n), nothing, np.zeros(1, int), request.stepper.instants)
    return _chosen(traj, request, member) if request.stepper.adaptive else _fixed(traj, request, member)


def _of(x: Floats, member: int) -> Floats:
    return x if x.ndim == 2 else x[:, member]


def _chosen(traj: Trajectory, request: Request, member: int) -> Steps:
    """Steps of the method's own choice, as they were recorded."""
    assert request.log is not None  # it is asked for with the gradient
    t, h, y = (np.concatenate(x) for x in zip(*request.log.parts[member], strict=True))
    n = request.model.nq + request.model.nv
    at = np.clip(np.searchsorted(t, traj.t, side="left") - 1, 0, None)
    s = (traj.t - t[at]) / h[at]
    at[0], s[0] = -1, 1.0
    count = at[-1] + 1
    s = np.where(np.abs(s - 1) < END, 1.0, s)
    if request.stepper.remembers:  # each looks at what the one before has left
        y[:, n : 2 * n + 1] = np.vstack([np.zeros(n + 1), y[:-1, n : 2 * n + 1]])
    rows = lambda a, b: (y[a:b].copy(), np.zeros((b - a, 0)))  # noqa: E731
    return Steps(t[:count], h[:count], at, s, rows, np.array([0, count]), request.stepper.instants)


def _fixed(traj: Trajectory, request: Request, member: int) -> Steps:
    """Steps of one length; between samples, states are computed again."""
    assert request.log is not None  # it is asked for with the gradient
    q, v, lengths = _of(traj.q, member), _of(traj.v, member), np.concatenate(request.log.fixed)
    at = np.minimum(request.every * np.arange(len(traj.t)), len(lengths)) - 1
    h = lengths[: at[-1] + 1]
    t = np.concatenate([[0.0], np.cumsum(h)[:-1]]) if len(h) else np.zeros(0)
    if len(h) and request.every == 1:
        t, h = traj.t[:-1], np.where(np.diff(traj.t) < h * (1 - 1e-6), np.diff(traj.t), h)  # an event cuts the last

    left = request.log.after(member)

    def states(a: int, b: int) -> Rows:
        first = int(np.searchsorted(at, a - 1))  # the sample before step a
        looks = request.stepper.remembers
        if request.every == 1:
            tape = left(np.arange(a, b) + 1) if request.tapes else np.zeros((b - a, 0))
            return np.hstack([q[a:b], v[a:b], *([left(np.arange(a, b))] if looks else [])]), tape
        past = left(a) if looks else np.zeros(0)
        return _again(request, member, np.concatenate([q[first], v[first], past]), t[a], h[a:b])

    cuts = np.array([0, len(h)]) if request.every == 1 else at + 1
    return Steps(t, h, at, np.ones(len(at)), states, cuts, request.stepper.instants)


def _again(request: Request, member: int, first: Floats, t: float, h: Floats) -> Rows:
    """Rows of steps of lengths h from a sample on."""
    stepper, n = compiled_stepper(request), request.model.nq + request.model.nv
    own = np.r_[0:n, stepper.step.past] if stepper.step.past else np.arange(n)  # columns of a row
    state = np.zeros((1, stepper.step.row))
    state[0, own] = first
    if request.model.mechanism.timed:
        state[0, stepper.step.clock] = t
    rows = [state.copy()]
    for part in np.split(h, np.flatnonzero(np.diff(h)) + 1):  # the last one may be shorter
        settings = stepper.settings(part[0], forces=request.numbers)
        drive = drive_rows(request, stepper.step, t, len(part), part[0])
        mine = drive[member : member + 1] if not stepper.step.samples and len(drive) > 1 else drive
        rows.append(stepper.advance(state, mine, settings, numbers_of(request), len(part))[:, 0])
        t += part.sum()
    every = np.vstack(rows)
    tape = every[1:, stepper.step.tape] if stepper.step.tape else np.zeros((len(h), 0))
    return np.ascontiguousarray(every[:-1, own]), tape
