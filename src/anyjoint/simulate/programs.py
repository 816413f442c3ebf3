"""Programs of quantities that a run asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.model.program import Program
from anyjoint.model.row_program import RowProgram

from .kept import kept

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.quantity import Quantity


@overload
def program_of(model: Model, quantity: str | Quantity) -> Program: ...
@overload
def program_of(
    model: Model, quantity: str | Quantity, rows: ParameterRows | None = None
) -> Program | RowProgram: ...
def program_of(model: Model, quantity: str | Quantity, rows: ParameterRows | None = None) -> Program | RowProgram:
    """The program of a quantity; one under the forces of a run is kept with the quantity, not by the model."""
    if rows:
        return model.row_programs.program(quantity, rows)
    if isinstance(quantity, str) or quantity.by_name:
        return model.program(quantity)

    def make() -> Program:
        if quantity.like:
            first = program_of(model, quantity.like)
            numbers = first.trace.numbers_under(quantity.pushes)
            if first.fits(numbers):
                return first.renumbered(quantity, numbers)
        traced = quantity.trace(model.workshop, model.algorithm)
        return Program(quantity, traced, model.mechanism, model.dtype.name, model.width)

    return kept(quantity, ("program", id(model)), make)
