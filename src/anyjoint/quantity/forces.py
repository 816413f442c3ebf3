"""Parts of the generalized forces: bias, gravity, springs and dampers, inertia alone."""

from anyjoint.dynamics.newton_euler import BIAS, GRAVITY, MASS_TIMES, PASSIVE
from anyjoint.dynamics.weight import WEIGHT

from .quantity import TAU, A, Q, Quantity, Row, V, sweeps

BIAS_FORCES = Quantity(
    "bias_forces",
    "Coriolis, centrifugal and gravity forces, less those of springs and dampers: M a + bias = tau.",
    (Q, V),
    (TAU,),
    sweeps(BIAS),
)
GRAVITY_FORCES = Quantity(
    "gravity_forces", "Forces that hold the mechanism still against gravity.", (Q,), (TAU,), sweeps(GRAVITY)
)
PASSIVE_FORCES = Quantity(
    "passive_forces",
    "Forces of the joints' own springs and dampers, which are part of all dynamics.",
    (Q, V),
    (TAU,),
    sweeps(PASSIVE),
)
WEIGHT_FORCES = Quantity(
    "weight_forces",
    "Generalized forces of a uniform field g on all bodies, beside the mechanism's own gravity.",
    (Q, Row("g", "whole", (3,), "an acceleration in world axes")),
    (TAU,),
    sweeps(WEIGHT),
)
MASS_TIMES_ACCELERATION = Quantity(
    "mass_times", "M a in linear time, without forming M.", (Q, A), (TAU,), sweeps(MASS_TIMES)
)
