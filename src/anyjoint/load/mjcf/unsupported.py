"""Features of MuJoCo that mechanisms have no counterpart for: each is named, none is dropped in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..request import Request
from .compiled import Lines, MjModel, Names
from .flags import disabled
from .fluid import by_ellipsoids, flows
from .joints import BALL, FREE, MjcfJoint, crowded

Finding = Iterator[tuple[str, str, str]]  # tag of what is told, name of the element, and a sentence
KINDS = {"friction": "joint", "limit": "joint", "gravcomp": "body", "mocap": "body", "keyframe": "key"}  # of elements


def check_features(m: MjModel, joints: list[MjcfJoint], names: Names, request: Request, line: Lines) -> None:
    """Refuse what would move differently; warn of what only runs of MuJoCo have."""
    report = request.report
    for rule in REFUSED:
        for tag, name, sentence in rule(m, joints, names):
            report.refuse(line(tag, name), "unsupported", sentence)
    for rules, tell in ((WARNED, report.warn), (NOTED, report.note)):
        for rule in rules:
            for tag, name, sentence in rule(m, joints, names):
                tell(line(KINDS.get(tag, tag), name), tag, sentence)


def flexible(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Flexible bodies."""
    if getattr(m, "nflex", 0):
        yield "flex", "", f"{m.nflex} flexible bodies: bodies are rigid here"


