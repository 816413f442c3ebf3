"""Joints of a URDF: types, axes, limits, dynamics, and which joint follows which."""

from __future__ import annotations

import math
from collections.abc import Collection

from anyjoint import joints
from anyjoint.frozen import frozen
from anyjoint.joints import Joint
from anyjoint.options import nearest
from anyjoint.spatial import Pose

from ..markup import Element
from ..numbers import NumberReader
from .names import name_of
from .origin import origin

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")
SINGLE = ("revolute", "continuous", "prismatic")
FREE = (-math.inf, math.inf)


@frozen
class Mimic:
    """This joint's coordinate is multiplier * (that of `joint`) + offset."""

    joint: str
    multiplier: float
    offset: float
    line: int


@frozen
class UrdfJoint:
    """A joint as it stands in the file."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    placement: Pose
    axis: tuple[float, ...]
    limits: tuple[float, float] = FREE
    effort: float = math.inf
    velocity: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None

    def joint(self, limited: bool = True) -> Joint:
        """The joint of a mechanism that moves like this one."""
        limits = self.limits if limited else FREE
        if self.type == "prismatic":
            return joints.Prismatic(self.axis, limits)
        if self.type in SINGLE:
            return joints.Revolute(self.axis, limits)
        if self.type == "planar":
            return joints.FreePlanar(self.axis)
        if self.type == "spherical":  # of Bullet and others
            return joints.SphericalQuaternion()
        return joints.FreeQuaternion() if self.type == "floating" else joints.Fixed()


def read_joints(root: Element, links: Collection[str], numbers: NumberReader) -> dict[str, UrdfJoint]:
    """All joints by name that connect links; each problem is reported."""
    report, found = numbers.report, dict[str, UrdfJoint]()
    for element in root.all("joint"):
        name = name_of(element, report)
        made = _read_joint(element, name, links, numbers)
        if name in found:
            report.error(element.line, "duplicate", f"a second joint {name!r}; the first is at line {found[name].line}")
        elif made is not None:
            found[name] = made
    return found


def _read_joint(element: Element, name: str, links: Collection[str], numbers: NumberReader) -> UrdfJoint | None:
    report, kind = numbers.report, element.attributes.get("type", "")
    ends = {tag: _end(element, tag, name, links, numbers) for tag in ("parent", "child")}
    if kind not in TYPES:
        report.error(element.line, "type", f"joint {name!r}: type {kind!r} is unknown{nearest(kind, TYPES)}")
    axis, placement = _axis(element, name, kind, numbers), origin(element, numbers)
    limits, effort, velocity = _limits(element, name, kind, numbers)
    damping, friction = _dynamics(element, name, numbers)
    mimic = _mimic(element, numbers)
    if kind not in TYPES or None in ends.values():
        return None
    parent, child = str(ends["parent"]), str(ends["child"])
    return UrdfJoint(
        name, element.line, kind, parent, child, placement, axis, limits, effort, velocity, damping, friction, mimic
    )


def _end(joint: Element, tag: str, name: str, links: Collection[str], numbers: NumberReader) -> str | None:
    """The link at one end."""
    element = joint.find(tag)
    link = element.attributes.get("link") if element is not None else None
    if element is None or link is None:
        numbers.report.error(joint.line, "missing", f"joint {name!r} has no <{tag} link=...>; name the {tag} link")
        return None
    if link not in links:
        hint = nearest(link, links) if links else ""
        hint = hint if "did you mean" in hint else ""
        numbers.report.refuse(element.line, "reference", f"joint {name!r}: there is no link {link!r}{hint}")
        return link if "reference" in numbers.report.allow else None
    return link


def _axis(joint: Element, name: str, kind: str, numbers: NumberReader) -> tuple[float, ...]:
    element = joint.find("axis")
    axis = numbers.vector(element, "xyz", (1.0, 0.0, 0.0)) if element is not None else (1.0, 0.0, 0.0)
    if kind not in (*SINGLE, "planar"):
        return (1.0, 0.0, 0.0)
    line, length = (element or joint).line, math.hypot(*axis)
    if element is None or "xyz" not in element.attributes:
        numbers.report.warn(line, "axis", f"joint {name!r} has no axis; it is x, as the format says")
    if length == 0 or not math.isfinite(length):
        numbers.report.error(line, "axis", f"joint {name!r}: axis {axis} has no direction; give a unit vector")
        return (1.0, 0.0, 0.0)
    if abs(length - 1) > 1e-3:
        numbers.report.warn(line, "axis", f"joint {name!r}: axis {axis} has length {length:.6g}; brought to 1")
    return axis


def _limits(joint: Element, name: str, kind: str, numbers: NumberReader) -> tuple[tuple[float, float], float, float]:
    """Limits of the coordinate, of effort, of velocity."""
    report, element = numbers.report, joint.find("limit")
    if element is None:
        if kind in ("revolute", "prismatic"):
            report.warn(joint.line, "limit", f"joint {name!r}: a {kind} joint should have a <limit>; it moves freely")
        return FREE, math.inf, math.inf
    most = {}
    for what in ("effort", "velocity"):
        most[what] = numbers.attribute(element, what, math.inf, infinite=True)
        if most[what] < 0:
            report.warn(element.line, "limit", f"joint {name!r}: {what} {most[what]:g} is negative; not kept")
            most[what] = math.inf
    low, high = (numbers.attribute(element, side, 0.0, infinite=True) for side in ("lower", "upper"))
    if kind not in ("revolute", "prismatic"):
        if low < high:
            report.note(element.line, "limit", f"joint {name!r}: a {kind} joint has no lower and upper limit; not kept")
        low, high = FREE
    elif low > high:
        report.refuse(element.line, "limit", f"joint {name!r}: lower {low:g} is above upper {high:g}; exchange them")
        low, high = FREE
    elif low == high:
        report.warn(element.line, "limit", f"joint {name!r}: lower = upper = {low:g}; it moves freely")
        low, high = FREE
    return (low, high), most["effort"], most["velocity"]


def _dynamics(joint: Element, name: str, numbers: NumberReader) -> tuple[float, float]:
    """Damping and dry friction."""
    element = joint.find("dynamics")
    if element is None:
        return 0.0, 0.0
    damping, friction = (numbers.attribute(element, what, 0.0) for what in ("damping", "friction"))
    for what, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            numbers.report.error(element.line, what, f"joint {name!r}: {what} {value:g} is negative")
    if friction > 0:
        numbers.report.warn(
            element.line, "friction", f"joint {name!r}: dry friction {friction:g} is felt by time-stepping alone"
        )
    return max(damping, 0.0), max(friction, 0.0)


def _mimic(joint: Element, numbers: NumberReader) -> Mimic | None:
    element = joint.find("mimic")
    if element is None:
        return None
    leader = element.attributes.get("joint")
    if leader is None:
        numbers.report.error(element.line, "missing", "<mimic> has no 'joint'; name the joint to follow")
        return None
    multiplier, offset = (numbers.attribute(element, *what) for what in (("multiplier", 1.0), ("offset", 0.0)))
    return Mimic(leader, multiplier, offset, element.line)
