"""Contacts of `add_contact` as JSON and back: what touches with what, what it touches, and how."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from anyjoint.errors import InputError
from anyjoint.geometry.distances import Distance, HalfSpace
from anyjoint.geometry.distances.distance import FunctionDistance
from anyjoint.mechanism import Mechanism
from anyjoint.mechanism.touching import ContactPair
from anyjoint.options import nearest

from .codec import decoded, decoded_pose, decoded_record, encoded, encoded_pose
from .formula_distance import FormulaDistance, formula_of
from .formula_joint import Named
from .formulas import parameter_numbers
from .text import Json
from .where import KEYS as WHERE
from .where import decoded_where, encoded_where, formula

NUMBERS = {"friction": 0.0, "stiffness": math.inf, "dissipation": 0.0, "slip": 1e-5}
KEYS = ("name", "body", "shape", "on", "of", "at", *NUMBERS)
FORMULA = ("formula", "parameters", *WHERE)


def encoded_contact(pair: ContactPair, mech: Mechanism) -> Json:
    """A contact as JSON: what `add_contact` was given, but for what it would take by itself."""
    made: Json = {"name": pair.name, "body": mech.bodies[pair.body].name}
    if pair.shape is not None:
        made["shape"] = encoded(pair.shape)
    if pair.distance != HalfSpace():
        made["on"] = _encoded_distance(pair.distance)
    if pair.other >= 0:
        made["of"] = mech.bodies[pair.other].name
    if pair.at.factors:
        made["at"] = encoded_pose(pair.at)
    return made | {name: x for name, usual in NUMBERS.items() if (x := getattr(pair, name)) != usual}


def _encoded_distance(distance: Distance) -> Json:
    if isinstance(distance, FunctionDistance):
        distance = formula_of(distance)
    if isinstance(distance, FormulaDistance):
        own = {number.name: number.value for number in distance.numbers}
        made = {"formula": distance.formula.text} | encoded_where(distance.where)
        return made | ({"parameters": own} if own else {})
    ((name, fields),) = encoded(distance).items()
    return {name.removeprefix("distances."): fields}


def decoded_contact(value: Any, shared: Mapping[str, float]) -> Json:
    """What to give `add_contact`; `shared` are the parameters of the whole file."""
    if not isinstance(value, Mapping) or "body" not in value:
        raise InputError(f'a contact is an object such as {{"body": "foot", "friction": 0.8}}, got {value!r}')
    for key in value:
        if key not in KEYS:
            raise InputError(f"a contact has no {key!r}{nearest(key, KEYS)}")
    made = {name: value[name] for name in ("name", "body", "of", *NUMBERS) if name in value}
    if "shape" in value:
        made["shape"] = decoded(value["shape"])
    if "on" in value:
        made["on"] = _decoded_distance(value["on"], shared)
    if "at" in value:
        made["at"] = decoded_pose(value["at"])
    return made


def _decoded_distance(value: Any, shared: Mapping[str, float]) -> Distance:
    if isinstance(value, Mapping) and "formula" in value:
        for key in value:
            if key not in FORMULA:
                raise InputError(f"a distance by a formula has no {key!r}{nearest(key, FORMULA)}")
        found, where = formula(value["formula"]), decoded_where(value)
        numbers = {**shared, **parameter_numbers(value.get("parameters", {}))}
        used = where.used([found])
        return FormulaDistance(found, tuple(Named(name, x) for name, x in numbers.items() if name in used), where)
    made = decoded_record(value, "distances.") if isinstance(value, Mapping) else value
    if not isinstance(made, Distance):
        example = "{'Box': {'x': 1, 'y': 1, 'z': 1}}"
        raise InputError(f"a distance is a record such as {example}, or {{'formula': 'z - x^2'}}, got {value!r}")
    return made
