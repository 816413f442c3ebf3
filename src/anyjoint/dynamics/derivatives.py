"""Derivatives of inverse dynamics for joints with any S(q), in one common frame (see common_frame.py).

Per velocity k, with d_k along its own joint while the parent is held (see joints/partials.py), V and A the twist and
acceleration of the link, V_p and A_p those of its parent:

    J = Ad(T) S_k    Psi' = ad(V_p) J + d_k s    Psi'' = ad(A_p) J + ad(V_p) (Psi' + d_k s) + d_k c + ...
    Phi = 2 ad(V_p) J + dc/dv_k + ad(s) S_k

A link feels the velocity-product wrench B V with 2B = [[-2 ([w] E + [h] [u]), 0], [-2 [l], 0]], l its linear momentum.
With sums over everything beyond a joint, marked c, and r between k and the root:

    a = I^c J    b = (2 B^c)^T J    Fq = J x* F^c + I^c Psi'' + 2 B^c Psi'    Fv = I^c Phi + 2 B^c J
    dtau_r/dq_k = J_r . Fq_k    dtau_k/dq_r = a_k . Psi''_r + b_k . Psi'_r    M_rk = J_r . a_k
    dtau_r/dv_k = J_r . Fv_k    dtau_k/dv_r = a_k . Phi_r + b_k . J_r

Of b only the angular part is not zero, so of Psi' only that part is kept.
"""

from __future__ import annotations

import numpy as np

from anyjoint.joints.partials import child_bias
from anyjoint.joints.product_rule import columns
from anyjoint.spatial import Matrix, Vector, ad, cross, dot, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .common_frame import EYE, Mass, common_mass, crossed, lifted, lifted_twist, lowered_wrench, products
from .small_matrix import joint_inertia


def advance(body: Record, parent: Parent) -> None:
    """Outward: twists and accelerations, how they change along the joint, and the wrench that the link needs."""
    A = move(body, parent)
    body.alpha = body.alpha + body.J_world @ body.qdd
    respond(body, A)
    body.f = inertial_wrench(body, body.alpha)


def move(body: Record, parent: Parent) -> Vector:
    """Everything that needs no accelerations of joints; the acceleration of the parent is handed back."""
    place(body, parent.R, parent.p)
    V, A = parent.v, seen(body, parent.alpha)
    J, n = body.J_world, body.J_world.shape[1]
    spun = [ad(V, J[:, k]) for k in range(n)]
    bent = lifted(body, body.twist_q)
    along = body.along_world = lifted(body, body.along)
    body.Psi = columns([ad(V, along[:, k]) + bent[:, k] for k in range(along.shape[1])])
    body.spread = columns([ad(V, body.Psi[:, k] + bent[:, k]) for k in range(along.shape[1])])
    rates = lifted(body, body.bias_v)
    body.Phi = columns([2 * spun[k] + rates[:, k] for k in range(n)])
    body.v = V + J @ body.qd
    drift = lifted_twist(body.R_joint, body.p_joint, child_bias(body, body.qd))
    body.alpha = A + sum((spun[k] * body.qd[k] for k in range(n)), drift)
    weigh(body)
    return A


def place(body: Record, R: Matrix, p: Vector) -> None:
    """The joint's and the link's frames, behind the parent's; the first joint of a branch is the common frame."""
    body.R_joint, body.p_joint = (EYE, zeros(3)) if body.on_ground else body.A.behind(R, p)
    body.R, body.p = body.W.behind(body.R_joint, body.p_joint)
    body.J_world = lifted(body, body.S_A + body.S_B)


def seen(body: Record, alpha: Vector) -> Vector:
    """The parent's acceleration; that of the ground is not yet seen from the common frame."""
    A: Vector = body.A.motion(alpha) if body.on_ground else alpha
    return A


def weigh(body: Record) -> None:
    """The link's inertia, and B = -(turning, 0; [l], 0) as a matrix and a vector."""
    mass = common_mass(body)
    body.E, body.h, body.m = mass.E, mass.h, mass.m
    E, w, u = mass.integral, body.v[:3], body.v[3:]
    turning = zeros(3, 3)
    for j in range(3):
        turning[:, j] = cross(w, E[:, j]) + u * mass.h[j]
        turning[j, j] = turning[j, j] - dot(mass.h, u)
    body.turning, body.l = turning, mass.m * u - cross(mass.h, w)


def inertial_wrench(body: Record, alpha: Vector) -> Vector:
    """I A + B V, where B V = V x* I V."""
    w = body.v[:3]
    turned: Vector = np.concatenate([-(body.turning @ w), cross(w, body.l)])
    return Mass(body.E, body.h, body.m) @ alpha + turned


