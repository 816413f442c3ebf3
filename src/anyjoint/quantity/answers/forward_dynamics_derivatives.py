"""Derivatives of forward dynamics, as matrices."""

from ..derivatives import forward_trace
from ..divides import by_unit_forces
from ..quantity import TAU, Q, Quantity, Row, T, V

FORWARD_DYNAMICS_DERIVATIVES = Quantity(
    "forward_dynamics_derivatives",
    "How accelerations change with coordinates (by tangents), velocities and generalized forces.",
    (Q, V, TAU, T),
    (
        Row("dq", "matrix", meaning="da/dq"),
        Row("dv", "matrix", meaning="da/dv"),
        Row("dtau", "matrix", meaning="da/dtau, the inverse of the mass matrix"),
    ),
    forward_trace("velocities"),
    optional=("tau", "t"),
    divides=by_unit_forces("dtau"),
)