def plugins(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Code of others."""
    if m.nplugin:
        yield "plugin", "", f"{m.nplugin} plugins: their code is not run"


def fluid(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Drag and lift of ellipsoids; others feel a medium by their boxes."""
    if flows(m):
        for k in by_ellipsoids(m):
            name = names.of("body", k)
            yield "body", name, f"body {name!r} feels the fluid by ellipsoids (fluidshape), which is not supported"


def medium(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Drag of boxes."""
    if flows(m):
        what = f"a fluid of density {m.opt.density:g} and viscosity {m.opt.viscosity:g}"
        yield "fluid", "", f"{what}: its drag is a force here; simulate(forces=mech.source.forces)"


def tendons(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Tendons with inertia of their own, or springs and dampers that are no straight lines."""
    for k in range(m.ntendon):
        name = names.of("tendon", k)
        for what in ("armature", "stiffnesspoly", "dampingpoly"):
            if np.any(getattr(m, f"tendon_{what}", np.zeros(m.ntendon))[k]):
                lack = "armature" if what == "armature" else "a spring or damper that is no straight line"
                yield "tendon", name, f"tendon {name!r} has {lack}"


def nonlinear(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Springs and dampers that are no straight lines, and drives with damping or armature of their own."""
    for k, joint in enumerate(joints):
        if np.any(getattr(m, "jnt_stiffnesspoly", np.zeros((m.njnt, 1)))[k]):
            yield "joint", joint.name, f"joint {joint.name!r} has a spring that is no straight line"
        if np.any(getattr(m, "dof_dampingpoly", np.zeros((m.nv, 1)))[joint.v]):
            yield "joint", joint.name, f"joint {joint.name!r} has damping that is no straight line"
    if getattr(m, "nplastic", 0):
        yield "joint", "", f"{m.nplastic} springs that yield"
    for k in range(len(m.actuator_trntype)):  # some have several controls
        for what in ("armature", "damping"):
            if np.any(getattr(m, f"actuator_{what}", np.zeros(m.nu))[k]):
                name = names.of("actuator", k)
                yield "actuator", name, f"actuator {name!r} has {what} of its own"


def free_armature(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Armature of a free body is inertia without weight."""
    for joint in joints:
        if joint.type == FREE and np.any(m.dof_armature[joint.v : joint.v + 6]):
            yield "joint", joint.name, f"joint {joint.name!r} is free and has armature, which is inertia without weight"


def friction(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Dry friction."""
    for joint in joints:
        if joint.felt.friction:
            felt = f"dry friction {joint.felt.friction:g} is felt by time-stepping alone"
            yield "friction", joint.name, f"joint {joint.name!r}: {felt}"


def cones(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Limits of ball joints."""
    for k, joint in enumerate(joints):
        if joint.type == BALL and m.jnt_limited[k]:
            yield "limit", joint.name, f"ball joint {joint.name!r}: its cone of {m.jnt_range[k][1]:g} is not kept"


def margins(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Limits that push back from each other's side."""
    for k, joint in enumerate(joints):
        if joint.single and crowded(m, k):
            what = f"its margin {m.jnt_margin[k]:g} leaves no room between its limits, which hold at their ends here"
            yield "limit", joint.name, f"joint {joint.name!r}: {what}"


def weightless(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Gravity compensation."""
    for k in np.flatnonzero(m.body_gravcomp):
        name = names.of("body", int(k))
        sentence = f"body {name!r}: gravity compensation is a force here; simulate(forces=mech.source.forces)"
        yield "gravcomp", name, sentence


def unlifted(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Gravity compensation that is the drives' business, where MuJoCo has none that act."""
    if np.any(m.body_gravcomp) and (not m.nu or "actuation" in disabled(m)):
        for joint in (joint for k, joint in enumerate(joints) if m.jnt_actgravcomp[k]):
            what = "drives compensate gravity (actuatorgravcomp), and none acts in MuJoCo; the force here acts on it"
            yield "joint", joint.name, f"joint {joint.name!r}: its {what}"


def key_activations(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Activations of drives in key frames."""
    for k in range(m.nkey):
        if np.any(m.key_act[k]):
            name = names.of("key", k)
            remedy = "give another one by replace(drive, lag=replace(drive.lag, start=x))"
            sentence = f"key frame {name!r}: drives begin at the activation 0; {remedy}"
            yield "keyframe", name, sentence


def key_controls(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """What drives are told in key frames, and when these are."""
    for what in ("ctrl", "time"):
        told = [names.of("key", k) for k in range(m.nkey) if np.any(getattr(m, f"key_{what}")[k])]
        if told:
            remedy = "give it to drives by replace(drive, control=x)" if what == "ctrl" else "runs begin at 0 s"
            yield "keyframe", told[0], f"key frames {', '.join(map(repr, told))}: their {what} is not read; {remedy}"


def key_mocaps(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Where bodies that a program moves are in key frames."""
    moved = np.flatnonzero(m.body_mocapid >= 0)
    moved = moved[np.argsort(m.body_mocapid[moved])]
    for what, usual in (("mpos", m.body_pos[moved].ravel()), ("mquat", m.body_quat[moved].ravel())):
        told = [names.of("key", k) for k, x in enumerate(getattr(m, f"key_{what}")) if not np.allclose(x, usual)]
        if told:
            remedy = "mocap bodies stand where the file puts their <body>"
            yield "keyframe", told[0], f"key frames {', '.join(map(repr, told))}: their {what} is not read; {remedy}"


def lopsided(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Limits of what drives do to a joint; those that bodies keep are the same both ways."""
    for k, joint in enumerate(joints):
        low, high = m.jnt_actfrcrange[k]
        if m.jnt_actfrclimited[k] and low != -high:
            ends = f"from {low:g} to {high:g}, and body.effort is the larger of both"
            yield "limit", joint.name, f"joint {joint.name!r}: what drives do to it is limited {ends}"


def early(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Drives that are ahead of their activation by a step, however long that is."""
    for k in np.flatnonzero(m.actuator_actearly):
        name = names.of("actuator", int(k))
        yield "actuator", name, f"actuator {name!r}: its activation acts as it is, not a step ahead (actearly)"


def mocap(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """Bodies that a program moves by hand."""
    for k in np.flatnonzero(m.body_mocapid >= 0):
        name = names.of("body", int(k))
        yield "mocap", name, f"mocap body {name!r} stands still"


def contacts(m: MjModel, joints: list[MjcfJoint], names: Names) -> Finding:
    """What touches."""
    if np.any(m.geom_contype | m.geom_conaffinity) and "contact" not in disabled(m):
        yield "contact", "", 'contacts are felt with load(contacts="ground") or "all", as stiff as steps can follow'


Rule = Callable[[MjModel, list[MjcfJoint], Names], Finding]
REFUSED: tuple[Rule, ...] = (flexible, plugins, fluid, tendons, nonlinear, free_armature)
WARNED: tuple[Rule, ...] = (
    friction, cones, margins, weightless, unlifted, medium, key_activations, key_controls, key_mocaps, lopsided, early,
)  # fmt: skip
NOTED: tuple[Rule, ...] = (mocap, contacts)
