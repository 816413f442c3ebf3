"""Joints of formulas as JSON and back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from anyjoint.errors import InputError
from anyjoint.geometry.check import EVERYWHERE, check_intervals
from anyjoint.joints import Coordinate, FunctionJoint
from anyjoint.options import nearest
from anyjoint.scalar import Scalar, is_real
from anyjoint.spatial import Pose, Rotation, Translation

from .expression import MEANT
from .formula_joint import STEPS, FormulaJoint, Named, Step
from .plain import decoded_plain, encoded_plain
from .text import Json
from .traced import traced
from .where import KEYS as WHERE
from .where import decoded_where, encoded_where, formula

KEYS = ("coordinates", "pose", "parameters", *WHERE)
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
COORDINATE = [field.name for field in dataclasses.fields(Coordinate) if field.name != "name"]


def is_formulas(value: Any) -> bool:
    """Whether a JSON value describes a joint of formulas."""
    return isinstance(value, Mapping) and ("coordinates" in value or "pose" in value)


def encoded_formulas(joint: FormulaJoint) -> Json:
    """A joint of formulas as JSON."""
    coordinates = {}
    for c in joint.coordinate_list:
        usual = Coordinate(c.name, neutral=_neutral(c.domain))
        more = {
            name: encoded_plain(getattr(c, name)) for name in COORDINATE if getattr(c, name) != getattr(usual, name)
        }
        coordinates[c.name] = encoded_plain(c.domain) if not more.keys() - {"domain"} else more
    made: Json = {"coordinates": coordinates, "pose": [_encoded_step(step) for step in joint.steps]}
    if joint.numbers:
        made["parameters"] = {number.name: number.value for number in joint.numbers}
    return made | encoded_where(joint.where)


def formulas_of(joint: FunctionJoint) -> FormulaJoint:
    """A joint by a function in Python as formulas: the steps are the factors of the pose that it returns."""
    names = [c.name for c in joint.coordinates]
    for name in names:
        if not name.isidentifier():
            raise InputError(f"the coordinate {name!r} cannot be called so in formulas; use letters, digits and _")
    steps = list[tuple[str, int, tuple[float, float, float]]]()  # kind, how many formulas, axis

    def call(q: list[Scalar]) -> list[Scalar]:
        found = [_taken_apart(factor) for factor in joint.pose(q).factors]
        steps.extend((kind, len(values), axis) for kind, values, axis in found)
        return [x for _, values, _ in found for x in values]

    values, where = traced(joint.function, names, call)
    left = iter(values)
    made = [Step(kind, tuple(next(left) for _ in range(count)), axis=axis) for kind, count, axis in steps]
    return FormulaJoint(tuple(joint.coordinates), tuple(made), (), where)


def _taken_apart(factor: Any) -> tuple[str, list[Scalar], tuple[float, float, float]]:
    """A factor of a pose as the kind of a step, its scalars, and its axis."""
    if isinstance(factor, Translation):
        return "translation", list(factor.p), AXES[2]
    if isinstance(factor, Rotation) and factor.angle is not None:
        return "rotation", [factor.angle], AXES[factor.axis]
    return "matrix", list(Pose((factor,)).R.ravel()), AXES[2]


def _encoded_step(step: Step) -> Json:
    texts = [x.text for x in step.formulas]
    if step.kind == "rotation":
        return {"rotation": texts[0], "axis": list(step.axis)}
    made: Json = {step.kind: texts}
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
    where = decoded_where(value)
    used = where.used(x for step in steps for x in step.formulas)
    return FormulaJoint(made, steps, tuple(Named(name, x) for name, x in numbers.items() if name in used), where)


def parameter_numbers(given: Any) -> dict[str, float]:
    """The parameters of a formula."""
    if not isinstance(given, Mapping) or not all(is_real(x) for x in given.values()):
        raise InputError(f"parameters are numbers by name, got {given!r}")
    for name in sorted(given.keys() & MEANT):
        raise InputError(f"parameter {name!r} means something in formulas already; choose another name")
    return {name: float(x) for name, x in given.items()}


def _coordinate(name: str, given: Any) -> Coordinate:
    options = dict(given) if isinstance(given, Mapping) else {"domain": given}
    for key in options:
        if key not in COORDINATE:
            raise InputError(f"the coordinate {name!r} has no {key!r}{nearest(key, COORDINATE)}")
    made = {key: decoded_plain(item) for key, item in options.items()}
    domain = made.setdefault("domain", Coordinate.domain)
    if not isinstance(domain, tuple) or len(domain) != 2 or not all(is_real(x) for x in domain):
        raise InputError(f"the coordinate {name!r} goes from a number to a number, got {given!r}")
    check_intervals(f"the coordinate {name!r}", domain, made.get("defined", EVERYWHERE))
    neutral = made.setdefault("neutral", _neutral(domain))
    if not is_real(neutral) or not domain[0] <= neutral <= domain[1]:
        raise InputError(f"the coordinate {name!r}: neutral {neutral!r} is no number within its domain {domain}")
    return Coordinate(name, **made)


def _neutral(domain: tuple[float, float]) -> float:
    low, high = domain
    if low <= 0 <= high or not math.isfinite(low + high):
        return 0.0
    return (low + high) / 2


def _step(given: Any, coordinates: list[str]) -> Step:
    known = (*STEPS, "by", "axis", "frame")
    if not isinstance(given, Mapping) or len(given.keys() & set(STEPS)) != 1:
        raise InputError(f"a step of a pose has one of {', '.join(STEPS)}, got {given!r}")
    for key in given:
        if key not in known:
            raise InputError(f"a step of a pose has no {key!r}{nearest(key, known)}")
    (kind,) = given.keys() & set(STEPS)
    texts = given[kind] if isinstance(given[kind], list) else [given[kind]]
    formulas = tuple(map(formula, texts))
    by = given.get("by", [])
    if not by and kind in ("curve", "surface"):  # the coordinates in the formulas, in their own order
        used = {name for x in formulas for name in x.names()}
        by = [name for name in coordinates if name in used]
    options = {key: decoded_plain(given[key]) for key in ("axis", "frame") if key in given}
    return Step(kind, formulas, tuple([by] if isinstance(by, str) else by), **options)
