"""What the file that a mechanism was loaded from said beside it: names, starts, settings, shapes, paths, sensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.path import read_path
from anyjoint.joints import Coupled
from anyjoint.mechanism import Mechanism, Source
from anyjoint.mechanism.sensor import Sensor
from anyjoint.mechanism.shapes import Shape
from anyjoint.options import nearest
from anyjoint.scalar import is_real

from .codec import decoded, encoded
from .text import Json

PARTS = ("joints", "coordinates", "chained", "starts", "settings", "collisions", "tendons", "sensors")
DT, METHOD = "settings 'dt'", "settings 'method'"


def encoded_source(source: Source) -> Json:
    """All parts that are not empty."""
    parts = {part: getattr(source, part) for part in PARTS}
    return {part: {name: encoded(x) for name, x in named.items()} for part, named in parts.items() if named}


def decoded_source(given: Any, mech: Mechanism) -> Json:
    """The parts as `Source` has them, checked against the mechanism."""
    made: Json = {}
    for part, named in _object(given, "'file'").items():
        if part not in PARTS:
            raise InputError(f"'file' has no {part!r}{nearest(part, PARTS)}")
        made[part] = {
            name: _part(part, f"{part} {name!r}", decoded(x), mech) for name, x in _object(named, part).items()
        }
    return made


def _part(part: str, where: str, value: Any, mech: Mechanism) -> Any:
    if part == "starts":
        return _start(where, value, mech)
    if part == "chained":
        return _fits(where, value, isinstance(value, Coupled), "a record of kind joints.Coupled")
    if where == METHOD:
        from anyjoint.stepper import STEPPERS  # only files that name one need them

        known = ("auto", *STEPPERS)
        return _fits(where, value, value in known, f"one of {', '.join(known)}")
    if part == "settings":
        fine = is_real(value) and 0 < value < math.inf if where == DT else isinstance(value, (float, int, str))
        return _fits(where, value, fine, "a number above 0" if where == DT else "a number or a text")
    if part == "tendons":
        read_path(_fits(where, value, isinstance(value, tuple), "a path, a list of points"), mech, where)
        return list(value)
    if part == "sensors":
        return _fits(where, value, isinstance(value, Sensor), "a record of kind sensors.Sensor")
    if part == "collisions":
        fine = isinstance(value, tuple) and all(isinstance(x, Shape) for x in value)
        return _fits(where, value, fine, "a list of shapes")
    body = value
    if part != "joints":
        body = value[0] if isinstance(value, tuple) and len(value) == 2 else None
    _fits(where, value, isinstance(body, str) and body in mech, "the name of a body")
    if part == "coordinates":
        count = mech[body].joint.nq
        fine = type(value[1]) is int and 0 <= value[1] < count
        _fits(where, value, fine, f"a body and the number of one of its {count} coordinates, from 0 on")
    return value


def _start(where: str, value: Any, mech: Mechanism) -> tuple[Any, Any]:
    try:
        q, v = (np.asarray(x, dtype=float) for x in value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: expected [q, v], two lists of numbers, got {value!r}") from None
    _fits(where, value, q.shape == (mech.nq,) and v.shape == (mech.nv,), f"{mech.nq} and {mech.nv} numbers")
    return q, v


def _fits(where: str, value: Any, fine: bool, wanted: str) -> Any:
    if not fine:
        raise InputError(f"{where}: expected {wanted}, got {value!r}")
    return value


def _object(given: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is an object, got {given!r}")
    return given
