"""Forces of the joints' own springs and dampers."""

from anyjoint.dynamics.newton_euler import PASSIVE

from ..quantity import TAU, Q, Quantity, V, sweeps

PASSIVE_FORCES = Quantity(
    "passive_forces",
    "Forces of the joints' own springs and dampers, which are part of all dynamics.",
    (Q, V),
    (TAU,),
    sweeps(PASSIVE),
)
