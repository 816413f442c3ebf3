"""A URDF as a mechanism: bodies are links, named like them, branch after branch in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism, Source
from anyjoint.mechanism.shapes import Mesh, Shape

from ..base import base_joint
from ..finish import finished
from ..follow import Line, chained, coupled
from ..markup import Element
from ..meshes import Meshes
from ..numbers import NumberReader
from ..request import Request
from .joints import UrdfJoint, read_joints
from .links import MASSLESS, Link, read_links
from .mimic import check_ranges, felt, followers
from .names import check_names
from .shapes import Looks
from .tree import depth_first, find_root

SHELLS = ("#d5d9e0", "#4b515c")


def read_urdf(root: Element, request: Request) -> Mechanism:
    """Read everything, report every problem, then build."""
    report, numbers = request.report, NumberReader(request.report)
    name = root.attributes.get("name", "").strip()
    if not name:
        report.warn(root.line, "name", "<robot> has no name")
    check_names(root, report)
    count = sum(element.tag == "mesh" for element in root.walk())
    meshes = Meshes(request.paths, report, request.meshes == "view", count)
    try:
        links = read_links(root, numbers, Looks(root, numbers, meshes))
    finally:
        meshes.close()
    joints = read_joints(root, links, numbers)
    for joint in joints.values():  # those that are allowed not to be there
        for end in (joint.parent, joint.child):
            links.setdefault(end, Link(end, joint.line, MASSLESS, (), ()))
    base = find_root(links, joints, root.line, report, whole=len(joints) == len(root.all("joint")))
    following = followers(joints, report)
    check_ranges(joints, following, report)
    report.check()
    assert base is not None  # what has no root has been reported
    return _build(name or "robot", base, links, joints, following, request)


def _build(
    name: str,
    base: str,
    links: Mapping[str, Link],
    joints: Mapping[str, UrdfJoint],
    following: Mapping[str, tuple[str, Line]],
    request: Request,
) -> Mechanism:
    mech, report = Mechanism(name), request.report
    names = {link: link for link in links}
    if "ground" in names:
        names["ground"] = next(f"ground{'_' * k}" for k in range(1, len(links) + 2) if f"ground{'_' * k}" not in links)
        message = f"link 'ground' is called {names['ground']!r} here; ours is the world"
        report.warn(links["ground"].line, "name", message)
    forces = felt(joints, following)
    looks = _looks(base, links, joints)
    mech.add_body(names[base], joint=base_joint(request.base), inertia=links[base].inertia, shape=looks[base])
    for joint in depth_first(base, joints):
        link, own = links[joint.child], forces[joint.name]
        made: Joint = joint.joint()
        if joint.name in following:
            leader, line = following[joint.name]
            made = coupled(joint.joint(limited=False), line, names[joints[leader].child])
        drive = {"damping": own.damping, "friction": own.friction, "effort": joint.effort, "velocity": joint.velocity}
        options: dict[str, Any] = drive if made.nv else {}
        where = names[joint.child], names[joint.parent]
        mech.add_body(*where, made, joint.placement, link.inertia, looks[joint.child], **options)
    lines = {names[link.name]: link.line for link in links.values()}
    moved = {joint.name: names[joint.child] for joint in joints.values()}
    return finished(
        mech,
        request,
        lines,
        Source(
            request.report.file,
            "URDF",
            joints=moved,
            chained=chained(following, {name: joints[name].joint(limited=False) for name in following}, moved),
            collisions={names[link.name]: link.collisions for link in links.values() if link.collisions},
        ),
    )


def _looks(base: str, links: Mapping[str, Link], joints: Mapping[str, UrdfJoint]) -> dict[str, list[Shape]]:
    """What the viewer draws of each link: visuals, or collisions where there are none.

    In a robot of meshes, what has no colour is a light or a dark shell, in turn along a limb.
    """
    shapes = {name: list(link.visuals or link.collisions) for name, link in links.items()}
    if not any(isinstance(shape, Mesh) for some in shapes.values() for shape in some):
        return shapes
    turn = {base: 0}
    for joint in depth_first(base, joints):
        turn[joint.child] = (turn[joint.parent] + (joint.type != "fixed")) % len(SHELLS)
    return {
        name: [replace(shape, color=SHELLS[turn[name]]) if shape.color is None else shape for shape in some]
        for name, some in shapes.items()
    }
