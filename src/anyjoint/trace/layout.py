"""Where everything lies when kernels loop over a tree: records, messages, numbers, and the runs themselves.

A link's record holds what its later sweeps load again. A message passes between a link and its children within one
sweep: velocities outward, inertias inward. Messages are short-lived, so a chain of any length needs memory for two.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Run, Schedule, Store
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import reachable

from .body_trace import BodyTrace, entries_of
from .classes import Tracer
from .setup import Rows, Setup, split_parameters
from .straight import part_of
from .turns import SLOTS, turn_runs, turn_setup

# Lane arrays of a kernel. "own" and "keep" are the same record, read and written: never the same entry, so that stores
# need not wait for loads. Outward, a kernel reads "parent" and writes "mine"; inward the other way round.
LANES = ("own", "keep", "mine", "parent")
RESULT = "result "  # begins the name of the part of the result row that one result goes to


class Layout:
    """Decides what is stored where, once all traces are known."""

    def __init__(self, tracer: Tracer, results_in_work: bool = False) -> None:
        self.tracer = tracer
        self.results_in_work = results_in_work  # for kernels that go on from there, instead of in a row of their own
        self.links = tracer.plan.links
        self.children: dict[int, list[int]] = {}
        for i, link in enumerate(self.links):
            self.children.setdefault(link.parent, []).append(i)
        self.slots: list[dict[tuple[Any, ...], int]] = [{} for _ in tracer.traces]  # per sweep: entries of a message
        self.kept: dict[BodyTrace, dict[int, int]] = {}  # per trace: node -> slot of the record
        self.fills: dict[tuple[tuple[BodyTrace, ...], int], Hashable] = {}
        self.results, self.result_size = self._result_places()
        self._find_kept()

    # -- what must be stored --------------------------------------------------------------------------------

    def _find_kept(self) -> None:
        """Last sweep first: what a later sweep loads, an earlier one must keep."""
        wanted: dict[BodyTrace, set[int]] = {}
        order = [trace for level in reversed(self.tracer.traces) for trace in dict.fromkeys(level)]
        for trace in order:
            nodes = {x.id for x in self._outputs(trace) if isinstance(x, Node)} | wanted.get(trace, set())
            chain = trace.chain()
            for i in reachable(trace.graph, nodes):
                source = trace.sources.get(i, ("",))
                if source[0] == "kept":
                    wanted.setdefault(chain[source[1]], set()).add(source[2])
                elif source[0] in ("parent", "sum"):
                    slots = self.slots[trace.level]
                    slots.setdefault(source, len(slots))
        for trace in reversed(order):
            begin = self._reserved(trace) + sum(len(self.kept[t]) for t in trace.chain()[:-1])
            self.kept[trace] = {node: begin + k for k, node in enumerate(sorted(wanted.get(trace, ())))}

    def _reserved(self, trace: BodyTrace) -> int:
        """Entries at the beginning of a record that are there before the first sweep."""
        return SLOTS if ("turn", 0) in trace.chain()[0].variables else 0

    def _outputs(self, trace: BodyTrace) -> list[Any]:
        algorithm = self.tracer.algorithm
        wanted = {*algorithm.results, *algorithm.totals, *self.tracer.reads[trace.level]}
        values = [x for name, (scalars, _) in trace.values.items() if name in wanted for x in scalars]
        return values + [x for scalars, _ in trace.handed.values() for x in scalars]

    def _said(self, trace: BodyTrace) -> Iterator[tuple[Node, int]]:
        """Values that children load from this link's message, with their slots."""
        for name in self.tracer.reads[trace.level]:
            for k, x in enumerate(trace.values[name][0] if name in trace.values else ()):
                slot = self.slots[trace.level].get(("parent", name, k))
                if slot is not None and entries_of([x])[0] is None:
                    yield x, slot

    # -- kernels --------------------------------------------------------------------------------------------

    def schedule(self) -> tuple[Schedule, list[Rows]]:
        """All kernels, the runs that call them, and the rows of numbers that they load."""
        kernels: list[Kernel] = []
        setups: list[Setup] = []
        index: dict[Hashable, int] = {}
        calls: list[tuple[int, int, int]] = []  # (kernel, link, sweep) in order
        for level, i in self._visits():
            trace, parent = self.tracer.traces[level][i], self.links[i].parent
            fill = self._fill(level, i) if trace.handed and parent >= 0 else ()
            key = (trace, parent >= 0, i in self.children, fill)
            if key not in index:
                index[key] = len(kernels)
                kernel, setup = self._kernel(trace, parent >= 0, i in self.children, fill)
                kernels.append(kernel)
                setups.append(setup)
            calls.append((index[key], i, level))
        return self._assemble(kernels, setups, calls)

    def _visits(self) -> Iterator[tuple[int, int]]:
        count = len(self.links)
        for level, sweep in enumerate(self.tracer.algorithm.sweeps):
            for i in range(count - 1, -1, -1) if sweep.direction == "inward" else range(count):
                yield level, i

    def _fill(self, level: int, i: int) -> Hashable:
        """Names that no child before this one has handed in, with all entries that any will: stored, not added."""
        siblings = self.children[self.links[i].parent]
        position = siblings.index(i)
        traces = tuple(self.tracer.traces[level][k] for k in siblings)
        if (traces, position) not in self.fills:
            _, total = self.tracer.sums(traces)
            begun = {name for trace in traces[position + 1 :] for name in trace.handed}
            fill = tuple((name, entries) for name, entries in total if name not in begun)
            self.fills[traces, position] = fill
        return self.fills[traces, position]

    def _kernel(self, trace: BodyTrace, has_parent: bool, has_children: bool, fill: Any) -> tuple[Kernel, Setup]:
        stores = self._stores(trace, has_parent, has_children, fill)
        graph = trace.graph
        ids = [x.id if isinstance(x, Node) else graph.constant_id(x) for x, *_ in stores]
        raw = {i: source[1] for i, source in trace.sources.items() if source[0] == "raw"}
        target, new, variables, setup = split_parameters(graph, ids, raw)
        places: dict[int, tuple[str, int]] = {k: ("numbers", k) for k in range(len(setup.outputs))}
        places |= {variables[i]: self._place(trace, trace.sources[i]) for i in variables}
        algorithm = self.tracer.algorithm
        results = (RESULT + name for name in (*algorithm.results, *algorithm.totals))
        names = (*algorithm.inputs, *results, "numbers", *LANES)
        used = [name for name in names if name in {p[0] for p in places.values()} | {s[1] for s in stores}]
        arrays = tuple(self._array(name) for name in used)
        loads = {node: (used.index(name), offset) for node, (name, offset) in places.items()}
        made = tuple(Store(Node(target, i), used.index(s[1]), s[2], s[3]) for i, s in zip(new, stores, strict=True))
        return Kernel(target, arrays, loads, made), setup

    def _place(self, trace: BodyTrace, source: Any) -> tuple[str, int]:
        """Array and offset that a variable is loaded from."""
        if source[0] == "row":
            return source[1], source[2]
        if source[0] == "turn":
            return "own", source[1]
        if source[0] == "kept":
            return "own", self.kept[trace.chain()[source[1]]][source[2]]
        return ("parent" if source[0] == "parent" else "mine"), self.slots[trace.level][source]

    def _stores(
        self, trace: BodyTrace, has_parent: bool, has_children: bool, fill: Any
    ) -> list[tuple[Any, str, int, bool]]:
        """(value, array, offset, accumulate) of everything that a trace writes."""
        algorithm = self.tracer.algorithm
        stores = [(x, RESULT + name, k, False) for name, k, x in entries(trace, algorithm.results)]
        stores += [(x, RESULT + name, k, True) for name, k, x in entries(trace, algorithm.totals)]
        if has_children:
            stores += [(x, "mine", slot, False) for x, slot in self._said(trace)]
        stores += [(Node(trace.graph, node), "keep", slot, False) for node, slot in self.kept[trace].items()]
        filled = dict(fill)
        for name, (scalars, _) in trace.handed.items() if has_parent else ():
            for k, (x, known) in enumerate(zip(scalars, entries_of(scalars), strict=True)):
                slot = self.slots[trace.level].get(("sum", name, k))
                needed = filled[name][k] is None if name in filled else known != 0.0
                if slot is not None and needed:
                    stores.append((x, "parent", slot, name not in filled))
        return stores

    def _array(self, name: str) -> Array:
        if name == "numbers":
            return Array(name, "uniform")
        lane = name in LANES or (name.startswith(RESULT) and self.results_in_work)
        return Array(name, "lane" if lane else "row")

    # -- memory and runs ------------------------------------------------------------------------------------

    def _messages(self, level: int, inward: bool) -> tuple[list[int], int]:
        """Where each link's message of a sweep lies, and how much memory all of them need at the same time."""
        size, free, end = len(self.slots[level]), list[int](), 0
        at = [0] * len(self.links)

        def take(i: int) -> None:
            nonlocal end
            if not free:
                free.append(end)
                end += size
            at[i] = free.pop()

        order = range(len(self.links) - 1, -1, -1) if inward else range(len(self.links))
        for i in order:
            parent = self.links[i].parent
            last = parent >= 0 and i == self.children[parent][-1]
            if inward:
                if last:
                    take(parent)  # the first child to be visited
                if i in self.children:
                    free.append(at[i])
            else:
                if i in self.children:
                    take(i)
                if last:
                    free.append(at[parent])
        return at, end

    def _assemble(
        self, kernels: list[Kernel], setups: list[Setup], calls: list[tuple[int, int, int]]
    ) -> tuple[Schedule, list[Rows]]:
        inputs = self.tracer.algorithm.inputs
        arrays = (*(Array(n, "row") for n in (*inputs, "result")), Array("numbers", "uniform"), Array("work", "lane"))
        base = {name: k for k, name in enumerate((*inputs, "result", "numbers"))}
        base |= dict.fromkeys(LANES, len(inputs) + 2)
        messages = [self._messages(k, s.direction == "inward") for k, s in enumerate(self.tracer.algorithm.sweeps)]
        records, work = self._records(max((size for _, size in messages), default=0))
        base |= {RESULT + name: base["own" if self.results_in_work else "result"] for name in self.results}
        if self.results_in_work:
            self.results = {name: [work + at for at in places] for name, places in self.results.items()}
            work += self.result_size
        rows: list[list[int]] = [[] for _ in kernels]
        runs: list[tuple[int, int, list[int], int]] = []  # kernel, sweep, links, how many calls it has had before
        for k, i, level in calls:
            if not runs or runs[-1][:2] != (k, level):
                runs.append((k, level, [], len(rows[k])))
            runs[-1][2].append(i)
            rows[k].append(i)
        sizes = [len(setup.outputs) for setup in setups]
        starts = [0, *np.cumsum([len(rows[k]) * size for k, size in enumerate(sizes)]).tolist()]
        offsets = self._offsets(records)
        places = [np.array(at) for at, _ in messages]
        made = []
        for k, level, links, before in runs:
            at, parents = places[level], offsets["link parent"][links]
            here = {name: table[links] for name, table in offsets.items()} | {"mine": at[links]}
            here["parent"] = np.where(parents >= 0, at[parents], 0)
            here["numbers"] = starts[k] + sizes[k] * np.arange(before, before + len(links))
            tables = tuple((base[a.name], tuple(here[a.name].tolist())) for a in kernels[k].arrays)
            made.append(Run(k, len(links), tables))
        packed = [Rows(setups[k], tuple(links), starts[k]) for k, links in enumerate(rows)]
        hinges = [i for i, trace in enumerate(self.tracer.traces[0]) if self._reserved(trace)]
        coordinates, kept = [self.links[i].q.start for i in hinges], [records[i] for i in hinges]
        turns, first = turn_runs(coordinates, kept, starts[-1], base, len(kernels))
        packed += [Rows(turn_setup(), tuple(hinges), starts[-1])] if hinges else []
        zeros = self._zeros(base)
        kernels = [*kernels, *turns, *(kernel for kernel, _ in zeros)]
        begin = [Run(len(kernels) - len(zeros) + k, 1, tables) for k, (_, tables) in enumerate(zeros)]
        return Schedule(arrays, tuple(kernels), (*begin, *first, *made), max(work, 1)), packed

    def _zeros(self, base: dict[str, int]) -> list[tuple[Kernel, Any]]:
        """What clears the totals before the first sweep adds to them."""
        algorithm, graph = self.tracer.algorithm, Graph()
        if not algorithm.totals:
            return []
        first = self.results[algorithm.totals[0]][0]
        zero = graph.constant(0.0)
        count = sum(self.tracer.result_length(self.tracer.traces[-1][0], name) for name in algorithm.totals)
        stores = tuple(Store(zero, 0, k) for k in range(count))
        name = RESULT + algorithm.totals[0]
        return [(Kernel(graph, (self._array(name),), {}, stores), ((base[name], (first,)),))]

    def _offsets(self, records: list[int]) -> dict[str, Any]:
        """Where each link's part of an array begins, for arrays in which it is the same in all sweeps."""
        record = np.array(records[: len(self.links)])
        offsets = {
            name: np.array([part_of(name, link, i).start for i, link in enumerate(self.links)])
            for name in self.tracer.algorithm.inputs
        }
        offsets |= {RESULT + name: np.array(places) for name, places in self.results.items()}
        offsets["link parent"] = np.array([link.parent for link in self.links])
        return offsets | {"own": record, "keep": record}

    def _records(self, begin: int) -> tuple[list[int], int]:
        """Where each link's record begins in the work array, and where the last one ends."""
        last = self.tracer.traces[-1]
        sizes = [self._reserved(trace) + sum(len(self.kept[t]) for t in trace.chain()) for trace in last]
        starts = [begin, *(begin + np.cumsum(sizes)).tolist()]
        return starts, starts[-1]

    def _result_places(self) -> tuple[dict[str, list[int]], int]:
        """Where each link's part of every result begins in the result row, and its length; totals share places."""
        last, algorithm = self.tracer.traces[-1], self.tracer.algorithm
        places: dict[str, list[int]] = {}
        at = 0
        for name in algorithm.results:
            *places[name], at = (at + np.cumsum([0, *(self.tracer.result_length(t, name) for t in last)])).tolist()
        for name in algorithm.totals:
            places[name] = [at] * len(last)
            at += self.tracer.result_length(last[0], name)
        return places, at


def entries(trace: BodyTrace, names: Sequence[str]) -> Iterator[tuple[str, int, Any]]:
    """(name, place in the link's part, value) of the results that a trace sets."""
    for name in names:
        for k, x in enumerate(trace.values[name][0] if name in trace.values else ()):
            yield name, k, x
