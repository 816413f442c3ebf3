"""The articulated-body algorithm and recursive Newton-Euler over CasADi's SX scalars.

Written as a careful user would: numbers of the model are folded in, symmetric matrices are kept symmetric, structural
zeros vanish by themselves. Twists are pairs (w, u), wrenches (n, f), angular part first, in body frames.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from bench.models import Body, Model

SX = Any
Pair = tuple[SX, SX]
ZERO3 = np.zeros(3)


def forward_dynamics(model: Model, q: SX, v: SX, tau: SX) -> SX:
    """ABA [Featherstone 2008, table 7.1]: accelerations."""
    n = len(model.bodies)
    poses, subspaces = [_pose(model, k, q) for k in range(n)], [_subspace(b) for b in model.bodies]
    twists, biases = _velocities(model, poses, subspaces, v)
    inertias = [_rigid(b) for b in model.bodies]
    wrenches = [_gyroscopic(_rigid(b), twist) for b, twist in zip(model.bodies, twists, strict=True)]
    kept: list[Any] = [None] * n
    for k in reversed(range(n)):
        body, parent = model.bodies[k], model.bodies[k].parent
        if body.kind == "free":
            continue
        S, at = subspaces[k], model.v_start[k]
        U = _apply(inertias[k], S)
        D, u = _dot(S, U), tau[at] - _dot(S, wrenches[k])
        kept[k] = (U, D, u)
        if parent >= 0:
            Ia = _downdate(inertias[k], U, D)
            pa = _add(_add(wrenches[k], _apply(Ia, biases[k])), _scale(U, u / D))
            inertias[parent] = _sum_inertia(inertias[parent], _inertia_to_parent(Ia, poses[k]))
            wrenches[parent] = _add(wrenches[parent], _wrench_to_parent(pa, poses[k]))
    return _accelerations(model, poses, subspaces, biases, inertias, wrenches, kept, tau)


def inverse_dynamics(model: Model, q: SX, v: SX, a: SX) -> SX:
    """RNEA [Featherstone 2008, table 5.1]: generalized forces."""
    n = len(model.bodies)
    poses, subspaces = [_pose(model, k, q) for k in range(n)], [_subspace(b) for b in model.bodies]
    twists, biases = _velocities(model, poses, subspaces, v)
    accelerations: list[Pair] = []
    wrenches: list[Pair] = []
    for k, body in enumerate(model.bodies):
        above = accelerations[body.parent] if body.parent >= 0 else (ZERO3, -np.array(model.gravity))
        rate = _joint_twist(body, subspaces[k], a, model.v_start[k])
        accelerations.append(_add(_add(_twist_to_child(above, poses[k]), biases[k]), rate))
        inertia = _rigid(body)
        wrenches.append(_add(_apply(inertia, accelerations[k]), _gyroscopic(inertia, twists[k])))
    tau: list[Any] = [None] * n
    for k in reversed(range(n)):
        body = model.bodies[k]
        tau[k] = casadi.vertcat(*wrenches[k]) if body.kind == "free" else _dot(subspaces[k], wrenches[k])
        if body.parent >= 0:
            wrenches[body.parent] = _add(wrenches[body.parent], _wrench_to_parent(wrenches[k], poses[k]))
    return casadi.vertcat(*tau)


def _accelerations(
    model: Model, poses: Any, subspaces: Any, biases: Any, inertias: Any, wrenches: Any, kept: Any, tau: SX
) -> SX:
    """The last sweep of ABA, outward."""
    spatial: list[Pair] = []
    result = []
    for k, body in enumerate(model.bodies):
        above = spatial[body.parent] if body.parent >= 0 else (ZERO3, -np.array(model.gravity))
        a = _add(_twist_to_child(above, poses[k]), biases[k])
        if body.kind == "free":
            at = model.v_start[k]
            total = _solve(inertias[k], tau[at : at + 6] - casadi.vertcat(*wrenches[k]))
            result.append(total - casadi.vertcat(*a))
            spatial.append((total[:3], total[3:]))
            continue
        U, D, u = kept[k]
        qdd = (u - _dot(U, a)) / D
        result.append(qdd)
        spatial.append(_add(a, _scale(subspaces[k], qdd)))
    return casadi.vertcat(*result)


def _velocities(model: Model, poses: Any, subspaces: Any, v: SX) -> tuple[list[Pair], list[Pair]]:
    """Twist of every body, and v x (S qdot)."""
    twists: list[Pair] = []
    biases: list[Pair] = []
    for k, body in enumerate(model.bodies):
        rate = _joint_twist(body, subspaces[k], v, model.v_start[k])
        if body.parent < 0:
            twists.append(rate)
            biases.append((ZERO3, ZERO3))  # v x v = 0
            continue
        above = _twist_to_child(twists[body.parent], poses[k])
        twists.append(_add(above, rate))
        w, u = twists[k]
        biases.append((_cross(w, rate[0]), _cross(w, rate[1]) + _cross(u, rate[0])))
    return twists, biases


def _pose(model: Model, k: int, q: SX) -> tuple[SX, SX]:
    """Rotation and origin of a body in its parent's frame."""
    body, at = model.bodies[k], model.q_start[k]
    T = np.array(body.placement)
    axis = np.array(body.axis)
    if body.kind == "revolute":
        along = np.outer(axis, axis)
        A, B, C = (T[:3, :3] @ part for part in (along, np.eye(3) - along, _skew(axis)))
        return A + B * casadi.cos(q[at]) + C * casadi.sin(q[at]), T[:3, 3]
    if body.kind == "prismatic":
        return T[:3, :3], T[:3, 3] + (T[:3, :3] @ axis) * q[at]
    w, x, y, z = (q[at + i] for i in range(4))
    R = casadi.vertcat(
        casadi.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        casadi.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        casadi.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return casadi.mtimes(T[:3, :3], R), T[:3, 3] + casadi.mtimes(T[:3, :3], q[at + 4 : at + 7])


def _subspace(body: Body) -> Pair:
    axis = np.array(body.axis)
    return (axis, ZERO3) if body.kind == "revolute" else (ZERO3, axis)


def _joint_twist(body: Body, S: Pair, rates: SX, at: int) -> Pair:
    if body.kind == "free":
        return rates[at : at + 3], rates[at + 3 : at + 6]
    return _scale(S, rates[at])


def _rigid(body: Body) -> tuple[SX, SX, SX]:
    """Spatial inertia blocks (J, H, M): n = J w + H u, f = H' w + M u."""
    c = np.array(body.com)
    J = np.array(body.tensor) + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return casadi.SX(_exact(J)), casadi.SX(_exact(body.mass * _skew(c))), casadi.SX(_exact(body.mass * np.eye(3)))


def _gyroscopic(inertia: Any, twist: Pair) -> Pair:
    """v x* (I v)."""
    w, u = twist
    n, f = _apply(inertia, twist)
    return _cross(w, n) + _cross(u, f), _cross(w, f)


def _apply(inertia: Any, twist: Pair) -> Pair:
    J, H, M = inertia
    w, u = twist
    return casadi.mtimes(J, w) + casadi.mtimes(H, u), casadi.mtimes(H.T, w) + casadi.mtimes(M, u)


def _downdate(inertia: Any, U: Pair, D: SX) -> tuple[SX, SX, SX]:
    """I - U U' / D."""
    J, H, M = inertia
    n, f = U
    nd, fd = n / D, f / D
    return J - _symmetric(casadi.mtimes(nd, n.T)), H - casadi.mtimes(n, fd.T), M - _symmetric(casadi.mtimes(fd, f.T))


def _inertia_to_parent(inertia: Any, pose: Any) -> tuple[SX, SX, SX]:
    J, H, M = inertia
    R, p = pose
    J, H, M = (casadi.mtimes(casadi.mtimes(R, X), R.T) for X in (J, H, M))
    M, P = _symmetric(M), _skew(p)
    shifted = H + casadi.mtimes(P, M)
    return _symmetric(J - casadi.mtimes(H, P) + casadi.mtimes(P, shifted.T)), shifted, M


def _sum_inertia(one: Any, other: Any) -> Any:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _twist_to_child(twist: Pair, pose: Any) -> Pair:
    R, p = pose
    w, u = twist
    return casadi.mtimes(R.T, w), casadi.mtimes(R.T, u + _cross(w, p))


def _wrench_to_parent(wrench: Pair, pose: Any) -> Pair:
    R, p = pose
    n, f = (casadi.mtimes(R, x) for x in wrench)
    return n + _cross(p, f), f


def _solve(inertia: Any, rhs: SX) -> SX:
    """6 x 6 system by an unrolled L D L' factorisation."""
    J, H, M = inertia
    A = casadi.vertcat(casadi.horzcat(J, H), casadi.horzcat(H.T, M))
    L: list[list[Any]] = [[0.0] * 6 for _ in range(6)]
    d: list[Any] = []
    for j in range(6):
        d.append(A[j, j] - sum((L[j][k] * L[j][k] * d[k] for k in range(j)), casadi.SX(0)))
        for i in range(j + 1, 6):
            L[i][j] = (A[i, j] - sum((L[i][k] * L[j][k] * d[k] for k in range(j)), casadi.SX(0))) / d[j]
    y: list[Any] = []
    for i in range(6):
        y.append(rhs[i] - sum((L[i][k] * y[k] for k in range(i)), casadi.SX(0)))
    x: list[Any] = [None] * 6
    for i in reversed(range(6)):
        x[i] = y[i] / d[i] - sum((L[k][i] * x[k] for k in range(i + 1, 6)), casadi.SX(0))
    return casadi.vertcat(*x)


def _symmetric(A: SX) -> SX:
    """Upper triangle mirrored: the lower one is never computed."""
    return casadi.triu2symm(casadi.triu(A))


def _skew(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
    return casadi.skew(x)


def _cross(a: Any, b: Any) -> Any:
    return casadi.cross(casadi.SX(a), casadi.SX(b))


def _dot(a: Pair, b: Pair) -> SX:
    return casadi.dot(casadi.SX(a[0]), casadi.SX(b[0])) + casadi.dot(casadi.SX(a[1]), casadi.SX(b[1]))


def _add(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def _scale(a: Pair, x: SX) -> Pair:
    return a[0] * x, a[1] * x


def _exact(x: Any) -> Any:
    """A sparse matrix: CasADi folds structural zeros, so that none is ever multiplied."""
    return casadi.sparsify(casadi.DM(x))
