"""An .osim as a mechanism: bodies keep their names, coordinates and markers too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anyjoint.constraints import ConstraintFunction
from anyjoint.errors import AnyjointError, ModelError
from anyjoint.forces import HuntCrossley
from anyjoint.frozen import frozen
from anyjoint.joints import Coupled, Joint, Spherical
from anyjoint.mechanism import Inertia, Mechanism, Source
from anyjoint.mechanism.shapes import Shape
from anyjoint.spatial import Pose

from ..finish import finished
from ..markup import Element
from ..meshes import Meshes
from ..numbers import read_number, shortened
from ..request import Request
from .coordinates import Place, Places
from .couplers import LoopSpec, read_couplers, read_loops
from .forces import read_forces
from .frames import ZERO, Link, end, read_inertias, read_links, shared_frames
from .halves import cut_loops
from .joints import Motion, read_motion
from .others import add_frames, tell_others
from .rows import RowSpec, read_rows
from .shapes import Geometry
from .stations import settle_stations
from .values import Values, last_name, objects

GRAVITY = (0.0, -9.80665, 0.0)
VERSIONS = (20000, 49999)


@frozen
class Closed:
    """Constraints that close loops."""

    loops: list[LoopSpec]
    rows: list[RowSpec]

    def add(self, mech: Mechanism, values: Values) -> None:
        """Put them into a mechanism that has its bodies and its start."""
        specs: list[LoopSpec | RowSpec] = [*self.loops, *self.rows]
        for spec in specs:
            if isinstance(spec, RowSpec) and spec.points_nowhere(mech):
                what = f"constraint {spec.name!r}: the ends of this rod meet at the start, where it has no direction"
                remedy = "begin elsewhere, by a <default_value> of a coordinate"
                values.report.refuse(spec.line, "unsupported", f"{what}; {remedy}")
                continue
            try:
                if isinstance(spec, LoopSpec):
                    mech.add_loop(*spec.bodies, Spherical() if spec.ball else None, spec.frames, spec.name)
                else:
                    mech.add_constraint(ConstraintFunction(spec.function, False), spec.bodies, name=spec.name)
            except AnyjointError as error:
                values.report.error(spec.line, "constraint", str(error))


def read_osim(root: Element, request: Request) -> Mechanism:
    """Read everything, report every problem, then build."""
    report, values = request.report, Values(request.report)
    model = root.find("Model")
    if model is None:
        report.error(root.line, "format", "<OpenSimDocument> has no <Model>; this file holds something else")
        report.check()
    assert model is not None
    _check_version(root, request)
    inertias = read_inertias(model, values)
    settle_stations(model, inertias, values)
    links = read_links(model, values)
    if not inertias and not report.errors:
        report.error(model.line, "empty", "<Model> has no <Body> beside the ground, so that nothing could move")
    motions, locked = {}, dict[str, float]()
    for link in links:
        motion = read_motion(link.element, values)
        if motion is None or not _ends(link, inertias, values):
            continue
        held = motion if "locked" in report.allow else motion.held()
        kept = {c.name for c in held.coordinates}
        locked |= {c.name: c.value for c in motion.coordinates if c.name not in kept}
        motions[link.name] = held
    _tell_same_names(motions, values)
    following = read_couplers(model, motions, values)
    locked |= _leave_out_idle(motions, following, values)
    closed = Closed(read_loops(model, inertias, values), read_rows(model, inertias, values))
    if request.base != "fixed":
        report.error(root.line, "base", "an .osim says itself how bodies stand; give the root a FreeJoint there")
    looks = _looks(model, values, request)
    order = _parents_first([link for link in links if link.name in motions], inertias, values)
    order, inertias, welds = cut_loops(order, inertias, values)
    closed.loops.extend(welds)
    motions |= {link.name: motions[link.name].backward() for link in order if link.backward}
    report.check()
    return _build(model, order, motions, inertias, following, locked, closed, looks, values, request)


def _leave_out_idle(motions: dict[str, Motion], following: Mapping[str, Any], values: Values) -> dict[str, float]:
    """Coordinates that move nothing, in OpenSim neither, are refused or left out; their values."""
    left = dict[str, float]()
    for joint, motion in motions.items():
        for c in motion.idle:
            leads = any(leader == joint for leader, _ in following.values())
            what = f"coordinate {c.name!r} moves nothing of joint {joint!r}: none of its axes has a function of it"
            remedy = "give an axis a <LinearFunction> of it, or take it out; OpenSim's mass matrix is singular, too"
            tell = values.report.error if leads else values.report.refuse
            tell(c.line, "unsupported", f"{what}; {remedy}")
            left[c.name] = c.value
    for joint in [joint for joint, motion in motions.items() if motion.idle]:
        motions[joint] = motions[joint].without(left)
    return left


def _tell_same_names(motions: Mapping[str, Motion], values: Values) -> None:
    """Coordinates that have the name of another one."""
    owner = dict[str, str]()
    for joint, motion in motions.items():
        for c in motion.coordinates:
            if c.name in owner:
                what = f"joint {joint!r} has a coordinate {c.name!r}, and so has joint {owner[c.name]!r}"
                values.report.warn(c.line, "duplicate", f"{what}; the name means the first one")
            owner.setdefault(c.name, joint)


def _check_version(root: Element, request: Request) -> None:
    """Files of other times are read as those of versions 2 to 4, which is told."""
    given, (first, last) = root.attributes.get("Version", ""), VERSIONS
    if not first <= (read_number(given) or 0) <= last:
        message = f"Version={shortened(given)!r} is none of {first} to {last}; it is read as if it were one"
        request.report.warn(root.line, "version", message)


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
    for which, name in (("parent", link.parent), ("child", link.child)):
        if name not in bodies and not (name == "ground" and which == "parent"):
            message = f"joint {link.name!r}: its {which} {name!r} is no body of the file"
            values.report.error(link.element.line, "reference", message)
            return False
    if link.parent == link.child:
        message = f"joint {link.name!r} joins body {link.child!r} to itself; give it another parent"
        values.report.error(link.element.line, "tree", message)
        return False
    return True


def _parents_first(links: list[Link], bodies: Mapping[str, Inertia], values: Values) -> list[Link]:
    """Joints such that a parent is there before its children; what hangs on nothing is reported.

    Where only the child of a joint is there, the joint is seen from its other end, as in OpenSim.
    """
    placed, order, waiting = {"ground"}, list[Link](), list(links)
    while waiting:
        ready = [link for link in waiting if link.parent in placed]
        ready = ready or [link for link in waiting if link.child in placed]
        if not ready:
            for link in waiting:
                what = f"joint {link.name!r}: its parent {link.parent!r} is not joined to the ground"
                values.report.error(link.element.line, "tree", what)
            break
        link = ready[0]
        waiting.remove(link)
        link = link if link.parent in placed else link.turned()
        placed.add(link.child)
        order.append(link)
    for name in bodies.keys() - placed - {name for link in waiting for name in (link.parent, link.child)}:
        values.report.refuse(0, "unsupported", f"body {name!r} has no joint; OpenSim would let it fly freely")
    return order


def _build(
    model: Element,
    order: list[Link],
    motions: Mapping[str, Motion],
    inertias: Mapping[str, Inertia],
    following: Mapping[str, tuple[str, Any]],
    locked: Mapping[str, float],
    closed: Closed,
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
            for k, c in enumerate(motion.coordinates):
                coordinates.setdefault(c.name, (name, k))
        parent, lines[name] = None if link.parent == "ground" else link.parent, link.element.line
        solid: dict[str, Any] = {"inertia": inertias[link.child], "shape": looks.get(link.child, [])}
        mech.add_body(name, parent, joint, place, **solid if name == link.child else {})
        if name != link.child:
            mech.add_body(link.child, name, None, link.in_child.inverse(), **solid)
    mech.draw(*looks.get("ground", []))
    start = [c.start for link in order if link.name not in following for c in motions[link.name].coordinates]
    mech.set_start([value for value, _ in start], [speed for _, speed in start])
    closed.add(mech, values)
    lines |= {f"constraint {row.name!r}": row.line for row in closed.rows}
    _add_markers(mech, model, values)
    add_frames(mech, model, values)
    tell_others(model, values)
    angles = {name for motion in motions.values() for name in motion.angles}
    places = Places(coordinates, _followers(order, motions, following, moved), locked, angles)
    _prescribe(mech, order, motions, coordinates, values)
    actuators, forces = read_forces(model, inertias, places, values)
    joints = {link.name: moved[link.name] for link in order}
    stiff = any(isinstance(force, HuntCrossley) for force in forces)  # so that steps have to find their length
    source = Source(
        request.report.file, "OpenSim", joints=joints, coordinates=coordinates, actuators=actuators, forces=forces,
        settings={"method": "dopri5"} if stiff else {},
    )  # fmt: skip
    return finished(mech, request, lines, source)


def _add_markers(mech: Mechanism, model: Element, values: Values) -> None:
    """Markers as frames; one whose name is taken already is called body/marker."""
    shared = shared_frames(model)
    for marker in objects(model, "MarkerSet"):
        name = marker.attributes.get("name", "").strip()
        body, frame = end(marker, "parent_frame", shared, values)
        body = body or last_name(values.text(marker, "body"))
        if body != "ground" and body not in mech:
            values.report.warn(marker.line, "marker", f"marker {name!r} is left out: there is no body {body!r}")
            continue
        place = frame @ Pose.translation(*values.numbers(marker, "location", ZERO, 3))
        try:
            mech.add_frame(name, body, place)
        except ModelError as error:
            values.report.warn(marker.line, "marker", f"marker {name!r} is left out: {error}")


def _followers(
    order: list[Link], motions: Mapping[str, Motion], following: Mapping[str, Any], moved: Mapping[str, str]
) -> dict[str, Place]:
    """Coordinates that follow others, as functions of those."""
    found = {}
    for link in order:
        if link.name in following:
            leader, functions = following[link.name]
            for own, function in zip(motions[link.name].coordinates, functions, strict=True):
                found[own.name] = Place(tuple((moved[leader], k) for k in function.indices), function.function)
    return found


def _prescribe(
    mech: Mechanism, order: list[Link], motions: Mapping[str, Motion], free: Mapping[str, Any], values: Values
) -> None:
    """Coordinates that follow functions of time."""
    for c in (c for link in order for c in motions[link.name].coordinates if c.prescribed is not None):
        if c.name not in free:
            what = f"coordinate {c.name!r} follows another coordinate and a function of time"
            values.report.refuse(c.line, "unsupported", what)
            continue
        body, k = free[c.name]
        mech.prescribe(mech[body].coordinate_names[k], c.prescribed, c.name)


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
