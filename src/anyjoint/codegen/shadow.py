"""Arrays beside arrays: for the arrays of a schedule, others that hold their derivatives, number by number.

Straight-line code reads and writes rows of the caller's. Kernels in loops come back to the same numbers again and
again: theirs are regions of the work array, filled from rows before and copied to rows after.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anyjoint.codegen.activity import Flags, ranges_of
from anyjoint.codegen.angles import Angles
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Array, Kernel, Offsets, Place, Run, Schedule, Store, extents
from anyjoint.codegen.passes import over_derivatives
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import import_into, reachable

NEAR = 8  # numbers so far apart are cleared in one go


@frozen
class Copied:
    """A kernel's expressions in a graph of their own, where more can be added."""

    graph: Graph
    loads: dict[int, tuple[int, int]]  # variables of the new graph
    stores: list[int]  # what is stored, in the order of the kernel's stores
    variable: dict[int, int]  # from the kernel's variables to the new ones

    def values(self, kernel: Kernel) -> list[Store]:
        """The kernel's stores again."""
        pairs = zip(kernel.stores, self.stores, strict=True)
        return [replace(store, node=Node(self.graph, node)) for store, node in pairs]


def copied(kernel: Kernel) -> Copied:
    """The expressions of a kernel again."""
    graph, old = Graph(), kernel.graph
    live = set(reachable(old, [store.node.id for store in kernel.stores]))
    kinds = {i: old.variables[old.a[i]] for i in kernel.loads if i in live}
    fresh = {Node(old, i): graph.variable(x.name, x.domain, x.bounds) for i, x in kinds.items()}
    nodes = import_into(graph, [store.node for store in kernel.stores], fresh)
    variable = {old_node.id: node.id for old_node, node in fresh.items()}
    return Copied(graph, {variable[i]: kernel.loads[i] for i in kinds}, [node.id for node in nodes], variable)


def one_by_one(schedule: Schedule) -> Schedule:
    """The schedule as it can be differentiated: with a call for each column of kernels that have several."""
    if all(kernel.columns == 1 for kernel in schedule.kernels):
        return schedule
    kernels, runs = [], []
    for kernel in schedule.kernels:
        narrow = tuple(replace(array, wide=False) for array in kernel.arrays)
        kernels.append(replace(kernel, arrays=narrow, columns=1))
    for run in schedule.runs:
        kernel = schedule.kernels[run.kernel]
        wide = np.array([array.wide * array.step for array in kernel.arrays], dtype=np.int32)
        columns = np.arange(kernel.columns, dtype=np.int32)[:, None] * wide
        offsets = (run.offsets[:, None, :] + columns[None]).reshape(run.times * len(columns), len(wide))
        runs.append(run._replace(offsets=np.ascontiguousarray(offsets)))
    return replace(schedule, kernels=tuple(kernels), runs=tuple(runs))


class Shadows:
    """A schedule in the making: another schedule's arrays, a shadow for some of them, and runs over both."""

    def __init__(
        self, schedule: Schedule, alive: Sequence[bool], rows: Mapping[str, str], direct: bool = True,
        more: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Arrays that are `alive` have a shadow; `rows` names the rows of the caller's for those that have one.

        With `direct`, straight-line code works on the caller's rows; `more` are rows besides.
        """
        self.schedule, self.rows = schedule, rows
        self.is_direct = direct and len(schedule.runs) == 1 and schedule.runs[0].times == 1 and not schedule.work
        given = tuple(array for array in schedule.arrays if array.kind != "lane")
        self.builder = Builder((*given, *(Array(name, "row") for name in (*rows.values(), *more))), work=schedule.work)
        names = [array.name for array in self.builder.given]
        self.own = [names.index(a.name) if a.kind != "lane" else len(names) for a in schedule.arrays]
        self.sizes = extents(schedule)
        self.place: dict[int, Place] = {}
        for array, living in enumerate(alive):
            if living and self.is_direct:
                self.place[array] = self.builder.place(rows[schedule.arrays[array].name])
            elif living:
                self.place[array] = self.builder.room(self.sizes[array])

    def array(self, name: str) -> Array:
        """An argument of a kernel that is a shadow."""
        return Array(name, "row" if self.is_direct else "lane")

    def columns(self, run: Run, used: Sequence[int], *extra: Offsets) -> tuple[tuple[int, ...], Offsets]:
        """Arrays and offsets of the arguments `used`: the run's own, their shadows, then columns of the work array."""
        n = len(run.arrays)
        arrays, parts = [], []
        for j in used:
            if j < n:
                arrays.append(self.own[run.arrays[j]])
                parts.append(run.offsets[:, j])
            elif j < 2 * n:
                place = self.place[run.arrays[j - n]]
                arrays.append(place.array)
                parts.append(run.offsets[:, j - n] + place.offset)
            else:
                arrays.append(self.builder.work_array)
                parts.append(extra[j - 2 * n])
        table = np.stack(parts, axis=1) if parts else np.zeros((run.times, 0))
        return tuple(arrays), table.astype(np.int32)

    def shadow(self, name: str) -> tuple[Place, int] | None:
        """Where the shadow of a named array begins in the work array, and its length; None if it is not there."""
        array = next(k for k, x in enumerate(self.schedule.arrays) if x.name == name)
        return None if self.is_direct or array not in self.place else (self.place[array], self.sizes[array])

    def fill(self, name: str) -> None:
        """Copy the caller's row into the shadow of an array."""
        if found := self.shadow(name):
            self.builder.copy(found[1], self.builder.place(self.rows[name]), found[0])

    def fetch(self, name: str, add: bool = False) -> None:
        """Copy the shadow of an array into the caller's row, or add it to what is there."""
        if found := self.shadow(name):
            place = self.builder.place(self.rows[name])
            if add:
                both = {"x": found[0], "y": place}
                self.builder.pointwise(found[1], both, {}, {"y": place}, lambda x: {"y": x["x"] + x["y"]})
            else:
                self.builder.copy(found[1], found[0], place)

    def clear(self, arrays: Collection[str]) -> None:
        """Fill shadows with zeros."""
        for found in filter(None, map(self.shadow, arrays)):
            self.builder.clear(found[1], found[0])

    def clear_some(self, flags: Sequence[Flags]) -> None:
        """Fill the flagged numbers of shadows with zeros, array by array, and what few stand between them."""
        for array, some in enumerate(flags):
            for begin, end in ranges_of(some, NEAR):
                self.builder.clear(end - begin, self.place[array].at(begin))

    def made(self, angles: Angles) -> Schedule:
        """The schedule, each kernel once that some run calls: passes that were written out have the same many times."""
        builder = self.builder
        arrays = builder.arrays if builder.work else builder.given
        schedule = Schedule(arrays, tuple(builder.kernels), tuple(builder.runs), builder.work)
        return over_derivatives(angles.back(schedule))
