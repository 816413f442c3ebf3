"""dq/dt of a state: the velocities themselves, but for quaternions and rolling."""

from __future__ import annotations

from anyjoint.codegen import rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.stepper.physics import joint_groups, run_joints
from anyjoint.trace.workshop import Trace, Workshop

from ..joint_functions import JointFunctions
from ..quantity import Q, Quantity, Row, V

ARRAYS = rows_and_numbers("q", "v", "result")


def trace(workshop: Workshop, _: str) -> Trace:
    """A kernel for each kind of joint."""
    builder = Builder(ARRAYS)
    made = JointFunctions(workshop, builder)
    q, v, result = (builder.place(array.name) for array in ARRAYS[:3])
    for group in joint_groups(workshop.mechanism):
        run_joints(builder, group, lambda joint, qs, vs: (joint.rate(qs, vs), []), (q, v), (result, v), made.own)
    return made.trace("rates")


COORDINATE_RATES = Quantity(
    "coordinate_rates",
    "dq/dt for the velocities v.",
    (Q, V),
    (Row("rates", "rates", meaning="rates of the coordinates"),),
    trace,
)
