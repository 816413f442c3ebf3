"""A quantity as machine code: rows in, one row out, numbers that can change without compiling again."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.codegen import CompiledSchedule, OpCount, every_finite
from anyjoint.errors import ModelError
from anyjoint.mechanism import Mechanism
from anyjoint.quantity import Quantity
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.workshop import Trace, built_in

from .arguments import checked_out, checked_rows, checked_threads
from .direct import Direct

Floats = np.ndarray[Any, np.dtype[Any]]


class Program:
    """Machine code for one quantity. `inputs` are (name, length) of the rows; the result row has `size` numbers."""

    def __init__(
        self, quantity: Quantity, trace: Trace, mechanism: Mechanism, dtype: str = "float64", width: int | None = None
    ) -> None:
        self.quantity, self.trace = quantity, trace
        self.inputs = tuple((row.name, row.size(mechanism)) for row in quantity.inputs)
        self.shapes = tuple(row.shape(mechanism) for row in quantity.outputs)
        self.size = sum(row.size(mechanism) for row in quantity.outputs) or result_size(trace)
        self.dtype = np.dtype(dtype)
        self.code = CompiledSchedule(trace.schedule, dtype=dtype, width=width)
        self.numbers = np.zeros(max([rows.end for rows in trace.setups], default=0) + 1, self.dtype)  # never empty
        self._built_in = built_in(trace.numbers)
        self._fill(trace.numbers)
        self.state = Direct(self).state

    def update(self, numbers: Numbers) -> bool:
        """Run the set-up program for other numbers; False if one changed that the code has built in as exact."""
        flat = numbers.flat()
        if len(flat) != len(self._built_in) or np.any(~np.isnan(self._built_in) & (self._built_in != flat)):
            return False
        self._fill(numbers)
        return True

    def _fill(self, numbers: Numbers) -> None:
        values = np.zeros(len(self.numbers))
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in self.trace.setups:
                rows.fill(numbers, values)
            made = values.astype(self.dtype)
        if not np.isfinite(made).all():
            raise ModelError(
                f"{self.quantity.name}: a number made of masses, lengths and gravity is {np.abs(values).max():.3g};"
                f" expected at most {np.finfo(self.dtype).max:.3g}, the largest {self.dtype}. Use larger units, or"
                " dtype='float64'."
            )
        self.numbers[:] = made  # in place: addresses in prepared calls stay good

    def op_count(self) -> OpCount:
        """Operations of one evaluation."""
        return self.code.op_count()

    def split(self, result: Floats) -> Any:
        """The result row (..., size) as the quantity's outputs: one array, or a tuple of several."""
        if len(self.shapes) == 1:
            return result.reshape((*result.shape[:-1], *self.shapes[0]))
        parts, at = [], 0
        for shape in self.shapes:
            n = int(np.prod(shape))
            part = result[..., at : at + n].reshape((*result.shape[:-1], *shape))
            parts.append(part if part.ndim else part[()])
            at += n
        return tuple(parts)

    # -- calls ----------------------------------------------------------------------------------------------

    def __call__(self, *arrays: Any, out: Floats | None = None, threads: int = 1) -> Floats:
        """Evaluate on rows (n,) or batches (batch, n); rows among batches serve all states."""
        if out is None and threads == 1 and (state := self.state(arrays)) is not None:
            return state
        rows, batch = checked_rows(self.quantity.name, arrays, self.inputs, self.dtype)
        threads = checked_threads(self.quantity.name, threads)
        result = checked_out(self.quantity.name, out, (*batch, self.size), self.dtype, rows)
        if result.size:
            self.code(*rows, result, self.numbers, threads=threads)
        return result

    def batch(self, arrays: tuple[Any, ...]) -> Floats | None:
        """A batch given by arrays of just the right kind, without delay; None as for `Direct`."""
        count = None
        for array, (_, n) in zip(arrays, self.inputs, strict=False):
            if type(array) is not np.ndarray or array.dtype is not self.dtype or array.ndim != 2:
                return None
            if array.shape != (count or len(array), n) or not array.flags.c_contiguous:
                return None
            count = len(array)
        if not count or not self.size or len(arrays) != len(self.inputs) or not all(n for _, n in self.inputs):
            return None
        result = np.zeros((count, self.size), self.dtype)  # entries that no program writes are zero
        places = self.code.tile(arrays, result, self.numbers)
        return result if every_finite(self.dtype.name, places) else None


def result_size(trace: Trace) -> int:
    """Length of the result row: one past the last place that any run stores to."""
    schedule = trace.schedule
    index = next(k for k, array in enumerate(schedule.arrays) if array.name == "result")
    end = 0
    for run in schedule.runs:
        kernel = schedule.kernels[run.kernel]
        for argument, (base, table) in enumerate(run.offsets):
            places = [s.offset for s in kernel.stores if s.array == argument]
            if base == index and places:
                end = max(end, max(table) + max(places) + 1)
    return end
