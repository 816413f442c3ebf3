"""The mass matrix times a vector."""

from anyjoint.dynamics.newton_euler import MASS_TIMES, MASS_TIMES_BY_FACTORS

from ..quantity import TAU, A, Q, Quantity, sweeps

MASS_TIMES_ACCELERATION = Quantity(
    "mass_times",
    "M a in linear time, without forming M.",
    (Q, A),
    (TAU,),
    sweeps(MASS_TIMES, MASS_TIMES_BY_FACTORS),
)
