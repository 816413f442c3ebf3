"""What functions that records hold are called with: so they can be written as formulas, and are checked when read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anyjoint import forces
from anyjoint.errors import InputError
from anyjoint.geometry import functions
from anyjoint.geometry.curves.function import FunctionCurve
from anyjoint.geometry.surfaces.function import FunctionSurface
from anyjoint.joints import Coupled, Term
from anyjoint.mechanism import Mechanism

from .formula_function import Arguments, FormulaFunction, function_of

TIME = "t"
SIGNALS = {kind: fields for fields, kinds in {
    ("control",): (forces.Actuator, forces.Thruster), ("length",): (forces.Cable,), ("command",): (forces.Motor,),
    ("activation",): (forces.Muscle,), ("target",): (forces.Servo,), ("torque", "force"): (forces.Wrench,),
    ("signals",): (forces.Custom,),
}.items() for kind in kinds}  # fmt: skip


def numbers(*names: str) -> Arguments:
    """Arguments that are numbers."""
    return tuple((name, "number") for name in names)


def _several(record: Any, letter: str = "x") -> Arguments:
    """As many numbers as the record has coordinates."""
    return numbers(*(f"{letter}{k}" for k in range(len(record.coordinates) or 1)))


OWN: dict[tuple[type, str], Callable[[Any], Arguments]] = {
    (FunctionCurve, "function"): lambda _: numbers("s"),
    (FunctionSurface, "function"): lambda _: numbers("u", "v"),
    (Term, "function"): _several,
    (forces.MovingPoint, "position"): _several,
    (forces.ConditionalPoint, "function"): lambda _: numbers("x"),
    (forces.Ligament, "curve"): lambda _: numbers("stretch"),
    (forces.Muscle, "force"): lambda _: numbers("length", "rate", "activation"),
    (forces.Custom, "measure"): lambda x: _measured(x),
    (forces.Custom, "effort"): lambda x: (("s", _measures(x)), ("rate", _measures(x)), *_told(x)),
    (forces.Custom, "energy"): lambda x: (("s", _measures(x)), *_told(x)[:1]),
}


def arguments(record: Any, field: str) -> Arguments | None:
    """What the function in a field of a record is called with; None where no function is expected."""
    if field in SIGNALS.get(type(record), ()):
        return numbers(TIME)
    of = OWN.get((type(record), field))
    return of(record) if of else None


def check_functions(record: Any, field: str, value: Any) -> None:
    """Refuse functions of formulas where others, or none, are expected."""
    for item in value if isinstance(value, tuple) else (value,):
        if isinstance(item, FormulaFunction):
            given = [kind for _, kind in item.of]
            of = item.of[:1] if isinstance(record, Coupled) else arguments(record, field)
            if not of or given != [kind for _, kind in of]:
                expected = f"one of {[kind for _, kind in of]}" if of else "none"
                raise InputError(f"{type(record).__name__}: {field} is a function of {given}; expected {expected}")


def formulated(joint: Coupled, mech: Mechanism) -> Coupled:
    """A joint that follows another by functions in Python, with formulas of the leader's coordinates for them."""
    of: Arguments = (("q", mech[joint.source].joint.nq),)
    if isinstance(joint.functions, tuple):
        return replace(joint, functions=tuple(_following(f, of) for f in joint.functions))
    return replace(joint, functions=_following(joint.functions, of))


def _following(given: Any, of: Arguments) -> Any:
    known = not callable(given) or type(given).__module__ == functions.__name__
    return given if known else function_of(given, of)


def _measured(force: forces.Custom) -> Arguments:
    poses: Arguments = tuple((f"b{k}", "pose") for k in range(len(force.bodies)))
    own: Arguments = (("q", len(force.coordinates)),) if force.coordinates else ()
    return (*poses, *own, ("n", len(force.numbers)))


def _told(force: forces.Custom) -> Arguments:
    return ("n", len(force.numbers)), ("signals", len(force.signals))


def _measures(force: forces.Custom) -> int:
    """How many numbers it measures."""
    return len(function_of(force.measure, _measured(force)).values)
