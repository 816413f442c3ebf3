"""Links that nothing but shared accelerations y moves: between them and the ground all joints follow the same ones.

Their accelerations are known functions lead @ y + fall before anything is eliminated, so that no inertia has to be
handed on: each link adds its part of Kane's equations to D and r and that is all. Axes are the world's, where links
that lean alike share most expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anyjoint.scalar import Scalar
from anyjoint.spatial import BlockInertia, Matrix, Vector, cross, dot, vector, zeros
from anyjoint.tree.closures import GROUND
from anyjoint.tree.record import Record

from .velocity import centripetal_acceleration

Merge = Callable[[list[Scalar]], list[Scalar]]


def give_leads(records: Sequence[Record], parents: Sequence[int], up: Vector, merge: Merge) -> None:
    """Outward over links with `columns.led`: lead, fall, rotation, moment and gyroscopic wrench in world axes."""
    R: dict[int, Matrix] = {GROUND: np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=object)}
    fall = {GROUND: np.concatenate([zeros(3), up])}
    lead: dict[int, list[Vector]] = {}
    chosen = []
    for i, body in enumerate(records):
        p = parents[i]
        if body.columns.closes and p in R:  # a closure is where its parent is
            R[i], fall[i] = R[p], fall[p]
            if p in lead:
                lead[i] = lead[p]
        elif body.columns.led:
            pose = body.A @ body.W
            d, above = R[p] @ pose.p, lead.get(p)
            R[i] = R[p] @ pose.R
            S = body.S_A + body.S_B
            steps = [_turned(R[i], body.W.motion(column)) for column in (S @ body.Phi).T]
            lead[i] = [step if above is None else _moved(above[k], d) + step for k, step in enumerate(steps)]
            rest = body.W.motion(body.a + S @ body.second) + centripetal_acceleration(body)
            fall[i] = _moved(fall[p], d) + _turned(R[i], rest)
            chosen.append(i)
    flat = []
    for i in chosen:
        own = *(R[i] @ _moment(records[i])), *_turned(R[i], records[i].b)
        flat.append([*R[i].ravel(), *fall[i], *(x for column in lead[i] for x in column), *own])
    values = iter(merge([x for row in flat for x in row]))
    for i, row in zip(chosen, flat, strict=True):
        merged = vector(*(next(values) for _ in row))
        body, count = records[i], len(lead[i])
        body.R_world, body.fall = merged[:9].reshape(3, 3), merged[9:15]
        body.lead = merged[15 : 15 + 6 * count].reshape(count, 6).T
        body.h_world, body.b_world = merged[-9:-6], merged[-6:]


def add_part(
    body: Record, D: dict[tuple[int, int], Scalar], r: Vector, U: Matrix, J: BlockInertia | None, b: Vector
) -> None:
    """A link's part of Kane's equations; J, b and U are what its children have handed in, in its own axes."""
    driven, h, m = body.columns.driven, body.h_world, body.J.C[0, 0]
    columns, fall = list(body.lead.T), body.fall
    inner = [_seen(body.R_world, column) for column in columns] if J is not None or _any(U) else []
    felt = _seen(body.R_world, fall) if inner else zeros(6)
    push = _wrench(body, m, h, fall) + body.b_world
    for i, column in enumerate(driven):
        wrench = _wrench(body, m, h, columns[i])
        for j, other in enumerate(driven[: i + 1]):
            key = (max(column, other), min(column, other))
            D[key] = D[key] + dot(columns[j], wrench)
        r[column] = r[column] + dot(columns[i], push)
        if inner:
            _add_carried(body, i, column, inner, felt, D, r, U, J, b)


def _add_carried(
    body: Record, i: int, column: int, inner: list[Vector], felt: Vector, D: dict[tuple[int, int], Scalar], r: Vector,
    U: Matrix, J: BlockInertia | None, b: Vector,
) -> None:  # fmt: skip
    """The part of what children have handed in."""
    if J is not None:
        pushed = J @ inner[i]
        for j, other in enumerate(body.columns.driven[: i + 1]):
            key = (max(column, other), min(column, other))
            D[key] = D[key] + dot(inner[j], pushed)
        r[column] = r[column] + dot(inner[i], J @ felt + b)
    for k in range(U.shape[1]):
        key = (max(column, k), min(column, k))
        x = dot(inner[i], U[:, k])
        D[key] = D[key] + (2 * x if k == column else x)
        if i == 0:
            r[k] = r[k] + dot(U[:, k], felt)


def _wrench(body: Record, m: Scalar, h: Vector, alpha: Vector) -> Vector:
    """J alpha of the link alone, in world axes: I is turned there and back."""
    w, u = alpha[:3], alpha[3:]
    spun = body.R_world @ (body.J.A @ (body.R_world.T @ w))
    return np.concatenate([spun + cross(h, u), m * u + cross(w, h)])


def _moment(body: Record) -> Vector:
    return vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])


def _moved(alpha: Vector, d: Vector) -> Vector:
    """The acceleration of a frame that is carried along at d."""
    return np.concatenate([alpha[:3], alpha[3:] + cross(alpha[:3], d)])


def _turned(R: Matrix, x: Vector) -> Vector:
    return np.concatenate([R @ x[:3], R @ x[3:]])


def _seen(R: Matrix, x: Vector) -> Vector:
    return np.concatenate([R.T @ x[:3], R.T @ x[3:]])


def _any(U: Matrix) -> bool:
    return any(not (isinstance(x, (int, float)) and x == 0) for x in U.ravel())
