"""A quantity whose numbers are others for each state of a batch: the same machine code, with numbers in rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen import Array, CompiledSchedule, Schedule
from anyjoint.codegen.passes import over_program
from anyjoint.errors import InputError, SingularityError
from anyjoint.joints import Joint
from anyjoint.mechanism import Mechanism
from anyjoint.quantity import Quantity
from anyjoint.scalar.array import ArrayLike, Dtype, Floats
from anyjoint.trace.plans import Varying
from anyjoint.trace.structure import still_built_in
from anyjoint.trace.workshop import Trace, Workshop

from .arguments import checked_out, checked_rows, checked_threads
from .parameter_rows import ParameterRows
from .program import filled, output_size
from .varied import varied

if TYPE_CHECKING:
    from .model import Model


def in_rows(schedule: Schedule) -> Schedule:
    """The schedule with a row of numbers for each state, instead of the same numbers for all."""
    arrays = tuple(_row(array) for array in schedule.arrays)
    kernels = tuple(replace(kernel, arrays=tuple(map(_row, kernel.arrays))) for kernel in schedule.kernels)
    return replace(schedule, arrays=arrays, kernels=kernels)


def _row(array: Array) -> Array:
    return Array(array.name, "row") if array.name == "numbers" else array


class RowProgram:
    """Machine code for one quantity and parameters that vary from state to state."""

    def __init__(
        self,
        quantity: Quantity,
        trace: Trace,
        workshop: Workshop,
        mechanism: Mechanism,
        dtype: Dtype,
        width: int | None,
    ) -> None:
        self.quantity, self.trace, self.dtype = quantity, trace, dtype
        self.shelf: dict[Hashable, object] = {}  # steppers made of it
        self.workshop = workshop.pushed(trace.pushes, trace.loose)
        self.inputs = tuple((row.name, row.size(mechanism)) for row in quantity.given(mechanism))
        self.shapes = tuple(row.shape(mechanism) for row in quantity.outputs)
        self.size = output_size(quantity, trace, mechanism)
        schedule = in_rows(over_program(trace.schedule, self.size))
        self.code = CompiledSchedule(schedule, dtype=dtype.name, width=width)
        self._built_in = trace.numbers.built_in

    def fits(self) -> bool:
        """Whether numbers that the code has built in are still the mechanism's."""
        trace = self.trace
        numbers = self.workshop.numbers(trace.over, trace.gravity, trace.closed)
        return still_built_in(self._built_in, numbers) and trace.still_fits(self.workshop.mechanism)

    def numbers(self, rows: ParameterRows) -> Floats:
        """A row of numbers for each row of parameters."""
        table = rows.table(self.workshop, self.trace.over, self.trace.gravity, self.trace.closed)
        return filled(self.quantity.name, self.trace, table, (rows.count,), self.dtype)

    def __call__(self, arrays: tuple[ArrayLike, ...], numbers: Floats, out: Floats | None, threads: int) -> Floats:
        """Evaluate on rows (n,), which serve all states, or on batches of as many states as `numbers` has rows."""
        name, count = self.quantity.name, len(numbers)
        rows, batch = checked_rows(name, arrays, self.inputs, self.dtype)
        if batch not in ((), (count,)):
            raise InputError(f"{name}: {batch[0]} states were given with {count} rows of parameters; give one row each")
        threads = checked_threads(name, threads)
        result = checked_out(name, out, (count, self.size), self.dtype, [*rows, numbers])
        if result.size:
            self.code(*rows, result, numbers, threads=threads)
        bad = np.flatnonzero(~np.isfinite(result).all(axis=1))
        if len(bad):
            raise SingularityError(
                f"{name}: state {bad[0]} has no finite answer with its row of parameters: the state is singular, or"
                " numbers are too large; look at it alone, with model.parameters.set(rows.row(k))"
            )
        return result


def check_built_in(rows: ParameterRows, joints: Sequence[Joint]) -> None:
    """Refuse numbers of joints that machine code for rates and charts has built in."""
    for name, found in rows.places.items():
        if found.what == "joint" and any(rows.mechanism.bodies[found.body].joint is joint for joint in joints):
            raise InputError(
                f"parameters: {name!r} is built into the rates of coordinates, so it cannot be another one for each"
                " state; set it for all of them with model.parameters"
            )


class RowPrograms:
    """The programs of a model for parameters that vary from state to state, by quantity and names."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._workshops: dict[frozenset[str], Workshop] = {}
        self._programs: dict[tuple[Hashable, frozenset[str]], RowProgram] = {}
        self._changes = 0

    def parameters_changed(self) -> None:
        """Drop programs that have built in a number which is another one now."""
        self._changes += 1
        for workshop in self._workshops.values():
            workshop.forget()
        self._programs = {key: program for key, program in self._programs.items() if program.fits()}

    def rows(self, given: ParameterRows | Mapping[str, Any]) -> ParameterRows:
        """Rows of this model, checked."""
        if not isinstance(given, ParameterRows):
            return ParameterRows(self._model.mechanism, given)
        if given.mechanism is not self._model.mechanism:
            raise InputError("parameters: these rows are those of another model; make them by this model's")
        return given

    def program(self, quantity: str | Quantity, rows: ParameterRows) -> RowProgram:
        """The machine code of a quantity in which these parameters vary."""
        model, names = self._model, frozenset(rows.names)
        record = model.known(quantity)
        key: Hashable = record.name if record.by_name else record
        if (key, names) not in self._programs:
            every = sorted({*names, *model.vary})
            workshop = self._workshops.setdefault(
                names, Workshop(model.mechanism, model.workshop.form, Varying(lambda: varied(model.mechanism, every)))
            )
            traced = record.trace(workshop, model.algorithm)
            check_built_in(rows, traced.joints)
            self._programs[key, names] = RowProgram(
                record, traced, workshop, model.mechanism, model.dtype, model.width
            )
        return self._programs[key, names]

    def numbers(self, program: RowProgram, rows: ParameterRows) -> Floats:
        """Numbers that a program loads, a row for each state; made once, until a parameter of the model changes."""

        def make() -> Floats:
            if rows.base is None:
                return program.numbers(rows)
            whole, taken = rows.base  # made once for all that are taken of them
            return np.asarray(self.numbers(program, whole)[taken])

        return rows.remembered((id(program), self._changes), make)

    def evaluate(
        self,
        quantity: str | Quantity,
        arrays: tuple[ArrayLike, ...],
        given: ParameterRows | Mapping[str, Any],
        out: Floats | None = None,
        threads: int = 1,
    ) -> Floats:
        """The result rows of a quantity."""
        rows = self.rows(given)
        program = self.program(quantity, rows)
        return program(arrays, self.numbers(program, rows), out, threads)
