"""The inverse of the mass matrix."""

from ..derivatives import inverse_mass_trace
from ..divides import by_unit_forces
from ..quantity import Q, Quantity, Row

INVERSE_MASS_MATRIX = Quantity(
    "inverse_mass_matrix",
    "The inverse of the mass matrix M(q).",
    (Q,),
    (Row("inverse", "matrix", meaning="inverse of the mass matrix"),),
    inverse_mass_trace,
    divides=by_unit_forces("inverse"),
)
