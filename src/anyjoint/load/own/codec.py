"""Joints, shapes, curves and forces as JSON and back: records of the library's own kinds, by their public names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from types import MethodType
from typing import Any

import numpy as np

from anyjoint import forces, joints
from anyjoint.constraints.loop import Closing, Loop
from anyjoint.errors import InputError
from anyjoint.geometry import curves, distances, functions, surfaces
from anyjoint.joints.function import FunctionJoint, function_name
from anyjoint.mechanism import Body, Ground, shapes
from anyjoint.mechanism.sensor import Sensor
from anyjoint.options import nearest
from anyjoint.scalar import definition, reals
from anyjoint.spatial import Pose, Rotation, Translation, Turn, as_matrix, rotation_problem

from ..osim.attachments import Location
from ..osim.coordinates import Place
from ..osim.joints import OnEllipsoid, OnThorax
from .arguments import arguments, check_functions
from .formula_function import Arguments, FormulaFunction, decoded_function, encoded_function, function_of
from .formula_joint import FormulaJoint
from .formulas import decoded_formulas, encoded_formulas, formulas_of
from .plain import decoded_plain, encoded_plain, is_plain
from .text import Json

MODULES = {"joints": joints, "curves": curves, "surfaces": surfaces, "functions": functions, "shapes": shapes,
           "forces": forces, "distances": distances}  # fmt: skip


def _kinds() -> Iterator[tuple[str, type]]:
    for name, module in MODULES.items():
        for word in module.__all__:
            kind = getattr(module, word)
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                yield f"{name}.{word}", kind
    yield from (("load.OnEllipsoid", OnEllipsoid), ("load.OnThorax", OnThorax), ("load.Location", Location),
                ("load.Place", Place), ("constraints.Loop", Loop), ("constraints.Closing", Closing),
                ("sensors.Sensor", Sensor))  # fmt: skip


KINDS: dict[str, type] = dict(_kinds())
NAMES = {kind: name for name, kind in KINDS.items()}
ROTATIONS = ("rotation_x", "rotation_y", "rotation_z")


def encoded(value: Any, of: Arguments | None = None) -> Any:
    """A value as JSON; functions of the arguments `of` become formulas, other code of the user's is refused by name."""
    if is_plain(value):
        return encoded_plain(value)
    if isinstance(value, (list, tuple)):
        return [encoded(item, of) for item in value]
    if isinstance(value, np.ndarray):
        return encoded(value.tolist())
    if isinstance(value, Pose):
        return {"pose": encoded_pose(value)}
    if isinstance(value, (Body, Ground)):
        return encoded_plain(value.name)
    if isinstance(value, FunctionJoint):
        value = formulas_of(value)
    if isinstance(value, FormulaJoint):
        return {"joints.Formulas": encoded_formulas(value)}
    if type(value) in NAMES:
        return {NAMES[type(value)]: _fields(value)}
    if isinstance(value, MethodType) and value.__name__ == "point" and type(value.__self__) in NAMES:
        return {"points": encoded(value.__self__)}  # a curve or surface where a function is wanted
    if isinstance(value, FormulaFunction) or (of and callable(value)):
        return {"function": encoded_function(function_of(value, of or ()))}
    if callable(value):
        place = definition(value)
        where = f" ({place})" if place else ""
        raise InputError(
            f"the function {function_name(value)!r}{where} is Python code, and has no place in a file here"
        )
    raise InputError(f"{type(value).__name__} is no kind of the library, so that a file cannot name it")


def _fields(record: Any) -> Json:
    """The fields of a record that are not as they would be by themselves."""
    made = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if field.init and not _same(value, field.default):
            made[field.name] = encoded(value, arguments(record, field.name))
    return made


def _same(value: Any, default: Any) -> bool:
    if default is dataclasses.MISSING or isinstance(value, np.ndarray):
        return False
    return bool(type(value) is type(default) and value == default)


def encoded_pose(pose: Pose) -> list[Any]:
    """A pose of numbers as its factors."""
    made: list[Any] = []
    for factor in pose.factors:
        if isinstance(factor, Translation):
            made.append({"translation": [float(x) for x in factor.p]})
        elif isinstance(factor, Rotation) and factor.angle is not None:
            made.append({ROTATIONS[factor.axis]: float(factor.angle)})
        else:
            made.append({"matrix": [[float(x) for x in row] for row in factor.matrix()]})
    return made


def decoded(value: Any) -> Any:
    """A value from JSON: lists become tuples, records their kinds."""
    if isinstance(value, list):
        return tuple(decoded(item) for item in value)
    return decoded_record(value) if isinstance(value, Mapping) else decoded_plain(value)


def decoded_record(value: Mapping[str, Any], prefix: str = "") -> Any:
    """A record such as {"joints.Revolute": {"axis": [0, 1, 0]}}; `prefix` may be left out of its name."""
    if len(value) != 1:
        raise InputError(f"a record has one name, such as {{'{prefix or 'joints.'}...': {{...}}}}, got {list(value)}")
    ((name, given),) = value.items()
    if name == "pose":
        return decoded_pose(given)
    if name == "text" and isinstance(given, str):
        return given
    if name == "points":
        return decoded(given).point
    if name == "function":
        return decoded_function(given)
    if name in ("joints.Formulas", "Formulas"):
        return decoded_formulas(given, {})
    kind = KINDS.get(name) or KINDS.get(prefix + name)
    if kind is None:
        known = [word.removeprefix(prefix) for word in KINDS if word.startswith(prefix)]
        raise InputError(f"there is no kind {name!r}{nearest(name, known)}")
    if not isinstance(given, Mapping):
        raise InputError(f"{name}: expected an object with its fields, got {given!r}")
    fields = [field.name for field in dataclasses.fields(kind) if field.init]
    for field in given:
        if field not in fields:
            raise InputError(f"{name} has no field {field!r}{nearest(field, fields) if fields else ''}")
    try:
        made = kind(**{field: decoded(item) for field, item in given.items()})
        for field in given:
            check_functions(made, field, getattr(made, field))
        return made
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: {error}") from None


def decoded_pose(steps: Any) -> Pose:
    """A pose from its factors."""
    made = Pose()
    if not isinstance(steps, list):
        raise InputError(f"a pose is a list of steps such as {{'translation': [0, 0, 1]}}, got {steps!r}")
    for step in steps:
        if not isinstance(step, Mapping) or len(step) != 1:
            raise InputError(f"a step of a pose is an object with one name, got {step!r}")
        ((name, given),) = step.items()
        made = made @ _step(name, given)
    return made


def _step(name: str, given: Any) -> Pose:
    known = ("translation", "matrix", *ROTATIONS)
    if name not in known:
        raise InputError(f"a step of a pose is {name!r}{nearest(name, known)}")
    try:
        numbers = reals(given)
    except (TypeError, ValueError):
        numbers = np.full(7, np.nan)
    shape = {"translation": (3,), "matrix": (3, 3)}.get(name, ())
    if numbers.shape != shape or not np.isfinite(numbers).all():
        wanted = f"{'x'.join(map(str, shape))} finite numbers" if shape else "one finite number"
        raise InputError(f"{name}: expected {wanted}, got {given!r}")
    if name == "translation":
        return Pose.translation(*numbers.tolist())
    if name == "matrix":
        problem = rotation_problem(numbers)
        if problem:
            raise InputError(f"matrix: {given!r} is no rotation: {problem}")
        return Pose((Turn(as_matrix(numbers.tolist())),))
    return Pose((Rotation(ROTATIONS.index(name), float(numbers)),))
