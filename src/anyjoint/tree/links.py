"""Links as the sweeps see them: numbers to bodies, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from anyjoint.joints import Joint
from anyjoint.joints.parameters import bind, parameters
from anyjoint.joints.partials import Direction, Partials, along_coordinates, along_velocities, joint_partials
from anyjoint.joints.product_rule import Motion, Piece, factor_pieces, motion_of, still_piece
from anyjoint.joints.spring import Spring
from anyjoint.scalar import Scalar, jet, sincos_of_sum
from anyjoint.spatial import (
    BlockInertia,
    Factor,
    Pose,
    Rotation,
    Scalars,
    Translation,
    Turn,
    Vector,
    rigid,
    vector,
    zeros,
)
from anyjoint.spatial.inertia import UPPER, symmetric_from
from anyjoint.tree.record import Record

from .denavit import exact_sincos, snap
from .moving_part import FIXED, GENERAL, HINGE, SLIDER, stripped_legs
from .plan import NUDGE, Link, Plan
from .rigid import Array

RAW = (
    "sin_gamma", "cos_gamma", "sin_alpha", "cos_alpha", "px", "py", "pz", "sin_theta", "cos_theta", "theta",
    "m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz",
)  # fmt: skip


def raw_values(link: Link) -> list[float]:
    """The numbers of a link in the order of RAW, then its joint's parameters, then those of its springs."""
    return raw_table([link])[0]


def raw_table(links: Sequence[Link]) -> list[list[float]]:
    """The raw numbers of many links; rounding noise is made exact."""
    if not links:
        return []
    turning = np.array([link.kind == HINGE for link in links])  # a hinge adds theta to its coordinate
    theta = np.array([link.theta for link in links])
    p = _snap_zeros(np.array([link.p for link in links]), 0.0)
    columns = [
        *exact_sincos(np.array([link.gamma for link in links])),
        *(snap(np.array([getattr(link, name) for link in links])) for name in ("sin_alpha", "cos_alpha")),
        *p.T,
        *exact_sincos(np.where(turning, 0.0, theta)),
        snap(np.where(turning, theta, 0.0)),
        *inertia_values(np.array([link.inertia for link in links])),
    ]
    own: dict[int, list[float]] = {}  # parameters of joints, which many links may share
    for link in links:
        if id(link.joint) not in own:
            own[id(link.joint)] = [x.value for x in parameters(link.joint)] if link.kind not in (HINGE, SLIDER) else []
    rows = np.stack(columns, axis=1).tolist()
    return [
        [*row, *own[id(link.joint)], *(link.spring.numbers if link.spring else ()), *link.tail]
        for row, link in zip(rows, links, strict=True)
    ]


def joint_numbers(link: Link, raw: Sequence[Scalar]) -> Sequence[Scalar]:
    """The joint's parameters among the raw numbers of a link."""
    springs = len(link.spring.numbers) if link.spring else 0
    return raw[len(RAW) : len(raw) - springs - len(link.tail)]


def give_springs(body: Record, link: Link, raw: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar]) -> None:
    """The joint's own forces, `passive`, their slopes, the energy stored in its springs, and its `armature`."""
    body.passive, body.stored, body.qdd_rest = zeros(link.joint.nv), zeros(1), zeros(link.joint.nv)
    body.armature, body.stiffness, body.damping = (zeros(link.joint.nv) for _ in range(3))
    body.lack, body.give, body.pull, body.grip = (zeros(0) for _ in range(4))  # of forces, where they touch
    if link.spring:
        joint, spring = _bound(link, raw)
        body.passive, body.stored = spring.force(joint, q, v), vector(spring.energy(joint, q))
        body.armature, (body.stiffness, body.damping) = vector(*spring.armature), spring.slopes(joint, q)


def _bound(link: Link, raw: Sequence[Scalar]) -> tuple[Joint, Spring]:
    """The joint and its springs with numbers from the raw ones of a link."""
    assert link.spring
    end = len(raw) - len(link.tail)
    joint = bind(link.joint, joint_numbers(link, raw)) if link.kind == GENERAL else link.joint
    return joint, link.spring.bound(raw[end - len(link.spring.numbers) : end])


