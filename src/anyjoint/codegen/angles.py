"""Schedules as they are differentiated: angles where their sines stand.

Kernels hand each other the sine and the cosine of an angle, which have one rate, not two; and only who knows that they
are of one angle sees rotations (symbolic/rotation.py). So a schedule is differentiated as if the angle stood in place
of its sine, and each kernel took both functions again. Afterwards they stand, and are read, where they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from anyjoint.codegen.activity import Flags
from anyjoint.codegen.kernel import Kernel, Offsets, Place, Schedule, Store
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.rewrite import import_into, reachable


@frozen
class _Uses:
    """Where a kernel loads from the work array and stores to it, in all its calls."""

    loads: dict[int, Offsets]  # of variables
    stores: dict[int, Offsets]  # of positions among its stores


class Angles:
    """A schedule with angles, and the way back from its derivatives.

    Not in loops, which write again and again.
    """

    def __init__(self, schedule: Schedule, loops: Sequence[object]) -> None:
        uses = _uses(schedule)
        self.schedule = schedule
        self.loads: list[dict[int, Place]] = [{} for _ in uses]  # per kernel, variables that are angles
        self.stores: list[dict[int, Place]] = [{} for _ in uses]  # and positions of stores of some: where sines stand
        again = bool(loops) or any(run.again for run in schedule.runs)
        self._sines = np.zeros(schedule.work, dtype=bool) if again else _sines(schedule, uses)
        if self._sines.any():
            parts = zip(schedule.kernels, uses, self.loads, self.stores, strict=True)
            self.schedule = replace(schedule, kernels=tuple(_with_angles(*part, self._sines) for part in parts))

    def back(self, schedule: Schedule) -> Schedule:
        """A schedule that was made of the one with angles, whose work array goes on behind that one's."""
        if not self._sines.any():
            return schedule
        sines = np.concatenate([self._sines, np.zeros(schedule.work - len(self._sines), dtype=bool)])
        parts = zip(schedule.kernels, _uses(schedule), strict=True)
        return replace(schedule, kernels=tuple(_with_functions(*part, sines) for part in parts))


def _with_angles(
    kernel: Kernel, uses: _Uses, angles: dict[int, Place], written: dict[int, Place], sines: Flags
) -> Kernel:
    """The kernel, which loads and stores angles, and which of its variables and stores these are."""
    cosines = np.concatenate([[False], sines[:-1]])
    behind = {i: int(cosines[at[0]]) for i, at in uses.loads.items() if sines[at[0]] or cosines[at[0]]}
    if not behind and not any(sines[at[0]] for at in uses.stores.values()):
        return kernel
    old, graph = kernel.graph, Graph()
    loads: dict[int, tuple[int, int]] = {}
    known: dict[bytes, Node] = {}  # angles by their places
    copies: dict[Node, Node] = {}
    for i, (array, offset) in kernel.loads.items():
        if i in behind:
            angle = known.setdefault((uses.loads[i] - behind[i]).tobytes(), graph.variable("angle"))
            copies[Node(old, i)] = angle.cos() if behind[i] else angle.sin()
            angles.setdefault(angle.id, Place(array, offset - behind[i]))
            loads[angle.id] = angles[angle.id]
        else:
            copies[Node(old, i)] = node = _variable_again(graph, old, i)
            loads[node.id] = array, offset
    stores: list[Store] = []
    for position, store in enumerate(kernel.stores):
        at = uses.stores[position][0] if position in uses.stores else -1
        if at >= 0 and sines[at]:
            written[len(stores)] = Place(store.array, store.offset)
            store = replace(store, node=Node(old, old.a[store.node.id]))
        if at < 0 or not cosines[at]:
            stores.append(store)
    nodes = import_into(graph, [store.node for store in stores], copies)
    moved = tuple(replace(store, node=node) for store, node in zip(stores, nodes, strict=True))
    return replace(kernel, graph=graph, loads=loads, stores=moved)


def _with_functions(kernel: Kernel, uses: _Uses, sines: Flags) -> Kernel:
    """The kernel, which loads and stores sines and cosines.

    What it loads from such places and does not take a function of is one already.
    """
    angles = {i for i, at in uses.loads.items() if sines[at[0]]}
    written = {position for position, at in uses.stores.items() if sines[at[0]]}
    if not angles and not written:
        return kernel
    old, graph, copies, loads = kernel.graph, Graph(), dict[Node, Node](), dict[int, tuple[int, int]]()
    for i, place in kernel.loads.items():
        copies[Node(old, i)] = node = _variable_again(graph, old, i)
        loads[node.id] = place
    for i in range(len(old)):
        if old.op[i] == Op.SIN and old.a[i] in angles:
            copies[Node(old, i)] = copies[Node(old, old.a[i])]
        elif old.op[i] == Op.COS and old.a[i] in angles:
            copies[Node(old, i)] = node = graph.variable("cosine")
            array, offset = kernel.loads[old.a[i]]
            loads[node.id] = array, offset + 1
    nodes = import_into(graph, [store.node for store in kernel.stores], copies)
    stores: list[Store] = []
    for position, (store, node) in enumerate(zip(kernel.stores, nodes, strict=True)):
        stores.append(replace(store, node=node.sin() if position in written else node))
        if position in written:
            stores.append(Store(node.cos(), store.array, store.offset + 1))
    live = set(reachable(graph, [store.node.id for store in stores]))
    loads = {i: place for i, place in loads.items() if i in live}
    return replace(kernel, graph=graph, loads=loads, stores=tuple(stores))


