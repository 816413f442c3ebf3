"""Forces of an .osim: muscles, drives, springs, ligaments, bushings, stops and contacts; others are told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from anyjoint.errors import InputError
from anyjoint.forces import Actuator, Bushing, Cable, Ligament, SoftStop, Spring
from anyjoint.geometry.functions import SimmSpline

from ..markup import Element
from .attachments import Attachments, Lacking
from .contacts import read_contacts
from .coordinates import Places
from .frames import ZERO, pose_of
from .functions import read_function
from .muscles import is_muscle, read_muscle
from .values import Values, last_name, objects

GIVEN = (
    "tendons do not stretch and activations are given, and curves are those of forces.Hill, whatever numbers the file "
    "has for them; give mech.source.actuators to simulate(forces=...)"
)

# OpenSim's own curve of ligaments.
USUAL = SimmSpline(
    (-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
    (0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0),
)


def read_forces(
    model: Element, bodies: Collection[str], places: Places, values: Values
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Drives and muscles by name, and other forces; what has no counterpart is told."""
    drives, forces, told, muscles = dict[str, Any](), list[Any](), Counter[str](), 0
    attachments, holder = Attachments(model, bodies, places, values), model.find("ForceSet")
    for element in objects(model, "ForceSet"):
        name, kind = element.attributes.get("name", element.tag), "muscle" if is_muscle(element) else "force"
        if values.true(element, "isDisabled") or not values.true(element, "appliesForce", True):
            values.report.note(element.line, "force", f"force {name!r} is not applied; not read")
            continue
        read = read_muscle if kind == "muscle" else PASSIVE.get(element.tag) or DRIVES.get(element.tag)
        if read is None:
            told[element.tag] += 1
            continue
        try:
            made = read(element, attachments)
        except (Lacking, InputError) as lack:
            values.report.warn(element.line, kind, f"{kind} {name!r} is left out: {lack}")
            continue
        muscles += kind == "muscle"
        if element.tag in PASSIVE:
            forces += made if isinstance(made, list) else [made]
        else:
            drives[name] = made
    line = holder.line if holder is not None else 0
    for tag, count in told.items():
        values.report.warn(line, "force", f"{count} <{tag}>: not simulated")
    if muscles:
        values.report.warn(line, "muscle", f"{muscles} muscles: {GIVEN}")
    return drives, tuple(forces)


def _drive(element: Element, at: Attachments) -> Actuator:
    """What pushes a coordinate by a control."""
    body, k = _coordinate(element, at)
    return Actuator(body, gain=_strength(element, at), coordinate=k, control_range=_controls(element, at))


def _winch(element: Element, at: Attachments) -> Actuator:
    """What pulls along a path by a control."""
    gain, ends = -_strength(element, at), _controls(element, at)
    return Actuator(path=at.path(element), gain=gain, control_range=ends)


def _coordinate_spring(element: Element, at: Attachments) -> Actuator:
    body, k = _coordinate(element, at)
    stiffness, rest, viscosity = (
        at.values.number(element, tag, 0.0) for tag in ("stiffness", "rest_length", "viscosity")
    )
    return Actuator(body, gain=0.0, bias=(stiffness * rest, -stiffness, -viscosity), coordinate=k)


def _path_spring(element: Element, at: Attachments) -> Cable:
    """What OpenSim's dissipation would push with, where it shortens faster than that takes, is left out."""
    tags = ("stiffness", "resting_length", "dissipation")
    stiffness, length, dissipation = (at.values.number(element, tag, 0.0) for tag in tags)
    return Cable(at.path(element), stiffness, length, dissipation=dissipation)


def _ligament(element: Element, at: Attachments) -> Ligament:
    holder = element.find("force_length_curve")
    named = [x for x in element.children if x.attributes.get("name") == "force_length_curve"]
    given = holder.children if holder is not None else named
    curve = read_function(given[0], at.values) if given else USUAL
    length, force = (at.values.number(element, tag, 0.0) for tag in ("resting_length", "pcsa_force"))
    return Ligament(at.path(element), curve, length, force)


