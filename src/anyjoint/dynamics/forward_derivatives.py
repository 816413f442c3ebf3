"""Derivatives of forward dynamics for joints with any S(q), in one common frame, by articulated bodies alone.

With J, Psi', Psi'', Phi and B of derivatives.py: where coordinate k changes, all beyond its joint has to be accelerated
by Psi'' more, and needs the wrench 2 B Psi' more; the joints out there yield, so that articulated inertias I^A answer
for all of them. With J' = J L^-T, Z = Y D^-1 of articulated bodies and P the sum of 2 B over yielding links (6x3):

    inward     K = D J'^T P     I^A = I - Y Z^T     P^A = P - Z J'^T P     pi = I^A Psi'' + P^A Psi' + Z L^-1 x + e
    outward    X = Lambda_p Z   G = D + Z^T X       Lambda = Lambda_p + J' G J'^T - J' X^T - X J'^T

pi is the wrench on the parent, with x what the joint itself adds to its forces and e = J x* F^c; F^c = I^A y + f^A goes
through the joint, where y is what joints add to the parent's acceleration, and f^A what is handed inward for y = 0.
Lambda is how a link accelerates under a wrench upon it, all else yielding. So the parent accelerates by -Lambda_p pi,
and

    L^T y = D L^-1 x - Z^T (Psi'' - Lambda_p pi) - K Psi'     alpha = Psi'' - Lambda_p pi + J' L^T y

are the joint's own rows of the column and the acceleration that it shows to links beyond, whose rows follow outward by
L^T y = -Z^T alpha - K Psi', alpha += J' L^T y. Unit forces have pi = Z L^-1 and go outward the same way without Psi';
by reciprocity the row r of any column of a joint that is not above r is -pi . alpha, where alpha is that of the joint's
parent under a unit force at r. So nothing has to be solved. Results are -Z, -K and -pi.
"""

from __future__ import annotations

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import Matrix, Vector, cross, dot, minus_dot, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .articulated_body import half_columns
from .common_frame import Mass, common_mass, crossed, lowered_wrench, products
from .derivatives import accelerate, begin, place
from .small_matrix import LDL, joint_inertia, ldl


def yield_to(body: Record, parent: Parent) -> None:
    """Inward: factors of articulated inertias, what is left of forces and wrenches, and pi of velocities."""
    Omega, f = articulate(body, parent), body.plus("f", body.f)
    left = Omega.half(body.tau) - body.J_free.T @ f
    body.z = left * Omega.inverse
    body.f_free = f + body.Z @ left
    parent.add("f", body.f_free)
    P = body.plus("P", _twice_B(body))
    turned = products(body.J_free, P)
    body.K_left = -turned * Omega.inverse[:, None]
    body.P_free = columns([_minus(P[:, k], body.Z, turned[:, k]) for k in range(3)])
    parent.add("P", body.P_free)
    body.Pv = _left(body, body.Phi, body.J_world[:3], halves(Omega, body.passive_v))


def articulate(body: Record, parent: Parent) -> LDL:
    """Articulated inertias and their factors in the common frame [SG eq. 27, 28].

    With J' = J L^-T a joint is a row of single ones: I - Y D^-1 Y^T loses one Y_k Z_k^T after the other.
    """
    I, J = body.plus("I", Mass(body.E, body.h, body.m).block()), body.J_world
    U = columns([I @ J[:, k] for k in range(J.shape[1])])
    Omega = ldl(joint_inertia(J, U, body.armature))
    Y = half_columns(U, Omega)
    body.Z, body.J_free, body.L, body.D = Y * Omega.inverse, half_columns(J, Omega), Omega.L, Omega.inverse
    body.Z_left = -body.Z
    body.I_free = I.minus_outer(Y, body.Z)
    parent.add("I", body.I_free)
    return Omega


def _twice_B(body: Record) -> Matrix:
    """2 B of a link, by the angular part of a twist."""
    turning, l = 2 * body.turning, 2 * body.l
    return columns([np.concatenate([-turning[:, k], cross(unit, l)]) for k, unit in enumerate(np.eye(3, dtype=int))])


def halves(factors: LDL, X: Matrix) -> Matrix:
    """L^-1 X, column by column."""
    out = X + 0
    for k in range(X.shape[1]):
        out[:, k] = factors.half(X[:, k])
    return out


def _minus(x: Vector, Z: Matrix, t: Vector) -> Vector:
    """x - Z t."""
    out = zeros(len(x))
    for k in range(len(x)):
        out[k] = minus_dot(x[k], Z[k], t)
    return out


