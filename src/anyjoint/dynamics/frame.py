"""One frame of one body: where it is and how it moves, by a single sweep from it to the ground."""

import numpy as np

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import Matrix, as_matrix, cross, zeros
from anyjoint.tree.record import Record

from .algorithm import Input, Parent, algorithm


def reach(body: Record, parent: Parent) -> None:
    """Inward: the frame as seen from a link, X = (R, p), and the joint's twists as seen from it, Ad(X^-1) S.

    `body.on` is 1 where the frame rides and 0 elsewhere, `body.frame` its rotation by rows, with the origin as a fourth
    column. Links that do not carry it, and have no part in its motion, see zeros [SG eq. 2; RM eq. 6].
    """
    own: Matrix = body.frame.reshape(3, 4) * body.on[0]
    on, R, p = body.plus("carried_on", body.on), body.plus("R_seen", own[:, :3]), body.plus("p_seen", own[:, 3])
    R, p = body.W.before(R, p, on[0])
    S: Matrix = body.S_A + body.S_B
    body.jacobian = columns([np.concatenate([R.T @ s[:3], R.T @ (s[3:] + cross(s[:3], p))]) for s in S.T]).T
    R, p = body.A.before(R, p, on[0])
    for name, value in (("carried_on", on), ("R_seen", R), ("p_seen", p)):
        parent.add(name, value)
    body.pose = zeros(4, 4)
    if body.on_ground:
        body.pose = as_matrix(np.vstack([np.column_stack([R, p]), [0, 0, 0, on[0]]]))


FRAME = algorithm(
    "frame", ("inward", reach), inputs=["q", Input("on", 1, each=True), Input("frame", 12)], results=["jacobian"],
    totals=["pose"], over="bodies", gravity=False, masses=False,
)  # fmt: skip
