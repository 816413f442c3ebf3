"""Joints of formulas as JSON and back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from anyjoint.errors import InputError
from anyjoint.joints import Coordinate
from anyjoint.options import nearest
from anyjoint.scalar import is_real

from .codec import decoded, encoded
from .expression import Expression
from .formula_joint import STEPS, FormulaJoint, Named, Step

KEYS = ("coordinates", "pose", "parameters")
COORDINATE = [field.name for field in dataclasses.fields(Coordinate) if field.name != "name"]


def is_formulas(value: Any) -> bool:
    """Whether a JSON value describes a joint of formulas."""
    return isinstance(value, Mapping) and ("coordinates" in value or "pose" in value)


def encoded_formulas(joint: FormulaJoint) -> dict[str, Any]:
    """A joint of formulas as JSON."""
    coordinates = {}
    for c in joint.coordinate_list:
        usual = Coordinate(c.name, neutral=_neutral(c.domain))
        more = {name: encoded(getattr(c, name)) for name in COORDINATE if getattr(c, name) != getattr(usual, name)}
        coordinates[c.name] = encoded(c.domain) if not more.keys() - {"domain"} else more
    made: dict[str, Any] = {"coordinates": coordinates, "pose": [_encoded_step(step) for step in joint.steps]}
    if joint.numbers:
        made["parameters"] = {number.name: number.value for number in joint.numbers}
    return made


def _encoded_step(step: Step) -> dict[str, Any]:
    texts = [formula.text for formula in step.formulas]
    if step.kind == "rotation":
        return {"rotation": texts[0], "axis": list(step.axis)}
    made: dict[str, Any] = {step.kind: texts}
    if step.by:
        made["by"] = list(step.by)
    return made | ({"frame": step.frame} if step.kind == "curve" else {})


def decoded_formulas(value: Mapping[str, Any], shared: Mapping[str, float]) -> FormulaJoint:
    """A joint of formulas; `shared` are the parameters of the whole file."""
    for key in value:
        if key not in KEYS:
            raise InputError(f"a joint of formulas has no {key!r}{nearest(key, KEYS)}")
    numbers = {**shared, **parameter_numbers(value.get("parameters", {}))}
    coordinates = value.get("coordinates", {})
    if not isinstance(coordinates, Mapping) or not isinstance(value.get("pose"), list):
        raise InputError('a joint of formulas is {"coordinates": {"s": [low, high]}, "pose": [step, ...]}')
    made = tuple(_coordinate(name, given) for name, given in coordinates.items())
    steps = tuple(_step(step, [c.name for c in made]) for step in value["pose"])
    used = {name for step in steps for formula in step.formulas for name in formula.names()}
    return FormulaJoint(made, steps, tuple(Named(name, x) for name, x in numbers.items() if name in used))


def parameter_numbers(given: Any) -> dict[str, float]:
    """The parameters of a formula."""
    if not isinstance(given, Mapping) or not all(is_real(x) for x in given.values()):
        raise InputError(f"parameters are numbers by name, got {given!r}")
    return {name: float(x) for name, x in given.items()}


def _coordinate(name: str, given: Any) -> Coordinate:
    options = dict(given) if isinstance(given, Mapping) else {"domain": given}
    for key in options:
        if key not in COORDINATE:
            raise InputError(f"the coordinate {name!r} has no {key!r}{nearest(key, COORDINATE)}")
    made = {key: decoded(item) for key, item in options.items()}
    domain = made.setdefault("domain", Coordinate.domain)
    if not isinstance(domain, tuple) or len(domain) != 2 or not all(is_real(x) for x in domain):
        raise InputError(f"the coordinate {name!r} goes from a number to a number, got {given!r}")
    made.setdefault("neutral", _neutral(domain))
    return Coordinate(name, **made)


def _neutral(domain: tuple[float, float]) -> float:
    low, high = domain
    if low <= 0 <= high or not math.isfinite(low + high):
        return 0.0
    return (low + high) / 2


def _step(given: Any, coordinates: list[str]) -> Step:
    known = (*STEPS, "by", "axis", "frame")
    if not isinstance(given, Mapping) or len(given.keys() & STEPS.keys()) != 1:
        raise InputError(f"a step of a pose has one of {', '.join(STEPS)}, got {given!r}")
    for key in given:
        if key not in known:
            raise InputError(f"a step of a pose has no {key!r}{nearest(key, known)}")
    (kind,) = given.keys() & STEPS.keys()
    texts = given[kind] if isinstance(given[kind], list) else [given[kind]]
    formulas = tuple(Expression(str(x) if is_real(x) else x) for x in texts)
    by = given.get("by", [])
    if not by and kind in ("curve", "surface"):  # the coordinates in the formulas, in their own order
        used = {name for formula in formulas for name in formula.names()}
        by = [name for name in coordinates if name in used]
    options = {key: decoded(given[key]) for key in ("axis", "frame") if key in given}
    return Step(kind, formulas, tuple([by] if isinstance(by, str) else by), **options)