def _left(body: Record, Psi2: Matrix, Psi1: Matrix, x: Matrix) -> Matrix:
    """-pi but for e, where x is L^-1 of what the joint adds."""
    made = [
        body.Z_left @ x[:, k] - (body.I_free @ Psi2[:, k] + body.P_free @ Psi1[:, k]) for k in range(Psi2.shape[1])
    ]
    return columns(made)


def yielded(body: Record, parent: Parent) -> None:
    """Outward: accelerations, the wrench that goes through the joint, columns of velocities, forces, coordinates."""
    factors = LDL(body.L, body.D)
    body.qdd = factors.back(body.z - body.Z.T @ parent.y)
    accelerate(body, parent)
    show(body, parent)
    body.Phi1 = body.J_world[:3]
    body.Yv, body.Av = _own(body, parent, body.Pv, body.Phi, body.J_world[:3], halves(factors, body.passive_v))
    F = body.I_free @ parent.y + body.f_free
    along, here = body.along_world, lowered_wrench(body, F)
    added = body.passive_q + 0
    for l in range(added.shape[0]):
        for k in range(added.shape[1]):
            added[l, k] = added[l, k] - dot(body.S_q[:, l, k], here)
    x = halves(factors, added)
    left = _left(body, body.Psi2, body.Psi1, x)
    body.Pq = columns([left[:, k] - crossed(along[:, k], F) for k in range(along.shape[1])])
    body.Yq, body.Aq = _own(body, parent, body.Pq, body.Psi2, body.Psi1, x)


def show(body: Record, parent: Parent) -> None:
    """How links accelerate under wrenches, and under unit forces at the joint, with its own block of M^-1."""
    Z, J, n = body.Z, body.J_free, body.Z.shape[1]
    X = columns([parent.Lambda @ Z[:, k] for k in range(n)])
    G = joint_inertia(Z, X, body.D)
    shown = J @ G - X
    body.Lambda = parent.Lambda.minus_outer(np.hstack([J, -shown]), np.hstack([X, J]))
    factors = LDL(body.L, body.D)
    body.Au, body.Pu = (halves_beside(factors, x) for x in (shown, body.Z_left))
    Y = halves_beside(factors, halves_beside(factors, G).T)
    body.Yu = symmetric(Y)


def symmetric(X: Matrix) -> Matrix:
    """A matrix that is symmetric but for rounding, by its lower triangle."""
    out = X + 0
    for i in range(len(X)):
        out[:i, i] = out[i, :i]
    return out


def halves_beside(factors: LDL, X: Matrix) -> Matrix:
    """X L^-1, row by row."""
    out = X + 0
    for row in range(len(X)):
        out[row] = factors.back(X[row])
    return out


def _own(
    body: Record, parent: Parent, left: Matrix, Psi2: Matrix, Psi1: Matrix, x: Matrix
) -> tuple[Matrix, Matrix]:
    """A joint's own rows of its columns, and the accelerations that it shows; `left` is -pi."""
    factors, own, shown = LDL(body.L, body.D), x + 0, left + 0
    for k in range(left.shape[1]):
        A = Psi2[:, k] + parent.Lambda @ left[:, k]
        y = body.D * x[:, k] + body.Z_left.T @ A + body.K_left @ Psi1[:, k]
        own[:, k], shown[:, k] = factors.back(y), A + body.J_free @ y
    return own, shown


def stand(body: Record, parent: Parent) -> None:
    """Outward: Jacobians and inertias alone."""
    place(body, parent.R, parent.p)
    mass = common_mass(body)
    body.E, body.h, body.m = mass.E, mass.h, mass.m


def factor(body: Record, parent: Parent) -> None:
    """Inward: factors of articulated inertias alone."""
    articulate(body, parent)


FACTORS = ("J_free", "Z_left", "L")  # with which accelerations are handed on outward, and wrenches inward
UNITS = ("Au", "Pu", "Yu", "Lambda")  # of unit forces

FORWARD_DERIVATIVES = algorithm(
    "forward dynamics, derivatives",
    ("outward", begin),
    ("inward", yield_to),
    ("outward", yielded),
    inputs=["q", "v", "tau"],
    results=(*FACTORS, *UNITS, "K_left", "Phi1", "Psi1", "Pq", "Pv", "Aq", "Av", "Yq", "Yv"),
    over="regrouped",
    partials="velocities",
)
MASS_FACTORS = algorithm(
    "factors of the inverse mass matrix", ("outward", stand), ("inward", factor), ("outward", show), inputs=["q"],
    results=(*FACTORS, *UNITS), over="regrouped",
)  # fmt: skip
