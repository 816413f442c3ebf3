"""A pass over schedules: kernels that say the same on the same arrays become one.

Links whose classes differ in what an early sweep did may well be treated alike by a later one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace

from anyjoint.codegen.fingerprint import kernel_words
from anyjoint.codegen.kernel import Kernel, Run, Schedule


def merged(schedule: Schedule) -> Schedule:
    """The same schedule with every kernel once."""
    used: dict[int, set[tuple[int, ...]]] = {}
    for run in schedule.runs:
        used.setdefault(run.kernel, set()).add(run.arrays)
    sizes = {k: (frozenset(arrays), *_size(schedule.kernels[k])) for k, arrays in sorted(used.items())}
    times = Counter(sizes.values())
    first: dict[Hashable, int] = {}
    kept: list[Kernel] = []
    number: dict[int, int] = {}
    for k, size in sizes.items():
        kernel = schedule.kernels[k]
        key = (size, *kernel_words(kernel)) if times[size] > 1 else size
        if key not in first:
            first[key] = len(kept)
            kept.append(kernel)
        number[k] = first[key]
    runs = tuple(Run(number[kernel], arrays, offsets, again) for kernel, arrays, offsets, again in schedule.runs)
    return replace(schedule, kernels=tuple(kept), runs=runs)


def _size(kernel: Kernel) -> tuple[int, ...]:
    """What is quickly seen to differ."""
    return len(kernel.arrays), len(kernel.loads), len(kernel.stores)
