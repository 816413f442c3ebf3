"""Compiled schedules: machine code that runs kernels over bodies and states, called on NumPy arrays."""

from __future__ import annotations

import ctypes
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen.apart import Apart
from anyjoint.codegen.bound_llvm import entry_parameters
from anyjoint.codegen.fingerprint import fingerprint
from anyjoint.codegen.ir import LONG
from anyjoint.codegen.jit import Library, Module, compile_module
from anyjoint.codegen.kernel import Schedule, check_schedule, extents, written_arrays
from anyjoint.codegen.opcount import OpCount, count_operations
from anyjoint.codegen.target import DTYPES, Target, checked_dtype, host_target, register_lanes
from anyjoint.errors import InputError
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.symbolic.rewrite import reachable

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from anyjoint.codegen.module import Lowered

_ALIGNMENT = 64
SHARES = 4  # of a batch, for each thread
SELDOM = 1000  # a kernel that is one call in so many need not be fast
NEAR = 2 << 20  # bytes of states side by side that a second cache holds


def aligned(count: int, dtype: str) -> Floats:
    """An uninitialised vector that starts at a multiple of 64 bytes, as vector loads want."""
    size = np.dtype(dtype).itemsize
    memory = np.empty(count * size + _ALIGNMENT, dtype=np.uint8)
    start = -address(memory) % _ALIGNMENT
    return memory[start : start + count * size].view(dtype)


