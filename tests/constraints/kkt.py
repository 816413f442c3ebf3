"""The dense oracle on floats: [[M, G^T], [G, 0]] [a, y] = [tau - bias, -gamma], by dual numbers through poses.

Soft rows are springs and dampers: their multipliers are known.

It knows nothing of links, S, Phi, K or hubs. A state moves along q(s) with constant velocities; bodies, rows and their
derivatives are taken on that path, so quaternions and rolling (nq != nv) and joints that follow others are like
everything else.
"""

from __future__ import annotations

import numpy as np

from anyjoint.constraints import Loop
from anyjoint.scalar import derivative
from anyjoint.spatial import Pose, Translation, Turn, Twist, vector


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


def moving(mech, q, v):
    """Poses and twists of all bodies: derivatives of poses along the path."""
    rate = derivative(lambda s: [[*T.R.ravel(), *T.p] for T in flat_poses(mech, path(mech, q, v, s))], 0.0)
    made = []
    for pose, slopes in zip(flat_poses(mech, q), rate, strict=True):
        Rdot, pdot = vector(*slopes[:9]).reshape(3, 3), vector(*slopes[9:])
        spin = pose.R.T @ Rdot
        made.append((pose, Twist(vector(spin[2, 1], spin[0, 2], spin[1, 0]), pose.R.T @ pdot)))
    return made


def velocities(mech, q, v):
    """Of every body its angular velocity in its own axes, and that of its centre of mass in the world's."""
    pairs = zip(mech.bodies, moving(mech, q, v), strict=True)
    return [x for b, (T, V) in pairs for x in (*V.angular, *(T.R @ V.at(b.inertia.com.tolist())))]


def velocity_rows(mech, constraint, q, v, t):
    """A function of poses and twists."""
    still = Pose(), Twist(vector(0.0, 0.0, 0.0), vector(0.0, 0.0, 0.0))
    bodies = [*moving(mech, q, v), still]
    at = [bodies[i] for i in constraint.bodies]
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


EYE = np.eye(3)


def block_diagonal(blocks):
    """A matrix of 3x3 blocks."""
    made = np.zeros((3 * len(blocks), 3 * len(blocks)))
    for k, block in enumerate(blocks):
        made[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = block
    return made


class System:
    """M, bias, G, gamma and compliances at a state."""

    def __init__(self, mech, q, t=0.0):
        self.mech, self.q, self.t = mech, [float(x) for x in q], t
        self.J = np.array([velocities(mech, self.q, list(e)) for e in np.eye(mech.nv)], dtype=float).T
        self.weight = block_diagonal([part for b in mech.bodies for part in (b.inertia.tensor, b.inertia.mass * EYE)])
        self.M = self.J.T @ self.weight @ self.J
        self.still = self._rates(np.zeros(mech.nv))  # what moves with time alone
        self.G = np.array([self._rates(e) - self.still for e in np.eye(mech.nv)]).T.reshape(mech.nc, mech.nv)
        self.compliance = np.array([c.compliance for c in mech.constraints for _ in range(c.count)])
        self.hard = self.compliance == 0

    def _rates(self, v):
        return np.array(rates(self.mech, self.q, [float(x) for x in v], self.t), dtype=float)

    def move(self, v):
        """The terms that depend on velocities."""
        mech, q, t, v = self.mech, self.q, self.t, [float(x) for x in v]
        self.bias = self.J.T @ self._lacking(v)
        self.rate = self._rates(v)
        given = np.array(
            [x if e is None else e for e, x in zip(errors(mech, q, t), self.rate, strict=True)], dtype=float
        )
        self.push = np.divide(given, self.compliance, out=np.zeros(mech.nc), where=~self.hard)
        self.gamma = np.array(derivative(lambda s: rates(mech, path(mech, q, v, s), v, t + s), 0.0), dtype=float)

    def _lacking(self, v):
        """Moments and forces that bodies need at constant velocities: Newton's and Euler's equations, one by one."""
        mech, q = self.mech, self.q
        drift = np.array(derivative(lambda s: velocities(mech, path(mech, q, v, s), v), 0.0), dtype=float)
        need = (self.weight @ drift).reshape(-1, 2, 3)
        for body, own, w in zip(mech.bodies, need, (self.J @ v).reshape(-1, 2, 3)[:, 0], strict=True):
            own += [np.cross(w, body.inertia.tensor @ w), -body.inertia.mass * np.asarray(mech.gravity)]
        return need.ravel()

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
        """Of all hard rows."""
        return self.strengths_of(self.hard)

    def strengths_of(self, rows):
        """Singular values of some rows of G, measured by kinetic energy, over the largest."""
        sizes = np.linalg.svd(np.linalg.solve(np.linalg.cholesky(self.M), self.G[rows].T), compute_uv=False)
        return sizes / sizes[0]
