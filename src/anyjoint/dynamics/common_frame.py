"""Links in one common frame: the working frame of the first joint of their branch, which stands still meanwhile.

There twists, wrenches and inertias of all links add up without being moved. Inertias are kept as the integral E of
r r^T, the moment h and the mass m: I = [[tr(E) - E, [h]], [-[h], m]].
"""

from __future__ import annotations

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.joints.product_rule import columns
from anyjoint.scalar import Scalar
from anyjoint.spatial import BlockInertia, Matrix, Vector, as_matrix, cross, dot, rigid, vector
from anyjoint.spatial.inertia import UPPER, symmetric, symmetric_from, turn_symmetric
from anyjoint.tree.record import Record

EYE = as_matrix(np.eye(3, dtype=int))


@frozen
class Mass:
    """A rigid inertia about the common frame's origin; E by its upper triangle."""

    E: Vector
    h: Vector
    m: Scalar

    @property
    def integral(self) -> Matrix:
        """E as a matrix."""
        return symmetric_from(list(self.E))

    @property
    def tensor(self) -> Matrix:
        """The inertia tensor."""
        E = self.integral
        return symmetric(lambda i, j: E[i - 1, i - 1] + E[i - 2, i - 2] if i == j else -E[i, j])

    def __matmul__(self, x: Vector) -> Vector:
        """The momentum of a twist."""
        w, u = x[:3], x[3:]
        return np.concatenate([self.tensor @ w + cross(self.h, u), self.m * u - cross(self.h, w)])

    def block(self) -> BlockInertia:
        """The same inertia as blocks."""
        return rigid(self.m, self.h, self.tensor)


def lifted(body: Record, S: Matrix) -> Matrix:
    """Twists of the joint's working frame in the common frame: Ad(T) S."""
    return columns([lifted_twist(body.R_joint, body.p_joint, S[:, k]) for k in range(S.shape[1])])


def lifted_twist(R: Matrix, p: Vector, s: Vector) -> Vector:
    """Ad(T) s [SG eq. 2]."""
    w = R @ s[:3]
    return np.concatenate([w, R @ s[3:] + cross(p, w)])


def lowered_wrench(body: Record, f: Vector) -> Vector:
    """A wrench of the common frame, seen from the joint's working frame."""
    R, p = body.R_joint, body.p_joint
    return np.concatenate([R.T @ (f[:3] - cross(p, f[3:])), R.T @ f[3:]])


def common_mass(body: Record) -> Mass:
    """The link's own inertia in the common frame."""
    I, m, p = body.J.A, body.J.C[0, 0], body.p
    h = body.R @ vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    half = 0.5 * (I[0, 0] + I[1, 1] + I[2, 2])
    E = turn_symmetric(symmetric(lambda i, j: half - I[i, i] if i == j else -I[i, j]), body.R)
    moved = h + m * p
    return Mass(vector(*(E[i, j] + p[i] * moved[j] + h[i] * p[j] for i, j in UPPER)), moved, m)


def crossed(v: Vector, f: Vector) -> Vector:
    """v x* f = -ad*_v f: how a wrench fixed to a frame with the twist v changes."""
    w, u = v[:3], v[3:]
    return np.concatenate([cross(w, f[:3]) + cross(u, f[3:]), cross(w, f[3:])])


def products(J: Matrix, F: Matrix) -> Matrix:
    """J^T F, entry by entry."""
    out = np.empty((J.shape[1], F.shape[1]), dtype=object)
    for i in range(J.shape[1]):
        for j in range(F.shape[1]):
            out[i, j] = dot(J[:, i], F[:, j])
    return out
