"""The dynamics of a compiled model as one JavaScript text that defines makeDynamics(), for live pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.codegen import compile_function
from anyjoint.export.javascript import program_text
from anyjoint.symbolic import Graph, variables
from anyjoint.view.contact import contact_script
from anyjoint.view.live import live_page, model_info
from anyjoint.view.options import viewer_options


def model_page(
    model: Any, path: str | Path, q0: Any = None, v0: Any = None, dt: float = 2e-3, title: str | None = None,
    description: str = "", **viewer: Any,
) -> Path:  # fmt: skip
    """Write the live page of a model; `viewer` as in `viewer_options`."""
    info = model_info(model.mechanism, q0, v0, dt, title, description) | {"options": viewer_options(**viewer)}
    return live_page(info, dynamics_script(model) + contact_script(model.mechanism), path)


def dynamics_script(model: Any) -> str:
    """JavaScript that defines makeDynamics(); see live.py for what that returns. Names never reach the text."""
    parts = {name: program_text(model.program(quantity)) for name, quantity in PROGRAMS.items()}
    parts |= _joint_parts(model.mechanism)
    lines = ["function makeDynamics() {", Path(__file__).with_name("dynamics.js").read_text(encoding="utf-8")]
    lines += [f"const parts = {{{', '.join(f'{name}: {text}' for name, text in parts.items())}}};"]
    lines += [f"return assemble(parts, {json.dumps(layout(model))});", "}"]
    return "\n".join(lines) + "\n"


PROGRAMS = {
    "forward": "forward_dynamics", "poses": "body_poses", "energy": "energy", "moments": "mass_moments",
    "weight": "weight_forces", "pull": "generalized_forces",
}  # fmt: skip


def _joint_parts(mechanism: Any) -> dict[str, str]:
    """dq/dt where velocities are no coordinate rates, and the rewriting of (q, v) after a step where joints want it."""
    graph = Graph()
    domains = [c.domain for body in mechanism.bodies for c in body.joint.coordinates]
    q = [graph.variable(f"q{i}", domain) for i, domain in enumerate(domains)]
    v = list(variables("v", mechanism.nv, graph=graph)) if mechanism.nv else []
    rates: list[Any] = []
    new_q, new_v = list(q), list(v)
    turned = False
    for body in mechanism.bodies:
        own_q, own_v = q[body.q], v[body.v]
        rates += body.joint.rate(own_q, own_v)
        rewritten = body.joint.chart(own_q, own_v) if own_q else None
        if rewritten is not None:
            turned = True
            new_q[body.q], new_v[body.v] = list(rewritten[0]), list(rewritten[1])
    parts = {}
    if [getattr(x, "id", x) for x in rates] != [x.id for x in v]:
        parts["rate"] = _function_part(q, v, rates)
    if turned:
        parts["chart"] = _function_part(q, v, new_q + new_v)
    return parts


def _function_part(q: list[Any], v: list[Any], outputs: list[Any]) -> str:
    text = compile_function([np.array(q), np.array(v)], outputs).source("js")
    return f"(() => {{\n{text}return {{ call: f }};\n}})()"


def layout(model: Any) -> dict[str, Any]:
    """Sizes, the gravity that is built in, and whether energy is lost on purpose."""
    gravity = [float(x) for x in model.mechanism.gravity]
    damped = any(any(body.damping) for body in model.mechanism.bodies)
    return {"nq": model.nq, "nv": model.nv, "nb": model.nb, "gravity": gravity, "damped": damped}
