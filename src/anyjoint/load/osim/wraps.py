"""Obstacles of muscles: spheres, cylinders and ellipsoids; tori are named by those who need them."""

from __future__ import annotations

from typing import Any

from anyjoint.forces import WrapCylinder, WrapEllipsoid, WrapSphere
from anyjoint.frozen import frozen
from anyjoint.spatial import Pose, vector

from ..markup import Element
from .frames import ZERO, follow, pose_of, shared_frames
from .values import Values, objects

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
KNOWN = ("WrapSphere", "WrapCylinder", "WrapEllipsoid")


@frozen
class WrapSpec:
    """An obstacle as the file has it: its body, and the pose of the frame that it sits in."""

    element: Element
    body: str
    frame: Pose

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return f"the <{self.element.tag}> {self.element.attributes.get('name')!r} of {self.body!r}"


def read_wraps(model: Element, values: Values) -> dict[str, WrapSpec]:
    """All obstacles by name, on bodies and on frames of theirs; of two with the same name the first, as in OpenSim."""
    found, shared = dict[str, WrapSpec](), shared_frames(model)
    owners = [(body, "ground", Pose()) for body in model.all("Ground")]
    owners += [(body, body.attributes.get("name", ""), Pose()) for body in objects(model, "BodySet")]
    owners += [(frame, *follow(path, {}, shared, values)) for path, (frame, _) in shared.items() if "/" in path]
    for owner, body, pose in sorted(owners, key=lambda x: x[0].line):
        for element in objects(owner, "WrapObjectSet"):
            found.setdefault(element.attributes.get("name", ""), WrapSpec(element, body, pose))
    return found


def obstacle(spec: WrapSpec, segments: int, values: Values) -> Any | str:
    """The obstacle of a path that meets it on so many segments, or what is lacking."""
    element, kind, where = spec.element, spec.element.tag, f" (line {spec.element.line})"
    if kind not in KNOWN:
        return f"goes around {spec.title}{where}, which has no counterpart"
    turn, shift = (values.numbers(element, tag, ZERO, 3) for tag in ("xyz_body_rotation", "translation"))
    pose = spec.frame @ pose_of(shift, turn)
    quadrant = values.text(element, "quadrant").strip().lower().lstrip("+")
    letter, side = quadrant.lstrip("-"), None
    if letter in AXES and not (kind == "WrapCylinder" and letter == "z"):
        sign = -1.0 if quadrant.startswith("-") else 1.0
        side = tuple(sign * float(x) for x in pose.R @ vector(*AXES[letter]))
    elif letter not in ("", "all", "unassigned"):
        return f"goes around {spec.title}{where} in its quadrant {quadrant!r}, which has no counterpart"
    center = tuple(float(x) for x in pose.p)
    radii = values.numbers(element, "dimensions", (0.05,) * 3, 3) if kind == "WrapEllipsoid" else [
        values.number(element, "radius", 0.05 if kind == "WrapSphere" else 1.0)]  # fmt: skip
    if not all(radius > 0 for radius in radii):
        return f"goes around {spec.title}{where}, which has no radius"
    if kind == "WrapEllipsoid":
        rows = tuple(tuple(float(x) for x in row) for row in pose.R)
        return WrapEllipsoid(spec.body, center, (radii[0], radii[1], radii[2]), rows, side, segments)
    (radius,) = radii
    if kind == "WrapSphere":
        return WrapSphere(spec.body, center, radius, side, segments)
    axis, length = tuple(float(x) for x in pose.R[:, 2]), values.number(element, "length", 1.0)
    return WrapCylinder(spec.body, center, axis, radius, side, length, segments)
