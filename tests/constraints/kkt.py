"""The dense oracle on floats: [[M, G^T], [G, 0]] [a, y] = [tau - bias, -gamma], rows by dual numbers through poses.

Soft rows are springs and dampers: their multipliers are known.

It knows nothing of links, K or hubs. A state moves along q(s) with constant velocities; rows and their derivatives are
taken on that path, so quaternions (nq != nv) are like everything else.
"""

from __future__ import annotations

import numpy as np

from anyjoint.constraints import Loop
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.scalar import derivative
from anyjoint.spatial import Pose, Translation, Turn, Twist, vector
from dynamics.support import State


def path(mech, q, v, s):
    """Coordinates after a time s at constant velocities, exact to second order."""
    half = _go(mech, q, _rate(mech, q, v), s / 2)
    return _go(mech, q, _rate(mech, half, v), s)


def _rate(mech, q, v):
    return [x for body in mech.bodies for x in body.joint.rate(q[body.q], v[body.v])]


def flat_poses(mech, q):
    """World poses of two factors each, so that what is made of them is cheap."""
    return [Pose((Translation(tuple(T.p)), Turn(T.R))) for T in mech.poses(list(q))]


def _go(mech, q, rate, s):
    return [x + s * y for x, y in zip(q, rate, strict=True)]


def errors(mech, q, t=0.0):
    """What every row misses, from poses alone; None for rows on velocities."""
    poses = flat_poses(mech, q)
    made = []
    for constraint in mech.constraints:
        at = [poses[i] if i >= 0 else Pose() for i in constraint.bodies]
        if isinstance(constraint, Loop):
            made += loop_errors(constraint, *(T @ F for T, F in zip(at, constraint.frames, strict=True)))
        elif constraint.holonomic:
            made += constraint.function.entries(constraint.arguments(at, [], _own(mech, constraint, q), [], t))
        else:
            made += [None] * constraint.count
    return made


def rates(mech, q, v, t=0.0):
    """How fast every row changes: derivatives of the errors, and rows on velocities as they are."""
    held = derivative(lambda s: [_zero(x) for x in errors(mech, path(mech, q, v, s), t + s)], 0.0)
    at = 0
    for constraint in mech.constraints:
        if not constraint.holonomic:
            held[at : at + constraint.count] = velocity_rows(mech, constraint, q, v, t)
        at += constraint.count
    return held


def _zero(x):
    return 0.0 if x is None else x


def velocity_rows(mech, constraint, q, v, t):
    """A function of poses and twists, which are the derivatives of poses along the path."""
    rate = derivative(lambda s: [[*T.R.ravel(), *T.p] for T in flat_poses(mech, path(mech, q, v, s))], 0.0)
    poses, twists = [], []
    for i, pose in enumerate(flat_poses(mech, q)):
        Rdot, pdot = vector(*rate[i][:9]).reshape(3, 3), vector(*rate[i][9:])
        spin = pose.R.T @ Rdot
        poses.append(pose)
        twists.append(Twist(vector(spin[2, 1], spin[0, 2], spin[1, 0]), pose.R.T @ pdot))
    still = Pose(), Twist(vector(0.0, 0.0, 0.0), vector(0.0, 0.0, 0.0))
    at = [(poses[i], twists[i]) if i >= 0 else still for i in constraint.bodies]
    own = _own(mech, constraint, q)
    joints = [(mech.bodies[body], k) for body, k in constraint.coordinates]
    own_rates = [v[body.v.start + body.joint.velocity_of(k)] for body, k in joints]
    return constraint.function.entries(constraint.arguments([T for T, _ in at], [V for _, V in at], own, own_rates, t))


def _own(mech, constraint, q):
    return [q[mech.bodies[body].q][k] for body, k in constraint.coordinates]


def loop_errors(loop, a, b):
    """Blocked shifts and turns of the second closing frame in the first."""
    X = a.inverse() @ b
    R, closing = X.R, loop.closing
    rows = [X.p[k] for k in closing.shifts]
    turns = {0: (R[2, 1] - R[1, 2]) / 2, 1: (R[0, 2] - R[2, 0]) / 2, 2: (R[1, 0] - R[0, 1]) / 2}
    if closing.turns == (0, 1):  # z may turn: tilts of the axis
        turns = {0: -R[1, 2], 1: R[0, 2]}
    rows += [turns[k] for k in closing.turns]
    return rows + ([R[0, 1]] if closing.cross else [])


class System:
    """M, bias, G, gamma and compliances at a state."""

    def __init__(self, mech, q, t=0.0):
        self.mech, self.q, self.t = mech, [float(x) for x in q], t
        self.state = State(mech, self.q, np.zeros(mech.nv))
        self.M = self.state.mass_matrix()
        self.still = self._rates(np.zeros(mech.nv))  # what moves with time alone
        self.G = np.array([self._rates(e) - self.still for e in np.eye(mech.nv)]).T.reshape(mech.nc, mech.nv)
        self.compliance = np.array([c.compliance for c in mech.constraints for _ in range(c.count)])
        self.hard = self.compliance == 0

    def _rates(self, v):
        return np.array(rates(self.mech, self.q, [float(x) for x in v], self.t), dtype=float)

    def move(self, v):
        """The terms that depend on velocities."""
        mech, q, t, v = self.mech, self.q, self.t, [float(x) for x in v]
        self.bias = self.state.at(v=v).row(NEWTON_EULER, qdd=np.zeros(mech.nv))
        self.rate = self._rates(v)
        given = np.array(
            [x if e is None else e for e, x in zip(errors(mech, q, t), self.rate, strict=True)], dtype=float
        )
        self.push = np.divide(given, self.compliance, out=np.zeros(mech.nc), where=~self.hard)
        self.gamma = np.array(derivative(lambda s: rates(mech, path(mech, q, v, s), v, t + s), 0.0), dtype=float)

    def solve(self, tau):
        """Accelerations and multipliers, of least norm where rows are redundant."""
        n, G = len(self.M), self.G[self.hard]
        A = np.block([[self.M, G.T], [G, np.zeros((len(G), len(G)))]])
        right = np.concatenate([tau - self.bias - self.G.T @ self.push, -self.gamma[self.hard]])
        found = np.linalg.lstsq(A, right, rcond=1e-11)[0]
        y = self.push.copy()
        y[self.hard] = found[n:]
        return found[:n], y

    @property
    def strengths(self):
        """Singular values of G, measured by kinetic energy, over the largest."""
        G = self.G[self.hard]
        sizes = np.linalg.svd(np.linalg.solve(np.linalg.cholesky(self.M), G.T), compute_uv=False)
        return sizes / sizes[0]
