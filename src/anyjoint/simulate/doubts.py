"""What a run under contacts says of itself where its steps were too long to be believed.

Energy that came out of nothing, bodies deep inside each other, bodies that go so far in a step that what they meet on
the way is not seen, or seen beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.mechanism import Mechanism
from anyjoint.scalar.array import Floats

from .request import Request
from .samples import flat_rows
from .springs import held_by_springs
from .touching import gaps_of_all

if TYPE_CHECKING:
    from .trajectory import Trajectory

GAIN = 0.01  # of the largest kinetic energy: what is gained beyond is told
SETTLES = 20  # steps: what gravity gives within so many is no motion, but how bodies find where they rest
DEEP = 0.1  # of a body's own size: what is deeper inside is told
FAR = 2.0  # times that size: what goes further in a step is told
LOOKED, WORST = 512, 24  # samples whose energy is looked at; of each trajectory, those that pushed most, and fastest
SIZELESS = 0.1  # metres, the size of a point


def doubts(traj: Trajectory, request: Request) -> Iterator[str]:
    """Sentences, each with its number and a step that would do."""
    mechanism = request.model.mechanism
    if not request.stepper.resists or len(traj.t) < 3 or not traj.v.size:
        return
    if not mechanism.timed and request.parameters is None:  # what moves by the clock works, and is not asked how much
        yield from _gained(traj, request)
    if not mechanism.contacts:
        return
    worst = _worst(traj)
    yield from _deep(traj, request, worst)
    yield from _far(traj, request, worst)


def _gained(traj: Trajectory, request: Request) -> Iterator[str]:
    """By how much energy rose, above what inputs and forces put in."""
    every = -(-len(traj.t) // LOOKED)
    few = traj if every == 1 else _some(traj, slice(len(traj.t) % every, None, every))
    total = (few.energy_and_work() + held_by_springs(few, request.dt, request.limits))[1:]
    kinetic = few.energy()[0].max(axis=0)
    mechanism = request.model.mechanism
    mass = sum(body.inertia.mass for body in mechanism.bodies)
    falls = 0.5 * mass * (SETTLES * request.dt * float(np.linalg.norm(mechanism.gravity))) ** 2
    rise = total - np.minimum.accumulate(total, axis=0) - _ahead(few, request.dt)
    rise = rise / np.maximum(kinetic + falls, 1e-300)
    at = np.unravel_index(np.argmax(rise), rise.shape)
    most = float(rise[at])
    if most > GAIN:
        advice = _advice(request, math.sqrt(GAIN / 2 / most)) + _lock(mechanism)
        yield (
            f"energy rose by {100 * most:.2g} % of the largest kinetic energy{_which(at)} up to"
            f" t = {few.t[1 + at[0]]:.4g} s, out of nothing: {advice}"
        )


def _ahead(traj: Trajectory, dt: float) -> Floats:
    """By how much work may be ahead of energy: forces count along velocities at the ends of steps."""
    passed = np.diff(traj.t).reshape(-1, *(1 for _ in traj.q.shape[1:-1]))
    return np.asarray(dt * (np.abs(np.diff(traj.work(), axis=0)) / passed).max(axis=0))


def _lock(mechanism: Mechanism) -> str:
    """A body that may have come near a lock of its coordinates, where no step is short enough."""
    locks = (f"; or body {body.name!r} was where {body.joint.lock}" for body in mechanism.bodies if body.joint.lock)
    return next(locks, "")


def _deep(traj: Trajectory, request: Request, worst: Floats) -> Iterator[str]:
    """How deep bodies were inside what is as hard as steps can follow."""
    mechanism = request.model.mechanism
    soft = {pair.name for pair in mechanism.contacts if math.isfinite(pair.stiffness)}
    states = flat_rows(np.take_along_axis(_batched(traj.q), worst[..., None], axis=0))
    found = [(float(-gap.min() / _size(mechanism, touch.bodies)), int(gap.argmin()), touch, float(-gap.min()))
             for touch, gap in gaps_of_all(request.model, states) if touch.what not in soft]  # fmt: skip
    share, at, touch, deep = max(found, key=lambda x: x[0], default=(0.0, 0, None, 0.0))
    if touch is None or share <= DEEP:
        return
    k, member = divmod(at, worst.shape[1])
    which = "" if traj.q.ndim == 2 else f" in trajectory {member}"
    yield (
        f"contact {touch.what!r} was {deep:.2g} m deep{which} at t = {traj.t[worst[k, member]]:.4g} s:"
        f" {_advice(request, DEEP / 2 / share)}"
    )


def _far(traj: Trajectory, request: Request, worst: Floats) -> Iterator[str]:
    """How far bodies went in a step, beside what they could pass through."""
    mechanism, states = request.model.mechanism, _batched(traj.q)
    pairs = [pair for pair in mechanism.contacts if not pair.distance.endless]
    if not pairs:
        return
    ahead = np.minimum(worst + 1, len(traj.t) - 1)
    before, after = (
        np.asarray(request.model.body_poses(flat_rows(np.take_along_axis(states, k[..., None], axis=0))))[..., :3, 3]
        for k in (worst, ahead)
    )
    steps = np.maximum((traj.t[ahead] - traj.t[worst]).ravel() / request.dt, 1.0)[:, None, None]
    moved = np.concatenate([(after - before) / steps, np.zeros_like(before[:, :1])], axis=1)  # the ground comes last
    found = []
    for pair in pairs:
        way = float(np.linalg.norm(moved[:, pair.body] - moved[:, pair.other], axis=-1).max())
        found.append((way / _size(mechanism, (pair.body, pair.other)), way, pair))
    share, way, pair = max(found, key=lambda x: x[0])
    if share > FAR:
        yield (
            f"body {mechanism.bodies[pair.body].name!r} went {way:.2g} m in a step, {share:.2g} times its size: contact"
            f" {pair.name!r} may have missed it, or have met it beside: {_advice(request, FAR / 2 / share)}"
        )


def _worst(traj: Trajectory) -> Floats:
    """Samples (few, batch) at which contacts pushed most, and those at which something moved fastest."""
    pushed = sum(np.abs(track.forces).sum(axis=(-1, -2)) for track in traj.contacts.values())
    count = min(WORST, len(traj.t))
    fast = np.abs(traj.v).max(axis=-1)
    ranked = (_batched(x[..., None])[..., 0] for x in (pushed, fast))
    return np.concatenate([np.argpartition(-x, count - 1, axis=0)[:count] for x in ranked])


def _some(traj: Trajectory, samples: slice) -> Trajectory:
    """A part of the samples."""
    done = None if traj.done is None else traj.done[samples]
    tracks = {name: track.take(samples) for name, track in traj.contacts.items()}
    return replace(traj, t=traj.t[samples], q=traj.q[samples], v=traj.v[samples], done=done, contacts=tracks)


def _batched(x: Floats) -> Floats:
    """(samples, batch, n), also of one trajectory."""
    return x if x.ndim == 3 else x[:, None]


def _size(mechanism: Mechanism, bodies: tuple[int, ...]) -> float:
    """Of the smaller of two bodies: its radius of gyration, or how far apart the points are with which it touches."""
    made = []
    for body in (mechanism.bodies[k] for k in bodies if k >= 0):
        balls = [ball for pair in mechanism.contacts if pair.body == body.index for ball in pair.balls]
        ends = np.array([end for ball in balls for end in (ball.first, ball.second)]).reshape(-1, 3)
        spread = [float(np.ptp(ends, axis=0).max()) / 2] if len(ends) else []
        turning = math.sqrt(max(float(np.trace(body.inertia.tensor)), 0.0) / (2 * max(body.inertia.mass, 1e-300)))
        made.append(max([turning, *spread, *(ball.radius for ball in balls)]) or SIZELESS)
    return min(made)


def _which(at: tuple[np.intp, ...]) -> str:
    return f" of trajectory {at[1]}" if len(at) > 1 else ""


def _advice(request: Request, part: float) -> str:
    """A step that would do, by one digit."""
    wanted = request.dt * min(part, 0.5)
    digit = 10.0 ** math.floor(math.log10(wanted))
    short = math.floor(wanted / digit + 1e-9) * digit
    return f"steps of {request.dt:g} s are too long for this motion, {short:.1g} s may do"
