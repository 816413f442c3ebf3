"""Constraints of an .osim: coordinates that follow others, loops; what else there is, is named."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry import functions
from anyjoint.spatial import Pose

from ..markup import Element
from .frames import ZERO, end, pose_of, shared_frames
from .functions import read_function
from .joints import Motion
from .rows import SOCKETS
from .values import Values, last_name, objects

BODIES = ("body_1", "body_2")
LOOPS = {"WeldConstraint": ("frame1", "frame2"), "PointConstraint": BODIES}  # and their sockets
NEEDS = {"RollingOnSurfaceConstraint": "rolling"}


@frozen
class Coupler:
    """A coordinate that follows others by a function of them."""

    name: str
    line: int
    dependent: str
    independent: tuple[str, ...]
    function: Any


Following = dict[str, tuple[str, tuple[functions.Of, ...]]]


def read_couplers(model: Element, motions: dict[str, Motion], values: Values) -> Following:
    """For each joint whose coordinates follow others: the joint that leads, and functions of its coordinates.

    Coordinates that follow others of their own joint are put into its functions.
    """
    names = {c.name for motion in motions.values() for c in motion.coordinates}
    found: list[Coupler] = []
    for element in objects(model, "ConstraintSet"):
        name = element.attributes.get("name") or element.tag
        if values.true(element, "isDisabled") or not values.true(element, "isEnforced", True):
            values.report.note(element.line, "constraint", f"constraint {name!r} is not enforced; not read")
        elif element.tag == "CoordinateCouplerConstraint":
            coupler = _coupler(element, name, names, values)
            found += [coupler] if coupler else []
        elif element.tag not in LOOPS and element.tag not in SOCKETS:
            what = NEEDS.get(element.tag, f"a <{element.tag}>")
            values.report.refuse(element.line, "unsupported", f"constraint {name!r} needs {what}, not supported")
    return _between(_within(found, motions), motions, values)


def _within(couplers: list[Coupler], motions: dict[str, Motion]) -> list[Coupler]:
    """Coordinates that follow others of their own joint become functions of it; the couplers that are left."""
    left = []
    for coupler in couplers:
        own = next((j for j, m in motions.items() if coupler.dependent in m.names), "")
        if own and all(name in motions[own].names and name != coupler.dependent for name in coupler.independent):
            motions[own] = motions[own].tied(coupler.dependent, coupler.independent, coupler.function)
        else:
            left.append(coupler)
    return left


def _between(couplers: list[Coupler], motions: Mapping[str, Motion], values: Values) -> Following:
    """Joints all of whose coordinates follow those of one other joint."""
    found: Following = {}
    by_name = {coupler.dependent: coupler for coupler in couplers}
    owner = {name: joint for joint, motion in motions.items() for name in motion.names}
    for joint in dict.fromkeys(owner[coupler.dependent] for coupler in couplers if coupler.dependent in owner):
        own = [by_name.get(name) for name in motions[joint].names]
        leaders = {owner.get(name) for coupler in own if coupler for name in coupler.independent}
        (leader,) = leaders if len(leaders) == 1 else (None,)
        if all(own) and leader is not None and leader != joint and leader not in found:
            at = motions[leader].names
            found[joint] = leader, tuple(
                functions.Of(c.function, tuple(at.index(name) for name in c.independent)) for c in own if c
            )
            continue
        for coupler in filter(None, own):
            what = "a joint all of whose coordinates follow coordinates of one other joint"
            values.report.refuse(coupler.line, "unsupported", f"coupler {coupler.name!r} needs more than {what}")
    return found


@frozen
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
        name = element.attributes.get("name") or element.tag
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


def _coupler(element: Element, name: str, known: Collection[str], values: Values) -> Coupler | None:
    dependent = last_name(values.text(element, "dependent_coordinate_name"))
    independent = [last_name(x) for x in values.text(element, "independent_coordinate_names").split()]
    unknown = [x for x in (dependent, *independent) if x not in known]
    holder = element.find("coupled_coordinates_function")
    if unknown or not independent or holder is None or not holder.children:
        what = f"there is no coordinate {unknown[0]!r}" if unknown else "it has no function of coordinates"
        values.report.error(element.line, "reference", f"coupler {name!r}: {what}")
        return None
    function, scale = read_function(holder.children[0], values), values.number(element, "scale_factor", 1.0)
    function = function if scale == 1 else functions.Scaled(function, scale)
    return Coupler(name, element.line, dependent, tuple(independent), function)