def respond(body: Record, A: Vector) -> None:
    """Psi'': how the link's acceleration changes, where A is the parent's."""
    along = body.along_world
    bent = [body.bias_q[:, k] + body.S_q[:, :, k] @ body.qdd for k in range(along.shape[1])]
    last = lifted(body, columns(bent))
    body.Psi2 = columns([ad(A, along[:, k]) + body.spread[:, k] + last[:, k] for k in range(along.shape[1])])
    body.Psi1 = body.Psi[:3]


def gather(body: Record, parent: Parent) -> None:
    """Inward: sums over everything beyond the joint, its columns, and the entries of its own block."""
    collect_masses(body, parent)
    collect_wrenches(body, parent)


def collect_masses(body: Record, parent: Parent) -> None:
    """Inertias and B of everything beyond the joint; what unit velocities and accelerations ask for."""
    mass = Mass(body.plus("E", body.E), body.plus("h", body.h), body.plus("m", body.m))
    turning, l = body.plus("turning", body.turning), body.plus("l", body.l)
    for name, value in (("E", mass.E), ("h", mass.h), ("m", mass.m), ("turning", turning), ("l", l)):
        parent.add(name, value)
    body.E_all, body.h_all, body.m_all = mass.E, mass.h, mass.m
    body.turning2, body.l2 = 2 * turning, 2 * l
    J, Phi, n = body.J_world, body.Phi, body.J_world.shape[1]
    body.a_world = columns([mass @ J[:, k] for k in range(n)])
    body.b_world = rows3([cross(body.l2, J[3:, k]) - body.turning2.T @ J[:3, k] for k in range(n)])
    body.Fv = columns([mass @ Phi[:, k] + _twice_B(body, J[:3, k]) for k in range(n)])
    body.D_a = joint_inertia(J, body.a_world, body.armature)
    body.D_v = products(body.a_world, Phi) + products(body.b_world, J[:3]) - body.passive_v


def collect_wrenches(body: Record, parent: Parent) -> None:
    """Wrenches of everything beyond the joint, and how coordinates change them."""
    f = body.f_all = body.plus("f", body.f)
    parent.add("f", f)
    mass, along = Mass(body.E_all, body.h_all, body.m_all), body.along_world
    body.Fq = columns([
        crossed(along[:, k], f) + mass @ body.Psi2[:, k] + _twice_B(body, body.Psi1[:, k])
        for k in range(along.shape[1])
    ])  # fmt: skip
    here = lowered_wrench(body, f)
    bent = zeros(*body.S_q.shape[1:])
    for l in range(bent.shape[0]):
        for k in range(bent.shape[1]):
            bent[l, k] = dot(body.S_q[:, l, k], here)
    body.D_q = products(body.a_world, body.Psi2) + products(body.b_world, body.Psi1) + bent - body.passive_q


def _twice_B(body: Record, w: Vector) -> Vector:
    """2 B^c of a twist with the angular part w."""
    return np.concatenate([-(body.turning2 @ w), cross(w, body.l2)])


def rows3(vectors: list[Vector]) -> Matrix:
    """A 3xn matrix from its columns."""
    out = zeros(3, len(vectors))
    for k, column in enumerate(vectors):
        out[:, k] = column
    return out


def begin(body: Record, parent: Parent) -> None:
    """Outward: motion and wrenches where joints do not accelerate."""
    move(body, parent)
    body.f = inertial_wrench(body, body.alpha)


def resist(body: Record, parent: Parent) -> None:
    """Inward: inertias, and the forces that joints would need not to accelerate."""
    collect_masses(body, parent)
    f = body.plus("f", body.f)
    parent.add("f", f)
    body.generalized = body.J_world.T @ f


def follow(body: Record, parent: Parent) -> None:
    """Outward: what accelerations of joints add to motion and wrenches."""
    accelerate(body, parent)
    body.f = body.f + Mass(body.E, body.h, body.m) @ body.y


def accelerate(body: Record, parent: Parent) -> None:
    """What accelerations of joints add to motion."""
    y = parent.y + body.J_world @ body.qdd
    respond(body, seen(body, parent.alpha))
    body.y, body.alpha = y, body.alpha + y


COLUMNS = ("J_world", "Psi1", "Psi2", "Phi", "a_world", "b_world", "Fq", "Fv", "D_q", "D_v", "D_a")

INVERSE_DERIVATIVES = algorithm(
    "inverse dynamics, derivatives",
    ("outward", advance),
    ("inward", gather),
    inputs=["q", "v", "qdd"],
    results=COLUMNS,
    over="regrouped",
    partials="velocities",
)
