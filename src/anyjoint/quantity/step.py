"""One step from a state to the next, by any stepper with a step of a given length."""

from __future__ import annotations

from dataclasses import replace

from anyjoint.codegen import Place, rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.constraints.touch import SHOWN
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.stepper import STEPPERS, Stepper
from anyjoint.stepper.compiled import CompiledOps
from anyjoint.stepper.physics import Physics, Projection
from anyjoint.trace.setup import Rows
from anyjoint.trace.workshop import Trace, Workshop

from .answers.contact_acceleration import CONTACT_ACCELERATION
from .answers.forward_dynamics import FORWARD_DYNAMICS
from .answers.implicit_acceleration import IMPLICIT_ACCELERATION
from .answers.implicit_correction import IMPLICIT_CORRECTION
from .answers.position_correction import POSITION_CORRECTION
from .answers.velocity_correction import VELOCITY_CORRECTION
from .divides import BY_IMPLICIT_STEP, BY_STEP
from .joint_functions import joint_places
from .quantity import TAU, Q, Quantity, Row, T, V

LOOKED_AT = (
    Row("q_before", "coordinates", meaning="coordinates a step of the same length earlier"),
    Row("v_before", "velocities", meaning="velocities a step of the same length earlier"),
)
DYNAMICS = {
    quantity.name: quantity
    for quantity in (FORWARD_DYNAMICS, IMPLICIT_ACCELERATION, IMPLICIT_CORRECTION, CONTACT_ACCELERATION)
}


def step(stepper: Stepper, name: str) -> Quantity:
    """The quantity of a stepper's step, in which tau is held."""
    inputs = (Q, V, TAU, Row("dt", "whole", meaning="seconds"), *(LOOKED_AT if stepper.remembers else ()), T)

    def trace(workshop: Workshop, formulation: str) -> Trace:
        mechanism = workshop.mechanism
        check_feels(stepper, mechanism)
        forward = DYNAMICS[stepper.dynamics].trace(workshop, formulation)
        projection, setups = projected(workshop, forward)
        names = [row.name for row in inputs if row.kind != "time" or mechanism.timed]
        builder = Builder(rows_and_numbers(*names, "result"))
        q, v, tau, dt, result = (builder.place(name) for name in ("q", "v", "tau", "dt", "result"))
        length = None
        if stepper.implicit:
            length = builder.room(1) if stepper.solves else dt
        shown = SHOWN * mechanism.np if stepper.resists else 0
        own, joints = joint_places(workshop, forward.plan, builder, setups)
        physics = Physics(
            builder, mechanism, forward.schedule, projection=projection, step=length, shown=shown, own=own
        )
        t = builder.place("t") if mechanism.timed else None
        before = looked_at(builder, mechanism) if stepper.remembers else None
        ops = CompiledOps(builder, physics, dt, q, v, lambda c: tau, t, before)
        to_q, to_v = result, builder.place("result", mechanism.nq)
        ops.finish(*stepper.step(ops), to_q, to_v)
        physics.settle(to_q, to_v, ops.time(1.0))
        made = (forward.plan, forward.numbers, forward.over, forward.gravity, forward.closed)
        return Trace(stepper.name, builder.schedule(), setups, *made, joints, forward.pushes, forward.loose)

    return Quantity(
        name,
        f"The state after a step of dt seconds by {stepper.name}: {stepper.purpose}. tau is held.",
        inputs,
        (Q, V),
        trace,
        optional=("t",),
        among="touching" if stepper.resists else "apart",
        divides=BY_IMPLICIT_STEP if stepper.implicit else BY_STEP,
    )


def check_feels(stepper: Stepper, mechanism: Mechanism) -> None:
    """Refuse a step that would let bodies fall through what they touch."""
    if mechanism.contacts and not stepper.resists:
        raise InputError(
            f"a step by {stepper.name} does not feel the contact {mechanism.contacts[0].name!r}; use "
            'method="time-stepping"'
        )


def looked_at(builder: Builder, mechanism: Mechanism) -> Place:
    """Where a step that looks back finds the state before, and the length of the step from there, brought together."""
    room = builder.room(mechanism.nq + mechanism.nv + 1)
    at = 0
    for name, n in (("q_before", mechanism.nq), ("v_before", mechanism.nv), ("dt", 1)):
        builder.copy(n, builder.place(name), room.at(at))
        at += n
    return room


def projected(workshop: Workshop, forward: Trace) -> tuple[Projection | None, list[Rows]]:
    """What takes a state back onto constraints, and the set-up of all numbers, one program's behind the other's."""
    setups = list(forward.setups)
    if not workshop.mechanism.constraints:
        return None, setups
    schedules, starts = [], []
    for quantity in (POSITION_CORRECTION, VELOCITY_CORRECTION):
        traced = quantity.trace(workshop, "auto")
        starts.append(max((rows.end for rows in setups), default=0))
        setups += [replace(rows, start=rows.start + starts[-1]) for rows in traced.setups]
        schedules.append(traced.schedule)
    return Projection(schedules[0], schedules[1], (starts[0], starts[1])), setups


STEPS = {
    name: step(stepper, "step" if name == "rk4" else f"step {name}")
    for name, stepper in STEPPERS.items()
    if not stepper.remembers
}
LOOKING_BACK = {
    name: step(stepper, f"step {name}")
    for name, stepper in STEPPERS.items()
    if stepper.remembers and not stepper.chooses
}
