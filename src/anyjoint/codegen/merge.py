"""A pass over schedules: kernels that say the same on the same arrays become one.

Links whose classes differ in what an early sweep did may well be treated alike by a later one.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from anyjoint.codegen.fingerprint import kernel_words
from anyjoint.codegen.kernel import Kernel, Schedule


def merged(schedule: Schedule) -> Schedule:
    """The same schedule with every kernel once."""
    used: dict[int, set[tuple[int, ...]]] = {}
    for run in schedule.runs:
        used.setdefault(run.kernel, set()).add(run.arrays)
    first: dict[Hashable, int] = {}
    kept: list[Kernel] = []
    number: dict[int, int] = {}
    for k, arrays in sorted(used.items()):
        kernel = schedule.kernels[k]
        key = frozenset(arrays), *kernel_words(kernel)
        if key not in first:
            first[key] = len(kept)
            kept.append(kernel)
        number[k] = first[key]
    runs = tuple(
        run if number[run.kernel] == run.kernel else run._replace(kernel=number[run.kernel]) for run in schedule.runs
    )
    return replace(schedule, kernels=tuple(kept), runs=runs)
