"""Recursive Newton-Euler inverse dynamics for any joint [LJ section 7].

Velocities and accelerations travel outward, wrenches inward. The acceleration of a point r of a body is A + Omega r
with the tensor Omega = [wdot] + [w][w]; it serves both the body's own inertia and the offsets to its children, which
is how Balafoutis and Patel (1991) save products. Linear velocities are not needed (see velocity.py).
"""

from dataclasses import replace

import numpy as np

from anyjoint.spatial import Matrix, Translation, Vector, cross, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, Sweep, algorithm


def accelerate(body: Record, parent: Parent) -> None:
    """Outward: angular velocity, accelerations, and the wrench that the body needs for them [LJ pass 1; SG eq. 11].

    Angular ones are [LJ eq. 77, 78, 80], linear ones [LJ eq. 79, 84], of the origin instead of the centre of mass.
    """
    body.w, body.wdot, body.acceleration = (_by_factors if body.pieces else _by_legs)(body, parent)
    body.Omega = acceleration_tensor(body.w, body.wdot)
    body.b = inertial_wrench(body)


def _by_legs(body: Record, parent: Parent) -> tuple[Vector, Vector, Vector]:
    """By the joint's Jacobian, in its working frame."""
    x = body.A.turn(parent.w)
    s_A, s_B = body.S_A @ body.qd, body.S_B @ body.qd
    y = x + s_A[:3]
    V = y + s_B[:3]
    joint = (body.S_A + body.S_B) @ body.qdd + body.c
    wdot = body.A.turn(parent.wdot) + joint[:3] + cross(x, s_A[:3]) + cross(V, s_B[:3])
    linear = body.A.turn(parent.acceleration + parent.Omega @ body.A.p)
    linear = linear + joint[3:] + cross(x + y, s_A[3:]) + cross(y + V, s_B[3:])
    if body.W.factors:
        linear = body.W.turn(linear + acceleration_tensor(V, wdot) @ body.W.p)
        V, wdot = body.W.turn(V), body.W.turn(wdot)
    return V, wdot, linear


def _by_factors(body: Record, parent: Parent) -> tuple[Vector, Vector, Vector]:
    """By one factor of the pose after the other, each as a joint of its own: nothing is turned more than once."""
    w, wdot, linear = parent.w, parent.wdot, parent.acceleration
    for piece in body.pieces:
        (factor,) = piece.pose.factors
        s, sdot = piece.S @ body.qd, piece.S @ body.qdd + piece.c
        if isinstance(factor, Translation):
            linear = linear + acceleration_tensor(w, wdot) @ vector(*factor.p) + 2 * cross(w, s[3:]) + sdot[3:]
        else:
            x = factor.turn(w)
            w, wdot, linear = x + s[:3], factor.turn(wdot) + cross(x, s[:3]) + sdot[:3], factor.turn(linear)
    return w, wdot, linear


def acceleration_tensor(w: Vector, wdot: Vector) -> Matrix:
    """Omega = [wdot] + [w][w]."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    out = zeros(3, 3)
    out[0] = [-(yy + zz), xy - wdot[2], xz + wdot[1]]
    out[1] = [xy + wdot[2], -(xx + zz), yz - wdot[0]]
    out[2] = [xz - wdot[1], yz + wdot[0], -(xx + yy)]
    return out


def inertial_wrench(body: Record) -> Vector:
    """f = m A + Omega h, n = h x A + the skew part of Omega E with E the integral of r r^T.

    Newton's and Euler's equations, about the frame's origin [SG eq. 4; PAK eq. 1; LJ eq. 22-24].
    """
    I, A, Omega = body.J.A, body.acceleration, body.Omega
    h = vector(body.J.B[2, 1], body.J.B[0, 2], body.J.B[1, 0])
    half = 0.5 * (I[0, 0] + I[1, 1] + I[2, 2])
    E = vector(half - I[0, 0], half - I[1, 1], half - I[2, 2])
    n = zeros(3)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        n[i] = Omega[k, j] * E[j] - Omega[j, k] * E[k] + I[j, k] * (Omega[j, j] - Omega[k, k])
        n[i] = n[i] + Omega[j, i] * I[i, k] - Omega[k, i] * I[i, j]
    return np.concatenate([n + cross(h, A), body.J.C[0, 0] * A + Omega @ h])


def collect(body: Record, parent: Parent) -> None:
    """Inward: joint wrenches and generalized forces [LJ pass 2, eq. 72, 73; SG eq. 13-15]."""
    f = body.plus("f", body.b)
    if body.pieces:
        generalized = zeros(len(body.qd))
        for piece in reversed(body.pieces):
            generalized = generalized + piece.S.T @ f
            f = piece.pose.force(f)
        body.generalized = generalized
        parent.add("f", f)
    else:
        f = body.W.force(f)
        body.generalized = (body.S_A + body.S_B).T @ f
        parent.add("f", body.A.force(f))


def resist(body: Record, parent: Parent) -> None:
    """Inward: joint wrenches, and the inertia that the joint alone feels."""
    collect(body, parent)
    body.generalized = body.generalized + body.armature * body.qdd


def apply(body: Record, parent: Parent) -> None:
    """Inward: what has to be applied beside the joint's own springs and dampers."""
    resist(body, parent)
    body.generalized = body.generalized - body.passive


NEWTON_EULER = algorithm(
    "newton-euler", ("outward", accelerate), ("inward", apply), results=["generalized"], inputs=["q", "v", "qdd"],
    over="regrouped",
)  # fmt: skip


def rest(body: Record, parent: Parent) -> None:
    """Outward at zero acceleration of the mechanism's own coordinates; joints that follow others may have some."""
    body.qdd = body.qdd_rest
    accelerate(body, parent)


def passive(body: Record, parent: Parent) -> None:
    """Outward: the forces of the joint's own springs and dampers."""
    body.generalized = body.passive + 0


BIAS = algorithm(
    "bias", ("outward", rest), ("inward", apply), inputs=["q", "v"], results=["generalized"], over="regrouped"
)
# The same without springs and dampers, for formulations that have them in tau already.
INERTIAL_BIAS = replace(BIAS, name="inertial bias", sweeps=(BIAS.sweeps[0], Sweep("inward", resist)))
# [SG eq. 53]
GRAVITY = replace(INERTIAL_BIAS, name="gravity", inputs=("q",))
PASSIVE = algorithm(
    "springs and dampers", ("outward", passive), inputs=["q", "v"], results=["generalized"], over="regrouped"
)
# M times a vector: no velocity, no gravity.
MASS_TIMES = algorithm(
    "mass times acceleration",
    ("outward", accelerate),
    ("inward", resist),
    inputs=["q", "qdd"],
    results=["generalized"],
    over="regrouped",
    gravity=False,
)
# Where joints have several factors, these are often fewer operations.
NEWTON_EULER_BY_FACTORS, BIAS_BY_FACTORS, GRAVITY_BY_FACTORS, MASS_TIMES_BY_FACTORS = (
    replace(method, name=f"{method.name} by factors", factors=True)
    for method in (NEWTON_EULER, BIAS, GRAVITY, MASS_TIMES)
)
