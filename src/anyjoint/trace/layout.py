"""Where everything lies when kernels loop over a tree: records, messages, numbers, and the runs themselves.

A link's record holds what its later sweeps load again. A message passes between a link and its children within one
sweep: velocities outward, inertias inward. Messages are short-lived, so a chain of any length needs memory for two.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Place, Schedule, Store, rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node

from .body_trace import BodyTrace, FromChildren, FromParent, FromRaw, FromRecord, FromRow, Message, Source, entries_of
from .classes import Tracer
from .loaded import Loaded, Needed, entries
from .messages import Messages
from .order import sweep_order
from .pair_layout import LINE, Spread
from .runs import Call, add_sweeps
from .setup import Rows, Setup, split_parameters
from .straight import parts_of

# Lane arrays of a kernel. "own" and "keep" are the same record, read and written: never the same entry, so that stores
# need not wait for loads. Outward, a kernel reads "parent" and writes "mine"; inward the other way round.
LANES = ("own", "keep", "mine", "parent")
RESULT = "result "  # begins the name of the part of the result row that one result goes to
KEPT = "kept "  # begins its name where it is read: never an entry that the same kernel writes


@frozen
class Wanted:
    """A value of a trace that goes to an array of the kernel, or is added to what is there."""

    value: Scalar
    array: str
    offset: int
    accumulate: bool = False


def tree_builder(tracer: Tracer) -> Builder:
    """A builder over the rows and numbers of an algorithm."""
    return Builder(rows_and_numbers(*tracer.algorithm.inputs, "result"))


def lay_out(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """All sweeps by kernels, and the rows of numbers that they load."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder)
    layout.add_runs()
    return builder.schedule(), layout.rows


