"""Batches in two parts: sweeps over bodies with states side by side, then matrices state by state.

Matrices of large mechanisms side by side would not stay in a near cache, and their entries fill vectors by columns of
one state as well, while sweeps from body to body would not. What the first part leaves for the second is moved in
between, from lanes to a work array for each state. (For small matrices moving costs as much as is gained.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anyjoint.codegen.kernel import EACH, Kernel, Offsets, Run, Schedule, lane_array, reached
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.rewrite import reachable

WINDOW = 8  # numbers that are moved at once
PLAIN = frozenset((Op.ADD, Op.SUB, Op.MUL, Op.NEG))
GIVEN = frozenset((Op.CONST, Op.VAR))


class Parts(NamedTuple):
    """Kernels of the first and of the second part; a schedule of one part has none in the second."""

    beside: frozenset[int]
    alone: frozenset[int]


WHOLE = Parts(frozenset(), frozenset())  # of which nothing is said


class Apart:
    """Where the second part of a schedule begins, if it is to have one and can."""

    def __init__(self, schedule: Schedule, wanted: bool) -> None:
        self.schedule = schedule
        first = _second_part(schedule) if wanted else len(schedule.runs)
        self.before, self.after = (replace(schedule, runs=x) for x in (schedule.runs[:first], schedule.runs[first:]))
        self.parts = Parts(*(frozenset(run.kernel for run in part.runs) for part in (self.before, self.after)))

    @property
    def row(self) -> int:
        """Numbers of the work array of one state, in whole windows."""
        return self.schedule.work + -self.schedule.work % WINDOW

    def room(self, width: int) -> int:
        """Numbers of work arrays for so many states: lanes, then those of the second part."""
        return self.row * width * (2 if self.parts.alone and width > 1 else 1) or WINDOW

    @cached_property
    def windows(self) -> Offsets:
        """Where numbers begin that the second part reads and the first has written."""
        moved = np.flatnonzero(_touched(self.before, written=True) & _touched(self.after, written=False))
        return np.unique(moved // WINDOW).astype(np.int32) * WINDOW

    @cached_property
    def words(self) -> Offsets:
        """The runs of both parts as data for the driver; between them EACH, how many windows, the row, the windows."""
        if not self.parts.alone:
            return self.schedule.words
        between = np.array([EACH, len(self.windows), self.row, *self.windows.tolist()], dtype=np.int32)
        return np.concatenate([self.before.words[:-1], between, self.after.words])

    @cached_property
    def words_onto_zeros(self) -> Offsets:
        """The same for one state whose results are zero where nothing else is written: without runs that write zeros.

        Sums begin with zeros, too, so that where some go to rows all runs stay.
        """
        kernels = self.schedule.kernels
        zeros = {k for k, kernel in enumerate(kernels) if _clears(kernel)}
        if not zeros or any(map(_sums, kernels)) or any(run.again for run in self.schedule.runs):
            return self.words
        return replace(self.schedule, runs=tuple(run for run in self.schedule.runs if run.kernel not in zeros)).words


def _clears(kernel: Kernel) -> bool:
    """Whether a kernel writes zeros to rows, and nothing else."""
    graph, ids = kernel.graph, {store.node.id for store in kernel.stores}
    zeros = not kernel.loads and all(graph.op[i] == Op.CONST and graph.value(i) == 0 for i in ids)
    return zeros and all(kernel.arrays[store.array].kind == "row" for store in kernel.stores)


def _sums(kernel: Kernel) -> bool:
    """Whether a kernel adds to rows."""
    return any(store.accumulate and kernel.arrays[store.array].kind == "row" for store in kernel.stores)


def _second_part(schedule: Schedule) -> int:
    """The first run that fills a matrix, if all is plain arithmetic from there on, most of it by columns."""
    kernels, end = schedule.kernels, len(schedule.runs)
    if all(kernel.columns == 1 for kernel in kernels) or any(run.again for run in schedule.runs):
        return end
    first = next((i for i, run in enumerate(schedule.runs) if _fills(kernels[run.kernel])), end)
    sizes = {k: _operations(kernels[k]) for k in {run.kernel for run in schedule.runs[first:]}}
    if first == 0 or any(size < 0 for size in sizes.values()):
        return end
    wide, narrow = (_total(schedule.runs[first:], kernels, sizes, columns) for columns in (True, False))
    return first if wide >= narrow else end


def _fills(kernel: Kernel) -> bool:
    """Whether a kernel has columns, or writes to rows."""
    return kernel.columns > 1 or any(kernel.arrays[store.array].kind == "row" for store in kernel.stores)


def _operations(kernel: Kernel) -> int:
    """How many operations a kernel has in each column; -1 if others than sums and products are among them."""
    ops = [kernel.graph.op[i] for i in reachable(kernel.graph, [store.node.id for store in kernel.stores])]
    inner = [op for op in ops if op not in GIVEN]
    return len(inner) if PLAIN.issuperset(inner) else -1


def _total(runs: Iterable[Run], kernels: tuple[Kernel, ...], sizes: dict[int, int], columns: bool) -> int:
    """All operations of kernels with columns, or of those without."""
    chosen = (run for run in runs if (kernels[run.kernel].columns > 1) == columns)
    return sum(run.times * kernels[run.kernel].columns * sizes[run.kernel] for run in chosen)


def _touched(schedule: Schedule, written: bool) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which numbers of the work array runs write, or read; what is added to is read."""
    work, found = lane_array(schedule.arrays), np.zeros(schedule.work, dtype=bool)
    for calls in schedule.tables:
        kernel = schedule.kernels[calls.kernel]
        stores = [store.place for store in kernel.stores if written or store.accumulate]
        for at in reached(kernel, calls, stores if written else (*kernel.loads.values(), *stores), work):
            found[at] = True
    return found
