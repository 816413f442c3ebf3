"""The smallest change that takes velocities back onto the constraints."""

from anyjoint.trace.constrained import Question

from ..constraints import asked
from ..quantity import Q, Quantity, Row, T, V

VELOCITY_CORRECTION = Quantity(
    "velocity_correction",
    "What takes velocities back onto the constraints.",
    (Q, V, T),
    (Row("d", "velocities", meaning="what to add to velocities"),),
    asked("velocity correction", ("q", "v"), Question("accelerations", lambda rows: rows.rate, still=True)),
    optional=("t",),
    among="constrained",
)
