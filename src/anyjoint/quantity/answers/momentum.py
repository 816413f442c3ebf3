"""Total momentum of a mechanism."""

from anyjoint.dynamics.kinematics import MOMENTUM

from ..quantity import Q, Quantity, Row, V, sweeps

TOTAL_MOMENTUM = Quantity(
    "momentum",
    "Total momentum in world axes about the world's origin: angular, then linear.",
    (Q, V),
    (Row("momentum", "whole", (6,), "angular, then linear momentum"),),
    sweeps(MOMENTUM),
)
