"""The dynamics of a compiled model as one JavaScript text that defines makeDynamics(), for live pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.constraints.touch import SHOWN
from anyjoint.errors import InputError
from anyjoint.export.javascript import program_text
from anyjoint.forces.force import Force
from anyjoint.forces.limits import limited
from anyjoint.mechanism import Mechanism
from anyjoint.scalar.array import ArrayLike, Floats
from anyjoint.simulate.choose import requested
from anyjoint.simulate.request import Request, make_request
from anyjoint.simulate.stabilise import check_on_constraints, off_constraints
from anyjoint.stepper import Stepper
from anyjoint.view.contact import contact_script
from anyjoint.view.live import live_page, model_info
from anyjoint.view.live_step import live_steps, row_facts, stepping_text
from anyjoint.view.options import viewer_options
from anyjoint.view.strands import Strands

if TYPE_CHECKING:
    from anyjoint.model import Model


def model_page(
    model: Model, path: str | Path, q0: ArrayLike | None = None, v0: ArrayLike | None = None, dt: float = 2e-3,
    title: str | None = None, description: str = "", method: str = "rk4", forces: Sequence[Force] = (),
    limits: bool = True, rtol: float = 1e-8, atol: float = 1e-10, **viewer: Any,
) -> Path:  # fmt: skip
    """Write the live page of a model, under forces and within limits; `viewer` as in `viewer_options`."""
    if viewer.get("autoplay") is None and falls(model.mechanism):
        viewer["autoplay"] = False
    looks = {"options": viewer_options(**viewer)}
    info = model_info(model.mechanism, q0, v0, dt, title, description, method, rtol, atol) | looks
    if q0 is None and v0 is None and off_constraints(model, *_state(model, info)):  # as files may be
        info |= dict(zip(("q0", "v0"), model.assemble(), strict=True))
    q, v = _state(model, info)
    check_on_constraints(model, q, v, where="to_html")
    request = page_request(model, q[0], v[0], dt, method, forces, limits, rtol, atol)
    info |= {"still": request is None, "falls": falls(model.mechanism)}
    info |= {"method": request.method} if request else {}
    strands = Strands(model.mechanism, forces)
    if strands:
        poses = np.asarray(model.body_poses(q), dtype=float)
        levels = strands.levels(np.zeros(1))
        info |= {"strands": strands.data(strands.points(q, poses)[0]), "levels": levels}
    text = _script(model, request, energy_facts(model.mechanism, forces, limits))
    return live_page(info, text + contact_script(model.mechanism) + strands.script(), path)


def _state(model: Model, info: dict[str, Any]) -> tuple[Floats, Floats]:
    """The start of a page, as a batch of one."""
    q, v = (np.asarray(info[name], model.dtype)[None] for name in ("q0", "v0"))
    return q, v


def falls(mech: Mechanism) -> bool:
    """Whether it is a robot from a file that nothing holds: it would be out of sight before one has looked at it."""
    held = mech.contacts or mech.constraints or not any(mech.gravity)
    roots = [body.joint for body in mech.bodies if body.parent < 0]
    return mech.source is not None and not held and all(joint.nv == 6 for joint in roots)


def page_request(
    model: Model, q0: ArrayLike | None, v0: ArrayLike | None, dt: float, method: str, forces: Sequence[Force],
    limits: bool, rtol: float, atol: float,
) -> Request | None:  # fmt: skip
    """The run that a page makes, checked as `simulate` does; None of what can only be posed.

    Coordinates without inertia have no accelerations.
    """
    if not isinstance(limits, bool):
        raise InputError(f"to_html: limits={limits!r}; expected True or False")
    if not model.is_regular:
        return None

    def make(name: str) -> Request:
        return make_request(model, q0, v0, dt, dt, name, rtol, atol, None, forces, (), None, 1, limits)

    request = requested(model, method, make)
    if request.forces.functions:
        raise InputError("to_html: a live page cannot ask Python functions of time; give forces with fixed numbers")
    return request


def dynamics_script(
    model: Model, stepper: Stepper | None = None, forces: Sequence[Force] = (), dt: float = 2e-3, limits: bool = True,
    rtol: float = 1e-8, atol: float = 1e-10,
) -> str:  # fmt: skip
    """JavaScript that defines makeDynamics(); see live.py for what that returns. Names never reach the text.

    With `limits` joints have stops as hard as steps of dt seconds can follow. Steppers that choose their steps do so by
    `rtol` and `atol`.
    """
    method = stepper.name if stepper else "rk4"
    request = page_request(model, None, None, dt, method, forces, limits, rtol, atol)
    return _script(model, request, energy_facts(model.mechanism, forces, limits))


def _script(model: Model, request: Request | None, energy: Mapping[str, bool]) -> str:
    parts = {name: program_text(model.program(quantity)) for name, quantity in PROGRAMS.items()}
    facts = {"nq": model.nq, "nv": model.nv, "nb": model.nb, "gravity": [float(x) for x in model.mechanism.gravity]}
    facts |= {"touches": model.mechanism.np, "still": request is None, **energy}
    stepping = "const stepping = () => ({});"
    if request:
        few = model.op_count("forward_dynamics").total < MANY  # else a page of twice the size would gain little speed
        steps = live_steps(request, few)
        parts |= {name: step.text for name, step in steps.items()}
        facts |= row_facts(request, steps)
        stepping = stepping_text(request.stepper)
    lines = ["function makeDynamics() {"]
    lines += [f"const parts = {{{', '.join(f'{name}: {text}' for name, text in parts.items())}}};"]
    lines += [f"const SHOWN = {SHOWN}, model = {json.dumps(facts)};", GLUE, stepping, ANSWER, "}"]
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
GLUE = """\
const vector = (n) => new Float64Array(Math.max(1, n));
const { nq, nv, nb, touches } = model;
const [matrices, two, moments, change] = [16 * nb, 2, 4, 3].map(vector);
const differs = (gravity) => change.map((_, k) => (change[k] = gravity[k] - model.gravity[k])).some((x) => x !== 0);"""
ANSWER = """\
return {
  nq, nv, nb, damped: model.damped, driven: model.driven, constrained: model.constrained, still: model.still,
  chooses: Boolean(parts.sample), touches, ...stepping(),
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
