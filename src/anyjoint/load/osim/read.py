"""An .osim as a mechanism: bodies keep their names, coordinates too; forces and muscles are told and left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anyjoint.errors import ModelError
from anyjoint.joints import Coupled, Joint, Spherical
from anyjoint.mechanism import Inertia, Mechanism, Source
from anyjoint.mechanism.shapes import Shape

from ..finish import finished
from ..markup import Element
from ..meshes import Meshes
from ..request import Request
from .couplers import LoopSpec, read_couplers, read_loops
from .frames import Link, read_inertias, read_links
from .joints import Motion, read_motion
from .shapes import Geometry
from .values import Values, objects

GRAVITY = (0.0, -9.80665, 0.0)


def read_osim(root: Element, request: Request) -> Mechanism:
    """Read everything, report every problem, then build."""
    report, values = request.report, Values(request.report)
    model = root.find("Model")
    if model is None:
        report.error(root.line, "format", "<OpenSimDocument> has no <Model>; this file holds something else")
        report.check()
    assert model is not None
    inertias, links = read_inertias(model, values), read_links(model, values)
    motions = {}
    for link in links:
        motion = read_motion(link.element, values)
        if motion is None or not _ends(link, inertias, values):
            continue
        motions[link.name] = motion if "locked" in report.allow else motion.held()
    _tell_of_coordinates(motions, values)
    following, loops = read_couplers(model, motions, values), read_loops(model, inertias, values)
    _tell_of_forces(model, values)
    if request.base != "fixed":
        report.error(root.line, "base", "an .osim says itself how bodies stand; give the root a FreeJoint there")
    looks = _looks(model, values, request)
    order = _parents_first([link for link in links if link.name in motions], inertias, values)
    report.check()
    return _build(model, order, motions, inertias, following, loops, looks, values, request)


def _looks(model: Element, values: Values, request: Request) -> dict[str, list[Shape]]:
    """What each body looks like, and the ground."""
    bodies = [*objects(model, "BodySet"), *model.all("Ground")]
    count = sum(part.tag in ("Mesh", "DisplayGeometry") for body in bodies for part in body.walk())
    meshes = Meshes(request.paths, request.report, request.meshes == "view", count)
    geometry = Geometry(values, meshes)
    try:
        found = {body.attributes.get("name", ""): geometry.shapes(body) for body in bodies}
    finally:
        meshes.close()
    geometry.tell(model.line)
    return found


def _ends(link: Link, bodies: Mapping[str, Inertia], values: Values) -> bool:
    for end, name in (("parent", link.parent), ("child", link.child)):
        if name not in bodies and not (name == "ground" and end == "parent"):
            message = f"joint {link.name!r}: its {end} {name!r} is no body of the file"
            values.report.error(link.element.line, "reference", message)
            return False
    return True


def _tell_of_coordinates(motions: Mapping[str, Motion], values: Values) -> None:
    for motion in motions.values():
        for c in motion.coordinates:
            if c.prescribed:
                what = f"coordinate {c.name!r} follows a function of time, which is not supported yet"
                values.report.refuse(c.line, "unsupported", what)


def _tell_of_forces(model: Element, values: Values) -> None:
    forces = model.find("ForceSet")
    for kind, count in Counter(element.tag for element in objects(model, "ForceSet")).items():
        what = f"{count} <{kind}>: muscles and forces are not simulated"
        values.report.warn(forces.line if forces is not None else 0, "force", what)


def _parents_first(links: list[Link], bodies: Mapping[str, Inertia], values: Values) -> list[Link]:
    """Joints such that a parent is there before its children; loops and what hangs on nothing are reported."""
    placed, order, waiting = {"ground"}, list[Link](), list(links)
    while waiting:
        ready = [link for link in waiting if link.parent in placed]
        if not ready:
            for link in waiting:
                what = f"joint {link.name!r}: its parent {link.parent!r} is not joined to the ground"
                values.report.error(link.element.line, "tree", what)
            break
        link = ready[0]
        waiting.remove(link)
        if link.child in placed:
            what = f"joint {link.name!r} closes a loop at {link.child!r}, which is not supported yet"
            values.report.refuse(link.element.line, "unsupported", what)
            continue
        placed.add(link.child)
        order.append(link)
    for name in bodies.keys() - placed - {link.child for link in waiting}:
        values.report.refuse(0, "unsupported", f"body {name!r} has no joint; OpenSim would let it fly freely")
    return order


def _build(
    model: Element,
    order: list[Link],
    motions: Mapping[str, Motion],
    inertias: Mapping[str, Inertia],
    following: Mapping[str, tuple[str, Any]],
    loops: list[LoopSpec],
    looks: Mapping[str, list[Shape]],
    values: Values,
    request: Request,
) -> Mechanism:
    gravity = values.numbers(model, "gravity", GRAVITY, 3)
    mech = Mechanism(model.attributes.get("name") or "opensim", gravity)
    moved = _moved(order, inertias)
    coordinates: dict[str, tuple[str, int]] = {}
    lines = {}
    for link in order:
        motion, name = motions[link.name], moved[link.name]
        joint: Joint = motion.joint()
        place = link.in_parent if motion.coordinates else link.in_parent @ motion.constant()
        if link.name in following:
            leader, functions = following[link.name]
            joint = Coupled(_unlimited(motion), functions, moved[leader])
        else:
            coordinates |= {c.name: (name, k) for k, c in enumerate(motion.coordinates)}
        parent, lines[name] = None if link.parent == "ground" else link.parent, link.element.line
        solid: dict[str, Any] = {"inertia": inertias[link.child], "shape": looks.get(link.child, [])}
        mech.add_body(name, parent, joint, place, **solid if name == link.child else {})
        if name != link.child:
            mech.add_body(link.child, name, None, link.in_child.inverse(), **solid)
    mech.draw(*looks.get("ground", []))
    for loop in loops:
        first, second = loop.bodies
        try:
            mech.add_loop(first, second, Spherical() if loop.ball else None, loop.frames, loop.name)
        except ModelError as error:
            request.report.error(loop.line, "constraint", str(error))
    start = [c for link in order if link.name not in following for c in motions[link.name].coordinates]
    mech.set_start([c.value for c in start], [c.speed for c in start])
    joints = {link.name: moved[link.name] for link in order}
    source = Source(request.report.file, "OpenSim", joints=joints, coordinates=coordinates)
    return finished(mech, request, lines, source)


def _unlimited(motion: Motion) -> Joint:
    """A joint that follows has no limits of its own."""
    return replace(motion, coordinates=tuple(replace(c, clamped=False) for c in motion.coordinates)).joint()


def _moved(order: list[Link], bodies: Mapping[str, Inertia]) -> dict[str, str]:
    """The body that moves by each joint: the child, or one between where the joint's frame is not the child's own."""
    taken, made = {*bodies, "ground"}, {}
    for link in order:
        name = link.child
        if link.in_child.factors:
            name = link.name
            while name in taken:
                name += "_"
            taken.add(name)
        made[link.name] = name
    return made