def address(array: Any) -> int:
    """Where an array's data lie; four times as fast as `array.ctypes.data` for writable contiguous arrays."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError, BufferError):
        return int(array.ctypes.data)


def _is_straight(schedule: Schedule) -> bool:
    """Whether a kernel is the straight-line code of a whole mechanism, or has columns: they keep registers busy."""
    if [run.times for run in schedule.runs[:2]] == [1] or any(kernel.columns > 1 for kernel in schedule.kernels):
        return True
    large = (k for k in schedule.kernels if len(k.graph) > LONG)
    return any(len(reachable(k.graph, [s.node.id for s in k.stores])) > LONG for k in large)


def _is_vast(schedule: Schedule, dtype: str) -> bool:
    """Whether states side by side would not stay near, while columns fill the vectors of one state as well.

    Then matrices are computed state by state (see apart.py), or everything is.
    """
    if all(kernel.columns == 1 for kernel in schedule.kernels):
        return False
    numbers = (n for n, array in zip(extents(schedule), schedule.arrays, strict=True) if array.kind != "uniform")
    return sum(numbers) * DTYPES[dtype] * register_lanes(dtype) > NEAR


def count_schedule(schedule: Schedule) -> OpCount:
    """Operations of one run of a schedule."""
    kernels = [count_operations(k.graph, [s.node.id for s in k.stores]) for k in schedule.kernels]
    adds = [OpCount(add=sum(s.accumulate for s in k.stores)) for k in schedule.kernels]
    calls = _calls(schedule)
    return sum((n * schedule.kernels[k].columns * (kernels[k] + adds[k]) for k, n in calls.items()), OpCount())


def _calls(schedule: Schedule) -> Counter[int]:
    """How often each kernel is called."""
    calls = Counter[int]()
    for run in schedule.runs:
        calls[run.kernel] += run.times
    return calls


def _seldom_called(schedule: Schedule) -> tuple[int, ...]:
    """Kernels of the ends of a large mechanism, which hardly add to the time of a run."""
    if any(run.again for run in schedule.runs):
        return ()
    calls = _calls(schedule)
    return tuple(k for k, n in sorted(calls.items()) if n * SELDOM < calls.total() and schedule.kernels[k].columns == 1)


class _Work(threading.local):
    """Work arrays of one thread, with their addresses, by width."""

    def __init__(self) -> None:
        self.arrays: dict[int, tuple[Floats, int]] = {}


class CompiledSchedule:
    """A schedule as machine code: scalar code for single states, vector code for batches, each compiled at first use.

    Arrays are given in the schedule's order without the work array, which belongs to the calling thread.
    Every state of a batch is computed by the same instructions wherever it stands in the batch, to the same bits. The
    scalar code fuses the same products and sums as far as tests see; LLVM does not promise it, `contract=False` does.
    """

    def __init__(
        self,
        schedule: Schedule,
        *,
        dtype: Any = "float64",
        width: int | None = None,
        contract: bool = True,
        optimise: bool = True,
    ) -> None:
        check_schedule(schedule)
        self._optimise = optimise
        self.schedule = schedule
        self.dtype = checked_dtype(dtype)
        self._type = np.dtype(self.dtype)
        vast = width is None and _is_vast(schedule, self.dtype)
        self.apart = Apart(schedule, vast)
        width = 1 if vast and not self.apart.parts.alone else width
        self.target = host_target(self.dtype, width, contract, straight=_is_straight(schedule))
        self._runs = self.apart.words
        self.runs_at = address(self._runs)  # where the driver finds which kernels to run
        self._onto_zeros = self.apart.words_onto_zeros
        self.onto_zeros_at = address(self._onto_zeros)  # the same for results that are zero where no run writes others
        self._given = _arguments(schedule)
        self._seldom = _seldom_called(schedule)
        self._kinds = [array.kind for array in schedule.arrays]
        self._work = _Work()
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._libraries: dict[int, Library] = {}
        self._functions: dict[int, Callable[..., None]] = {}

    def module(self, width: int) -> Module:
        """The LLVM module for so many states side by side."""
        from anyjoint.codegen.module import schedule_module  # what prints code, imported when some is not in the cache

        parts = self.apart.parts
        return schedule_module(self._kernels, self.schedule.arrays, self._target(width), self._optimise, parts)

    def _target(self, width: int) -> Target:
        if width not in (1, self.target.width):
            raise InputError(f"width {width}: this schedule has code for widths 1 and {self.target.width}.")
        return replace(self.target, width=width)

    @cached_property
    def _kernels(self) -> list[Lowered]:
        from anyjoint.codegen.module import lowered

        made = [lowered(kernel, f"kernel {i}") for i, kernel in enumerate(self.schedule.kernels)]
        return [replace(kernel, seldom=i in self._seldom) for i, kernel in enumerate(made)]

    def library(self, width: int) -> Library:
        """Machine code for so many states side by side."""
        known = self._libraries.get(width)
        if known is None:
            entry = f"schedule {self._optimise} {self._seldom} {sorted(self.apart.parts.alone)}"
            identity = fingerprint(entry, self.schedule, self._target(width))
            made = compile_module(identity, lambda: self.module(width))
            # The first of several threads that ask at once: addresses in what another one would drop are in use.
            known = self._libraries.setdefault(width, made)
        return known

    def entry(self, width: int) -> Callable[..., None]:
        """The driver as a ctypes function (see `module.entry_parameters`); it runs without the GIL."""
        if width not in self._functions:
            # All parameters are 64-bit words; ctypes converts pointers twice as fast as integers.
            words = [ctypes.c_void_p] * len(entry_parameters(self.schedule.arrays))
            self._functions[width] = ctypes.CFUNCTYPE(None, *words)(self.library(width).address("run"))
        return self._functions[width]

    def op_count(self) -> OpCount:
        """Operations of one evaluation."""
        return count_schedule(self.schedule)

    def source(self, language: str) -> str:
        """The whole schedule as text for one state per call: "c", "llvm" or "js"."""
        from anyjoint.codegen import c, javascript

        if language == "llvm":
            return self.module(1).text
        if language == "c":
            return c.schedule_source(self.schedule, self._kernels, self.dtype)
        if language == "js":
            return javascript.schedule_source(self.schedule, self._kernels)
        raise InputError(f"source({language!r}): this language is not known; expected 'c', 'llvm' or 'js'.")

    def work(self, width: int) -> int:
        """The address of the calling thread's work array for code of this width."""
        arrays = self._work.arrays
        if width not in arrays:
            fresh = aligned(self.apart.room(width), self.dtype)
            arrays[width] = fresh, address(fresh)
        return arrays[width][1]

    def single(self, *arrays: Floats) -> None:
        """One state: contiguous vectors of the right type, unchecked."""
        self.entry(1)(*self.words(arrays, 1, 0), self.runs_at, 1)

    def bind(self, *arrays: Floats, check: Floats | None = None) -> Callable[[], int]:
        """The call for one state on these very vectors, to be repeated by this thread without looking at them again.

        Results are vectors of zeros at first. It answers 1, or 0 if after the call not all of `check` is finite.
        """
        self._check(arrays)
        looked_at = (address(check), len(check)) if check is not None else (0, 0)
        words = np.array([*self.words(arrays, 1, 0), self.onto_zeros_at, 1, *looked_at], dtype=np.int64)
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(self.library(1).address("call"))
        call = partial(function, address(words))
        call.__dict__["kept"] = (arrays, words, check)  # whose addresses it has
        return call

    def words(self, arrays: Sequence[Floats], width: int, begin: int) -> list[int]:
        """Arguments of the driver for the states from `begin` on."""
        given = iter(arrays)
        words = []
        for kind in self._kinds:
            if kind == "lane":
                words.append(self.work(width))
                continue
            data = next(given)
            stride = data.strides[0] if kind == "row" and data.ndim == 2 else 0
            words.append(address(data) + begin * stride)
            if kind == "row":
                words.append(stride // data.itemsize)
        return words

    def __call__(self, *arrays: Floats, threads: int = 1) -> None:
        """Row arrays are (n,) for one state or (states, n); a row array (n,) among batches serves all states."""
        self._check(arrays)
        states = [a.shape[0] for a in arrays if a.ndim == 2]
        if not states:
            self.single(*arrays)
            return
        if len(set(states)) != 1:
            raise InputError(f"Batches of {sorted(set(states))} states were given together; expected equal numbers.")
        width = self.target.width
        self.entry(width)
        count = states[0]
        if threads <= 1 or count < 2 * width:
            self._batch(arrays, 0, count)
            return
        # Several shares of whole tiles for each thread, taken as each gets to them: a late thread holds nobody up.
        share = -(-count // (SHARES * threads * width)) * width
        begins = iter(range(0, count, share))

        def work() -> None:
            for begin in begins:
                self._batch(arrays, begin, min(share, count - begin))

        if threads not in self._pools:
            from concurrent.futures import ThreadPoolExecutor  # with logging, which takes longer than a call

            self._pools[threads] = ThreadPoolExecutor(threads - 1)
        others = [self._pools[threads].submit(work) for _ in range(threads - 1)]
        work()
        for other in others:
            other.result()

    def bind_rows(self, strides: Sequence[int], numbers: Floats, width: int) -> RowCall:
        """The call on contiguous rows of these lengths, to be repeated by this thread on other rows.

        A row that serves all states has a stride of 0; nobody looks whether it is finite.
        """
        words: list[int] = []
        slots: list[int] = []
        given = iter(strides)
        for kind in self._kinds:
            if kind == "row":
                slots.append(len(words))
                words += (0, next(given))
            else:
                words.append(self.work(width) if kind == "lane" else address(numbers))
        return RowCall(self.library(width).address("call_rows"), [*words, self.runs_at, 0], slots)

    def _batch(self, arrays: Sequence[Floats], begin: int, count: int) -> None:
        width = self.target.width
        self.entry(width)(*self.words(arrays, width, begin), self.runs_at, count)

    def _check(self, arrays: tuple[Floats, ...]) -> None:
        if len(arrays) != len(self._given):
            raise InputError(f"{len(arrays)} arrays were given; expected {len(self._given)}.")
        batched = any(data.ndim == 2 for data in arrays)
        for data, argument in zip(arrays, self._given, strict=True):
            argument.check(data, self._type, batched)


class RowCall:
    """A call on contiguous rows of the right type, unchecked, of which only the addresses change."""

    def __init__(self, function: int, words: Sequence[int], slots: Sequence[int]) -> None:
        self._words = (ctypes.c_int64 * len(words))(*words)
        self._slots, self._states = tuple(slots), len(words) - 1
        call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(function)
        self._run: Callable[[], int] = partial(call, ctypes.addressof(self._words))

    def __call__(self, states: int, *rows: Floats) -> int:
        """Run; 1 if afterwards all rows are finite, else 0."""
        words = self._words
        for slot, row in zip(self._slots, rows, strict=True):
            words[slot] = address(row)
        words[self._states] = states
        return self._run()


@frozen
class _Argument:
    """What an array given to a schedule must be."""

    position: int
    kind: str
    extent: int
    written: bool

    def check(self, data: Floats, dtype: np.dtype[Any], batched: bool) -> None:
        """Refuse what the machine code could not read or write safely."""
        row = self.kind == "row"
        if data.dtype != dtype or data.ndim not in ((1, 2) if row else (1,)) or data.shape[-1] < self.extent:
            self.refuse(data, f"{dtype} of shape ({self.extent},){f' or (states, {self.extent})' if row else ''}")
        row_stride, stride = data.strides[0], data.strides[-1]
        # The stride of an axis of length one means nothing and may be anything.
        if data.size and ((stride != data.itemsize and data.shape[-1] > 1) or row_stride % data.itemsize):
            self.refuse(data, "adjacent elements in each row (np.ascontiguousarray)")
        if self.written and not data.flags.writeable:
            self.refuse(data, "an array that may be written")
        if self.written and batched and data.ndim == 1 and row:
            self.refuse(data, "one row for each state, because results go there")

    def refuse(self, data: Floats, expected: str) -> None:
        """Raise an error that says what was given and what was expected."""
        raise InputError(
            f"Array {self.position} ({self.kind}) is {data.dtype} of shape {data.shape}; expected {expected}."
        )


def _arguments(schedule: Schedule) -> list[_Argument]:
    """The arrays that a caller gives: all but the work array."""
    reach, written = extents(schedule), written_arrays(schedule)
    given = [i for i, array in enumerate(schedule.arrays) if array.kind != "lane"]
    return [_Argument(n, schedule.arrays[i].kind, reach[i], i in written) for n, i in enumerate(given)]
