"""What URDF knows: elements, their attributes and children; what it does not know is reported with the nearest."""

from __future__ import annotations

from anyjoint.options import meant

from ..markup import Element
from ..report import Report

# Tag: (attributes, children). What stands inside other tags is none of our business.
_WORDS = {
    "robot": ("name version", "link joint material gazebo transmission"),
    "link": ("name type", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "origin": ("xyz rpy quat_xyzw", ""),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry"),
    "geometry": ("", "box sphere cylinder capsule mesh"),
    "box": ("size", ""),
    "sphere": ("radius", ""),
    "cylinder": ("radius length", ""),
    "capsule": ("radius length", ""),
    "mesh": ("filename scale", ""),
    "material": ("name", "color texture"),
    "color": ("rgba", ""),
    "texture": ("filename", ""),
    "joint": ("name type", "origin parent child axis limit dynamics mimic calibration safety_controller"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz", ""),
    "limit": ("lower upper effort velocity acceleration deceleration jerk", ""),
    "dynamics": ("damping friction", ""),
    "mimic": ("joint multiplier offset", ""),
}
KNOWN = {tag: (attributes.split(), children.split()) for tag, (attributes, children) in _WORDS.items()}
SILENT = ("gazebo", "transmission", "calibration", "safety_controller")  # other programs' business, by agreement
MANY = {"robot": ("link", "joint", "material"), "link": ("visual", "collision")}  # children that may be several


def name_of(element: Element, report: Report) -> str:
    """The name of a link or a joint; one that has none is reported, and goes by its line."""
    name, tag = element.attributes.get("name", ""), element.tag
    if name.strip():
        return name
    report.error(element.line, "name", f"<{tag}> has no name; give each {tag} one of its own")
    return f"{tag} at line {element.line}"


def check_names(root: Element, report: Report) -> None:
    """Report attributes and elements that URDF does not have."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        attributes, children = KNOWN[element.tag]
        seen = set[str]()
        for name in element.attributes:
            if ":" not in name and name != "xmlns" and name not in attributes:
                near = meant(name, attributes)
                report.warn(element.line, "attribute", f"<{element.tag}> has no attribute {name!r}; not read{near}")
        for child in element.children:
            if child.tag in SILENT:
                report.note(child.line, child.tag, f"<{child.tag}> is for other programs; not read")
            elif child.tag.startswith("xacro:"):
                report.refuse(child.line, "xacro", f"<{child.tag}>: expand the file first: xacro FILE > FILE.urdf")
            elif child.tag not in children:
                near = meant(child.tag, children)
                tell = report.warn if near or element is not root else report.note
                tell(child.line, "element", f"<{element.tag}> has no element <{child.tag}>; not read{near}")
            elif child.tag in seen and child.tag not in MANY.get(element.tag, ()):
                report.warn(child.line, "element", f"<{element.tag}> has a second <{child.tag}>; the first one is read")
            elif child.tag in KNOWN:
                seen.add(child.tag)
                waiting.append(child)
