"""Forces that velocities and gravity ask for."""

from anyjoint.dynamics.newton_euler import BIAS, BIAS_BY_FACTORS

from ..quantity import TAU, Q, Quantity, V, sweeps

BIAS_FORCES = Quantity(
    "bias_forces",
    "Coriolis, centrifugal and gravity forces, less those of springs and dampers: M a + bias = tau.",
    (Q, V),
    (TAU,),
    sweeps(BIAS, BIAS_BY_FACTORS),
)
