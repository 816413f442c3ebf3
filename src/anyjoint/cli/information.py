"""`anyjoint info`: what a model is made of and what its code costs."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from anyjoint.cli.output import print_facts, print_json, print_table, status
from anyjoint.cli.target import Target

if TYPE_CHECKING:
    from anyjoint.mechanism import Body, Mechanism
    from anyjoint.model import Model

QUANTITIES = ("forward_dynamics", "inverse_dynamics", "bias_forces", "gravity_forces")
NEEDS_MASS = "forward_dynamics"  # where a coordinate moves no inertia there is none
SHOWN = 24  # bodies of a long chain are all alike; JSON lists them all


def show(target: Target, as_json: bool) -> None:
    """Print bodies, coordinates, operations and compile time."""
    with status(f"compiling {target.name}", quiet=as_json):
        began = time.perf_counter()
        model = target.mechanism.compile()
        facts = gather(target, model) | {"compile_seconds": time.perf_counter() - began}
    if as_json:
        print_json(facts)
        return
    report = facts["report"]
    print_facts(target.name, {
        "bodies": f"{facts['nb']} in {report['links']} moving links",
        "coordinates": f"{facts['nq']} (velocities: {facts['nv']})",
        "joints": ", ".join(report["joint_kinds"]),
        "mass": f"{facts['mass']:.6g} kg",
        "forward dynamics": report["algorithm"],
        "compile time": f"{facts['compile_seconds']:.3f} s",
        **{name: str(count) for name, count in facts["named"].items() if count},
    })  # fmt: skip
    columns = ("body", "parent", "joint", "dof", "mass")
    hidden = max(len(facts["bodies"]) - SHOWN, 0)
    title = f"Bodies (the first {SHOWN} of {facts['nb']:,})" if hidden else "Bodies"
    print_table(title, columns, [[b[c] for c in columns] for b in facts["bodies"][:SHOWN]])
    kinds = list(next(iter(facts["operations"].values())))
    print_table("Operations per evaluation", ("quantity", *kinds), [
        (name, *(counts[kind] for kind in kinds)) for name, counts in facts["operations"].items()
    ])  # fmt: skip
    shown = ("quantity", "form", "kernels", "operations_per_body", "numbers", "work_bytes")
    print_table("Programs", [c.replace("_", " ") for c in shown], [[p[c] for c in shown] for p in report["programs"]])


def gather(target: Target, model: Model) -> dict[str, Any]:
    """The facts, as plain data."""
    names = [body.name for body in target.mechanism.bodies] + [target.mechanism.ground.name]
    bodies = [_body(body, names[body.parent]) for body in target.mechanism.bodies]
    return {
        "model": target.name,
        "nb": model.nb,
        "nq": model.nq,
        "nv": model.nv,
        "mass": sum(b["mass"] for b in bodies),
        "bodies": bodies,
        "named": _named(target.mechanism),
        # Before the report, which describes the programs that have been asked for.
        "operations": {
            name: _counts(model.op_count(name)) for name in QUANTITIES if model.is_regular or name != NEEDS_MASS
        },
        "report": asdict(model.report()),
    }


def _named(mech: Mechanism) -> dict[str, int]:
    """How many things there are beside bodies, most of which come from files."""
    source, frames = mech.source, len(mech.ground.frames) + sum(len(body.frames) for body in mech.bodies)
    kinds = ("muscles", "actuators", "forces", "tendons", "sensors", "warnings")
    return {"frames": frames} | {kind: len(getattr(source, kind)) if source else 0 for kind in kinds}


def _body(body: Body, parent: str) -> dict[str, Any]:
    return {
        "body": body.name,
        "parent": parent,
        "joint": type(body.joint).__name__,
        "dof": int(body.joint.nv),
        "mass": float(body.inertia.mass),
    }


def _counts(count: Any) -> dict[str, int]:
    return asdict(count) | {"total": count.total}
