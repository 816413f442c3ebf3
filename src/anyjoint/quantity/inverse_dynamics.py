"""Generalized forces that produce given accelerations, by Newton and Euler or by Lagrange."""

from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE
from anyjoint.dynamics.newton_euler import NEWTON_EULER

from .quantity import TAU, A, Q, Quantity, V, sweeps

INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics",
    "Generalized forces that produce the accelerations a, beside those of the joints' own springs and dampers.",
    (Q, V, A),
    (TAU,),
    sweeps(NEWTON_EULER),
)
LAGRANGIAN_INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics_lagrangian",
    "The same forces by Lagrange's equations in the trace form [GL eq. 13].",
    (Q, V, A),
    (TAU,),
    sweeps(LAGRANGIAN_INVERSE),
)
