"""The tree that joints of a URDF make: one root, one parent each, no circles."""

from __future__ import annotations

from collections.abc import Mapping

from ..report import Report
from .joints import UrdfJoint
from .links import Link


def find_root(
    links: Mapping[str, Link], joints: Mapping[str, UrdfJoint], line: int, report: Report, whole: bool
) -> str | None:
    """The one link without a parent; what is no tree is reported, unless joints are missing (`whole` is false)."""
    parent: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        if joint.child in parent:
            other = parent[joint.child].name
            message = f"link {joint.child!r} hangs on joint {other!r} already; a link has one parent"
            report.error(joint.line, "tree", f"joint {joint.name!r}: {message}")
        else:
            parent[joint.child] = joint
    if not links:
        report.error(line, "empty", "the robot has no links; add at least one <link>")
        return None
    for loop in _circles(parent):
        chain = " -> ".join([*loop, loop[0]])
        report.error(links[loop[0]].line, "tree", f"joints form a circle: {chain}; a robot is a tree, cut one of them")
    roots = [name for name in links if name not in parent]
    if len(roots) > 1 and whole:
        names = ", ".join(map(repr, roots[:5])) + (", ..." if len(roots) > 5 else "")
        report.error(links[roots[1]].line, "tree", f"{len(roots)} links have no parent: {names}; join all but one")
    return roots[0] if roots else None


def _circles(parent: Mapping[str, UrdfJoint]) -> list[list[str]]:
    """Circles of links, each from parent to child."""
    met: dict[str, int] = {}  # link: the walk that met it first
    found = []
    for walk, start in enumerate(parent):
        at = start
        while at in parent and at not in met:
            met[at] = walk
            at = parent[at].parent
        if at in parent and met[at] == walk:
            loop = [at]
            while parent[loop[-1]].parent != at:
                loop.append(parent[loop[-1]].parent)
            found.append(loop[::-1])
    return found


def depth_first(root: str, joints: Mapping[str, UrdfJoint]) -> list[UrdfJoint]:
    """Joints from the root on, branch after branch, in the order of the file."""
    children: dict[str, list[UrdfJoint]] = {}
    for joint in joints.values():
        children.setdefault(joint.parent, []).append(joint)
    order, waiting = [], children.get(root, [])[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += children.get(joint.child, [])[::-1]
    return order
