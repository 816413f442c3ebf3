"""Composite-rigid-body method: the joint space inertia matrix M = H^T A^T M A H [PAK section 4].

The second half of each column is a walk from the body to the root, so M costs O(n * depth).
"""


from anyjoint.joints.product_rule import columns
from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm


def composite_inertias(body: Record, parent: Parent) -> None:
    """Inward: inertia of everything that hangs on a body, in the joint's working frame."""
    J = body.W.inertia(body.plus("J", body.J))
    body.S = body.S_A + body.S_B
    body.F = columns([J @ body.S[:, j] for j in range(body.S.shape[1])])
    parent.add("J", body.A.inertia(J))


COMPOSITE = algorithm("composite-rigid-body", ("inward", composite_inertias), results=["F"], inputs=["q"])
