"""The matrix C of M qdd + C qd + phi = tau, in one common frame (see common_frame.py) [SG eq. 52].

With W = G S the twists of all links per unit velocity, the paper's C is W^T (J Wdot + X W), where X takes the twist of
a link to its velocity-product wrench X v = -ad*_v J v. They print X = -ad*_v J. Any X with that product gives the same
C qd, but Mdot - 2C is skew only where X is skew, too, which theirs is not. The B of derivatives.py, in a frame at rest,
is one that does it, and C then is made of Christoffel's symbols wherever velocities are rates of coordinates.

With sums over everything beyond a joint, marked c, and r between k and the root:

    a = I^c J    b = (B^c)^T J    F = I^c Jdot + B^c J    C_rk = J_r . F_k    C_kr = a_k . Jdot_r + b_k . J_r
"""

from __future__ import annotations

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import Vector, ad, cross, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .common_frame import Mass, lifted, products
from .derivatives import place, rows3, weigh
from .small_matrix import joint_inertia


def turn(body: Record, parent: Parent) -> None:
    """Outward: Jacobians and their rates, twists, inertias and B."""
    place(body, parent.R, parent.p)
    J, n = body.J_world, body.J_world.shape[1]
    rates = lifted(body, columns([_own_rate(body, k) for k in range(n)]))
    body.Jdot = columns([ad(parent.v, J[:, k]) + rates[:, k] for k in range(n)])  # Wdot of [SG eq. 42]
    body.v = parent.v + J @ body.qd  # [SG eq. 41]
    weigh(body)


def _own_rate(body: Record, k: int) -> Vector:
    """How the joint's own motion turns its axis k: Sdot, and the bracket with its other axes."""
    S, others = body.S_A + body.S_B, [j for j in range(len(body.qd)) if j != k]
    twist = sum((S[:, j] * body.qd[j] for j in others), zeros(6))
    rate: Vector = body.S_q[:, k, :] @ body.qd + ad(twist, S[:, k])  # [SG eq. 12]
    return rate


def gather(body: Record, parent: Parent) -> None:
    """Inward: sums over everything beyond the joint, its columns, and its own blocks of C and M."""
    mass = Mass(body.plus("E", body.E), body.plus("h", body.h), body.plus("m", body.m))
    turning, l = body.plus("turning", body.turning), body.plus("l", body.l)
    for name, value in (("E", mass.E), ("h", mass.h), ("m", mass.m), ("turning", turning), ("l", l)):
        parent.add(name, value)
    J, Jdot, n = body.J_world, body.Jdot, body.J_world.shape[1]
    body.a_world = columns([mass @ J[:, k] for k in range(n)])
    body.b_world = rows3([cross(l, J[3:, k]) - turning.T @ J[:3, k] for k in range(n)])
    B = [np.concatenate([-(turning @ J[:3, k]), cross(J[:3, k], l)]) for k in range(n)]
    body.F = columns([mass @ Jdot[:, k] + B[k] for k in range(n)])
    body.D_c = products(body.a_world, Jdot) + products(body.b_world, J[:3])  # [SG eq. 52]
    body.D_a = joint_inertia(J, body.a_world, body.armature)  # [SG eq. 51]


CORIOLIS = algorithm(
    "coriolis", ("outward", turn), ("inward", gather), inputs=["q", "v"],
    results=["J_world", "Jdot", "a_world", "b_world", "F", "D_c"], over="regrouped", partials="velocities",
)  # fmt: skip
