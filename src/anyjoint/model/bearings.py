"""What joints pass to their bodies, where constraints push on bodies too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints.rows import Standing, Touched
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.mechanism import Body
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.spatial import Pose

from .arguments import flat_out
from .part import Part

if TYPE_CHECKING:
    from anyjoint.model.parameter_rows import Given

AGREES = 1e-6  # accelerations that forces and constraints give, relative to the largest


@frozen
class Seen:
    """A body as a constraint sees it: where it is, how it moves in its own axes, and the constraint's frame in it."""

    R: Floats
    p: Floats
    w: Floats
    u: Floats
    X: Pose


class Bearings(Part):
    """The part of Model that knows the loads of joints."""

    def joint_wrenches(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike | None = None, t: ArrayLike | None = None, *,
        out: Floats | None = None, threads: int = 1, parameters: Given | None = None,
    ) -> Floats:  # fmt: skip
        """Wrenches (nb, 6) that joints (and welds) pass to their bodies, in body frames: torque, then force.

        With constraints, they depend on what else pushes: `a` must be the accelerations that the forces `tau` on
        joints (default none) give at time `t`. Where rows are redundant, one choice of many is made for what they
        push with.
        """
        table, arrays = (self.nb, 6), (q, v, a)
        place = flat_out("joint_wrenches", out, table)
        flat: Floats = self.whole.evaluate("joint_wrenches", arrays, place, threads, parameters)
        made = flat.reshape(*flat.shape[:-1], *table)
        if self.mechanism.constraints:
            self._release(made, q, v, a, tau, t, parameters)
        return made

    def _release(
        self,
        wrenches: Floats,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike | None,
        t: ArrayLike | None,
        parameters: Given | None,
    ) -> None:
        """Take off what constraints carry, in place."""
        expected = self.whole.forward_dynamics(q, v, tau, t, parameters=parameters)
        if not np.allclose(expected, a, rtol=0.0, atol=AGREES * max(1.0, float(np.abs(a).max(initial=0.0)))):
            raise InputError(
                "joint_wrenches: a is not what forces tau and constraints give; take a = model.forward_dynamics(q, v,"
                " tau), and give the same tau here"
            )
        y = np.asarray(self.whole.constraint_multipliers(q, v, tau=tau, t=t, parameters=parameters), dtype=float)
        n, count = self.nb, wrenches.size // (6 * self.nb)
        clock = 0.0 if t is None else np.reshape(t, (-1, 1))
        poses = self.whole.body_poses(q, parameters=parameters)
        twists = self.whole.body_twists(q, v, parameters=parameters)
        shapes = ((n, 4, 4), (n, 6), (self.nq,), (self.nv,), (1,), (self.mechanism.nc,))
        given = zip((poses, twists, q, v, clock, y), shapes, strict=True)
        rows = [np.broadcast_to(np.asarray(x, dtype=float), (count, *shape)) for x, shape in given]
        for own, T, V, *rest in zip(wrenches.reshape(count, n, 6), *rows, strict=True):
            own -= collected(self.mechanism.bodies, T, self._pushed(T, V, *rest))

    def _pushed(self, T: Floats, V: Floats, q: Floats, v: Floats, t: Floats, y: Floats) -> Floats:
        """Wrenches of constraints on bodies, in body frames: -K y."""
        made, at = np.zeros((self.nb, 6)), 0
        for constraint in self.mechanism.constraints:
            touched = [self._seen(T, V, body, X) for body, X in zip(constraint.bodies, constraint.frames, strict=True)]
            places = [self.mechanism.bodies[body] for body, _ in constraint.coordinates]
            along = [k for _, k in constraint.coordinates]
            x = [float(q[body.q][k]) for body, k in zip(places, along, strict=True)]
            rate = [float(v[body.v][body.joint.velocity_of(k) or 0]) for body, k in zip(places, along, strict=True)]
            rows = constraint.rows(touched, x, rate, float(t[0]))
            for body, K in zip(constraint.bodies, rows.K, strict=True):
                if body >= 0:
                    made[body] -= np.asarray(K, dtype=float) @ y[at : at + constraint.count]
            at += constraint.count
        return made

    def _seen(self, T: Floats, V: Floats, body: int, X: Pose) -> Touched:
        if body < 0:
            return Standing(X)
        return Seen(T[body, :3, :3], T[body, :3, 3], V[body, :3], V[body, 3:], X)


def collected(bodies: Sequence[Body], T: Floats, wrenches: Floats) -> Floats:
    """The wrenches on each body and on all that it carries, in its frame."""
    made = wrenches.copy()
    for body in reversed(bodies):
        if body.parent >= 0:
            turn = T[body.parent, :3, :3].T
            R, p = turn @ T[body.index, :3, :3], turn @ (T[body.index, :3, 3] - T[body.parent, :3, 3])
            torque, force = R @ made[body.index, :3], R @ made[body.index, 3:]
            made[body.parent] += np.concatenate([torque + np.cross(p, force), force])
    return made