def _spring(element: Element, at: Attachments) -> Spring:
    """Between two points; version 3 has no sockets."""
    number, numbers = at.values.number, at.values.numbers
    (a, at_a), (b, at_b) = (at.frame(element, f"body{k}") for k in (1, 2))
    if at_a.factors or at_b.factors:
        name = element.attributes.get("name", element.tag)
        what = "is fixed to points of offset frames; OpenSim takes their numbers for those of the bodies"
        at.values.report.warn(element.line, "force", f"force {name!r} {what}")
    first, second = numbers(element, "point1", ZERO, 3), numbers(element, "point2", ZERO, 3)
    stiffness, length = number(element, "stiffness", 1.0), number(element, "rest_length", 0.0)
    return Spring(a, tuple(at_a.act(first)), b, tuple(at_b.act(second)), stiffness, length=length)


def _bushing(element: Element, at: Attachments) -> Bushing:
    """Between two frames; those of version 3 are places in bodies."""
    values, ends = at.values, []
    for k in (1, 2):
        shift, turn = (values.numbers(element, f"{what}_body_{k}", ZERO, 3) for what in ("location", "orientation"))
        body, frame = at.frame(element, f"body_{k}" if element.find(f"body_{k}") else f"frame{k}")
        ends.append((body, frame @ pose_of(shift, turn)))
    stiffness, damping = (
        [x for kind in ("rotational", "translational") for x in values.numbers(element, f"{kind}_{what}", ZERO, 3)]
        for what in ("stiffness", "damping")
    )
    (a, at_a), (b, at_b) = ends
    return Bushing(a, b, stiffness, damping, at_a, at_b, turn="xyz")


def _stop(element: Element, at: Attachments) -> SoftStop:
    """Numbers are by degrees where the coordinate is an angle."""
    number = partial(at.values.number, element)
    body, k = _coordinate(element, at)
    unit = math.radians(1) if _coordinate_name(element, at) in at.places.angles else 1.0
    ends = number("lower_limit", 0.0) * unit, number("upper_limit", 0.0) * unit
    stiffness = number("lower_stiffness", 1.0) / unit, number("upper_stiffness", 1.0) / unit
    return SoftStop(body, ends, stiffness, number("damping", 0.001) / unit, number("transition", 0.1) * unit, k)


# What acts by itself, and what acts by controls.
PASSIVE: dict[str, Callable[[Element, Attachments], Any]] = {
    "BushingForce": _bushing,
    "CoordinateLimitForce": _stop,
    "HuntCrossleyForce": read_contacts,
    "Ligament": _ligament,
    "PathSpring": _path_spring,
    "PointToPointSpring": _spring,
    "SpringGeneralizedForce": _coordinate_spring,
}
DRIVES: dict[str, Callable[[Element, Attachments], Any]] = {"CoordinateActuator": _drive, "PathActuator": _winch}


def _coordinate_name(element: Element, at: Attachments) -> str:
    return last_name(at.values.text(element, "coordinate", "socket_coordinate"))


def _coordinate(element: Element, at: Attachments) -> tuple[str, int]:
    name = _coordinate_name(element, at)
    place = at.places.find(name)
    if place is None or place.own is None:
        raise Lacking(f"acts on {name!r}, which is no coordinate that moves by itself")
    return place.own


def _strength(element: Element, at: Attachments) -> float:
    return at.values.number(element, "optimal_force", 1.0)


def _controls(element: Element, at: Attachments) -> tuple[float, float]:
    """Ends of the control, which may be infinite."""
    low, high = (_bound(element, f"{end}_control", at.values) for end in ("min", "max"))
    return -math.inf if low is None else low, math.inf if high is None else high


def _bound(element: Element, tag: str, values: Values) -> float | None:
    """A number, or None where it is infinite."""
    text = values.text(element, tag).lower().lstrip("+-")
    return None if text in ("", "inf", "infinity") else values.number(element, tag, 0.0)
