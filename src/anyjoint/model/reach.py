"""Damped Gauss-Newton steps that bring frames to their targets, all states of a batch at once.

A step solves (J^T J + damping) d = -J^T e on the velocities that are free to move; coordinates that push against a
limit stand still. Where there are loops, steps stay in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.mechanism.fence import fences_of
from anyjoint.scalar.array import Floats

from .constraints import velocities_of
from .rotation_vector import rate_of_rotation_vector, rotation_vector
from .target import Aim, Reached

if TYPE_CHECKING:
    from .model import Model

FIRST, LEAST, MOST = 1e-4, 1e-14, 1e10  # damping, relative to the mean of the diagonal of J^T J
SLOW = 1e-12  # relative progress at which a state is stuck
CLOSED = 1e-11  # errors of loops, in metres and radians
IDLE = 1e-6  # cosine between errors and what a coordinate changes, below which it has no say
FAR = 1.0  # the longest step, in radians or metres


class Solver:
    """One question to a model."""

    def __init__(self, model: Model, aims: Sequence[Aim], hold: Sequence[str], limits: bool, t: float) -> None:
        self.model, self.aims, self.t = model, aims, t
        self.mech = model.mechanism
        self.free = np.ones(model.nv, dtype=bool)
        for name in hold:
            self.free[velocities_of(model, name, "inverse_kinematics")] = False
        self.low, self.high = np.full(model.nq, -math.inf), np.full(model.nq, math.inf)
        self.kept = np.zeros(model.nq, dtype=bool)  # coordinates that stay, beyond their limits, too
        for body in self.mech.bodies:
            for k, c in enumerate(body.joint.coordinates):
                rate = body.joint.velocity_of(k)
                self.kept[body.q.start + k] = not self.free[body.v if rate is None else body.v.start + rate].all()
                if self.kept[body.q.start + k]:
                    continue
                ends = (c.defined, c.limits if limits else c.defined)
                self.low[body.q.start + k] = max(low for low, _ in ends)
                self.high[body.q.start + k] = min(high for _, high in ends)
        self.fences = fences_of(self.mech)
        rows = [bool(not c.compliance and c.holonomic) for c in self.mech.constraints for _ in range(c.count)]
        self.closed = np.array(rows, dtype=bool)

    @cached_property
    def places(self) -> tuple[Floats, Floats]:
        """Coordinates that velocities are rates of, and those velocities."""
        pairs = [
            (body.q.start + k, body.v.start + rate)
            for body in self.mech.bodies
            for k in range(body.joint.nq)
            if (rate := body.joint.velocity_of(k)) is not None
        ]
        return np.array([q for q, _ in pairs], dtype=int), np.array([v for _, v in pairs], dtype=int)

    def run(
        self, q: Floats, tolerance: float, iterations: int, tries: int, seed: int, batch: bool
    ) -> Reached:
        """The best of some tries."""
        random, which = np.random.default_rng(seed), np.arange(len(q))
        best, steps = self._descend(q, which, tolerance, iterations)
        reached = self.reached(best, which, tolerance)
        for _ in range(1, tries):
            left = which[~reached]
            if not len(left):
                break
            found, more = self._descend(self._anywhere(q[left], random), left, tolerance, iterations)
            better = self.cost(found, left) < self.cost(best[left], left)
            best[left[better]], steps = found[better], steps + more
            reached = self.reached(best, which, tolerance)
        held = self._held(best[~reached], which[~reached])
        names = tuple(name for k, name in enumerate(self.mech.coordinate_names) if k in held)
        errors = {aim.label: x for aim, x in zip(self.aims, self.distances(best, which), strict=True)}
        if batch:
            return Reached(best, reached, errors, steps, names, tries)
        return Reached(best[0], bool(reached[0]), {name: x[0] for name, x in errors.items()}, steps, names, tries)

    def _anywhere(self, q: Floats, random: np.random.Generator) -> Floats:
        """Random coordinates in place of those that are free: within limits, else where joints are meant to be used."""
        coordinates = [c for body in self.mech.bodies for c in body.joint.coordinates]
        low = [max(a, c.domain[0], -1e3) for a, c in zip(self.low, coordinates, strict=True)]
        high = [min(b, c.domain[1], 1e3) for b, c in zip(self.high, coordinates, strict=True)]
        anywhere = self._charted(random.uniform(low, np.maximum(low, high), q.shape))
        return np.where(self.kept, q, anywhere)

    # -- one descent ------------------------------------------------------------------------------------------------

    def _descend(self, q: Floats, which: Floats, tolerance: float, iterations: int) -> tuple[Floats, int]:
        """States after damped steps; `which` says whose targets are theirs."""
        q, damping = self._on_loops(np.clip(q, self.low, self.high)), np.full(len(q), FIRST)
        cost, going, steps = self.cost(q, which), np.ones(len(q), dtype=bool), 0
        for steps in range(1, iterations + 1):
            going &= ~self.reached(q, which, tolerance) & (damping < MOST)
            now = np.flatnonzero(going)
            if not len(now):
                return q, steps - 1
            step, hoped = self._step(q[now], which[now], damping[now])
            new = self._on_loops(self._moved(q[now], step))
            made = self.cost(new, which[now])
            better = made < cost[now]
            gain = (cost[now] - made) / np.maximum(hoped, 1e-300)
            went = now[better]
            q[went] = new[better]
            eased = np.where(gain > 0.75, damping[now] / 8, np.where(gain > 0.25, damping[now], damping[now] * 4))
            damping[now] = np.where(better, np.maximum(eased, LEAST), damping[now] * 6)
            going[now[hoped < SLOW * cost[now]]] = False
            cost[went] = made[better]
        return q, steps

    def _step(self, q: Floats, which: Floats, damping: Floats) -> tuple[Floats, Floats]:
        """Velocities to go along, and how much the cost falls by them if errors change evenly."""
        e, J = self.errors(q, which), self.jacobian(q, which)
        g = np.einsum("bij,bi->bj", J, e)
        free = np.broadcast_to(self.free, g.shape).copy()
        free[:, self.places[1]] &= ~self._pushes(q, g)
        J, g = J * free[:, None, :], g * free
        JJ = np.einsum("bij,bik->bjk", J, J)
        mean = np.trace(JJ, axis1=1, axis2=2) / max(self.model.nv, 1)
        H = JJ + (damping * np.maximum(mean, 1e-12))[:, None, None] * np.eye(self.model.nv)
        if self.closed.any():
            G = self._loop_rows(q) * free[:, None, :]
            along = np.eye(self.model.nv) - np.linalg.pinv(G, rcond=1e-9) @ G
            H = along @ H @ along + (np.eye(self.model.nv) - along) * (mean[:, None, None] + 1.0)
            g = np.einsum("bij,bj->bi", along, g)
        d = -np.linalg.solve(H, g[..., None])[..., 0]
        longest = np.abs(d).max(axis=1, initial=0.0)
        d = d * np.minimum(1.0, FAR / np.maximum(longest, 1e-300))[:, None] * free
        return d, -np.einsum("bi,bi->b", g, d) - np.einsum("bi,bij,bj->b", d, JJ, d) / 2

    def _pushes(self, q: Floats, g: Floats) -> Floats:
        """Of the coordinates that have velocities: which go on beyond a limit, down a slope g."""
        at, rate = self.places
        return ((q[:, at] <= self.low[at]) & (g[:, rate] > 0)) | ((q[:, at] >= self.high[at]) & (g[:, rate] < 0))

    def _held(self, q: Floats, which: Floats) -> set[int]:
        """Coordinates at limits without which some state would come closer; of others at theirs nothing depends."""
        fine = np.isfinite(q).all(axis=1)  # loops may not have closed
        q, which = q[fine], which[fine]
        if not len(q):
            return set()
        e, J = self.errors(q, which), self.jacobian(q, which) * self.free
        if self.closed.any():
            G = self._loop_rows(q) * self.free
            J = J - J @ np.linalg.pinv(G, rcond=1e-9) @ G
        g = np.einsum("bij,bi->bj", J, e)
        size = np.linalg.norm(J, axis=1) * np.linalg.norm(e, axis=1)[:, None]
        g = np.where(np.abs(g) > IDLE * size, g, 0.0)
        return set(self.places[0][self._pushes(q, g).any(axis=0)].tolist())

    def _moved(self, q: Floats, d: Floats) -> Floats:
        rates = self.model.program("coordinate_rates")(*self._typed(q, d)).astype(float)
        return np.clip(self._charted(q + rates), self.low, self.high)

    def _charted(self, q: Floats) -> Floats:
        program = self.model.program("rechart")
        return np.asarray(program(*self._typed(q, np.zeros((len(q), self.model.nv))))[:, : self.model.nq], dtype=float)

    def _typed(self, *arrays: Floats) -> list[Floats]:
        return [np.ascontiguousarray(x, dtype=self.model.dtype) for x in arrays]

    # -- loops ------------------------------------------------------------------------------------------------------

    def _on_loops(self, q: Floats) -> Floats:
        """The nearest states at which loops are closed, by Newton's method within the limits; NaN where it fails."""
        if not self.closed.any():
            return q
        error = self._loop_errors(q)
        for _ in range(30):
            open_ = np.flatnonzero(np.abs(error).max(axis=1) > CLOSED)
            if not len(open_):
                return q
            G = self._loop_rows(q[open_]) * self.free
            d = -np.einsum("bij,bj->bi", np.linalg.pinv(G, rcond=1e-9), error[open_])
            q = q.copy()
            q[open_] = self._moved(q[open_], np.clip(d, -FAR, FAR))
            error[open_] = self._loop_errors(q[open_])
        q[np.abs(error).max(axis=1) > 1e3 * CLOSED] = np.nan
        return q

    def _clock(self, count: int) -> list[Floats]:
        return [np.full((count, 1), self.t)] if self.mech.timed else []

    def _loop_errors(self, q: Floats) -> Floats:
        program = self.model.program("constraint_errors")
        rest = np.zeros((len(q), self.model.nv))
        row = program(*self._typed(q, rest, *self._clock(len(q))))
        return np.asarray(row[:, : self.mech.nc][:, self.closed], dtype=float)

    def _loop_rows(self, q: Floats) -> Floats:
        G = self.model.constraint_jacobian(*self._typed(q), t=self.t if self.mech.timed else None)
        return np.asarray(G, dtype=float)[:, self.closed]

    # -- targets ----------------------------------------------------------------------------------------------------

    def errors(self, q: Floats, which: Floats) -> Floats:
        """Weighted errors of all targets, (batch, rows): positions, and rotation vectors along the world's axes."""
        parts = []
        for aim, T in zip(self.aims, self._frames(q), strict=True):
            if aim.position is not None:
                parts.append(aim.weights[0] * (T[:, :3, 3] - _of(aim.position, which)))
            if aim.orientation is not None:
                parts.append(aim.weights[1] * rotation_vector(T[:, :3, :3] @ _transposed(_of(aim.orientation, which))))
        return np.concatenate(parts, axis=1)

    def jacobian(self, q: Floats, which: Floats) -> Floats:
        """How the errors change with velocities, (batch, rows, nv)."""
        parts, (typed,) = [], self._typed(q)
        for aim, T in zip(self.aims, self._frames(q), strict=True):
            rider = self.mech.bodies[aim.frame.body] if aim.frame.body >= 0 else None  # a target may have no name
            J = np.asarray(self.model.frame_jacobian(typed, (rider, aim.frame.pose), "world-aligned"), dtype=float)
            if aim.position is not None:
                parts.append(aim.weights[0][:, None] * J[:, 3:])
            if aim.orientation is not None:
                angle = rotation_vector(T[:, :3, :3] @ _transposed(_of(aim.orientation, which)))
                parts.append(aim.weights[1][:, None] * (rate_of_rotation_vector(angle) @ J[:, :3]))
        return np.concatenate(parts, axis=1)

    def cost(self, q: Floats, which: Floats) -> Floats:
        """Half the sum of squared errors; infinite where a joint is not defined."""
        cost = np.full(len(q), math.inf)
        inside = np.asarray(np.isfinite(q).all(axis=1))
        for fence in self.fences:
            inside[inside] &= ~fence.outside(q[inside])
        if inside.any():
            e = self.errors(q[inside], which[inside])
            cost[inside] = 0.5 * np.einsum("bi,bi->b", e, e)
        return np.where(np.isfinite(cost), cost, math.inf)

    def reached(self, q: Floats, which: Floats, tolerance: float) -> Floats:
        """Which states meet all that has weight."""
        return np.asarray(np.all([np.all(x <= tolerance, axis=1) for x in self.distances(q, which)], axis=0))

    def distances(self, q: Floats, which: Floats) -> list[Floats]:
        """Of every target: how far away, and by which angle, along the axes that have weight; (batch, 2)."""
        found = []
        for aim, T in zip(self.aims, self._frames(q), strict=True):
            off = np.zeros((len(q), 2))
            if aim.position is not None:
                off[:, 0] = np.linalg.norm((T[:, :3, 3] - _of(aim.position, which)) * (aim.weights[0] > 0), axis=1)
            if aim.orientation is not None:
                turn = rotation_vector(T[:, :3, :3] @ _transposed(_of(aim.orientation, which)))
                off[:, 1] = np.linalg.norm(turn * (aim.weights[1] > 0), axis=1)
            found.append(off)
        return found

    def _frames(self, q: Floats) -> list[Floats]:
        """World poses of the frames of all targets, (batch, 4, 4) each."""
        program = self.model.program("body_poses")
        poses = np.asarray(program.split(program(*self._typed(q))), dtype=float)
        made = []
        for aim in self.aims:
            own = np.asarray(aim.frame.pose.matrix, dtype=float)
            made.append(np.broadcast_to(own, (len(q), 4, 4)) if aim.frame.body < 0 else poses[:, aim.frame.body] @ own)
        return made


def _of(values: Floats, which: Floats) -> Floats:
    """The targets of some states; one target may serve all."""
    return values if len(values) == 1 else values[which]


def _transposed(R: Floats) -> Floats:
    return np.swapaxes(R, -1, -2)
