"""Hybrid dynamics with carried unknowns: some accelerations are given and answer with forces [RM alg. 6].

`body.prescribed` links follow `qdd_in`. Where others follow a prescribed joint, its closure is prescribed instead: the
acceleration that they share is put in where it would have been eliminated, and what its row lacks is the force.
"""


from anyjoint.spatial import as_matrix, dot, vector, zeros
from anyjoint.tree.columns import Columns
from anyjoint.tree.record import Record

from . import carried
from .algorithm import Parent, algorithm
from .articulated_body import velocities
from .carried import CARRIED
from .front import hand_on, on_joint, pairs, received, working
from .velocity import centripetal_acceleration


def inertias(body: Record, parent: Parent) -> None:
    """Inward: a prescribed joint is stiff and hands on all of its inertia [RM alg. 6, 7-15]."""
    if not body.prescribed:
        carried.inertias(body, parent)
    elif body.columns.closes:
        put_in(body, parent)
    else:
        stiffen(body, parent)


def stiffen(body: Record, parent: Parent) -> None:
    """A joint whose accelerations are given."""
    J, b, U, D, r, s = working(body)
    rest = body.a + (body.S_A + body.S_B) @ body.qdd_in
    body.J_hat, body.b_hat, body.U_hat = J, b, U
    for k, column in enumerate(body.columns.joints):
        r[column] = r[column] + dot(on_joint(body, k), body.qdd_in)
    hand_on(body, parent, J, b + J @ rest, U, D, r + U.T @ rest, s)  # [RM alg. 6, 10-11]


def put_in(body: Record, parent: Parent) -> None:
    """Shared accelerations that are given, at their closure."""
    front, (J, b, U, D, r, s) = body.columns, received(body)
    n, full = front.closes, dict(zip(pairs(front.width), D, strict=True))
    rows = [[full[max(j, k), min(j, k)] for j in range(front.width)] for k in range(n)]
    body.U_hat, body.r_hat, body.D_hat = U[:, :n], r[:n], as_matrix(rows)
    b = b + U[:, :n] @ body.qdd_in
    r = r + body.D_hat.T @ body.qdd_in
    D = [full[i, j] for i, j in pairs(front.width) if j >= n]
    hand_on(body, parent, J, b, U[:, n:], D, r[n:], s[n:])


def accelerations(body: Record, parent: Parent) -> None:
    """Outward: accelerations of the free joints, forces of the prescribed ones [RM alg. 6, 20-25]."""
    if not body.prescribed:
        carried.accelerations(body, parent)
        body.tau_out = body.tau - body.passive
        return
    front: Columns = body.columns
    passing = vector(*(parent.carried[k] for k in front.lands))
    alpha = body.A.motion(parent.alpha)
    if front.closes:
        body.alpha, body.qdd, body.multipliers = alpha, zeros(0), zeros(0)
        body.carried = vector(*body.qdd_in, *passing)
        body.tau_out = body.U_hat.T @ alpha + body.r_hat + body.D_hat @ body.carried
        return
    body.carried, body.qdd, body.multipliers = passing, body.qdd_in, zeros(0)
    S = body.S_A + body.S_B
    alpha = alpha + body.a + S @ body.qdd
    wrench = body.J_hat @ alpha + body.b_hat + body.U_hat @ passing
    body.tau_out = S.T @ wrench + body.armature * body.qdd - body.passive  # [RM alg. 6, 21-22]
    for k, column in enumerate(front.joints):
        body.tau_out = body.tau_out + on_joint(body, k) * passing[column]
    body.alpha = body.W.motion(alpha) + centripetal_acceleration(body)


CARRIED_HYBRID = algorithm(
    "hybrid with carried unknowns",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    inputs=[*CARRIED.inputs, "qdd_in"],
    results=["qdd", "tau_out"],
    over="regrouped",
)
