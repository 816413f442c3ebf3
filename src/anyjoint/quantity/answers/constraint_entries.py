"""The constraints' Jacobian, link by link; not for export."""

from anyjoint.trace.constrained import Question

from ..constraints import asked
from ..quantity import Q, Quantity, T

CONSTRAINT_ENTRIES = Quantity(
    "constraint_entries",
    "The entries of the constraints' Jacobian G, link by link; model.constraint_jacobian puts them together.",
    (Q, T),
    (),
    asked("jacobian", ("q",), Question("entries", still=True)),
    optional=("t",),
    among="constrained",
)
