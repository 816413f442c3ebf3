"""The smallest motion that takes positions back onto the constraints."""

from anyjoint.trace.constrained import Question, held

from ..constraints import asked
from ..quantity import Q, Quantity, Row, T

POSITION_CORRECTION = Quantity(
    "position_correction",
    "A small motion that takes positions back onto the constraints, in first order.",
    (Q, T),
    (Row("d", "velocities", meaning="how far to move along each velocity"),),
    asked("position correction", ("q",), Question("accelerations", held, still=True)),
    optional=("t",),
    among="constrained",
)
