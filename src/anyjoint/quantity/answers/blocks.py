"""What the dense formulations assemble numerically, link by link in inner frames; not for export."""

from anyjoint.dynamics.kinematics import BLOCKS

from ..quantity import Q, Quantity, V, sweeps

LINK_BLOCKS = Quantity(
    "blocks", "Per link: pose, velocity products, gyroscopic wrench and joint Jacobian.", (Q, V), (), sweeps(BLOCKS)
)
