"""Forces of another field than the mechanism's gravity."""

from anyjoint.dynamics.weight import WEIGHT

from ..quantity import TAU, Q, Quantity, Row, sweeps

WEIGHT_FORCES = Quantity(
    "weight_forces",
    "Generalized forces of a uniform field g on all bodies, beside the mechanism's own gravity.",
    (Q, Row("g", "whole", (3,), "an acceleration in world axes")),
    (TAU,),
    sweeps(WEIGHT),
)
