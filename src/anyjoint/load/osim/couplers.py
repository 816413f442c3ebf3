"""Constraints of an .osim: coordinates that follow others, loops; what else there is, is named."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from anyjoint.geometry import functions
from anyjoint.spatial import Pose

from ..markup import Element
from .frames import ZERO, end, pose_of, shared_frames
from .functions import read_function
from .joints import Motion
from .values import Values, objects

BODIES = ("body_1", "body_2")
LOOPS = {"WeldConstraint": ("frame1", "frame2"), "PointConstraint": BODIES}  # and their sockets
NEEDS = {
    "PointOnLineConstraint": "a point that stays on a line",
    "ConstantDistanceConstraint": "a rod of constant length",
    "RollingOnSurfaceConstraint": "rolling",
}


def read_couplers(
    model: Element, motions: Mapping[str, Motion], values: Values
) -> dict[str, tuple[str, tuple[functions.Of, ...]]]:
    """For each joint whose one coordinate follows others: the joint that leads, and the function of its coordinates."""
    owner = {c.name: (joint, k) for joint, motion in motions.items() for k, c in enumerate(motion.coordinates)}
    found: dict[str, tuple[str, tuple[functions.Of, ...]]] = {}
    for element in objects(model, "ConstraintSet"):
        name = element.attributes.get("name", element.tag)
        if values.true(element, "isDisabled") or not values.true(element, "isEnforced", True):
            values.report.note(element.line, "constraint", f"constraint {name!r} is not enforced; not read")
        elif element.tag == "CoordinateCouplerConstraint":
            _coupler(element, name, owner, motions, found, values)
        elif element.tag not in LOOPS:
            what = NEEDS.get(element.tag, f"a <{element.tag}>")
            values.report.refuse(element.line, "unsupported", f"constraint {name!r} needs {what}, not supported yet")
    return found


@dataclass(frozen=True)
class LoopSpec:
    """Two bodies joined once more, at frames in them; a ball where only points meet."""

    name: str
    line: int
    bodies: tuple[str, str]
    frames: tuple[Pose, Pose]
    ball: bool


def read_loops(model: Element, bodies: Collection[str], values: Values) -> list[LoopSpec]:
    """Welds and points that two bodies share; what names no body is reported."""
    shared, found = shared_frames(model), list[LoopSpec]()
    for element in objects(model, "ConstraintSet"):
        off = values.true(element, "isDisabled") or not values.true(element, "isEnforced", True)
        if element.tag not in LOOPS or off:
            continue
        name = element.attributes.get("name", element.tag)
        sockets = LOOPS[element.tag] if element.find("body_1") is None else BODIES
        (first, before), (second, after) = (end(element, socket, shared, values) for socket in sockets)
        places = [_place(element, k, values) for k in (1, 2)]  # of points, and of welds of version 3
        unknown = [x for x in (first, second) if x not in bodies and x != "ground"]
        if unknown:
            values.report.error(element.line, "reference", f"constraint {name!r}: there is no body {unknown[0]!r}")
            continue
        frames = before @ places[0], after @ places[1]
        found.append(LoopSpec(name, element.line, (first, second), frames, element.tag == "PointConstraint"))
    return found


def _place(element: Element, k: int, values: Values) -> Pose:
    shift, turn = (values.numbers(element, f"{what}_body_{k}", ZERO, 3) for what in ("location", "orientation"))
    return pose_of(shift, turn)


def _coupler(
    element: Element,
    name: str,
    owner: Mapping[str, tuple[str, int]],
    motions: Mapping[str, Motion],
    found: dict[str, Any],
    values: Values,
) -> None:
    dependent = values.text(element, "dependent_coordinate_name")
    independent = values.text(element, "independent_coordinate_names").split()
    unknown = [x for x in (dependent, *independent) if x not in owner]
    holder = element.find("coupled_coordinates_function")
    if unknown or not independent or holder is None or not holder.children:
        what = f"there is no coordinate {unknown[0]!r}" if unknown else "it has no function of coordinates"
        values.report.error(element.line, "reference", f"coupler {name!r}: {what}")
        return
    function, scale = read_function(holder.children[0], values), values.number(element, "scale_factor", 1.0)
    function = function if scale == 1 else functions.Scaled(function, scale)
    leaders = {owner[x][0] for x in independent}
    joint, _ = owner[dependent]
    if len(motions[joint].coordinates) != 1 or len(leaders) != 1 or joint in leaders or joint in found:
        what = "a joint whose only coordinate follows coordinates of one other joint"
        values.report.refuse(element.line, "unsupported", f"coupler {name!r} needs more than {what}")
        return
    (leader,) = leaders
    found[joint] = leader, (functions.Of(function, tuple(owner[x][1] for x in independent)),)
