"""A quantity as machine code: rows in, one row out, numbers that can change without compiling again."""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from anyjoint.codegen import CompiledSchedule, OpCount, all_finite
from anyjoint.codegen.kernel import extents
from anyjoint.codegen.passes import over_program
from anyjoint.codegen.schedule import RowCall
from anyjoint.errors import ModelError
from anyjoint.mechanism import Mechanism
from anyjoint.quantity import Quantity
from anyjoint.scalar.array import ArrayLike, Dtype, Floats
from anyjoint.trace.numbers import Numbers, NumberTable
from anyjoint.trace.structure import still_built_in
from anyjoint.trace.workshop import Trace

from .arguments import ONE, checked_out, checked_rows, checked_threads
from .direct import Direct


class Program:
    """Machine code for one quantity. `inputs` are (name, length) of the rows; the result row has `size` numbers."""

    def __init__(
        self, quantity: Quantity, trace: Trace, mechanism: Mechanism, dtype: str = "float64", width: int | None = None
    ) -> None:
        self.quantity, self.trace = quantity, trace
        self.inputs = tuple((row.name, row.size(mechanism)) for row in quantity.given(mechanism))
        self.shapes = tuple(row.shape(mechanism) for row in quantity.outputs)
        self.size = output_size(quantity, trace, mechanism)
        self.dtype = np.dtype(dtype)
        self.shelf: dict[Hashable, object] = {}  # steppers made of it
        self.code = CompiledSchedule(over_program(trace.schedule, self.size), dtype=dtype, width=width)
        self.numbers = filled(quantity.name, trace, trace.numbers, (), self.dtype)
        self._built_in = trace.numbers.built_in
        self.state = Direct(self).state
        self._local = threading.local()

    def update(self, numbers: Numbers) -> bool:
        """Run the set-up program for other numbers; False if one changed that the code has built in as exact."""
        if not self.trace.setups:
            return True  # it depends on none
        if not self.fits(numbers):
            return False
        self._fill(numbers)
        return True

    def fits(self, numbers: Numbers) -> bool:
        """Whether numbers that the code has built in are what they were."""
        return still_built_in(self._built_in, numbers)

    def renumbered(self, quantity: Quantity, numbers: Numbers) -> Program:
        """The program of a quantity that differs in numbers alone, and has the same code."""
        made = copy(self)
        made.quantity, made.trace = quantity, replace(self.trace, numbers=numbers, pushes=quantity.pushes)
        made.numbers = filled(quantity.name, made.trace, numbers, (), self.dtype)
        made.state = Direct(made).state
        made._local = threading.local()
        return made

    def _fill(self, numbers: Numbers) -> None:
        # In place: addresses in prepared calls stay good.
        self.numbers[:] = filled(self.quantity.name, self.trace, numbers, (), self.dtype)

    def op_count(self) -> OpCount:
        """Operations of one evaluation."""
        return self.code.op_count()

    def split(self, result: Floats) -> Any:
        """The result row (..., size) as the quantity's outputs: one array, or a tuple of several."""
        parts = split(self.shapes, result)
        return parts[0] if len(self.shapes) == 1 else tuple(part if part.ndim else part[()] for part in parts)

    # -- calls ----------------------------------------------------------------------------------------------

    def __call__(self, *arrays: ArrayLike, out: Floats | None = None, threads: int = 1) -> Floats:
        """Evaluate on rows (n,) or batches (batch, n); rows among batches serve all states."""
        if threads is ONE:
            answer = self.state(arrays, out)
            answer = self.rows(arrays, out) if answer is None else answer
            if answer is not None:
                return answer
        rows, batch = checked_rows(self.quantity.name, arrays, self.inputs, self.dtype)
        threads = checked_threads(self.quantity.name, threads)
        result = checked_out(self.quantity.name, out, (*batch, self.size), self.dtype, rows)
        if result.size:
            self.code(*rows, result, self.numbers, threads=threads)
        return result

    def rows(self, arrays: tuple[Any, ...], out: Any = None) -> Floats | None:
        """States given by contiguous arrays of just the right kind, without delay; rows among batches serve all states.

        The result is written to `out`, if it is given. None as for `Direct`.
        """
        if len(arrays) != len(self.inputs) or not self._plain:
            return None
        dtype, batch, strides = self.dtype, getattr(arrays[0], "shape", ())[:-1], self._strides
        if len(batch) > 1 or 0 in batch:
            return None
        for k, (array, (_, n)) in enumerate(zip(arrays, self.inputs, strict=True)):
            if type(array) is not np.ndarray or array.dtype is not dtype or not array.flags.c_contiguous:
                return None
            if array.shape != (*batch, n):
                if array.shape != (n,) or not all_finite(array):
                    return None
                strides = (*strides[:k], 0, *strides[k + 1 :])
        if out is not None and not self.may_write(out, batch, arrays):
            return None
        result = np.empty((*batch, self.size), dtype) if out is None else out
        count = batch[0] if batch else 1
        return result if self._row_call(count, strides)(count, *arrays, result) else None

    def may_write(self, out: Any, batch: tuple[int, ...], arrays: tuple[object, ...]) -> bool:
        """Whether results may go straight to a caller's array."""
        if type(out) is not np.ndarray or out.dtype is not self.dtype or out.shape != (*batch, self.size):
            return False
        good = out.flags.c_contiguous and out.flags.writeable
        return good and not any(np.may_share_memory(out, array) for array in arrays)

    @cached_property
    def _plain(self) -> bool:
        """Whether every row has an entry."""
        return bool(self.size) and all(n for _, n in self.inputs)

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        """From one state to the next in inputs and result, if every state has rows of its own."""
        return (*(n for _, n in self.inputs), self.size)

    def _row_call(self, count: int, strides: tuple[int, ...]) -> RowCall:
        """The prepared call of this thread, for one state or for batches."""
        key = 1 if count == 1 else self.code.target.width, strides
        calls: dict[tuple[int, tuple[int, ...]], RowCall] = self._local.__dict__.setdefault("row_calls", {})
        if key not in calls:
            calls[key] = self.code.bind_rows(strides, self.numbers, key[0])
        return calls[key]


def split(shapes: Sequence[tuple[int, ...]], result: Floats) -> list[Floats]:
    """Result rows (..., size) as arrays (..., *shape), one behind the other."""
    parts, at = [], 0
    for shape in shapes:
        n = math.prod(shape)
        parts.append(result[..., at : at + n].reshape((*result.shape[:-1], *shape)))
        at += n
    return parts


def filled(
    name: str, trace: Trace, numbers: Numbers | NumberTable, batch: tuple[int, ...], dtype: Dtype
) -> Floats:
    """What a program's kernels load, (*batch, count), by its set-up from raw numbers; never empty."""
    values = np.zeros((*batch, trace.count))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in trace.setups:
            rows.fill(numbers, values)
        made = values.astype(dtype)
    if not np.isfinite(made).all():
        raise ModelError(
            f"{name}: a number made of masses, lengths and gravity is {np.abs(values).max():.3g}; expected at most"
            f" {np.finfo(dtype).max:.3g}, the largest {dtype}. Use larger units, or dtype='float64'."
        )
    return made


def output_size(quantity: Quantity, trace: Trace, mechanism: Mechanism) -> int:
    """Length of the result row: what the outputs need, or one past the last place that any run touches."""
    if quantity.outputs:
        return sum(row.size(mechanism) for row in quantity.outputs)
    schedule = trace.schedule
    index = next(k for k, array in enumerate(schedule.arrays) if array.name == "result")
    return extents(schedule)[index]
