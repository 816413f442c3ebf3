"""Forces of an .osim: muscles, drives, springs, bushings and stops; others are told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from anyjoint.errors import InputError
from anyjoint.forces import Actuator, Bushing, Cable, SoftStop, Spring

from ..markup import Element
from .coordinates import Places
from .frames import ZERO, pose_of
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
            made = reader.read(element) if is_muscle(element) else _other(element, reader)
        except (Lacking, InputError) as lack:
            values.report.warn(element.line, "force", f"force {name!r} is left out: {lack}")
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


def _other(element: Element, reader: Muscles) -> Any | None:
    """A force that is no muscle, or None where it has no counterpart."""
    read = PASSIVE.get(element.tag) or DRIVES.get(element.tag)
    return read and read(element, reader)


def _drive(element: Element, reader: Muscles) -> Actuator:
    """What pushes a coordinate by a control."""
    body, k = _coordinate(element, reader)
    return Actuator(body, gain=_strength(element, reader), coordinate=k, control_range=_controls(element, reader))


def _winch(element: Element, reader: Muscles) -> Actuator:
    """What pulls along a path by a control."""
    gain, ends = -_strength(element, reader), _controls(element, reader)
    return Actuator(path=reader.path(element), gain=gain, control_range=ends)


def _coordinate_spring(element: Element, reader: Muscles) -> Actuator:
    body, k = _coordinate(element, reader)
    stiffness, rest, viscosity = (
        reader.values.number(element, tag, 0.0) for tag in ("stiffness", "rest_length", "viscosity")
    )
    return Actuator(body, gain=0.0, bias=(stiffness * rest, -stiffness, -viscosity), coordinate=k)


def _path_spring(element: Element, reader: Muscles) -> Cable:
    if reader.values.number(element, "dissipation", 0.0):
        raise Lacking("has a dissipation, which cables have not")
    length, stiffness = (reader.values.number(element, tag, 0.0) for tag in ("resting_length", "stiffness"))
    return Cable(reader.path(element), stiffness, length)


def _spring(element: Element, reader: Muscles) -> Spring:
    """Between two points; version 3 has no sockets."""
    number, numbers = reader.values.number, reader.values.numbers
    (a, at_a), (b, at_b) = (reader.frame(element, f"body{k}") for k in (1, 2))
    if at_a.factors or at_b.factors:
        name = element.attributes.get("name", element.tag)
        what = "is fixed to points of offset frames; OpenSim takes their numbers for those of the bodies"
        reader.values.report.warn(element.line, "force", f"force {name!r} {what}")
    first, second = numbers(element, "point1", ZERO, 3), numbers(element, "point2", ZERO, 3)
    stiffness, length = number(element, "stiffness", 1.0), number(element, "rest_length", 0.0)
    return Spring(a, tuple(at_a.act(first)), b, tuple(at_b.act(second)), stiffness, length=length)


def _bushing(element: Element, reader: Muscles) -> Bushing:
    """Between two frames; those of version 3 are places in bodies."""
    values, ends = reader.values, []
    for k in (1, 2):
        shift, turn = (values.numbers(element, f"{what}_body_{k}", ZERO, 3) for what in ("location", "orientation"))
        body, frame = reader.frame(element, f"body_{k}" if element.find(f"body_{k}") else f"frame{k}")
        ends.append((body, frame @ pose_of(shift, turn)))
    stiffness, damping = (
        [x for kind in ("rotational", "translational") for x in values.numbers(element, f"{kind}_{what}", ZERO, 3)]
        for what in ("stiffness", "damping")
    )
    (a, at_a), (b, at_b) = ends
    return Bushing(a, b, stiffness, damping, at_a, at_b, turn="xyz")


def _stop(element: Element, reader: Muscles) -> SoftStop:
    """Numbers are by degrees where the coordinate is an angle."""
    number = partial(reader.values.number, element)
    body, k = _coordinate(element, reader)
    unit = math.radians(1) if _coordinate_name(element, reader) in reader.places.angles else 1.0
    ends = number("lower_limit", 0.0) * unit, number("upper_limit", 0.0) * unit
    stiffness = number("lower_stiffness", 1.0) / unit, number("upper_stiffness", 1.0) / unit
    return SoftStop(body, ends, stiffness, number("damping", 0.001) / unit, number("transition", 0.1) * unit, k)


# What acts by itself, and what acts by controls.
PASSIVE: dict[str, Callable[[Element, Muscles], Any]] = {
    "BushingForce": _bushing,
    "CoordinateLimitForce": _stop,
    "PathSpring": _path_spring,
    "PointToPointSpring": _spring,
    "SpringGeneralizedForce": _coordinate_spring,
}
DRIVES: dict[str, Callable[[Element, Muscles], Any]] = {"CoordinateActuator": _drive, "PathActuator": _winch}


def _coordinate_name(element: Element, reader: Muscles) -> str:
    return last_name(reader.values.text(element, "coordinate", "socket_coordinate"))


def _coordinate(element: Element, reader: Muscles) -> tuple[str, int]:
    name = _coordinate_name(element, reader)
    place = reader.places.find(name)
    if place is None or place.own is None:
        raise Lacking(f"acts on {name!r}, which is no coordinate that moves by itself")
    return place.own


def _strength(element: Element, reader: Muscles) -> float:
    return reader.values.number(element, "optimal_force", 1.0)


def _controls(element: Element, reader: Muscles) -> tuple[float, float]:
    """Ends of the control, which may be infinite."""
    low, high = (_bound(element, f"{end}_control", reader.values) for end in ("min", "max"))
    return -math.inf if low is None else low, math.inf if high is None else high


def _bound(element: Element, tag: str, values: Values) -> float | None:
    """A number, or None where it is infinite."""
    text = values.text(element, tag).lower().lstrip("+-")
    return None if text in ("", "inf", "infinity") else values.number(element, tag, 0.0)
