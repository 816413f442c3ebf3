"""Generalized forces that produce given accelerations, by Lagrange."""

from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE

from ..quantity import TAU, A, Q, Quantity, V, sweeps

LAGRANGIAN_INVERSE_DYNAMICS = Quantity(
    "inverse_dynamics_lagrangian",
    "The same forces by Lagrange's equations in the trace form [GL eq. 13].",
    (Q, V, A),
    (TAU,),
    sweeps(LAGRANGIAN_INVERSE),
)
