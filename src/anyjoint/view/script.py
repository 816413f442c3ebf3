"""The dynamics of a compiled model as one JavaScript text that defines makeDynamics(), for live pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen import Array, CompiledSchedule, Place, Schedule
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.constraints.touch import SHOWN
from anyjoint.errors import InputError
from anyjoint.export.javascript import program_text
from anyjoint.forces import Limits
from anyjoint.forces.force import Force
from anyjoint.forces.limits import limited
from anyjoint.forces.program import ForceProgram, trace_forces
from anyjoint.forces.resist import resistances
from anyjoint.mechanism import Mechanism
from anyjoint.quantity.contact import contact
from anyjoint.quantity.implicit import implicit
from anyjoint.scalar.array import Floats
from anyjoint.simulate.limits import check_start, with_stops
from anyjoint.simulate.programs import program_of
from anyjoint.simulate.request import pushing
from anyjoint.simulate.stabilise import check_on_constraints, off_constraints
from anyjoint.stepper import Stepper
from anyjoint.stepper.compiled import CompiledOps
from anyjoint.stepper.physics import Physics, Projection, projection_of
from anyjoint.view.contact import contact_script
from anyjoint.view.live import live_page, live_stepper, model_info
from anyjoint.view.options import viewer_options
from anyjoint.view.strands import Strands

if TYPE_CHECKING:
    from anyjoint.model import Model


def model_page(
    model: Model, path: str | Path, q0: Any = None, v0: Any = None, dt: float = 2e-3, title: str | None = None,
    description: str = "", method: str = "rk4", forces: Sequence[Force] = (), limits: bool = True, **viewer: Any,
) -> Path:  # fmt: skip
    """Write the live page of a model, under forces and within limits; `viewer` as in `viewer_options`."""
    if viewer.get("autoplay") is None and falls(model.mechanism):
        viewer["autoplay"] = False
    info = model_info(model.mechanism, q0, v0, dt, title, description, method) | {"options": viewer_options(**viewer)}
    if q0 is None and v0 is None and off_constraints(model, *_state(model, info)):  # as files may be
        info |= dict(zip(("q0", "v0"), model.assemble(), strict=True))
    q, v = _state(model, info)
    check_on_constraints(model, q, v, where="to_html")
    if not isinstance(limits, bool):
        raise InputError(f"to_html: limits={limits!r}; expected True or False")
    if limits:
        check_start(model, q)
    info |= {"still": not model.is_regular, "falls": falls(model.mechanism)}
    strands = Strands(model.mechanism, forces)
    if strands:
        poses = np.asarray(model.body_poses(q), dtype=float)
        levels = strands.levels(np.zeros(1))
        info |= {"strands": strands.data(strands.points(q, poses)[0]), "levels": levels}
    steps = dynamics_script(model, live_stepper(method), forces, dt, limits)
    return live_page(info, steps + contact_script(model.mechanism) + strands.script(), path)


def _state(model: Model, info: dict[str, Any]) -> tuple[Floats, Floats]:
    """The start of a page, as a batch of one."""
    q, v = (np.asarray(info[name], model.dtype)[None] for name in ("q0", "v0"))
    return q, v


def falls(mech: Mechanism) -> bool:
    """Whether it is a robot from a file that nothing holds: it would be out of sight before one has looked at it."""
    held = mech.contacts or mech.constraints or not any(mech.gravity)
    roots = [body.joint for body in mech.bodies if body.parent < 0]
    return mech.source is not None and not held and all(joint.nv == 6 for joint in roots)


def dynamics_script(
    model: Model, stepper: Stepper | None = None, forces: Sequence[Force] = (), dt: float = 2e-3, limits: bool = True
) -> str:
    """JavaScript that defines makeDynamics(); see live.py for what that returns. Names never reach the text.

    With `limits` joints have stops as hard as steps of dt seconds can follow.
    """
    parts = {name: program_text(model.program(quantity)) for name, quantity in PROGRAMS.items()}
    if model.is_regular:  # what has coordinates without inertia can only be posed
        stepper = stepper or live_stepper("rk4")
        own = limits and not any(isinstance(force, Limits) for force in forces)
        given = live_forces(model, with_stops(model, forces, dt, stepper) if own else forces), own
        parts["pushed"] = step_text(model, stepper, *given, pushed=True)
        if model.op_count("forward_dynamics").total < MANY:  # else a page of twice the size would gain little speed
            parts["step"] = step_text(model, stepper, *given, pushed=False)
    facts = {"nq": model.nq, "nv": model.nv, "nb": model.nb, "gravity": [float(x) for x in model.mechanism.gravity]}
    facts |= {"touches": model.mechanism.np, "still": not model.is_regular}
    facts |= energy_facts(model.mechanism, forces, limits)
    lines = ["function makeDynamics() {"]
    lines += [f"const parts = {{{', '.join(f'{name}: {text}' for name, text in parts.items())}}};"]
    lines += [f"const SHOWN = {SHOWN}, model = {json.dumps(facts)};", GLUE, "}"]
    return "\n".join(lines) + "\n"


def energy_facts(mech: Mechanism, forces: Sequence[Force], limits: bool = True) -> dict[str, bool]:
    """What a page says of a mechanism's energy, and whether coordinates depend on each other.

    What forces store or take is not counted by pages.
    """
    damped = any(any(body.damping) for body in mech.bodies) or bool(mech.contacts)
    damped |= limits and any(True for _ in limited(mech))
    damped |= any(constraint.compliance and not constraint.holonomic for constraint in mech.constraints)
    held = any(constraint.holonomic and not constraint.compliance for constraint in mech.constraints)
    return {"damped": damped, "driven": mech.timed or bool(forces), "constrained": held}


MANY = 20_000  # operations of forward dynamics from which on a page has one text for steps, pushed or not
PROGRAMS = {"poses": "body_poses", "energy": "energy", "moments": "mass_moments"}
# What the sliders and the pointer add to a step, and the quantities that say how it acts.
PUSHES = {"weight": "weight_forces", "pull": "generalized_forces"}
ROWS = ("q", "v", "g", "wrenches", "damping", "dt", "t", "result")
GLUE = """\
const vector = (n) => new Float64Array(Math.max(1, n));
const { nq, nv, nb, touches } = model;
const [state, matrices, two, moments] = [nq + nv + SHOWN * touches, 16 * nb, 2, 4].map(vector);
const touched = state.subarray(nq + nv, nq + nv + SHOWN * touches);
const [still, change, damping, length, clock] = [6 * nb, 3, 1, 1, 1].map(vector);
const differs = (gravity) => change.map((_, k) => (change[k] = gravity[k] - model.gravity[k])).some((x) => x !== 0);
return {
  nq, nv, nb, damped: model.damped, driven: model.driven, constrained: model.constrained, still: model.still,
  touches, touched,
  step(q, v, { gravity, wrenches, damping: d, time = 0 }, dt) {
    length[0] = dt;
    clock[0] = time;
    damping[0] = d;
    const { call } = differs(gravity) || wrenches || d ? parts.pushed : parts.step ?? parts.pushed;
    call(q, v, change, wrenches ?? still, damping, length, clock, state);
    q.set(state.subarray(0, nq));
    v.set(state.subarray(nq, nq + nv));
  },
  poses(q, out) {
    parts.poses.call(q, matrices);
    for (let b = 0; b < nb; b++) out.set(matrices.subarray(16 * b, 16 * b + 12), 12 * b);
  },
  energy(q, v, gravity) {
    parts.energy.call(q, v, two);
    if (!differs(gravity)) return [two[0], two[1]];
    parts.moments.call(q, moments);
    return [two[0], two[1] - change[0] * moments[0] - change[1] * moments[1] - change[2] * moments[2]];
  },
};"""


class Pushed(Physics):
    """Dynamics with what a page adds: other gravity, wrenches on bodies, damping of all velocities."""

    def __init__(
        self, builder: Builder, model: Model, forces: ForceProgram, settings: Sequence[Place],
        projection: Projection | None, dynamics: Schedule, step: Place | None, feels: bool,
        pushing: tuple[Schedule, int] | None, shown: int,
    ) -> None:  # fmt: skip
        super().__init__(
            builder, model.mechanism, dynamics, forces, settings, forced=True, projection=projection, step=step,
            feels=feels, pushing=pushing, shown=shown,
        )  # fmt: skip
        rows = ("q", "result")
        self.pushes = {name: Embedded(builder, model.program(x).trace.schedule, rows) for name, x in PUSHES.items()}
        self.part = builder.room(self.nv)

    def applied(self, q: Place, v: Place, inputs: Place) -> Place:
        """Forces with all of that."""
        builder, total = self.builder, self.tau
        assert total is not None
        damping = {"d": builder.place("damping")}
        builder.pointwise(self.nv, {"v": v}, damping, {"tau": total}, lambda x: {"tau": -x["d"] * x["v"]})
        rows = {"weight": {"g": builder.place("g")}, "pull": {"y": builder.place("wrenches")}}
        for name, push in self.pushes.items():
            push.call({"q": q, "result": self.part, "numbers": builder.place(f"{name} numbers"), **rows[name]})
            both = {"tau": total, "more": self.part}
            builder.pointwise(self.nv, both, {}, {"tau": total}, lambda x: {"tau": x["tau"] + x["more"]})
        if not self.feels:
            self.add_forces(q, v, inputs, total)
        return total


def live_forces(model: Model, forces: Sequence[Force]) -> ForceProgram:
    """Forces that a page can compute by itself."""
    program = trace_forces(model.mechanism, forces)
    if program.functions:
        raise InputError("to_html: a live page cannot ask Python functions of time; give forces with fixed numbers")
    return program


def step_text(model: Model, stepper: Stepper, forces: ForceProgram, limits: bool, pushed: bool) -> str:
    """A step as {call(rows of ROWS)} under forces, in which tau is zero; with `limits` those that resist hold them."""
    if model.mechanism.contacts and not stepper.resists:
        raise InputError(f'to_html: {stepper.name} does not feel contacts; give method="time-stepping"')
    names = ["numbers", *(f"{name} numbers" for name in PUSHES if pushed), "settings"]
    builder = Builder((*(Array(name, "row") for name in ROWS), *(Array(name, "uniform") for name in names)))
    corrections = ("position_correction", "velocity_correction") if model.mechanism.constraints else ()
    accelerations = implicit(pushes=forces.pushes, given=stepper.solves) if stepper.implicit else stepper.dynamics
    if stepper.resists:
        accelerations = contact(pushes=forces.pushes, given=resistances(model.mechanism, limits))
    shown = SHOWN * model.mechanism.np if stepper.resists else 0
    own = [program_of(model, quantity) for quantity in (accelerations, *corrections)]
    projection = projection_of([program.trace for program in own])
    settings = [builder.place("settings", k) for k in range(len(forces.numbers))]
    many = None
    if forces.many and not stepper.implicit:  # by kernels, their numbers behind those of the rest
        own.append(program_of(model, pushing(model, forces)))
        many = own[-1].trace.schedule, sum(program.trace.count for program in own[:-1])
    dynamics, length = own[0].trace.schedule, None
    if stepper.implicit:
        length = builder.room(1) if stepper.solves else builder.place("dt")
    if pushed:
        physics: Physics = Pushed(
            builder, model, forces, settings, projection, dynamics, length, stepper.implicit, many, shown
        )
    else:
        physics = Physics(
            builder, model.mechanism, dynamics, forces, settings, forced=True, projection=projection, step=length,
            feels=stepper.implicit, pushing=many, shown=shown,
        )  # fmt: skip
    tau = builder.room(model.nv)
    builder.clear(model.nv, tau)
    q, v, result, to_v = (*(builder.place(name) for name in ("q", "v", "result")), builder.place("result", model.nq))
    clock = builder.place("t") if model.mechanism.timed else None
    ops = CompiledOps(builder, physics, builder.place("dt"), q, v, lambda c: tau, clock)
    ops.finish(*stepper.step(ops), result, to_v)
    physics.settle(result, to_v, ops.time(1.0))
    if shown and ops.shown:
        builder.copy(shown, ops.shown, builder.place("result", model.nq + model.nv))
    programs = [own, *([program_of(model, x)] for x in PUSHES.values() if pushed)]
    rows = [[float(x) for program in group for x in program.numbers] for group in programs]
    numbers = [f"new Float64Array([{', '.join(map(repr, row))}])" for row in [*rows, [*forces.numbers, 0.0]]]
    text = CompiledSchedule(builder.schedule()).source("js")
    formal = ", ".join(f"a{k}" for k in range(len(ROWS)))
    inside = f"const numbers = [{', '.join(numbers)}]; const work = new Float64Array(WORK);"
    return f"(() => {{\n{text}{inside}\nreturn {{ call({formal}) {{ run({formal}, ...numbers, work); }} }};\n}})()"
