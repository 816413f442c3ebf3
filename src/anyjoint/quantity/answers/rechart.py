"""A state in the charts that its joints want: the same poses and twists, in other coordinates where it is time."""

from __future__ import annotations

from anyjoint.codegen import rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.stepper.physics import has_chart, joint_groups, run_joints
from anyjoint.trace.workshop import Trace, Workshop

from ..joint_functions import JointFunctions
from ..quantity import Q, Quantity, V

ARRAYS = rows_and_numbers("q", "v", "result")


def trace(workshop: Workshop, _: str) -> Trace:
    """A copy, then a kernel for each kind of joint that rewrites coordinates [RM section 4.7]."""
    builder, mechanism = Builder(ARRAYS), workshop.mechanism
    made = JointFunctions(workshop, builder)
    q, v, to_q = (builder.place(array.name) for array in ARRAYS[:3])
    to_v = builder.place("result", mechanism.nq)
    builder.copy(mechanism.nq, q, to_q)
    builder.copy(mechanism.nv, v, to_v)
    for group in joint_groups(mechanism):
        if has_chart(group.joint):
            state = to_q, to_v
            run_joints(builder, group, lambda joint, qs, vs: joint.chart(qs, vs), state, state, made.own)
    return made.trace("charts")


RECHART = Quantity(
    "rechart",
    "The same state in the charts that joints want: shorter rotation vectors, quaternions of unit length, other poles.",
    (Q, V),
    (Q, V),
    trace,
    anywhere=True,  # it leads away from poles
)