def give_partials(
    body: Record, link: Link, raw: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar],
    partials: Partials | None, by_coordinates: bool = False,
) -> None:  # fmt: skip
    """Derivatives of the joint and of its own forces, along velocities or coordinates; hinges have a constant S."""
    n = link.joint.nv
    m = link.joint.nq if by_coordinates else n
    found = partials or Partials(body.S_A, *(zeros(6, *shape) for shape in ((n, m), (m,), (m,), (n,))))
    body.along, body.S_q, body.twist_q, body.bias_q, body.bias_v = vars(found).values()
    by_q, by_v = zeros(n, m), zeros(n, n)
    if link.spring:
        joint, spring = _bound(link, raw)
        _, slopes, _ = jet(lambda at: list(spring.force(joint, at, v)), q, [0] * len(q))
        for k in range(m):
            unit = [1 if i == k else 0 for i in range(m)]
            rates = unit if by_coordinates else joint.rate(q, unit)
            by_q[:, k] = sum((vector(*x) * rate for x, rate in zip(slopes, rates, strict=True)), zeros(n))
        drag = spring.drag(joint, q)
        for k in range(n):
            by_v[k, k if drag.ndim == 1 else slice(None)] = -drag[k]
    body.passive_q, body.passive_v = by_q, by_v


def link_partials(
    link: Link, values: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar], motion_at: Any,
    by_coordinates: bool = False,
) -> Partials:  # fmt: skip
    """Derivatives of a general joint whose motion is `motion_at(q, v)`, its parameters bound to `values`."""
    joint = bind(link.joint, values)
    directions: list[Direction] = (
        along_coordinates(motion_of(stripped_legs(joint, link.core), q, [0] * len(q)))
        if by_coordinates
        else along_velocities(motion_at(q, v), joint.rate, q)
    )
    return joint_partials(motion_at, q, v, directions)


def give_input(body: Record, name: str, values: Vector) -> None:
    """A row of the state that sweeps read; what is applied to a joint adds to its own forces."""
    setattr(body, name, values + body.passive if name == "tau" else values)


def inertia_values(J: Array) -> list[Array]:
    """m, h = m*c and the tensor about the origin, from 6x6 spatial inertias."""
    m = J[:, 3, 3]
    tensor = np.stack([J[:, i, j] for i, j in UPPER], axis=1)
    tensor_scale = np.abs(tensor).max(axis=1)
    h = np.stack([J[:, 2, 4], J[:, 0, 5], J[:, 1, 3]], axis=1)
    return [m, *_snap_zeros(h, np.sqrt(np.abs(m)) * np.sqrt(tensor_scale)).T, *_snap_zeros(tensor, 0.0).T]


def _snap_zeros(rows: Array, scale: Array | float) -> Array:
    """Rows of numbers, with 0 for those that are rounding noise beside `scale` or the largest of their row."""
    largest = np.maximum(np.abs(rows).max(axis=1), scale)
    return np.where(np.abs(rows) <= 4e-15 * largest[:, None], 0.0, rows)


