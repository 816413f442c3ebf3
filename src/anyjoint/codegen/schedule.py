"""Compiled schedules: machine code that runs kernels over bodies and states, called on NumPy arrays."""

from __future__ import annotations

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from anyjoint.codegen.jit import Library, compile_module
from anyjoint.codegen.kernel import Schedule, check_schedule
from anyjoint.codegen.module import Module, lowered, schedule_module
from anyjoint.codegen.opcount import OpCount, count_operations
from anyjoint.codegen.target import Target, checked_dtype, host_target
from anyjoint.errors import InputError

Floats = np.ndarray[Any, np.dtype[Any]]
_ALIGNMENT = 64


def aligned(count: int, dtype: str) -> Floats:
    """An uninitialised vector that starts at a multiple of 64 bytes, as vector loads want."""
    size = np.dtype(dtype).itemsize
    memory = np.empty(count * size + _ALIGNMENT, dtype=np.uint8)
    start = -address(memory) % _ALIGNMENT
    return memory[start : start + count * size].view(dtype)


def address(array: Floats) -> int:
    """Where an array's data lie; four times as fast as `array.ctypes.data` for writable contiguous arrays."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError, BufferError):
        return int(array.ctypes.data)


def encode(schedule: Schedule) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The runs as data for the driver: kernel, count, base array of each argument, offsets of body after body; -1."""
    words: list[int] = []
    for run in schedule.runs:
        words += [run.kernel, run.count, *(base for base, _ in run.offsets)]
        for offsets in zip(*(table for _, table in run.offsets), strict=True):
            words += offsets
    return np.array([*words, -1], dtype=np.int32)


class CompiledSchedule:
    """A schedule as machine code; scalar code serves single states, vector code (compiled at first use) batches.

    Arrays are given in the schedule's order without the work array, which belongs to the calling thread.
    Every state of a batch is computed by the same instructions wherever it stands in the batch, to the same bits.
    """

    def __init__(
        self, schedule: Schedule, *, dtype: Any = "float64", width: int | None = None, contract: bool = True
    ) -> None:
        check_schedule(schedule)
        self.schedule = schedule
        self.dtype = checked_dtype(dtype)
        self.target = host_target(self.dtype, width, contract)
        self._kernels = [lowered(kernel, f"kernel {i}") for i, kernel in enumerate(schedule.kernels)]
        self._program = encode(schedule)
        self._program_at = address(self._program)
        self._given = [array for array in schedule.arrays if array.kind != "lane"]
        self._lane = [i for i, array in enumerate(schedule.arrays) if array.kind == "lane"]
        self._threads = threading.local()
        self._libraries: dict[int, Library] = {}
        self._functions: dict[int, Any] = {}
        self._single = self.entry(1)

    def module(self, width: int) -> Module:
        """The LLVM module for so many states side by side."""
        target = Target(self.dtype, width, self.target.contract, self.target.fma)
        return schedule_module(self._kernels, self.schedule.arrays, target)

    def library(self, width: int) -> Library:
        """Machine code for so many states side by side."""
        if width not in self._libraries:
            self._libraries[width] = compile_module(self.module(width))
        return self._libraries[width]

    def entry(self, width: int) -> Any:
        """The driver as a ctypes function (see `module.entry_parameters`); it runs without the GIL."""
        if width not in self._functions:
            types: list[Any] = []
            for array in self.schedule.arrays:
                types += [ctypes.c_void_p] + [ctypes.c_int64] * (array.kind == "row")
            prototype = ctypes.CFUNCTYPE(None, *types, ctypes.c_void_p, ctypes.c_int64)
            self._functions[width] = prototype(self.library(width).address("run"))
        return self._functions[width]

    def op_count(self) -> OpCount:
        """Operations of one evaluation."""
        kernels = [count_operations(k.graph, [s.node.id for s in k.stores]) for k in self.schedule.kernels]
        adds = [OpCount(add=sum(s.accumulate for s in k.stores)) for k in self.schedule.kernels]
        return sum((run.count * (kernels[run.kernel] + adds[run.kernel]) for run in self.schedule.runs), OpCount())

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

    def work(self, width: int) -> Floats:
        """The calling thread's work array for code of this width."""
        arrays = self._threads.__dict__
        if width not in arrays:
            arrays[width] = aligned(max(self.schedule.work, 1) * width, self.dtype)
            arrays[width, "at"] = address(arrays[width])
        work: Floats = arrays[width]
        return work

    def single(self, *arrays: Floats) -> None:
        """One state: contiguous vectors of the right type, unchecked."""
        given = iter(arrays)
        words: list[int] = []
        for array in self.schedule.arrays:
            if array.kind == "lane":
                self.work(1)
                words.append(self._threads.__dict__[1, "at"])
            else:
                words.append(address(next(given)))
                if array.kind == "row":
                    words.append(0)
        self._single(*words, self._program_at, 1)

    def __call__(self, *arrays: Floats, threads: int = 1) -> None:
        """Row arrays are (n,) for one state or (states, n); a row array (n,) among batches serves all states."""
        self._check(arrays)
        states = [a.shape[0] for a, kind in zip(arrays, self._given, strict=True) if kind.kind == "row" and a.ndim == 2]
        if not states:
            self.single(*arrays)
            return
        if len(set(states)) != 1:
            raise InputError(f"Batches of {sorted(set(states))} states were given together; expected equal numbers.")
        width = self.target.width
        self.entry(width)
        if threads <= 1 or states[0] < 2 * width:
            self._batch(arrays, 0, states[0])
            return
        # Whole tiles for each thread.
        share = -(-states[0] // (threads * width)) * width
        with ThreadPoolExecutor(threads) as pool:
            begins = range(0, states[0], share)
            list(pool.map(lambda begin: self._batch(arrays, begin, min(share, states[0] - begin)), begins))

    def _batch(self, arrays: tuple[Floats, ...], begin: int, count: int) -> None:
        width = self.target.width
        given = iter(arrays)
        words: list[int] = []
        for array in self.schedule.arrays:
            if array.kind == "lane":
                words.append(address(self.work(width)))
                continue
            data = next(given)
            stride = data.strides[0] if data.ndim == 2 and array.kind == "row" else 0
            words.append(address(data) + begin * stride)
            if array.kind == "row":
                words.append(stride // data.itemsize)
        self.entry(width)(*words, self._program_at, count)

    def _check(self, arrays: tuple[Floats, ...]) -> None:
        if len(arrays) != len(self._given):
            raise InputError(f"{len(arrays)} arrays were given; expected {len(self._given)}.")
        for i, (data, array) in enumerate(zip(arrays, self._given, strict=True)):
            dims = (1, 2) if array.kind == "row" else (1,)
            if (
                data.dtype.name != self.dtype
                or data.ndim not in dims
                or (data.size and data.strides[-1] != data.itemsize)
            ):
                raise InputError(
                    f"Array {i} ({array.kind}) is {data.dtype} of shape {data.shape}; expected {self.dtype} with"
                    f" {' or '.join(map(str, dims))} dimensions and adjacent elements in a row."
                )
