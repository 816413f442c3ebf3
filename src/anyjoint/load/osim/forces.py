"""Forces of an .osim: muscles, drives and springs of coordinates, springs along paths; others are told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from typing import Any

from anyjoint.errors import InputError
from anyjoint.forces import Actuator, Cable

from ..markup import Element
from .coordinates import Places
from .muscles import Lacking, Muscles, is_muscle
from .values import Values, last_name, objects

GIVEN = (
    "tendons do not stretch and activations are given, and curves are those of forces.Hill, whatever numbers the file "
    "has for them; give mech.source.actuators to simulate(forces=...)"
)


def read_forces(
    model: Element, bodies: Collection[str], places: Places, values: Values
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Drives and muscles by name, and other forces; what has no counterpart is told."""
    drives, forces, told, muscles = dict[str, Any](), list[Any](), Counter[str](), 0
    reader = Muscles(model, bodies, places, values)
    for element in objects(model, "ForceSet"):
        name = element.attributes.get("name", element.tag)
        if values.true(element, "isDisabled") or not values.true(element, "appliesForce", True):
            values.report.note(element.line, "force", f"force {name!r} is not applied; not read")
            continue
        try:
            made = reader.read(element) if is_muscle(element) else _force(element, reader, places, values)
        except (Lacking, InputError) as lack:
            values.report.warn(element.line, "force", f"force {name!r} is left out: it {lack}")
            continue
        muscles += is_muscle(element) and made is not None
        if made is None:
            told[element.tag] += not is_muscle(element)
        elif element.tag in PASSIVE:
            forces.append(made)
        else:
            drives[name] = made
    at = model.find("ForceSet")
    line = at.line if at is not None else 0
    for kind, count in (+told).items():
        values.report.warn(line, "force", f"{count} <{kind}>: not simulated")
    if muscles:
        values.report.warn(line, "muscle", f"{muscles} muscles: {GIVEN}")
    return drives, tuple(forces)


def _force(element: Element, reader: Muscles, places: Places, values: Values) -> Any | None:
    """A force that is no muscle, or None where it has no counterpart."""
    if element.tag == "CoordinateActuator":
        body, k = _coordinate(element, places, values)
        ends = _bound(element, "min_control", -math.inf, values), _bound(element, "max_control", math.inf, values)
        return Actuator(body, gain=values.number(element, "optimal_force", 1.0), coordinate=k, control_range=ends)
    if element.tag == "SpringGeneralizedForce":
        body, k = _coordinate(element, places, values)
        stiffness, rest, viscosity = (
            values.number(element, tag, 0.0) for tag in ("stiffness", "rest_length", "viscosity")
        )
        return Actuator(body, gain=0.0, bias=(stiffness * rest, -stiffness, -viscosity), coordinate=k)
    if element.tag == "PathSpring" and not values.number(element, "dissipation", 0.0):
        length, stiffness = (values.number(element, tag, 0.0) for tag in ("resting_length", "stiffness"))
        return Cable(reader.path(element), stiffness, length)
    return None


PASSIVE = ("SpringGeneralizedForce", "PathSpring")


def _coordinate(element: Element, places: Places, values: Values) -> tuple[str, int]:
    name = last_name(values.text(element, "coordinate", "socket_coordinate"))
    place = places.find(name)
    if place is None or place.own is None:
        raise Lacking(f"acts on {name!r}, which is no coordinate that moves by itself")
    return place.own


def _bound(element: Element, tag: str, default: float, values: Values) -> float:
    """A number that may be infinite."""
    text = values.text(element, tag).lower().lstrip("+-")
    return default if text in ("", "inf", "infinity") else values.number(element, tag, default)
