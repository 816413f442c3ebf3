"""By how much a state misses the constraints."""

from anyjoint.trace.constrained import Question

from ..constraints import asked
from ..quantity import Q, Quantity, Row, T, V

CONSTRAINT_ERRORS = Quantity(
    "constraint_errors",
    "By how much positions and velocities miss the constraints, row by row.",
    (Q, V, T),
    (Row("position", "rows", meaning="errors of positions"), Row("velocity", "rows", meaning="errors of velocities")),
    asked("errors", ("q", "v"), Question("errors", None)),
    optional=("t",),
    among="constrained",
)
