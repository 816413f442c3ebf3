"""One step from a state to the next, by any stepper with a step of a given length."""

from __future__ import annotations

from dataclasses import replace

from anyjoint.codegen import Array
from anyjoint.codegen.builder import Builder
from anyjoint.constraints.touch import SHOWN
from anyjoint.stepper import STEPPERS, Stepper
from anyjoint.stepper.compiled import CompiledOps
from anyjoint.stepper.physics import Physics, Projection, built_in_joints
from anyjoint.trace.setup import Rows
from anyjoint.trace.workshop import Trace, Workshop

from .constraints import POSITION_CORRECTION, VELOCITY_CORRECTION
from .contact import CONTACT_ACCELERATION
from .forward_dynamics import FORWARD_DYNAMICS
from .implicit import IMPLICIT_ACCELERATION, IMPLICIT_CORRECTION
from .quantity import TAU, Q, Quantity, Row, T, V

ARRAYS = (
    *(Array(name, "row") for name in ("q", "v", "tau", "dt", "t", "result")), Array("numbers", "uniform"),
)  # fmt: skip


DYNAMICS = {
    quantity.name: quantity
    for quantity in (FORWARD_DYNAMICS, IMPLICIT_ACCELERATION, IMPLICIT_CORRECTION, CONTACT_ACCELERATION)
}


def step(stepper: Stepper, name: str) -> Quantity:
    """The quantity of a stepper's step, in which tau is held."""

    def trace(workshop: Workshop, formulation: str) -> Trace:
        mechanism = workshop.mechanism
        forward = DYNAMICS[stepper.dynamics].trace(workshop, formulation)
        projection, setups = projected(workshop, forward)
        builder = Builder(ARRAYS if mechanism.timed else tuple(x for x in ARRAYS if x.name != "t"))
        q, v, tau, dt, result = (builder.place(name) for name in ("q", "v", "tau", "dt", "result"))
        length = (builder.room(1) if stepper.solves else dt) if stepper.implicit else None
        shown = SHOWN * mechanism.np if stepper.resists else 0
        physics = Physics(builder, mechanism, forward.schedule, projection=projection, step=length, shown=shown)
        ops = CompiledOps(builder, physics, dt, q, v, lambda c: tau, builder.place("t") if mechanism.timed else None)
        to_q, to_v = result, builder.place("result", mechanism.nq)
        ops.finish(*stepper.step(ops), to_q, to_v)
        physics.settle(to_q, to_v, ops.time(1.0))
        made = (forward.plan, forward.numbers, forward.over, forward.gravity, forward.closed)
        return Trace(
            stepper.name, builder.schedule(), setups, *made, built_in_joints(mechanism), forward.pushes, forward.loose
        )

    return Quantity(
        name,
        f"The state after a step of dt seconds by {stepper.name}: {stepper.purpose}. tau is held.",
        (Q, V, TAU, Row("dt", "whole", meaning="seconds"), T),
        (Q, V),
        trace,
        optional=("t",),
        touching=stepper.resists,
    )


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


STEP = step(STEPPERS["rk4"], "step")
STEPS = {
    name: STEP if name == "rk4" else step(stepper, f"step {name}")
    for name, stepper in STEPPERS.items()
    if not stepper.remembers
}
