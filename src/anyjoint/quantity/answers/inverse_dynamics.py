"""Generalized forces that produce given accelerations, by Newton and Euler."""

from anyjoint.dynamics.newton_euler import NEWTON_EULER, NEWTON_EULER_BY_FACTORS

from ..quantity import TAU, A, Q, Quantity, V, sweeps

INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics",
    "Generalized forces that produce the accelerations a, beside those of the joints' own springs and dampers.",
    (Q, V, A),
    (TAU,),
    sweeps(NEWTON_EULER, NEWTON_EULER_BY_FACTORS),
)
