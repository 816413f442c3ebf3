"""Links of a URDF: their inertia, and what they look like."""

from __future__ import annotations

import math

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.mechanism import Inertia
from anyjoint.mechanism.inertia import inertia_problems
from anyjoint.mechanism.shapes import Shape

from ..markup import Element
from ..numbers import NumberReader
from .names import name_of
from .origin import origin
from .shapes import Looks

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
MASSLESS = Inertia(0.0)


@frozen
class Link:
    """A link as it stands in the file."""

    name: str
    line: int
    inertia: Inertia
    visuals: tuple[Shape, ...]
    collisions: tuple[Shape, ...]


def read_links(root: Element, numbers: NumberReader, looks: Looks) -> dict[str, Link]:
    """All links by name."""
    report, found = numbers.report, dict[str, Link]()
    for element in root.all("link"):
        name = name_of(element, report)
        inertia = read_inertia(element, name, numbers)
        visuals, collisions = (looks.shapes(element, tag) for tag in ("visual", "collision"))
        if name in found:
            report.error(element.line, "duplicate", f"a second link {name!r}; the first is at line {found[name].line}")
            continue
        found[name] = Link(name, element.line, inertia, visuals, collisions)
    return found


def read_inertia(link: Element, name: str, numbers: NumberReader) -> Inertia:
    """The inertia in the link's own frame; massless where the file gives none."""
    report, element = numbers.report, link.find("inertial")
    if element is None:
        return MASSLESS
    mass, tensor = element.find("mass"), element.find("inertia")
    if mass is None:
        report.error(element.line, "missing", f"link {name!r}: <inertial> has no <mass>; give its mass, or remove it")
        return MASSLESS
    m, pose = numbers.attribute(mass, "value"), origin(element, numbers)
    if tensor is None:
        report.warn(element.line, "missing", f"link {name!r}: <inertial> has no <inertia>; it is a point mass")
        moments = [0.0] * 6
    else:
        moments = [numbers.attribute(tensor, key, None if key[1] == key[2] else 0.0) for key in MOMENTS]
        if lost := [key for key in MOMENTS if key[1] != key[2] and key not in tensor.attributes]:
            report.warn(tensor.line, "missing", f"link {name!r}: <inertia> has no {', '.join(lost)}; taken for 0")
    if not all(map(math.isfinite, (m, *moments))):
        return MASSLESS  # reported already
    if m < 0:
        report.error(mass.line, "mass", f"link {name!r}: mass {m:g} is negative; give it in kilograms")
        return MASSLESS
    xx, xy, xz, yy, yz, zz = moments
    I, T = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), pose.matrix
    problems = inertia_problems(m, (0, 0, 0), I)
    for problem in problems:
        report.refuse((tensor or element).line, "inertia", f"link {name!r}: {problem}")
    R = T[:3, :3]
    turned = I if np.array_equal(R, np.eye(3)) else R @ I @ R.T
    return Inertia(m, T[:3, 3], turned, physical=not problems)
