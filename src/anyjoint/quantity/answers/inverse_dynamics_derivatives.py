"""Derivatives of inverse dynamics, as matrices."""

from ..derivatives import inverse_trace
from ..quantity import A, Q, Quantity, Row, V

INVERSE_DYNAMICS_DERIVATIVES = Quantity(
    "inverse_dynamics_derivatives",
    "How the forces of inverse dynamics change with coordinates (by tangents), velocities and accelerations.",
    (Q, V, A),
    (
        Row("dq", "matrix", meaning="dtau/dq"),
        Row("dv", "matrix", meaning="dtau/dv"),
        Row("da", "matrix", meaning="dtau/da, the mass matrix"),
    ),
    inverse_trace("velocities"),
)
