"""Model's methods from the list of quantities: their arguments, checks and docs come from the records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.quantity import Quantity, Row
from anyjoint.scalar import is_real
from anyjoint.scalar.array import Floats

from .arguments import checked_per_body, checked_time, flat_out
from .parameter_rows import Given

if TYPE_CHECKING:
    from .model import Model


def add_methods(model: type, quantities: Mapping[str, Quantity]) -> None:
    """Give a class a method for every quantity that it does not answer by a method of its own."""
    for name in quantities:
        if not hasattr(model, name):
            setattr(model, name, Answer(model, quantities, name))


class Answer:
    """The method of a quantity before it is first asked for: its record is imported then."""

    def __init__(self, model: type, quantities: Mapping[str, Quantity], name: str) -> None:
        self._model, self._quantities, self._name = model, quantities, name

    def __get__(self, model: Model | None, kind: type) -> Callable[..., Any]:
        made: Any = method(self._quantities[self._name])
        setattr(self._model, self._name, made)
        answer: Callable[..., Any] = made.__get__(model, kind)
        return answer


def method(quantity: Quantity) -> Callable[..., Any]:
    """The method that evaluates a quantity: one argument per input, then `out`, `threads` and `parameters`."""
    name, tables = quantity.name, [row for row in quantity.inputs if row.kind == "bodies"]

    def call(
        self: Any, *arrays: Any, out: Floats | None = None, threads: int = 1, parameters: Given | None = None,
        **named: Any,
    ) -> Any:  # fmt: skip
        given = quantity.given(self.mechanism)
        if named or len(arrays) != len(given):
            arrays = completed(self, quantity, given, arrays, named)
        if tables:
            arrays = tuple(_flat(self, row, x, name) for row, x in zip(given, arrays, strict=False))
        program = self.program(name)
        if out is not None and len(program.shapes) == 1:
            out = flat_out(name, out, program.shapes[0])
        return program.split(self.evaluate(name, arrays, out, threads, parameters))

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [
        inspect.Parameter(
            row.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=None if row.name in quantity.optional else inspect.Parameter.empty,
        )
        for row in quantity.inputs
    ]
    parameters += [
        inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None),
        inspect.Parameter("threads", inspect.Parameter.KEYWORD_ONLY, default=1),
        inspect.Parameter("parameters", inspect.Parameter.KEYWORD_ONLY, default=None),
    ]
    call.__name__, call.__qualname__ = name, f"Model.{name}"
    call.__doc__ = documentation(quantity)
    call.__dict__["__signature__"] = inspect.Signature(parameters)
    return call


def completed(
    model: Model, quantity: Quantity, given: tuple[Row, ...], arrays: tuple[object, ...], named: Mapping[str, object]
) -> tuple[object, ...]:
    """Arguments in order, those given by name among them; optional ones are zero where they are not given."""
    unknown = [name for name in named if name not in [row.name for row in quantity.inputs]]
    twice = [row.name for row, _ in zip(given, arrays, strict=False) if row.name in named]
    if unknown or twice:
        names = ", ".join(row.name for row in quantity.inputs)
        what = f"has no argument {unknown[0]!r}" if unknown else f"got {twice[0]!r} twice"
        raise InputError(f"{quantity.name} {what}; its arguments are {names}")
    for row in quantity.inputs:
        if row.kind == "time" and row not in given:
            checked_time(named.get(row.name))
    made = list(arrays)
    for row in given[len(arrays) :]:
        value = named.get(row.name)
        if value is None and row.name not in quantity.optional:
            break  # the check of the arguments tells which one is missing
        made.append(np.zeros(row.size(model.mechanism), model.dtype) if value is None else shaped(row, value, model))
    return tuple(made)


def shaped(row: Row, value: Any, model: Model) -> Any:
    """One time for all states as the row that programs read."""
    return np.full(1, value, model.dtype) if row.kind == "time" and is_real(value) else value


def documentation(quantity: Quantity) -> str:
    """The text that `help` shows."""
    rows = [f"{row.name} {row.dimensions}: {row.meaning}" for row in quantity.inputs]
    results = [f"{row.name} {row.dimensions}: {row.meaning}" for row in quantity.outputs]
    return "\n".join([quantity.purpose, "", *rows, *(f"returns {text}" for text in results)])


def _flat(model: Model, row: Row, x: Any, where: str) -> Any:
    """A table of all bodies as the row that programs read."""
    if row.kind != "bodies":
        return x
    given = checked_per_body(where, row.name, x, (model.nb, *row.inner)).astype(model.dtype, copy=False)
    return given.reshape(*given.shape[:-2], row.size(model.mechanism))
