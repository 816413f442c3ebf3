"""What constraints push with."""

from anyjoint.trace.constrained import Question

from ..constraints import asked
from ..divides import BY_JOINTS
from ..quantity import TAU, Q, Quantity, Row, T, V

CONSTRAINT_MULTIPLIERS = Quantity(
    "constraint_multipliers",
    "Multipliers of all constraint rows, M a + G^T y = tau - bias; those of rows that others imply are 0.",
    (Q, V, TAU, T),
    (Row("multipliers", "rows", meaning="what constraints push with"),),
    asked("multipliers", ("q", "v", "tau"), Question("multipliers")),
    optional=("tau", "t"),
    among="constrained",
    divides=BY_JOINTS,
)
