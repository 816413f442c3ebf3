"""Wrenches on bodies as generalized forces."""

from anyjoint.dynamics.products import J_TRANSPOSED_TIMES

from ..quantity import TAU, Q, Quantity, Row, sweeps

WRENCHES = Row("wrenches", "bodies", (6,), "torque, then force on every body, in its own frame")

GENERALIZED_FORCES = Quantity(
    "generalized_forces",
    "J^T of wrenches on all bodies, angular part first, in each body's own frame [RM alg. 3].",
    (Q, WRENCHES),
    (TAU,),
    sweeps(J_TRANSPOSED_TIMES),
)
