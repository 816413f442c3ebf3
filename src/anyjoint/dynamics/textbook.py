"""The articulated-body method as textbooks have it, on plain NumPy: the way in to `articulated_body`, and its oracle.

Twists are seen from bodies, angular part first; T is a body's pose in its parent, X takes twists from parent to body.
Nothing is saved here: 6x6 matrices, bodies' own frames, and the joints' S and c = Sdot*qdot as they come.
"""

from __future__ import annotations

import numpy as np

from anyjoint.joints.spring import Spring
from anyjoint.mechanism import Mechanism
from anyjoint.spatial import Vector
from anyjoint.tree.rigid import Array, adjoint, inverse, skew


def forward_dynamics(mechanism: Mechanism, q: Array, v: Array, tau: Array, *, split: bool = False) -> Array:
    """Accelerations under the forces tau, for joints with coordinates of their own.

    `split=True` takes the pivot of a body's own inertia and of what it carries one by one [PAK section 7, as printed].
    """
    bodies = mechanism.bodies
    ground = np.zeros(6), np.array([0.0, 0.0, 0.0, *(-g for g in mechanism.gravity)])  # its twist and acceleration
    X, S, U, D, u, c, V, IA, pA, a = ([np.empty(0)] * len(bodies) for _ in range(10))
    carried = [np.zeros((6, 6))] * len(bodies)
    qdd = np.zeros(mechanism.nv)
    for i, body in enumerate(bodies):  # outward: velocities
        ql, vl = q[body.q].tolist(), v[body.v].tolist()
        joint = body.joint.motion(ql, vl).piece(vl)
        X[i], S[i] = adjoint(inverse(floats((body.placement @ joint.pose).matrix))), floats(joint.S)
        V[i] = X[i] @ (V[body.parent] if body.parent >= 0 else ground[0]) + S[i] @ vl
        c[i] = floats(joint.c) + ad(V[i]) @ S[i] @ vl
        IA[i] = body.inertia.spatial()
        pA[i] = -ad(V[i]).T @ IA[i] @ V[i]
        spring = Spring.of(body)
        u[i] = tau[body.v] + (floats(spring.force(body.joint, ql, vl)) if spring else 0.0)
    for i, body in reversed(list(enumerate(bodies))):  # inward: articulated inertias
        U[i] = IA[i] @ S[i]
        own = body.inertia.spatial()
        pivot = S[i].T @ own @ S[i] + S[i].T @ carried[i] @ S[i] if split else S[i].T @ U[i]
        D[i] = pivot + np.diag(body.armature)
        u[i] = u[i] - S[i].T @ pA[i]
        if body.parent >= 0:
            Ia = IA[i] - U[i] @ np.linalg.solve(D[i], U[i].T)
            pa = pA[i] + Ia @ c[i] + U[i] @ np.linalg.solve(D[i], u[i])
            carried[body.parent] = carried[body.parent] + X[i].T @ Ia @ X[i]
            IA[body.parent] = bodies[body.parent].inertia.spatial() + carried[body.parent]
            pA[body.parent] = pA[body.parent] + X[i].T @ pa
    for i, body in enumerate(bodies):  # outward: accelerations
        a[i] = X[i] @ (a[body.parent] if body.parent >= 0 else ground[1]) + c[i]
        qdd[body.v] = np.linalg.solve(D[i], u[i] - U[i].T @ a[i])
        a[i] = a[i] + S[i] @ qdd[body.v]
    return qdd


def ad(V: Array) -> Array:
    """The 6x6 matrix of V x: ad(V) s is the rate of a twist s that rides on a body with twist V."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = skew(V[:3])
    out[3:, :3] = skew(V[3:])
    return out


def floats(x: Vector) -> Array:
    """Scalars that are plain numbers as an array of floats."""
    return np.asarray(x, dtype=float)