def link_motion(link: Link, values: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
    """The moving part of a general joint, its parameters bound to `values`."""
    joint = bind(link.joint, values)
    if type(joint).motion is not Joint.motion:  # the joint knows its S and c in closed form
        return joint.motion(q, v)  # type: ignore[no-any-return]
    return motion_of(stripped_legs(joint, link.core), q, v)


def link_pieces(link: Link, values: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Piece]:
    """The factors of the moving part of a general joint; none where it knows its S and c in closed form."""
    joint = bind(link.joint, values)
    if type(joint).motion is not Joint.motion:
        return []
    legs = stripped_legs(joint, link.core)

    def pose(x: Sequence[Scalar]) -> Pose:
        A, B = legs(x)
        return A @ B.inverse()

    return factor_pieces(pose, q, v)


def give_pieces(body: Record, link: Link, raw: Sequence[Scalar], pieces: Sequence[Piece]) -> None:
    """All factors from the parent to the link, where the joint has some."""
    if pieces:
        nv = link.joint.nv
        lead, tail = ([still_piece(f, nv) for f in part] for part in (_lead(link, raw), _tail(link, raw)))
        body.pieces = [x for x in (*lead, *pieces, *tail) if not is_identity(x.pose.factors[0])]


def link_body(
    link: Link, raw: Sequence[Scalar], q: Sequence[Scalar], v: Sequence[Scalar], motion: Motion | None
) -> Record:
    """The record of one link before the first sweep."""
    lead, kind, e_z = _lead(link, raw), link.kind, zeros(6, 1)
    *before, _, after = lead
    x, y, z = raw[4:7]
    if kind == HINGE:
        e_z[2, 0] = 1
        A = Pose([*before, Translation((x, y, z)), _rotation(2, *sincos_of_sum(q[0], raw[9]))])
        motion = Motion(A, Pose(), e_z, zeros(6, 1), zeros(6))
    elif kind == SLIDER:
        e_z[5, 0] = 1
        A = Pose([*before, Translation((x, y, z + q[0])), after])
        motion = Motion(A, Pose(), e_z, zeros(6, 1), zeros(6))
    elif kind == GENERAL and motion is not None:
        motion = Motion(Pose(lead) @ motion.A, motion.B, motion.S_A, motion.S_B, motion.c)
    elif kind == FIXED:
        motion = Motion(Pose(lead), Pose(), zeros(6, 0), zeros(6, 0), zeros(6))
    assert motion is not None  # general links always come with their motion
    A = Pose([f for f in motion.A.factors if not is_identity(f)])
    W = Pose([f for f in (*motion.B.inverse().factors, *_tail(link, raw)) if not is_identity(f)])
    S_A, S_B, J = motion.S_A, motion.S_B, raw_inertia(raw)
    return Record(A=A, W=W, S_A=S_A, S_B=S_B, c=motion.c, J=J, qd=vector(*v), pieces=[])


def _lead(link: Link, raw: Sequence[Scalar]) -> list[Factor]:
    """The factors from the parent to a joint, of which the last two are a translation and a rotation."""
    before = _nudge(raw[len(raw) - NUDGE :]) if link.nudged else []
    turn = _rotation(2, raw[0], raw[1]), _rotation(0, raw[2], raw[3])
    x, y, z = raw[4:7]
    return [*before, *turn, Translation((x, y, z)), _rotation(2, raw[7], raw[8])]


def _tail(link: Link, raw: Sequence[Scalar]) -> list[Factor]:
    """The factors from a joint to the link, if it has a frame of its own."""
    if len(link.tail) <= NUDGE:
        return []
    *R, x, y, z = raw[len(raw) - len(link.tail) : len(raw) - NUDGE * link.nudged]
    return [Translation((x, y, z)), Turn(vector(*R).reshape(3, 3))]


def _nudge(xi: Sequence[Scalar]) -> list[Scalar]:
    """Factors of a pose that is exp(xi) to second order, and rigid whatever xi is."""
    (a, b, c), (x, y, z) = xi[:3], xi[3:]
    moved = x + 0.5 * (b * z - c * y), y + 0.5 * (c * x - a * z), z + 0.5 * (a * y - b * x)
    turns = a - 0.5 * b * c, b + 0.5 * a * c, c - 0.5 * a * b  # one after the other, they make up for their order
    return [Translation(moved), *(Rotation(axis, angle) for axis, angle in enumerate(turns))]


def raw_inertia(raw: Sequence[Scalar]) -> BlockInertia:
    """The rigid inertia of a link's numbers."""
    return rigid(raw[10], vector(*raw[11:14]), symmetric_from(list(raw[14:20])))


def _rotation(axis: int, s: Scalar, c: Scalar) -> Rotation:
    return Rotation.from_sincos(axis, s, c)


def is_identity(factor: Factor) -> bool:
    """A factor that is known to do nothing."""
    if isinstance(factor, Rotation):
        s, c = factor.sincos
        return isinstance(s, (int, float)) and isinstance(c, (int, float)) and s == 0 and c == 1
    return isinstance(factor, Translation) and all(isinstance(x, (int, float)) and x == 0 for x in factor.p)


def float_bodies(
    plan: Plan, q: Scalars, v: Scalars, partials: bool = False, factors: bool = False, **inputs: Any
) -> list[Record]:
    """All links at a state, on plain numbers: the oracle of the compiled programs; on request with more of joints."""
    bodies = []
    for link, raw in zip(plan.links, raw_table(plan.links), strict=True):
        ql, vl = [float(x) for x in q[link.q]], [float(x) for x in v[link.v]]
        own = joint_numbers(link, raw)
        motion = link_motion(link, own, ql, vl) if link.kind == GENERAL else None
        body = link_body(link, raw, ql, vl, motion)
        give_springs(body, link, raw, ql, vl)
        if factors and link.kind == GENERAL:
            give_pieces(body, link, raw, link_pieces(link, own, ql, vl))
        if partials:
            motion_at = partial(link_motion, link, own)
            give_partials(body, link, raw, ql, vl, link_partials(link, own, ql, vl, motion_at) if motion else None)
        body.on_ground, body.still = link.parent < 0, link.still
        body.prescribed, body.elders, body.columns = link.prescribed, link.elders, link.columns
        for name, values in inputs.items():
            give_input(body, name, vector(*(float(x) for x in values[link.v])))
        bodies.append(body)
    return bodies


def upward(gravity: Sequence[Scalar]) -> Vector:
    """Gravity as the ground's acceleration, -g [LJ eq. 85]."""
    return vector(*(-x for x in gravity))
