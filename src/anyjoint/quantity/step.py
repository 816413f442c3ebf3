"""One step from a state to the next, by any stepper with a step of a given length."""

from __future__ import annotations

from anyjoint.codegen import Array
from anyjoint.codegen.builder import Builder
from anyjoint.stepper import STEPPERS, Stepper
from anyjoint.stepper.compiled import CompiledOps
from anyjoint.stepper.physics import Physics, built_in_joints
from anyjoint.trace.workshop import Trace, Workshop

from .forward_dynamics import FORWARD_DYNAMICS
from .quantity import TAU, Q, Quantity, Row, V

ARRAYS = (
    *(Array(name, "row") for name in ("q", "v", "tau", "dt", "result")), Array("numbers", "uniform"),
)  # fmt: skip


def step(stepper: Stepper, name: str) -> Quantity:
    """The quantity of a stepper's step, in which tau is held."""

    def trace(workshop: Workshop, formulation: str) -> Trace:
        mechanism = workshop.mechanism
        forward = FORWARD_DYNAMICS.trace(workshop, formulation)
        builder = Builder(ARRAYS)
        physics = Physics(builder, mechanism, forward.schedule)
        q, v, tau, dt, result = (builder.place(array.name) for array in ARRAYS[:5])
        ops = CompiledOps(builder, physics, dt, q, v, lambda c: tau)
        to_q, to_v = result, builder.place("result", mechanism.nq)
        ops.finish(*stepper.step(ops), to_q, to_v)
        physics.rechart(to_q, to_v)
        made = (forward.setups, forward.plan, forward.numbers, forward.over, forward.gravity)
        return Trace(stepper.name, builder.schedule(), *made, built_in_joints(mechanism))

    return Quantity(
        name,
        f"The state after a step of dt seconds by {stepper.name}: {stepper.purpose}. tau is held.",
        (Q, V, TAU, Row("dt", "whole", meaning="seconds")),
        (Q, V),
        trace,
    )


STEP = step(STEPPERS["rk4"], "step")
STEPS = {name: STEP if name == "rk4" else step(stepper, f"step {name}") for name, stepper in STEPPERS.items()}
