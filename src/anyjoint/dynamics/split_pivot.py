"""The articulated-body method with the pivot of [PAK section 7] as printed, D = H^T M H + H^T M~ H.

The quadratic form is taken twice, of a body's own inertia M and of its children's projected inertia M~, so that M is
not first rounded away next to a large M~. It is one of three places where digits go: the other two, M + M~ in what is
handed on and the cancellation inside M~ itself, are as in articulated_body. modified_articulated_body mends all three.
"""


from anyjoint.joints.product_rule import columns
from anyjoint.spatial import BlockInertia, zeros
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .articulated_body import accelerations, eliminate, velocities
from .small_matrix import gram, joint_inertia, ldl
from .velocity import centripetal_acceleration


def inertias(body: Record, parent: Parent) -> None:
    """Inward: articulated inertia and bias wrench; own and projected inertia meet the joint one after the other."""
    M, M_tilde = body.J, body.plus("J", BlockInertia(zeros(3, 3), zeros(3, 3), zeros(3, 3)))
    J = M + M_tilde
    b = body.W.force(body.plus("b", body.b) + J @ centripetal_acceleration(body))
    H = body.S_A + body.S_B
    own, carried = (columns([K @ H[:, j] for j in range(H.shape[1])]) for K in map(body.W.inertia, (M, M_tilde)))
    D = joint_inertia(H, own, body.armature) + gram(H, carried)  # [PAK section 7]
    eliminate(body, parent, body.W.inertia(J), b, H, own + carried, ldl(D))


SPLIT_PIVOT = algorithm(
    "split-pivot",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    inputs=["q", "v", "tau"],
    results=["qdd"],
)
