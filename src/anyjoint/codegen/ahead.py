"""A pass over schedules: sines and cosines of many calls of a kernel, computed before all runs, several at a time.

A kernel works on one link and computes the sine and cosine of its one angle, which uses one lane of a vector register.
Where the angle depends only on inputs and numbers, it can be known before the first run. So a kernel of its own
computes up to eight at once, for links anywhere, and the others load what it has stored.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anyjoint.codegen.kernel import (
    Array,
    Kernel,
    Offsets,
    Run,
    Schedule,
    Store,
    lane_array,
    without_idle,
    written_arrays,
)  # fmt: skip
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.rewrite import import_into, reachable

TOGETHER = 8
ENOUGH = 2  # that many at once pay for bringing them together
_CHEAP = frozenset((Op.CONST, Op.VAR, Op.ADD, Op.SUB, Op.MUL, Op.NEG))


@frozen
class Table:
    """All calls of one kernel."""

    kernel: Kernel
    arrays: tuple[int, ...]
    offsets: Offsets


@frozen
class Site:
    """An angle in a kernel whose sine and cosine are computed ahead, and the argument that leads to where they go."""

    angle: int
    functions: tuple[tuple[int, int], ...]  # (node, 0 or 1): its sines and cosines
    leaves: tuple[int, ...]  # variables that the angle is made of
    keep: tuple[int, int] | None  # (argument, offset) to which the kernel would store the sine, the cosine behind it


def ahead(schedule: Schedule) -> Schedule:
    """The same schedule with the sines and cosines of unwritten rows and numbers brought to the front."""
    if len(schedule.runs) < ENOUGH and sum(run.times for run in schedule.runs) < ENOUGH:
        return schedule
    found = _sites(schedule)
    groups: dict[Hashable, list[tuple[int, Site]]] = {}
    for k, (table, sites) in found.items():
        for site in sites:
            groups.setdefault(_form(table, site), []).append((k, site))
    worth = [g for g in groups.values() if sum(len(found[k][0].offsets) for k, _ in g) >= ENOUGH]
    if not worth:
        return schedule
    return _Rewriting(schedule, {k: table for k, (table, _) in found.items()}).made(worth)


class _Rewriting:
    """Collects the kernels and runs of the new schedule."""

    def __init__(self, schedule: Schedule, found: Mapping[int, Table]) -> None:
        self.schedule, self.found = schedule, found
        self.arrays, self.work = schedule.arrays, schedule.work
        if lane_array(self.arrays) < 0:
            self.arrays = (*self.arrays, Array("work", "lane"))
        self.lane = lane_array(self.arrays)
        self.kernels = list(schedule.kernels)

    def made(self, groups: Sequence[Sequence[tuple[int, Site]]]) -> Schedule:
        """The schedule, its first runs for all groups."""
        first: list[Run] = []
        room: dict[tuple[int, int], Offsets] = {}  # (kernel, angle) -> where each call finds its sine, cosine behind
        chosen: dict[int, list[Site]] = {}
        for group in groups:
            fresh: list[tuple[int, Site]] = []
            known: dict[tuple[int, ...], int] = {}  # what an angle is made of -> where its sine is
            for k, site in sorted(group, key=lambda pair: pair[1].keep is None):
                leaves = list(zip(*(self._leaf(k, site, j).tolist() for j in range(len(site.leaves))), strict=True))
                if all(x in known for x in leaves):  # another kernel takes the sines of the same angles
                    room[k, site.angle], kept = np.array([known[x] for x in leaves]), replace(site, keep=None)
                else:
                    room[k, site.angle], kept = self._places(k, site), site
                    known |= dict(zip(leaves, room[k, site.angle].tolist(), strict=True))
                    fresh.append((k, site))
                chosen.setdefault(k, []).append(kept)
            first += self._front(fresh, np.concatenate([room[k, site.angle] for k, site in fresh]))
        more = {k: self._kernel(k, sites, room) for k, sites in chosen.items()}
        runs, seen = list(first), dict.fromkeys(more, 0)
        loops = any(run.again for run in self.schedule.runs)  # which count their runs
        for run in self.schedule.runs:
            if run.kernel in more and not self.kernels[run.kernel].stores and not loops:
                continue  # sines and cosines were all that it had to do
            if run.kernel in more:
                arrays, table = more[run.kernel]
                begin = seen[run.kernel]
                seen[run.kernel] += run.times
                run = Run(run.kernel, arrays, table[begin : seen[run.kernel]], run.again)
            runs.append(run)
        return Schedule(self.arrays, tuple(self.kernels), tuple(runs), max(self.work, 1))

    def _places(self, k: int, site: Site) -> Offsets:
        """Where the sine of each call of a kernel goes: to its own place for it, or to new room."""
        offsets = self.found[k].offsets
        if site.keep is not None:
            return np.asarray(offsets[:, site.keep[0]] + site.keep[1])
        begin, self.work = self.work, self.work + 2 * len(offsets)
        return np.arange(begin, self.work, 2, dtype=np.int32)

    def _front(self, group: Sequence[tuple[int, Site]], places: Offsets) -> Iterator[Run]:
        """Runs of new kernels over all angles of a group: as many in each call, or one more."""
        table, site = self.found[group[0][0]], group[0][1]
        columns, arrays = [], []
        for j in range(len(site.leaves)):
            parts = [self._leaf(k, s, j) for k, s in group]
            columns.append(np.concatenate(parts))
            arrays.append(table.arrays[table.kernel.loads[site.leaves[j]][0]])
        count = len(places)
        width, more = divmod(count, -(-count // TOGETHER))
        for n, begin, end in ((width + 1, 0, more * (width + 1)), (width, more * (width + 1), count)):
            if begin < end:
                self.kernels.append(_front_kernel(table.kernel, site, n))
                made = [column[begin + lane : end : n] for column in (*columns, places) for lane in range(n)]
                bases = [array for array in (*arrays, self.lane) for _ in range(n)]
                yield Run(len(self.kernels) - 1, tuple(bases), np.stack(made, axis=1).astype(np.int32))

    def _leaf(self, k: int, site: Site, j: int) -> Offsets:
        argument, offset = self.found[k].kernel.loads[site.leaves[j]]
        return np.asarray(self.found[k].offsets[:, argument] + offset)

    def _kernel(
        self, k: int, sites: Sequence[Site], room: Mapping[tuple[int, int], Offsets]
    ) -> tuple[tuple[int, ...], Offsets]:
        """Put a kernel that loads them in place of the old one; the arrays and offsets of all its calls."""
        old, graph = self.found[k].kernel, Graph()
        columns: list[Offsets] = []
        copies = {Node(old.graph, i): graph.variable("x") for i in old.loads}
        loads = {copies[Node(old.graph, i)].id: place for i, place in old.loads.items()}
        for site in sites:
            column, distance = _column(columns, room[k, site.angle])
            for function, which in site.functions:
                fresh = copies[Node(old.graph, function)] = graph.variable("x")
                loads[fresh.id] = (len(old.arrays) + column, distance + which)
        kept = {(site.keep[0], site.keep[1] + i) for site in sites if site.keep is not None for i in (0, 1)}
        stores = [store for store in old.stores if store.place not in kept]
        nodes = import_into(graph, [store.node for store in stores], copies)
        moved = [replace(store, node=node) for store, node in zip(stores, nodes, strict=True)]
        arrays = (*old.arrays, *[Array("ahead", "lane")] * len(columns))
        self.kernels[k], used = without_idle(Kernel(graph, arrays, loads, tuple(moved)))
        given = [*self.found[k].offsets.T, *columns]
        arrays_of = (*self.found[k].arrays, *[self.lane] * len(columns))
        calls = np.array([given[j] for j in used], np.int32).reshape(len(used), len(self.found[k].offsets))
        return tuple(arrays_of[j] for j in used), np.ascontiguousarray(calls.T)


def _column(columns: list[Offsets], begin: Offsets) -> tuple[int, int]:
    """An argument for places, and their distance from it: one serves all that stand at a constant distance."""
    for j, column in enumerate(columns):
        distance = begin - column
        if distance[0] >= 0 and (distance == distance[0]).all():
            return j, int(distance[0])
    columns.append(begin)
    return len(columns) - 1, 0


def _front_kernel(kernel: Kernel, site: Site, count: int) -> Kernel:
    """Sine and cosine of `count` angles of one form, each leaf and each place for the results anywhere."""
    graph, loads = Graph(), dict[int, tuple[int, int]]()
    kinds = [kernel.arrays[kernel.loads[leaf][0]] for leaf in site.leaves]
    arrays = [array for array in kinds for _ in range(count)] + [Array("ahead", "lane")] * count
    stores: list[Store] = []
    for k in range(count):
        leaves = [graph.variable("x") for _ in site.leaves]
        loads |= {leaf.id: (j * count + k, 0) for j, leaf in enumerate(leaves)}
        copies = {Node(kernel.graph, i): leaf for i, leaf in zip(site.leaves, leaves, strict=True)}
        angle = import_into(graph, Node(kernel.graph, site.angle), copies)
        place = len(kinds) * count + k
        stores += [Store(angle.sin(), place, 0), Store(angle.cos(), place, 1)]
    return Kernel(graph, tuple(arrays), loads, tuple(stores))


# -- what can be brought to the front ---------------------------------------------------------------------------


def _sites(schedule: Schedule) -> dict[int, tuple[Table, list[Site]]]:
    """Per kernel, all its calls and the angles that are known before the first run."""
    written = written_arrays(schedule)
    calls: dict[int, list[Table]] = {}
    for k, arrays, offsets in schedule.tables:
        calls.setdefault(k, []).append(Table(schedule.kernels[k], arrays, offsets))
    found = {}
    for k, (table, *others) in calls.items():
        early = {j for j, array in enumerate(table.arrays) if array not in written}
        sites = list(_angles(table.kernel, early)) if not others else []
        if sites:
            found[k] = (table, sites)
    once = _written_once(schedule) if found else None
    return {k: (table, [_settled(table, site, once) for site in sites]) for k, (table, sites) in found.items()}


def _angles(kernel: Kernel, early: set[int]) -> Iterator[Site]:
    """Angles made by cheap operations from loads of the arguments `early`."""
    graph = kernel.graph
    if Op.SIN not in graph.op and Op.COS not in graph.op:
        return
    live = reachable(graph, [store.node.id for store in kernel.stores])
    leaves: dict[int, tuple[int, ...]] = {}  # of nodes that are known early
    for i in live:
        op, operands = graph.op[i], graph.operands(i)
        if op == Op.VAR and kernel.loads.get(i, (-1, 0))[0] in early:
            leaves[i] = (i,)
        elif op in _CHEAP and op != Op.VAR and all(x in leaves for x in operands):
            leaves[i] = tuple(dict.fromkeys(leaf for x in operands for leaf in leaves[x]))
    angles: dict[int, list[tuple[int, int]]] = {}
    for i in live:
        if graph.op[i] in (Op.SIN, Op.COS) and leaves.get(graph.a[i]):
            angles.setdefault(graph.a[i], []).append((i, int(graph.op[i] == Op.COS)))
    stored = {s.node.id: s.place for s in kernel.stores if not s.accumulate}
    for angle, functions in angles.items():
        places = {which: stored.get(i) for i, which in functions}
        sine, cosine = places.get(0), places.get(1)
        together = sine and cosine == (sine[0], sine[1] + 1) and kernel.arrays[sine[0]].kind == "lane"
        yield Site(angle, tuple(functions), leaves[angle], sine if together else None)


def _settled(table: Table, site: Site, once: np.ndarray[tuple[int], np.dtype[np.bool_]] | None) -> Site:
    """The site, which keeps its own place only if nothing else is ever written there."""
    if site.keep is None or once is None:
        return site
    at = table.offsets[:, site.keep[0]] + site.keep[1]
    return site if once[at].all() and once[at + 1].all() else replace(site, keep=None)


def _written_once(schedule: Schedule) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which entries of the work array just one store of one call writes."""
    places: list[Offsets] = [np.zeros(0, np.int32)]
    for k, arrays, offsets in schedule.tables:
        for store in schedule.kernels[k].stores:
            if schedule.arrays[arrays[store.array]].kind == "lane":
                places.append(offsets[:, store.array] + store.offset)
    return np.asarray(np.bincount(np.concatenate(places), minlength=schedule.work) == 1)


def _form(table: Table, site: Site) -> Hashable:
    """What must be alike for angles to be computed side by side: the expression, and where its leaves are loaded."""
    graph, kernel = table.kernel.graph, table.kernel
    order = reachable(graph, [site.angle])
    number = {i: k for k, i in enumerate(order)}
    words = tuple(
        (graph.op[i], graph.value(i) if graph.op[i] == Op.CONST else tuple(number[x] for x in graph.operands(i)))
        for i in order
    )
    return words, tuple((number[i], table.arrays[kernel.loads[i][0]]) for i in site.leaves)
