"""Forces that gravity asks for."""

from anyjoint.dynamics.newton_euler import GRAVITY, GRAVITY_BY_FACTORS

from ..quantity import TAU, Q, Quantity, sweeps

GRAVITY_FORCES = Quantity(
    "gravity_forces",
    "Forces that hold the mechanism still against gravity.",
    (Q,),
    (TAU,),
    sweeps(GRAVITY, GRAVITY_BY_FACTORS),
)
