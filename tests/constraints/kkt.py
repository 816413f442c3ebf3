"""The dense oracle: [[M, G^T], [G, 0]] with G and gamma by dual numbers through the poses of the bodies."""

from __future__ import annotations

import copy

import numpy as np

from anyjoint.constraints import FunctionConstraint, Loop
from anyjoint.scalar import jet
from anyjoint.spatial import Pose


def errors(mech, q):
    """What every row of every constraint misses, from poses alone; rows on velocities are left out."""
    poses = mech.poses(list(q))
    made = []
    for constraint in mech.constraints:
        at = [poses[i] if i >= 0 else Pose() for i in constraint.bodies]
        if isinstance(constraint, Loop):
            made += loop_errors(constraint, *(T @ F for T, F in zip(at, constraint.frames, strict=True)))
        elif isinstance(constraint, FunctionConstraint):
            own = [q[mech.bodies[body].q][k] for body, k in constraint.coordinates]
            made += constraint.function.entries(constraint.arguments(at, [], own, [], 0.0))
    return made


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


def system(mech, q, v):
    """M, bias, G and gamma."""
    free = copy.copy(mech)
    free.constraints = []
    model = free.compile()
    _, partials, second = jet(lambda x: errors(mech, x), [float(x) for x in q], [float(x) for x in v])
    G = np.array(partials, dtype=float).T.reshape(-1, mech.nv)
    return model.mass_matrix(q), model.bias_forces(q, v), G, np.array(second, dtype=float)


def accelerations(mech, q, v, tau):
    """The dense solution, of least norm in the multipliers where rows are redundant."""
    M, bias, G, gamma = system(mech, q, v)
    m = len(G)
    A = np.block([[M, G.T], [G, np.zeros((m, m))]])
    solution = np.linalg.lstsq(A, np.concatenate([tau - bias, -gamma]), rcond=1e-11)[0]
    return solution[: mech.nv]


def consistent(mech, q, v):
    """Velocities nearest to v that keep all rows."""
    _, partials, _ = jet(lambda x: errors(mech, x), [float(x) for x in q], [0.0] * mech.nv)
    G = np.array(partials, dtype=float).T.reshape(-1, mech.nv)
    return v - np.linalg.pinv(G, rcond=1e-10) @ (G @ v)