class Layout:
    """Decides what is stored where, once all traces are known, and adds the runs of all sweeps to a builder."""

    def __init__(
        self, tracer: Tracer, builder: Builder, results_in_work: bool = False, first: int = 0,
        fed: Mapping[str, Place] = MappingProxyType({}), spread: Mapping[str, Spread] = MappingProxyType({}),
        needed: Needed | None = None,
    ) -> None:  # fmt: skip
        """With `needed`, by link and name, other entries of results are not stored."""
        self.tracer, self.builder = tracer, builder
        self.spread = spread  # results that are kept row by row over all links
        self.first, self.fed = first, fed  # where numbers begin, and rows that other kernels write to the work array
        self.results_in_work = results_in_work  # for kernels that go on from there, instead of in a row of their own
        self.links = tracer.plan.links
        self.children: dict[int, list[int]] = {}
        for i, link in enumerate(self.links):
            self.children.setdefault(link.parent, []).append(i)
        self.loaded = Loaded(tracer, needed, at_hand=results_in_work)
        self.slots, self.in_record = self.loaded.slots, self.loaded.in_record
        self.fills: dict[tuple[tuple[BodyTrace, ...], int], Hashable] = {}
        self.hands_on: dict[Hashable, bool] = {}
        self.asked: dict[Hashable, frozenset[Source]] = {}
        # Per sweep and link, whose message its children read: its own, or that of a link above that it just hands on.
        self.speakers = [list(range(len(self.links))) for _ in tracer.traces]
        self.results, self.result_size = self._result_places()
        self.rows: list[Rows] = []  # known once the runs have been added

    def _said(self, trace: BodyTrace) -> Iterator[tuple[Node, int]]:
        """Values that children load from this link's message, with their slots."""
        for name in self.tracer.reads[trace.level]:
            for k, x in enumerate(trace.values[name][0] if name in trace.values else ()):
                slot = self.slots[trace.level].get(FromParent(name, k))
                if slot is not None and entries_of([x])[0] is None:
                    yield x, slot

    # -- kernels --------------------------------------------------------------------------------------------

    def add_runs(self, between: Callable[[int], None] | None = None) -> None:
        """Add all kernels and the runs that call them; `rows` then says which numbers they load.

        `between` is called with the number of each sweep before its runs are added.
        """
        setups: dict[int, Setup] = {}
        index: dict[Hashable, int | None] = {}
        calls: list[Call] = []
        parents = [link.parent for link in self.links]
        orders = []
        for level, sweep in enumerate(self.tracer.algorithm.sweeps):
            kernels = self._kernels(level, index, setups)
            orders.append(sweep_order(parents, kernels, sweep.direction == "inward"))
            calls += [Call(k, i, level) for i in orders[-1] if (k := kernels[i]) is not None]
        self._assemble(setups, calls, orders, between)

    def _kernels(self, level: int, index: dict[Hashable, int | None], setups: dict[int, Setup]) -> list[int | None]:
        """The kernel of each link in a sweep; None where it would write nothing."""
        made: list[int | None] = []
        asked: list[frozenset[Source]] = []  # what each link reads of what its children hand in
        for i, trace in enumerate(self.tracer.traces[level]):
            parent = self.links[i].parent
            hands_in = bool(trace.handed) and parent >= 0
            fill = self._fill(level, i) if hands_in else ()
            heard = asked[parent] if hands_in else frozenset()  # parents come first
            key = (trace, parent >= 0, i in self.children, fill, heard)
            if key not in index:
                stores = self._stores(trace, heard, i in self.children, fill)
                self.hands_on[key] = bool(stores) and all(self._is_handed_on(trace, x) for x in stores)
                index[key], self.asked[key] = None, frozenset()
                if stores and not self.hands_on[key]:
                    kernel, setup, self.asked[key] = self._kernel(trace, stores)
                    index[key] = number = self.builder.kernel(kernel)
                    setups[number] = setup
            if self.hands_on[key]:
                self.speakers[level][i] = self.speakers[level][parent]
            made.append(index[key])
            asked.append(self.asked[key])
        return made

    def _is_handed_on(self, trace: BodyTrace, x: Wanted) -> bool:
        """Whether something that a link says is what its parent says, in the same place."""
        source = trace.sources.get(x.value.id) if isinstance(x.value, Node) and x.array == "mine" else None
        return isinstance(source, FromParent) and self.slots[trace.level][source] == x.offset

    def _fill(self, level: int, i: int) -> Hashable:
        """Names that no child before this one has handed in, with all entries that any will: stored, not added."""
        siblings = self.children[self.links[i].parent]
        position = siblings.index(i)
        traces = tuple(self.tracer.traces[level][k] for k in siblings)
        if (traces, position) not in self.fills:
            total = self.tracer.sums(traces)[0].key()
            begun = {name for trace in traces[position + 1 :] for name in trace.handed}
            fill = tuple((name, entries) for name, entries in total if name not in begun)
            self.fills[traces, position] = fill
        return self.fills[traces, position]

    def _kernel(self, trace: BodyTrace, stores: Sequence[Wanted]) -> tuple[Kernel, Setup, frozenset[Source]]:
        """A kernel, the set-up of its numbers, and which entries of children's messages it reads."""
        graph = trace.graph
        ids = [x.value.id if isinstance(x.value, Node) else graph.constant_id(x.value) for x in stores]
        raw = {i: source.index for i, source in trace.sources.items() if isinstance(source, FromRaw)}
        target, new, variables, setup = split_parameters(graph, ids, raw)
        places: dict[int, tuple[str, int]] = {k: ("numbers", k) for k in range(len(setup.outputs))}
        places |= {variables[i]: self._place(trace, trace.sources[i]) for i in variables}
        algorithm = self.tracer.algorithm
        results = [RESULT + name for name in (*algorithm.results, *algorithm.totals)]
        names = (*algorithm.inputs, *results, "numbers", *LANES, *(KEPT + name for name in algorithm.results))
        used = [name for name in names if name in {p[0] for p in places.values()} | {x.array for x in stores}]
        arrays = tuple(self._array(name) for name in used)
        loads = {node: (used.index(name), offset) for node, (name, offset) in places.items()}
        made = tuple(
            Store(Node(target, i), used.index(x.array), x.offset, x.accumulate)
            for i, x in zip(new, stores, strict=True)
        )
        read = frozenset(x for i in variables if isinstance(x := trace.sources[i], FromChildren))
        return Kernel(target, arrays, loads, made), setup, read

    def _place(self, trace: BodyTrace, source: Source) -> tuple[str, int]:
        """Array and offset that a variable is loaded from."""
        if isinstance(source, FromRow):
            return source.row, source.k
        if isinstance(source, FromRecord):
            before = trace.chain()[source.level]
            if home := self.loaded.homes.get(before, {}).get(source.node):
                return KEPT + home.name, self._offset(home.trace, home.name, home.k)
            return "own", self.in_record[before][source.node]
        assert isinstance(source, Message)  # raw numbers have gone into the set-up
        return "parent" if isinstance(source, FromParent) else "mine", self.slots[trace.level][source]

    def _stores(self, trace: BodyTrace, heard: Collection[Source], has_children: bool, fill: Any) -> list[Wanted]:
        """Everything that a trace writes, and what its parent reads of what it hands in."""
        algorithm = self.tracer.algorithm
        stores = [
            Wanted(x, RESULT + name, self._offset(trace, name, k))
            for name, k, x in entries(trace, algorithm.results)
            if self.loaded.is_needed(trace, name, k) and not self._is_there(trace, name, k, x)
        ]
        stores += [Wanted(x, RESULT + name, k, accumulate=True) for name, k, x in entries(trace, algorithm.totals)]
        if has_children:
            stores += [Wanted(x, "mine", slot) for x, slot in self._said(trace)]
        stores += [Wanted(Node(trace.graph, node), "keep", slot) for node, slot in self.in_record[trace].items()]
        for node, home in self.loaded.homes.get(trace, {}).items():
            if home.trace is not trace:  # a result of a later sweep
                at = self._offset(home.trace, home.name, home.k)
                stores.append(Wanted(Node(trace.graph, node), RESULT + home.name, at))
        filled = dict(fill)
        for name, (scalars, _) in trace.handed.items():
            for k, (x, known) in enumerate(zip(scalars, entries_of(scalars), strict=True)):
                needed = filled[name][k] is None if name in filled else known != 0.0
                if needed and (message := FromChildren(name, k)) in heard:
                    stores.append(Wanted(x, "parent", self.slots[trace.level][message], name not in filled))
        return stores

    def _is_there(self, trace: BodyTrace, name: str, k: int, x: Scalar) -> bool:
        """Whether an earlier sweep has stored an entry of a result."""
        before, node = self.loaded.origin(trace, x) or (trace, -1)
        home = self.loaded.homes.get(before, {}).get(node)
        return before is not trace and home is not None and (home.name, home.k) == (name, k)

    def _offset(self, trace: BodyTrace, name: str, k: int) -> int:
        """Where entry k of a link's result is, from the link's place on."""
        if name not in self.spread:
            return k
        row, column = divmod(k, len(trace.values[name][0]) // self.spread[name].rows)
        return row * self.spread[name].stride + column

    def _array(self, name: str) -> Array:
        if name == "numbers":
            return Array(name, "uniform")
        lane = name in LANES or name in self.fed or (name.startswith((RESULT, KEPT)) and self.results_in_work)
        return Array(name, "lane" if lane else "row")

    # -- memory and runs ------------------------------------------------------------------------------------

    def _assemble(
        self, setups: dict[int, Setup], calls: list[Call], orders: Sequence[Sequence[int]],
        between: Callable[[int], None] | None,
    ) -> None:  # fmt: skip
        """Make room for messages, records and results, clear totals, and add the runs of all sweeps."""
        builder, algorithm = self.builder, self.tracer.algorithm
        parents = [link.parent for link in self.links]
        messages = []
        for slots, sweep, order, speakers in zip(self.slots, algorithm.sweeps, orders, self.speakers, strict=True):
            above = [speakers[parent] if parent >= 0 else -1 for parent in parents]
            messages.append(Messages(above, len(slots), sweep.direction == "inward", order))
        shared = builder.room(max((x.size for x in messages), default=0))
        last = self.tracer.traces[-1]
        size = {trace: sum(len(self.in_record[t]) for t in trace.chain()) for trace in dict.fromkeys(last)}
        sizes = [size[trace] for trace in last]
        record = builder.room(sum(sizes))
        result = builder.room(self.result_size, LINE) if self.results_in_work else builder.place("result")
        self.results = {name: [result.offset + at for at in places] for name, places in self.results.items()}
        self._clear_totals(result)
        lanes = {"own": record, "keep": record, "mine": shared, "parent": shared}
        given = {name: self.fed.get(name) or builder.place(name) for name in (*algorithm.inputs, "numbers")}
        places = given | lanes | {kind + name: result for name in self.results for kind in (RESULT, KEPT)}
        begins = {name: given[name].offset + self._parts(name) for name in algorithm.inputs}
        begins |= {kind + name: np.array(at) for name, at in self.results.items() for kind in (RESULT, KEPT)}
        begins["own"] = begins["keep"] = record.offset + np.cumsum([0, *sizes[:-1]])
        at = shared.offset + np.array([np.array(x.at)[by] for x, by in zip(messages, self.speakers, strict=True)])
        self.rows = add_sweeps(builder, setups, calls, places, begins, at, np.array(parents), self.first, between)

    def _parts(self, name: str) -> Floats:
        """Where each link's part of a state row begins."""
        return np.array([part.start for part in parts_of(name, self.links, self.tracer.algorithm.sized)])

    def _clear_totals(self, result: Place) -> None:
        """What clears the totals before the first sweep adds to them."""
        names = self.tracer.algorithm.totals
        count = sum(self.tracer.result_length(self.tracer.traces[-1][0], name) for name in names)
        if count:
            first = self.results[names[0]][0]
            self.builder.straight(Graph(), {}, [(Place(result.array, first + k), 0.0) for k in range(count)])

    def _result_places(self) -> tuple[dict[str, list[int]], int]:
        """Where each link's part of every result begins in the result row, and its length; totals share places."""
        last, algorithm = self.tracer.traces[-1], self.tracer.algorithm
        places: dict[str, list[int]] = {}
        at = 0
        for name in algorithm.results:
            if name in self.spread:
                places[name] = [at + start for start in self.spread[name].starts]
                at += self.spread[name].rows * self.spread[name].stride
                continue
            length = {trace: self.tracer.result_length(trace, name) for trace in dict.fromkeys(last)}
            *places[name], at = (at + np.cumsum([0, *(length[trace] for trace in last)])).tolist()
        for name in algorithm.totals:
            places[name] = [at] * len(last)
            at += self.tracer.result_length(last[0], name)
        return places, at
