"""Mass, and mass times its centre."""

from anyjoint.dynamics.kinematics import MASS_MOMENTS

from ..quantity import Q, Quantity, Row, sweeps

FIRST_MOMENTS = Quantity(
    "mass_moments",
    "Mass times centre of mass of everything that moves, and the mass.",
    (Q,),
    (Row("moment", "whole", (3,), "mass times centre of mass"), Row("mass", "whole", meaning="mass")),
    sweeps(MASS_MOMENTS),
)
