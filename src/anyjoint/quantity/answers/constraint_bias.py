"""What constraints ask of accelerations at given velocities."""

from ..constraint_blocks import biases
from ..constraints import asked
from ..quantity import Q, Quantity, Row, T, V

CONSTRAINT_BIAS = Quantity(
    "constraint_bias",
    "What velocities and time contribute to the second derivatives of all rows: G a + gamma = 0.",
    (Q, V, T),
    (Row("gamma", "rows", meaning="second derivatives of the rows where a = 0"),),
    asked("bias", ("q", "v"), biases),
    optional=("t",),
    among="constrained",
)
