"""A pass over whole programs: zeros where no run writes the result, as to rates of what does not move.

Callers hand over memory as it is. Straight code writes zeros with all else, and stays one run; others have a run more,
which one state that begins with zeros leaves out (see apart.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anyjoint.codegen.kernel import Kernel, Run, Schedule, Store, reached
from anyjoint.symbolic import Graph


def completed(schedule: Schedule, size: int) -> Schedule:
    """The same schedule, which writes so many numbers of the result, all of them."""
    result = next(i for i, array in enumerate(schedule.arrays) if array.name == "result")
    left = np.ones(size, dtype=bool)
    for calls in schedule.tables:
        kernel = schedule.kernels[calls.kernel]
        for at in reached(kernel, calls, (store.place for store in kernel.stores), result):
            left[at] = False
    places = np.flatnonzero(left).tolist()
    if not places:
        return schedule
    if [run.times for run in schedule.runs] == [1] and result in schedule.runs[0].arrays:
        return _with_zeros(schedule, result, places)
    graph = Graph()
    clear = Kernel(graph, (schedule.arrays[result],), {}, (Store(graph.constant(0.0), 0, 0),))
    run = Run.over(len(schedule.kernels), (result, places))
    return replace(schedule, kernels=(*schedule.kernels, clear), runs=(*schedule.runs, run))


def _with_zeros(schedule: Schedule, result: int, places: list[int]) -> Schedule:
    """Straight code that writes zeros to some places, too."""
    (run,), kernels = schedule.runs, list(schedule.kernels)
    kernel, argument = kernels[run.kernel], run.arrays.index(result)
    begin, zero = int(run.offsets[0, argument]), kernel.graph.constant(0.0)
    zeros = (Store(zero, argument, place - begin) for place in places)
    kernels[run.kernel] = replace(kernel, stores=(*kernel.stores, *zeros))
    return replace(schedule, kernels=tuple(kernels))
