"""Recursive hybrid dynamics [RM alg. 6]: some joints are given their accelerations and answer with forces.

`body.prescribed` is a plain bool, set before the first sweep. Prescribed joints read `qdd_in`, the others `tau`; all
of them give both `qdd` and `tau_out`.
"""


from anyjoint.joints.product_rule import columns
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .articulated_body import eliminate
from .small_matrix import LDL, joint_inertia, ldl
from .velocity import gyroscopic_wrench, move


def velocities(body: Record, parent: Parent) -> None:
    """Outward: twists, velocity products, gyroscopic wrenches."""
    move(body, parent)  # [RM alg. 6, 3-4]
    body.b = gyroscopic_wrench(body)


def inertias(body: Record, parent: Parent) -> None:
    """Inward: what a joint hands on of its inertia; a prescribed one is stiff and hands on all of it."""
    J = body.W.inertia(body.plus("J", body.J))  # [RM alg. 6, 7]
    b = body.W.force(body.plus("b", body.b))  # [RM alg. 6, 8]
    S = body.S_A + body.S_B
    if body.prescribed:
        body.J_hat, body.b_hat = J, b
        parent.add("J", body.A.inertia(J))  # [RM alg. 6, 10]
        parent.add("b", body.A.force(b + J @ (body.a + S @ body.qdd_in)))  # [RM alg. 6, 11]
    else:
        U = columns([J @ S[:, j] for j in range(S.shape[1])])
        eliminate(body, parent, J, b, S, U, ldl(joint_inertia(S, U, body.armature)))  # [RM alg. 6, 13-15]


def accelerations(body: Record, parent: Parent) -> None:
    """Outward: accelerations of the free joints, forces of the prescribed ones."""
    S = body.S_A + body.S_B
    alpha = body.A.motion(parent.alpha) + body.a
    if body.prescribed:
        body.qdd = body.qdd_in + 0
        alpha = alpha + S @ body.qdd  # [RM alg. 6, 20]
        own = body.armature * body.qdd - body.passive
        body.tau_out = S.T @ (body.J_hat @ alpha + body.b_hat) + own  # [RM alg. 6, 21-22]
    else:
        body.tau_out = body.tau - body.passive
        body.qdd = LDL(body.L, body.z).back(body.z - body.Z.T @ alpha)  # [RM alg. 6, 24]
        alpha = alpha + S @ body.qdd  # [RM alg. 6, 25]
    body.alpha = body.W.motion(alpha)


HYBRID = algorithm(
    "hybrid",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    inputs=["q", "v", "tau", "qdd_in"],
    results=["qdd", "tau_out"],
)
