"""Modified articulated-body method [PAK section 7]: pivots from the body's own and its children's inertia apart."""

from typing import Any

from anyjoint.joints.product_rule import columns
from anyjoint.spatial import BlockInertia

from .articulated_body import accelerations, eliminate, velocities
from .body import algorithm
from .small_matrix import gram, ldl


def inertias(body: Any, parent: Any) -> None:
    """Inward: D = H^T M H + H^T M~ H, where M~ is what the children have handed in."""
    own = body.W.inertia(body.J)
    handed = body.W.inertia(body.plus("J", BlockInertia.zero()))
    b = body.W.force(body.plus("b", body.b))
    S = body.S_A + body.S_B
    U, V = (columns([M @ S[:, j] for j in range(S.shape[1])]) for M in (own, handed))
    eliminate(body, parent, own + handed, b, S, U + V, ldl(gram(S, U) + gram(S, V)))  # [PAK section 7]


MODIFIED_ARTICULATED_BODY = algorithm(
    "modified-articulated-body",
    ("outward", velocities),
    ("inward", inertias),
    ("outward", accelerations),
    results=["qdd"],
    inputs=["q", "v", "tau"],
)
