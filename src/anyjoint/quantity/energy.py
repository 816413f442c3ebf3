"""Energy, momentum and the first moment of mass: sums over all bodies."""

from anyjoint.dynamics.kinematics import ENERGY, MASS_MOMENTS, MOMENTUM

from .quantity import Q, Quantity, Row, V, sweeps

KINETIC = Row("kinetic", "whole", meaning="kinetic energy")
POTENTIAL = Row("potential", "whole", meaning="potential energy")

ENERGIES = Quantity(
    "energy",
    "Kinetic and potential energy, springs included; gravity's is zero for centres of mass at the world's origin.",
    (Q, V),
    (KINETIC, POTENTIAL),
    sweeps(ENERGY),
)
TOTAL_MOMENTUM = Quantity(
    "momentum",
    "Total momentum in world axes about the world's origin: angular, then linear.",
    (Q, V),
    (Row("momentum", "whole", (6,), "angular, then linear momentum"),),
    sweeps(MOMENTUM),
)
FIRST_MOMENTS = Quantity(
    "mass_moments",
    "Mass times centre of mass of everything that moves, and the mass.",
    (Q,),
    (Row("moment", "whole", (3,), "mass times centre of mass"), Row("mass", "whole", meaning="mass")),
    sweeps(MASS_MOMENTS),
)