def _variable_again(graph: Graph, old: Graph, i: int) -> Node:
    kind = old.variables[old.a[i]]
    return graph.variable(kind.name, kind.domain, kind.bounds)


# -- where sines stand ----------------------------------------------------------------------------------------------


def _uses(schedule: Schedule) -> list[_Uses]:
    """Per kernel."""
    loads: list[dict[int, list[Offsets]]] = [{} for _ in schedule.kernels]
    stores: list[dict[int, list[Offsets]]] = [{} for _ in schedule.kernels]
    for k, _, offsets in schedule.tables:
        kernel = schedule.kernels[k]
        for i, (argument, offset) in kernel.loads.items():
            if kernel.arrays[argument].kind == "lane":
                loads[k].setdefault(i, []).append(offsets[:, argument] + offset)
        for position, store in enumerate(kernel.stores):
            if kernel.arrays[store.array].kind == "lane":
                stores[k].setdefault(position, []).append(offsets[:, store.array] + store.offset)
    return [_Uses(_joined(x), _joined(y)) for x, y in zip(loads, stores, strict=True)]


def _joined(found: dict[int, list[Offsets]]) -> dict[int, Offsets]:
    return {key: np.concatenate(parts) for key, parts in found.items()}


def _sines(schedule: Schedule, uses: list[_Uses]) -> Flags:
    """Places of the work array where a sine stands, its cosine behind it, whenever they are read.

    Both are written once, before they are read; what reads one of them does so in all its calls.
    """
    found = np.zeros(schedule.work + 1, dtype=bool)  # at the end, and before the beginning, none does
    for kernel, used in zip(schedule.kernels, uses, strict=True):
        for position in _pairs(kernel):
            found[used.stores.get(position, [])] = True
    once = np.append(_written_once(schedule), False)
    found &= once & np.roll(once, -1)
    while (wrong := _mixed(schedule, uses, found)) is not None:
        found[wrong] = False
    return found[:-1]


def _mixed(schedule: Schedule, uses: list[_Uses], found: Flags) -> Offsets | None:
    """Sines, or those whose cosines, some call uses in place of something else; or cosines alone at the beginning."""
    for kernel, used in zip(schedule.kernels, uses, strict=True):
        for is_load, places in ((True, used.loads), (False, used.stores)):
            for i, at in places.items():
                for back in (0, 1):
                    here = found[at - back]
                    alone = back and is_load and not kernel.loads[i][1]
                    if here.any() and (alone or not here.all()):
                        return np.asarray(at[here] - back)
    return None


def _pairs(kernel: Kernel) -> Iterator[int]:
    """Positions of stores of a sine with the cosine of the same angle behind it."""
    graph = kernel.graph
    stored = {(s.array, s.offset): s.node.id for s in kernel.stores if not s.accumulate}
    for position, store in enumerate(kernel.stores):
        node, other = store.node.id, stored.get((store.array, store.offset + 1), -1)
        is_pair = other >= 0 and graph.op[node] == Op.SIN and graph.op[other] == Op.COS
        if is_pair and graph.a[node] == graph.a[other] and not store.accumulate:
            yield position


def _written_once(schedule: Schedule) -> Flags:
    """Places of the work array that are written once, and not read before."""
    never = np.iinfo(np.int64).max
    writes, written, read = (np.full(schedule.work, x, dtype=np.int64) for x in (0, never, never))
    total = 0
    for run in schedule.runs:
        kernel, calls = schedule.kernels[run.kernel], np.arange(total, total + run.times)
        total += run.times
        stored = [(s.array, s.offset) for s in kernel.stores]
        added = [(s.array, s.offset) for s in kernel.stores if s.accumulate]
        for places, first in (([*kernel.loads.values(), *added], read), (stored, written)):
            for argument, offset in places:
                if kernel.arrays[argument].kind == "lane":
                    at = run.offsets[:, argument] + offset
                    np.minimum.at(first, at, calls)
                    np.add.at(writes, at, first is written)
    return np.asarray((writes == 1) & (written < read))
