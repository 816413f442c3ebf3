"""The step of a stepper as a schedule: what a row of the state holds, where the caller's numbers go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from anyjoint.codegen import Array, Schedule
from anyjoint.codegen.builder import Builder
from anyjoint.constraints.touch import SHOWN
from anyjoint.forces.program import ForceProgram
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.stepper import Stepper
from anyjoint.stepper.compiled import CompiledOps
from anyjoint.stepper.error_control import CONTROLS, AdaptiveRow, AdaptiveStep, Controls
from anyjoint.stepper.physics import Physics, Projection

ARRAYS = (
    Array("state", "row"), Array("drive", "row"), Array("numbers", "uniform"), Array("settings", "uniform"),
)  # fmt: skip

Part = Literal["step", "first", "sample"]  # of a method that chooses its steps: one of them, its length, a state within


@frozen
class Step:
    """A compiled step's description: its schedule, the length of a state's row, where the caller's numbers go."""

    schedule: Schedule
    row: int
    settings: int
    forces: int  # first setting that belongs to the forces, and after them to dampers where work is asked for
    samples: int  # inputs over time that a step reads before it moves on to the next
    clock: int = -1  # where the row has the time, if anything depends on it
    past: slice | None = None  # where it has the state before, and the length of the step from there
    tape: slice | None = None  # where it has the accelerations of all stages of the last step
    shown: int = 0  # where in a row points, normals and forces of contacts stand, if there are some
    layout: AdaptiveRow | None = None  # what a row holds, if steps choose their length


def make_step(
    stepper: Stepper, mechanism: Mechanism, dynamics: Schedule, forces: ForceProgram, varying: bool, powered: bool,
    projection: Projection | None = None, dampers: int | None = None, pushing: tuple[Schedule, int] | None = None,
    taped: bool = False, rubbing: int = 0, physics_of: Callable[..., Physics] = Physics, part: Part = "step",
) -> Step:  # fmt: skip
    """The step of a stepper; `varying` says that inputs change with time and stand two rows per step in the drive.

    With `powered` the work of inputs, forces and dampers is summed up behind the state; `dampers` is where those of
    each state stand among its numbers, if they are not the same for all. `pushing` are forces by kernels. `taped` steps
    leave the accelerations of their stages behind. Dynamics that know friction answer with `rubbing` numbers more, the
    first of which is its power. `physics_of` makes what the mechanism brings to a step, as `Physics` does.
    """
    builder = Builder(ARRAYS)
    controls = len(CONTROLS) if stepper.adaptive else 1  # numbers that the stepper itself wants to know
    settings = [builder.place("settings", controls + k) for k in range(len(forces.numbers))]
    total, damping = controls + len(settings), None
    if powered and dampers is None:
        damping, total = builder.place("settings", total), total + mechanism.nv
    elif powered and dampers is not None:
        damping = builder.place("numbers", dampers)
    length = None  # which implicit steps and friction have to know
    if stepper.implicit or rubbing:
        length = builder.room(1) if stepper.solves else builder.place("settings")
    shown = SHOWN * mechanism.np if stepper.resists else 0
    physics = physics_of(
        builder, mechanism, dynamics, forces, settings, damping=damping, projection=projection, step=length,
        feels=stepper.implicit, pushing=pushing, shown=shown or rubbing, rubs=bool(rubbing),
    )  # fmt: skip
    if stepper.adaptive:
        wanted = Controls(*(builder.place("settings", k) for k in range(controls)))
        chosen = adaptive_step(stepper, builder, physics, wanted)
        row = {"step": chosen.make, "first": chosen.first, "sample": chosen.sample}[part]()
        return Step(builder.schedule(), row, total, controls, 0, layout=chosen.row)
    width = mechanism.nv + len(forces.functions) if varying else 0
    q, v = builder.place("state"), builder.place("state", mechanism.nq)
    inputs = lambda c: builder.place("drive", round(2 * c) * width)  # noqa: E731
    n = mechanism.nq + mechanism.nv + powered
    h, t = builder.place("settings"), builder.place("state", n) if mechanism.timed else None  # the clock of a step
    before = builder.place("state", n + bool(t)) if stepper.remembers else None
    ops = CompiledOps(builder, physics, h, q, v, inputs, t, before)
    new_q, new_v = stepper.step(ops)
    if before:
        ops.remember()
    ops.finish(new_q, new_v, q, v)
    if powered and stepper.implicit:
        ops.add_work_of_implicit(q, v, builder.place("state", n - 1))
    elif powered:
        ops.add_work(new_v, builder.place("state", n - 1))
    physics.settle(q, v, ops.time(1.0), before.at(mechanism.nq + mechanism.nv) if before else None)
    if t:
        builder.pointwise(1, {"t": t}, {"h": h}, {"t": t}, lambda x: {"t": x["t"] + x["h"]})
    looks = mechanism.nq + mechanism.nv + 1 if before else 0
    begin = n + bool(t)
    past = slice(begin, begin + looks) if before else None
    row = begin + looks + bool(before)
    tape = slice(row, row + len(ops.accelerations) * mechanism.nv) if taped else None
    for k, place in enumerate(ops.accelerations if taped else ()):
        builder.copy(mechanism.nv, place, builder.place("state", row + k * mechanism.nv))
    row = tape.stop if tape else row
    if shown and ops.shown:
        builder.copy(shown, ops.shown, builder.place("state", row))
    return Step(builder.schedule(), row + shown, total, controls, 2 if varying else 0, n, past, tape, row)


def adaptive_step(stepper: Stepper, builder: Builder, physics: Physics, controls: Controls) -> AdaptiveStep:
    """A step that chooses its length: in the stepper's own way, or by the errors that its tableau estimates."""
    if stepper.chooses:
        return stepper.chooses(builder, physics, controls)
    assert stepper.tableau is not None
    return AdaptiveStep(builder, physics, stepper.tableau, controls)
