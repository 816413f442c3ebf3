"""Energy of links, what it takes to move them, and the inner motion of a tree: what its joints do beside its first one.

A tree whose joints behind the first one stand still moves as one body. Of all such motions one has the momentum that
the tree has along its first joint; what is left beside it is the inner motion u. M u does not push on the first joint:
forces along it change neither the momentum of a tree in flight nor its angular momentum.
"""

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import dot, vector, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .kinematics import mass_moments
from .newton_euler import accelerate
from .small_matrix import felt, joint_inertia, ldl
from .velocity import move


def store(body: Record, parent: Parent) -> None:
    """Outward: kinetic energy and that of the weight of a link."""
    move(body, parent)
    mass_moments(body, parent)
    body.energy = vector(0.5 * dot(body.v, body.J @ body.v) + dot(body.up, body.moment))


def carry(body: Record, parent: Parent) -> None:
    """Outward: the power that a link takes, against its inertia and gravity."""
    accelerate(body, parent)
    move(body, parent)
    body.power = vector(dot(body.v, body.b))


def gather(body: Record, parent: Parent) -> None:
    """Inward: inertia and momentum of everything beyond a joint, in its working frame."""
    body.beyond = body.W.inertia(body.plus("beyond", body.J))
    body.momentum = body.W.force(body.plus("momentum", body.J @ body.v))
    parent.add("beyond", body.A.inertia(body.beyond))
    parent.add("momentum", body.A.force(body.momentum))


def part(body: Record, parent: Parent) -> None:
    """Outward: `inner` is M u of a link's joint, `work` its product with velocities: u M u, once all are added."""
    S, own = body.S_A + body.S_B, felt(body.armature, body.qd)
    if body.on_ground:
        Omega = joint_inertia(S, columns([body.beyond @ S[:, k] for k in range(S.shape[1])]), body.armature)
        whole, body.inner = S @ ldl(Omega).solve(S.T @ body.momentum + own), zeros(len(body.qd))
    else:
        whole = body.A.motion(parent.whole)
        body.inner = S.T @ (body.momentum - body.beyond @ whole) + own
    body.whole, body.work = body.W.motion(whole), vector(dot(body.qd, body.inner))


LINK_ENERGY = algorithm(
    "energy of links", ("outward", store), inputs=["q", "v"], results=["energy"], over="regrouped"
)
INNER_MOTION = algorithm(
    "inner motion", ("outward", carry), ("inward", gather), ("outward", part),
    inputs=["q", "v", "qdd"], results=["power", "inner", "work"], over="regrouped",
)  # fmt: skip
