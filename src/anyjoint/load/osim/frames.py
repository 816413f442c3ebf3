"""Bodies of an .osim, and joints between them, from files of version 4 and of version 3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism import Inertia
from anyjoint.mechanism.inertia import inertia_problems
from anyjoint.spatial import Pose

from ..markup import Element
from .values import Values, last_name, objects

TENSOR = ("inertia_xx", "inertia_yy", "inertia_zz", "inertia_xy", "inertia_xz", "inertia_yz")
ZERO = (0.0, 0.0, 0.0)


@frozen
class Link:
    """A joint with the bodies at its ends, and its frames in theirs.

    Its coordinates move the child in the parent; where it goes `backward`, the parent in the child.
    """

    name: str
    element: Element
    parent: str
    child: str
    in_parent: Pose
    in_child: Pose
    backward: bool = False

    def turned(self) -> Link:
        """The same joint, seen from its other end."""
        return Link(
            self.name, self.element, self.child, self.parent, self.in_child, self.in_parent, not self.backward
        )


def read_inertias(model: Element, values: Values) -> dict[str, Inertia]:
    """The bodies by name."""
    found: dict[str, Inertia] = {}
    for body in objects(model, "BodySet"):
        name = body.attributes.get("name", "")
        if body.tag != "Body" or name == "ground":
            continue
        if not name or name in found:
            values.report.error(body.line, "duplicate", f"a body {name!r} is there already, or has no name")
            continue
        found[name] = _inertia(body, name, values)
    return found


def _inertia(body: Element, name: str, values: Values) -> Inertia:
    mass, com = values.number(body, "mass", 0.0), values.numbers(body, "mass_center", ZERO, 3)
    if body.find("inertia") is not None:
        xx, yy, zz, xy, xz, yz = values.numbers(body, "inertia", (0.0,) * 6, 6)
    else:
        xx, yy, zz, xy, xz, yz = (values.number(body, tag, 0.0) for tag in TENSOR)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass < 0:
        values.report.error(body.line, "mass", f"body {name!r}: mass {mass:g} is negative; give it in kilograms")
        return Inertia(0.0)
    problems = inertia_problems(mass, com, tensor)
    for problem in problems:
        values.report.refuse(body.line, "inertia", f"body {name!r}: {problem}")
    return Inertia(mass, com, tensor, physical=not problems)


def offset(frame: Element, values: Values) -> Pose:
    """The pose of an offset frame: shifted, then turned about its own x, y and z."""
    return pose_of(values.numbers(frame, "translation", ZERO, 3), values.numbers(frame, "orientation", ZERO, 3))


def pose_of(shift: list[float], turn: list[float]) -> Pose:
    """A pose shifted, then turned about its own x, y and z."""
    made = Pose.translation(*shift) if any(shift) else Pose()
    if any(turn):
        made = made @ Pose.rotation_x(turn[0]) @ Pose.rotation_y(turn[1]) @ Pose.rotation_z(turn[2])
    return made


def read_links(model: Element, values: Values) -> list[Link]:
    """All joints, in the order of the file; one whose name is taken gets another, as in OpenSim."""
    links, taken = list[Link](), set[str]()
    for link in _links(model, values):
        name, k = link.name, 0
        while name in taken:
            name, k = f"{link.name}_{k}", k + 1
        if name != link.name:
            what = f"there is another joint {link.name!r}; this one is called {name!r}, as in OpenSim"
            values.report.warn(link.element.line, "duplicate", what)
        taken.add(name)
        link = link.turned() if link.child == "ground" else link  # nothing moves the ground
        links.append(replace(link, name=name))
    return links


def _links(model: Element, values: Values) -> list[Link]:
    if model.find("JointSet") is not None and objects(model, "JointSet"):
        shared = shared_frames(model)
        found = objects(model, "JointSet")
        return [_between(x, values) if x.find("connectors") else _new(x, shared, values) for x in found]
    return list(_old(model, values))


# Offset frames, each with the name of what it is a part of; None of those that joints have for themselves.
Shared = dict[str, tuple[Element, str | None]]


def shared_frames(model: Element) -> Shared:
    """Offset frames of bodies and of the model, by owner/name, and the first of a name by that; of joints by path."""
    found: Shared = {}

    def look(part: Element, owner: str) -> None:
        if part.tag == "PhysicalOffsetFrame":
            name = part.attributes.get("name", "")
            found[f"{owner}/{name}"] = part, owner
            found.setdefault(name, (part, owner))
            owner = name
        for child in part.children:
            look(child, owner)

    for body in objects(model, "BodySet"):
        look(body, body.attributes.get("name", ""))
    for part in (*objects(model, "ComponentSet"), *model.children):
        if part.tag in ("PhysicalOffsetFrame", "Ground", "components"):
            look(part, "ground" if part.tag == "Ground" else "")
    for joint in objects(model, "JointSet"):
        for part in joint.walk():
            if part.tag == "PhysicalOffsetFrame":
                path = f"{joint.attributes.get('name')}/{part.attributes.get('name')}"
                found.setdefault(path, (part, None))
    return found


def end(element: Element, socket: str, shared: Shared, values: Values) -> tuple[str, Pose]:
    """The body that a socket leads to, and the frame in it."""
    own = {part.attributes.get("name", ""): part for part in element.walk() if part.tag == "PhysicalOffsetFrame"}
    at = values.text(element, f"socket_{socket}", f"socket_{socket}_connectee_name", socket)
    return follow(at, own, shared, values)


def follow(at: str, own: Mapping[str, Element], shared: Shared, values: Values) -> tuple[str, Pose]:
    """The body that a path leads to, over frames that sit on others, and the last of these in it."""
    pose, seen = Pose(), set[int]()
    while True:
        name, both = last_name(at), "/".join(at.strip().split("/")[-2:])
        frame, owner = shared.get(both) or (own.get(name), "")
        if frame is None:
            frame, owner = shared.get(name) or (None, "")
        if frame is None or id(frame) in seen:
            return name, pose
        seen.add(id(frame))
        pose = offset(frame, values) @ pose
        at = values.text(frame, "socket_parent", "socket_parent_connectee_name")
        at = owner or "" if last_name(at) == ".." else at


def _new(joint: Element, shared: Shared, values: Values) -> Link:
    (parent, in_parent), (child, in_child) = (end(joint, x, shared, values) for x in ("parent_frame", "child_frame"))
    return Link(joint.attributes.get("name") or child, joint, parent, child, in_parent, in_child)


def _between(joint: Element, values: Values) -> Link:
    """Files between versions 3 and 4: connectors name the bodies, and the joint has its places in them."""
    ends = {x.attributes.get("name"): last_name(values.text(x, "connectee_name")) for x in joint.walk()}
    at, back = (_place(joint, end, values) for end in ("_in_parent", "_in_child"))
    child = ends.get("child_body", "")
    backward = values.true(joint, "reverse")
    return Link(joint.attributes.get("name") or child, joint, ends.get("parent_body", ""), child, at, back, backward)


def _place(joint: Element, end: str, values: Values) -> Pose:
    shift, turn = (values.numbers(joint, f"{what}{end}", ZERO, 3) for what in ("location", "orientation"))
    return pose_of(shift, turn)


def _old(model: Element, values: Values) -> Iterator[Link]:
    """Version 3: a body holds the joint to its parent."""
    for body in objects(model, "BodySet"):
        holder = body.find("Joint")
        if holder is None or not holder.children:
            continue
        joint = holder.children[0]
        child, parent = body.attributes.get("name", ""), last_name(values.text(joint, "parent_body"))
        at, back = (_place(joint, end, values) for end in ("_in_parent", ""))
        backward = values.true(joint, "reverse")
        yield Link(joint.attributes.get("name") or child, joint, parent, child, at, back, backward)
