"""One state without delay: vectors of just the right kind go into prepared memory, machine code does all the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.scalar.array import Floats

if TYPE_CHECKING:
    from .alarm import Alarm
    from .program import Program


Prepared = tuple[list[tuple[int, Floats, tuple[int, ...]]], Callable[[], int], Floats]  # inputs, the call, its result


class Direct:
    """Calls of a program on one state; an alarm, if there is one, looks at every state and result."""

    def __init__(self, program: Program, alarm: Alarm | None = None) -> None:
        self.program, self.alarm = program, alarm
        self.dtype = program.dtype
        self._local = threading.local()

    def state(self, arrays: tuple[object, ...], out: Any = None) -> Floats | None:
        """The result row for vectors of just the right kind, in `out` if it is given.

        None if they are anything else, if they or the result are not finite, or if the alarm went off: the general way
        then looks closer.
        """
        try:
            buffers, run, result = self._local.call
        except AttributeError:  # this thread's first call
            buffers, run, result = self._prepare()
        if len(arrays) != len(buffers):
            return None
        dtype = self.dtype
        try:
            for k, buffer, shape in buffers:  # zip(strict=True) alone would take a seventh of the call
                array = arrays[k]
                if array.dtype is not dtype or array.shape != shape:
                    return None
                buffer[...] = array
        except (AttributeError, TypeError, ValueError):
            return None
        if (out is not None and not self.program.may_write(out, (), arrays)) or not run():
            return None
        copied: Floats = result.copy() if out is None else out
        if out is not None:
            out[...] = result
        return copied

    def _prepare(self) -> Prepared:
        """Vectors of the calling thread and a call that is bound to them."""
        program, alarm = self.program, self.alarm
        sizes = [n for _, n in program.inputs] + [program.size, alarm.size if alarm else 0]
        # Side by side, so that one look at the end finds what is not finite in any of them.
        memory = np.zeros(sum(sizes), self.dtype)
        *inputs, result, flags = np.split(memory, np.cumsum(sizes[:-1]))
        rows = (*inputs, result, program.numbers)
        if alarm is None:
            run: Callable[[], int] = program.code.bind(*rows, check=memory)
        else:
            look = alarm.code.bind(inputs[0], result, flags, alarm.numbers, check=memory)
            run = _both(program.code.bind(*rows), look)
        call = [(k, x, x.shape) for k, x in enumerate(inputs)], run, result
        self._local.call = call
        return call


def _both(first: Callable[[], int], second: Callable[[], int]) -> Callable[[], int]:
    def run() -> int:
        first()
        return second()

    return run
