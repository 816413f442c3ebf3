"""Constraints as JSON and back: loops by their rows, all others by a function of formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyjoint.constraints import Constraint, ConstraintFunction, FunctionConstraint
from anyjoint.errors import InputError
from anyjoint.mechanism import Mechanism
from anyjoint.options import nearest

from .codec import decoded_record, encoded
from .formula_function import Arguments, decoded_function, encoded_function, function_of
from .text import Json

KEYS = ("name", "function", "velocity", "bodies", "coordinates", "time", "compliance")


def encoded_constraint(constraint: Constraint, mech: Mechanism) -> Json:
    """A constraint as JSON; one by a function is what `add_constraint` was given."""
    if not isinstance(constraint, FunctionConstraint):
        made: Json = encoded(constraint)
        return made
    velocity = constraint.function.velocity
    of = _arguments(velocity, len(constraint.bodies), len(constraint.coordinates), constraint.time)
    made = {"name": constraint.name, "function": encoded_function(function_of(constraint.function.function, of))}
    if velocity:
        made["velocity"] = True
    if constraint.bodies:
        made["bodies"] = [mech.bodies[k].name if k >= 0 else mech.ground.name for k in constraint.bodies]
    if constraint.coordinates:
        made["coordinates"] = [mech.bodies[k].coordinate_names[c] for k, c in constraint.coordinates]
    if constraint.time:
        made["time"] = True
    return made | ({"compliance": constraint.compliance} if constraint.compliance else {})


def add_constraint(mech: Mechanism, value: Any) -> None:
    """Add what a file says to a mechanism."""
    if not isinstance(value, Mapping) or "function" not in value:
        made = decoded_record(value) if isinstance(value, Mapping) else value
        if not isinstance(made, Constraint) or not all(-1 <= k < mech.nb for k in made.bodies):
            raise InputError(f"a constraint is a record such as {{'constraints.Loop': ...}} of bodies, got {value!r}")
        mech.constraints.append(made)
        return
    for key in value:
        if key not in KEYS:
            raise InputError(f"a constraint by a function has no {key!r}{nearest(key, KEYS)}")
    options = {key: value[key] for key in KEYS[3:] if key in value}
    for key in ("bodies", "coordinates"):
        if not isinstance(options.get(key, []), list):
            raise InputError(f"'{key}' of a constraint is a list of names, got {options[key]!r}")
    velocity = value.get("velocity", False) is True
    bodies, coordinates = (len(options.get(key, [])) for key in ("bodies", "coordinates"))
    wanted = _arguments(velocity, bodies, coordinates, bool(options.get("time")))
    function = decoded_function(value["function"])
    expected, given = ([kind for _, kind in of] for of in (wanted, function.of))
    if expected != given:
        raise InputError(f"constraint {value.get('name')!r}: a function of {given}; expected one of {expected}")
    mech.add_constraint(ConstraintFunction(function, velocity), **options, name=value.get("name"))


def _arguments(velocity: bool, bodies: int, coordinates: int, time: bool) -> Arguments:
    """What the function of a constraint is called with."""
    made = list[tuple[str, str | int]]()
    for k in range(bodies):
        made += [(f"b{k}", "pose"), *([(f"v{k}", "twist")] if velocity else [])]
    if coordinates:
        made += [("q", coordinates), *([("qd", coordinates)] if velocity else [])]
    return (*made, *([("t", "number")] if time else []))
