"""Constraints of an .osim: coordinates that follow others; what else there is, is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyjoint.geometry import functions

from ..markup import Element
from .functions import read_function
from .joints import Motion
from .values import Values, objects

NEEDS = {
    "WeldConstraint": "a loop that welds two bodies",
    "PointConstraint": "a loop that connects two bodies at a point",
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
        else:
            # The one place to change once mechanisms have constraints: mech.add_loop and mech.add_constraint.
            what = NEEDS.get(element.tag, f"a <{element.tag}>")
            values.report.refuse(element.line, "unsupported", f"constraint {name!r} needs {what}, not supported yet")
    return found


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
