"""A function written as formulas of its arguments: numbers, lists of numbers, poses and twists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.joints.function import as_array
from anyjoint.options import nearest
from anyjoint.scalar import Scalar
from anyjoint.spatial import Pose, Translation, Turn, Twist, vector

from .expression import Expression
from .text import Json
from .traced import traced
from .where import KEYS, NOTHING, Where, decoded_where, encoded_where, formula

AXES = "xyz"
# What formulas call the parts of an argument: its name, and one of these endings.
ENDINGS: dict[str, tuple[str, ...]] = {
    "number": ("",),
    "pose": (*(f"_{a}{b}" for a in AXES for b in AXES), *(f"_{a}" for a in AXES)),
    "twist": (*(f"_w{a}" for a in AXES), *(f"_v{a}" for a in AXES)),
}
MOST = 1000  # numbers in a list
Kind = str | int  # "number", "pose", "twist", or how many numbers a list has
Arguments = tuple[tuple[str, Kind], ...]


@frozen
class FormulaFunction:
    """The value (or list of values) of formulas of `of`, the arguments by name with their kinds."""

    of: Arguments
    value: Expression | tuple[Expression, ...]
    where: Where = NOTHING

    def __post_init__(self) -> None:
        names = _names(self.of)
        if len(set(names)) < len(names):
            raise InputError(f"'of' has the same name twice among {names}; choose others")
        self.where.check(names, self.values, "argument or value")

    @property
    def values(self) -> tuple[Expression, ...]:
        """The value, or all of them."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != len(self.of):
            raise InputError(f"a function of {[name for name, _ in self.of]} was given {len(arguments)} arguments")
        given: dict[str, Scalar] = {}
        for (name, kind), x in zip(self.of, arguments, strict=True):
            given |= zip(_called(name, kind), _taken_apart(x, kind), strict=True)
        here = self.where.filled(given)
        made = [f.value(here) for f in self.values]
        return made if isinstance(self.value, tuple) else made[0]


def function_of(function: Callable[..., Any], of: Arguments) -> FormulaFunction:
    """A function in Python as formulas."""
    if isinstance(function, FormulaFunction):
        return function
    single = False

    def call(scalars: list[Scalar]) -> list[Scalar]:
        nonlocal single
        found = function(*_arguments(of, scalars))
        single = not hasattr(found, "__len__")
        return list(np.ravel(np.asarray(found, dtype=object)))

    values, where = traced(function, _names(of), call)
    return FormulaFunction(of, values[0] if single else tuple(values), where)


def encoded_function(function: FormulaFunction) -> Json:
    """A function of formulas as JSON."""
    plain = all(kind == "number" for _, kind in function.of)
    made: Json = {"of": [name for name, _ in function.of] if plain else dict(function.of)}
    made |= encoded_where(function.where)
    texts = [f.text for f in function.values]
    return made | {"value": texts if isinstance(function.value, tuple) else texts[0]}


def decoded_function(given: Any) -> FormulaFunction:
    """A function of formulas."""
    if not isinstance(given, Mapping) or "of" not in given or "value" not in given:
        example = '{"of": ["x"], "value": "sin(x)"}'
        raise InputError(f"a function is an object such as {example}, got {given!r}")
    known = ("of", *KEYS, "value")
    for key in given:
        if key not in known:
            raise InputError(f"a function has no {key!r}{nearest(key, known)}")
    of = given["of"]
    named: Mapping[str, Any] = {}
    if isinstance(of, Mapping):
        named = of
    elif _texts(of):
        named = dict.fromkeys(of, "number")
    if not named:
        raise InputError(f"'of' names the arguments, as a list or as an object with their kinds, got {of!r}")
    for name, kind in named.items():
        if not Expression(name).names() == {name}:
            raise InputError(f"the argument {name!r} cannot be called so in formulas; use letters, digits and _")
        if not (isinstance(kind, str) and kind in ENDINGS) and not (type(kind) is int and 0 <= kind <= MOST):
            raise InputError(f"the argument {name!r} is {kind!r}; expected {', '.join(ENDINGS)}, or how many numbers")
    value = given["value"]
    made = tuple(map(formula, value)) if isinstance(value, list) else formula(value)
    return FormulaFunction(tuple(named.items()), made, decoded_where(given))


def _texts(of: Any) -> bool:
    return isinstance(of, list) and all(isinstance(x, str) for x in of)


def _called(name: str, kind: Kind) -> list[str]:
    endings = [f"_{k}" for k in range(kind)] if isinstance(kind, int) else ENDINGS[kind]
    return [name + ending for ending in endings]


def _names(of: Arguments) -> list[str]:
    return [x for name, kind in of for x in _called(name, kind)]


def _taken_apart(x: Any, kind: Kind) -> list[Scalar]:
    if kind == "pose":
        return [*x.R.ravel(), *x.p]
    if kind == "twist":
        return [*x.angular, *x.linear]
    return list(x) if isinstance(kind, int) else [x]


def _arguments(of: Arguments, scalars: Sequence[Scalar]) -> list[Any]:
    """The arguments that are made of these scalars."""
    made, at = list[Any](), 0
    for name, kind in of:
        own = scalars[at : at + len(_called(name, kind))]
        at += len(own)
        if kind == "pose":
            made.append(Pose((Translation(tuple(own[9:])), Turn(vector(*own[:9]).reshape(3, 3)))))
        elif kind == "twist":
            made.append(Twist(vector(*own[:3]), vector(*own[3:])))
        else:
            made.append(as_array(own) if isinstance(kind, int) else own[0])
    return made
