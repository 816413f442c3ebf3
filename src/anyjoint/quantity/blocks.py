"""What the dense formulations assemble numerically, link by link in inner frames; not for export."""

from anyjoint.dynamics.kinematics import BLOCKS
from anyjoint.dynamics.recursive_mixed import SYMBOLIC_PART

from .quantity import TAU, Q, Quantity, V, sweeps

LINK_BLOCKS = Quantity(
    "blocks", "Per link: pose, velocity products, gyroscopic wrench and joint Jacobian.", (Q, V), (), sweeps(BLOCKS)
)
MIXED_BLOCKS = Quantity(
    "recursive_mixed", "The symbolic half of Method II [SG section 4].", (Q, V, TAU), (), sweeps(SYMBOLIC_PART)
)
