"""What of a schedule depends on given arrays, and which values still stand in memory when it is over.

A transformation that differentiates needs both: values that do not depend on anything have no derivative, and values
that are never overwritten need not be kept a second time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from anyjoint.codegen.kernel import Kernel, Offsets, Run, Schedule, extents
from anyjoint.frozen import frozen
from anyjoint.symbolic.partials import reach_masks
from anyjoint.symbolic.rewrite import reachable

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Entries = Mapping[str, Collection[int]]  # of arrays by name


@frozen
class Activity:
    """Per kernel: variables that carry derivatives, and stores to places that do."""

    loads: tuple[frozenset[int], ...]
    stores: tuple[frozenset[int], ...]  # positions among the kernel's stores
    alive: tuple[Flags, ...]  # per array of the schedule: the places that ever do
    still: tuple[Flags, ...]  # and those that do not, though a kernel loads or stores there what does in other calls

    @property
    def shadowed(self) -> list[bool]:
        """Per array whether any of its places needs one beside it."""
        return [bool(x.any() or y.any()) for x, y in zip(self.alive, self.still, strict=True)]


def activity(schedule: Schedule, names: Collection[str], only: Entries | None = None) -> Activity:
    """What depends on the arrays of these names, or `only` on some entries of them, for any call of a kernel."""
    sizes = zip((array.name for array in schedule.arrays), extents(schedule), strict=True)
    alive = tuple(_given(name, extent, names, only or {}) for name, extent in sizes)
    loads: list[frozenset[int]] = [frozenset() for _ in schedule.kernels]
    moving: list[list[int]] = [[] for _ in schedule.kernels]  # stores of values that depend on active loads
    kernels = [_Uses(kernel) for kernel in schedule.kernels]
    grows = True
    while grows:
        grows = False
        for run in schedule.runs:
            uses, k = kernels[run.kernel], run.kernel
            found = frozenset(i for i, at in uses.loaded(run) if i not in loads[k] and alive[at[0]][at[1]].any())
            if found:
                loads[k] |= found
                moving[k] = _dependent_stores(schedule.kernels[k], loads[k])
                grows = True
            for position in moving[k]:
                array, at = uses.stored(run, position)
                if not alive[array][at].all():
                    alive[array][at] = grows = True
    stores = _stores(schedule, kernels, alive)
    return Activity(tuple(loads), tuple(stores), alive, _still(schedule, kernels, loads, stores, alive))


def _given(name: str, extent: int, names: Collection[str], only: Entries) -> Flags:
    """Places of an array that carry derivatives from the beginning."""
    if name in names and name in only:
        return np.isin(np.arange(extent), list(only[name]))
    return np.full(extent, name in names)


def _still(
    schedule: Schedule, kernels: list[_Uses], loads: list[frozenset[int]], stores: list[frozenset[int]],
    alive: tuple[Flags, ...],
) -> tuple[Flags, ...]:  # fmt: skip
    """Places without derivatives that calls load or store as if they had any, since other calls of the kernel do."""
    still = tuple(np.zeros_like(flags) for flags in alive)
    for run in schedule.runs:
        uses, k = kernels[run.kernel], run.kernel
        loaded = [place for i, place in uses.loaded(run) if i in loads[k]]
        for array, at in [*loaded, *(uses.stored(run, position) for position in stores[k])]:
            still[array][at[~alive[array][at]]] = True
    return still


def _stores(schedule: Schedule, kernels: list[_Uses], alive: tuple[Flags, ...]) -> list[frozenset[int]]:
    """Per kernel the stores that go to a place which carries derivatives in any call."""
    found: list[set[int]] = [set() for _ in kernels]
    for run in schedule.runs:
        for position in range(len(kernels[run.kernel].kernel.stores)):
            array, at = kernels[run.kernel].stored(run, position)
            if alive[array][at].any():
                found[run.kernel].add(position)
    return [frozenset(x) for x in found]


@frozen
class Lasting:
    """Per kernel: variables whose places, and stores whose values, nothing overwrites any more."""

    loads: tuple[frozenset[int], ...]
    stores: tuple[frozenset[int], ...]


def lasting(schedule: Schedule) -> Lasting:
    """What is still there after the last run, for all calls of a kernel."""
    kernels = [_Uses(kernel) for kernel in schedule.kernels]
    last = [np.full(extent, -1, dtype=np.int64) for extent in extents(schedule)]
    begins, total = [], 0
    for run in schedule.runs:
        calls = np.arange(total, total + run.times)
        begins.append(calls)
        for position in range(len(schedule.kernels[run.kernel].stores)):
            array, at = kernels[run.kernel].stored(run, position)
            np.maximum.at(last[array], at, calls)
        total += run.times
    loads = [set(kernel.loads) for kernel in schedule.kernels]
    stores = [{p for p, s in enumerate(kernel.stores) if not s.accumulate} for kernel in schedule.kernels]
    for run, calls in zip(schedule.runs, begins, strict=True):
        uses, k = kernels[run.kernel], run.kernel
        loads[k] -= {i for i, (array, at) in uses.loaded(run) if (last[array][at] >= calls).any()}
        for position in list(stores[k]):
            array, at = uses.stored(run, position)
            if (last[array][at] != calls).any():
                stores[k].discard(position)
    return Lasting(tuple(map(frozenset, loads)), tuple(map(frozenset, stores)))


class _Uses:
    """Where the calls of a kernel load and store."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def loaded(self, run: Run) -> Iterator[tuple[int, tuple[int, Offsets]]]:
        """(variable, (array, place in each call))."""
        for i, (argument, offset) in self.kernel.loads.items():
            yield i, (run.arrays[argument], run.offsets[:, argument] + offset)

    def stored(self, run: Run, position: int) -> tuple[int, Offsets]:
        """(array, place in each call) of a store."""
        store = self.kernel.stores[position]
        return run.arrays[store.array], run.offsets[:, store.array] + store.offset


def ranges_of(flags: Flags, near: int = 1) -> list[tuple[int, int]]:
    """Ranges of flags that are set: the first of each, and the one behind its last; `near` ones are in one range."""
    at = np.flatnonzero(flags)
    parts = np.split(at, np.flatnonzero(np.diff(at) > near) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts if len(part)]


def _dependent_stores(kernel: Kernel, active: Collection[int]) -> list[int]:
    """Positions of stores whose values depend on active variables."""
    graph = kernel.graph
    nodes = reachable(graph, [store.node.id for store in kernel.stores])
    reach = reach_masks(graph, nodes, sorted(active))
    return [p for p, store in enumerate(kernel.stores) if store.node.id in reach]
