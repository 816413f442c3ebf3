"""M qdd = Q - c of Lagrange's equations for large mechanisms, where coefficients are collected while they arise.

The coefficient of qdd_j in the trace of an equation above j is that of the second moments of everything beyond j
[GL section 4]. Summed once, in the world's axes, they are composite bodies, and a coefficient is one dot product.
"""


from anyjoint.tree.record import Record

from .algorithm import Parent, algorithm
from .composite_world import gather, to_world
from .lagrangian import transformations
from .newton_euler import collect


def begin(body: Record, parent: Parent) -> None:
    """Outward: motion without accelerations of joints, and what one of each would do."""
    body.qdd = body.qdd_rest
    transformations(body, parent)
    to_world(body, parent)


def coefficients(body: Record, parent: Parent) -> None:
    """Inward: Q - c, and the columns of M."""
    collect(body, parent)  # [GL eq. 13]
    body.right = body.tau - body.generalized  # [GL eq. 14]
    gather(body, parent)


LAGRANGIAN_EQUATIONS = algorithm(
    "lagrangian, large", ("outward", begin), ("inward", coefficients), inputs=["q", "v", "tau"],
    results=["S_world", "F_world", "D_world", "right"],
)  # fmt: skip
