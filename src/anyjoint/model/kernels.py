"""An algorithm traced once per class of bodies, and the schedule that loops the kernels over a tree of any size."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Run, Schedule, Store
from anyjoint.dynamics.body import Algorithm, ground
from anyjoint.dynamics.links import RAW, base_acceleration, link_body
from anyjoint.dynamics.modified_articulated_body import MODIFIED_ARTICULATED_BODY
from anyjoint.dynamics.plan import Link, Plan
from anyjoint.spatial import vector
from anyjoint.symbolic import Node
from anyjoint.symbolic.rewrite import reachable

from .body_trace import BodyTrace, TracedBody, TracedParent, entries_of
from .flatten import Rebuild, flatten
from .joints_cache import JointCache
from .numbers import Numbers, pattern
from .setup import Setup, split_parameters
from .straight import PER_LINK

EXACT = (0.0, 1.0)  # -1 stays a number to be loaded: hinges that differ only in direction share a class


@dataclass
class Sums:
    """What has been handed in to one body: per name, which entries are exactly zero."""

    entries: dict[str, tuple[list[Any], Rebuild]] = field(default_factory=dict)

    def add(self, name: str, scalars: tuple[Any, ...], rebuild: Rebuild) -> None:
        if name not in self.entries:
            self.entries[name] = (list(scalars), rebuild)
            return
        known, _ = self.entries[name]
        for k, x in enumerate(scalars):
            known[k] = 0.0 if known[k] == 0.0 and x == 0.0 else None

    def key(self) -> Hashable:
        return tuple(
            (name, tuple(x if x == 0.0 else None for x in scalars))
            for name, (scalars, _) in sorted(self.entries.items())
        )


class Tracer:
    """Walks the tree sweep by sweep and memoises the traces of body classes."""

    def __init__(self, plan: Plan, numbers: Numbers, joints: JointCache, algorithm: Algorithm) -> None:
        self.plan, self.numbers, self.joints, self.algorithm = plan, numbers, joints, algorithm
        self.memo: dict[Hashable, BodyTrace] = {}
        self.reads: dict[int, tuple[str, ...]] = {}  # names that a sweep reads from the parent
        self.traces: list[list[BodyTrace]] = []  # per sweep, per link
        self.slots = algorithm is MODIFIED_ARTICULATED_BODY  # the one that tells children apart
        self.kinds = [
            ((joints.key(link), link.prescribed, link.slot if self.slots else 0), pattern(row, EXACT))
            for link, row in zip(plan.links, numbers.links, strict=True)
        ]
        gravity = pattern(numbers.gravity, EXACT)
        self.ground = self._ground(gravity)
        for level, sweep in enumerate(algorithm.sweeps):
            inward = sweep.direction == "inward"
            self.traces.append(
                self._sweep(
                    level, sweep.function, range(len(plan.links) - 1, -1, -1) if inward else range(len(plan.links))
                )
            )

    def _ground(self, gravity: tuple[float | None, ...]) -> dict[str, tuple[list[Any], Rebuild]]:
        """Values of the ground; gravity that is not exact is a raw number behind each link's own."""
        root = ground(base_acceleration([0, 0, 0]))
        flat = {name: flatten(value) for name, value in vars(root).items() if not name.startswith("_")}
        up = [("raw", k - 3) if g is None else -g for k, g in enumerate(gravity)]  # -g ends each row of raw numbers
        flat["acceleration"] = (up, flat["acceleration"][1])
        flat["alpha"] = ([0, 0, 0, *up], flat["alpha"][1])
        return flat

    def _sweep(self, level: int, function: Any, order: range) -> list[BodyTrace]:
        links = self.plan.links
        sums = [Sums() for _ in links]
        made: list[BodyTrace | None] = [None] * len(links)
        for i in order:
            parent = links[i].parent
            before = self.traces[-1][i] if self.traces else None
            start: Hashable = id(before) if before else self.kinds[i]
            key = (level, start, sums[i].key(), self._parent_key(level, i, made))
            if key not in self.memo:
                self.memo[key] = self._trace(level, function, i, before, sums[i], made)
            trace = made[i] = self.memo[key]
            if parent >= 0:
                for name, scalars in trace.handed.items():
                    sums[parent].add(name, entries_of(scalars), trace.values["handed " + name][1])
        return [trace for trace in made if trace is not None]

    def _parent_values(self, level: int, i: int, made: list[BodyTrace | None], name: str) -> tuple[Any, Rebuild]:
        parent = self.plan.links[i].parent
        if parent < 0:
            return self.ground[name]
        trace = made[parent] or self.traces[-1][parent]
        found = trace.find(name)
        if found is None:
            raise AttributeError(f"sweep {level} reads {name!r} of the parent, which no sweep has set")
        return entries_of(found[1]), found[2]

    def _parent_key(self, level: int, i: int, made: list[BodyTrace | None]) -> Hashable:
        parent = self.plan.links[i].parent
        if parent < 0 or level not in self.reads:
            return ("ground", i if level not in self.reads else -1)
        return tuple(tuple(self._parent_values(level, i, made, name)[0]) for name in self.reads[level])

    def _trace(
        self, level: int, function: Any, i: int, before: BodyTrace | None, sums: Sums, made: list[BodyTrace | None]
    ) -> BodyTrace:
        trace = BodyTrace(level, before)
        zeroed: dict[str, tuple[Sequence[Any], Rebuild]] = {
            name: ([0.0 if x == 0.0 else None for x in scalars], rebuild)
            for name, (scalars, rebuild) in sums.entries.items()
        }
        body = TracedBody(trace, zeroed)
        if before is None:
            self._begin(trace, body, self.plan.links[i], self.kinds[i][1])
        parent = TracedParent(trace, lambda name: self._parent_values(level, i, made, name))
        function(body, parent)
        self.reads.setdefault(level, tuple(parent.names))
        return trace

    def _begin(self, trace: BodyTrace, body: TracedBody, link: Link, exact: tuple[float | None, ...]) -> None:
        """Give the body what the first sweep starts from."""
        raw: list[Any] = [trace.variable(("raw", k)) if x is None else x for k, x in enumerate(exact)]
        q = [trace.variable(("row", "q", k)) for k in range(link.joint.nq)]
        nv, inputs = link.joint.nv, self.algorithm.inputs
        v: list[Any] = [trace.variable(("row", "v", k)) if "v" in inputs else 0 for k in range(nv)]
        motion = self.joints.motion(trace.graph, link, q, v, raw[len(RAW) :])
        for name, value in vars(link_body(link.kind, raw, q, v, motion)).items():
            if not name.startswith("_"):
                setattr(body, name, value)
        for name in inputs:
            if name not in ("q", "v"):
                size = 6 if name in PER_LINK else nv
                setattr(body, name, vector(*(trace.variable(("row", name, k)) for k in range(size))))
        if "x" in inputs:
            x = [trace.variable(("row", "x", k)) for k in range(nv)]
            body.Sdot_x = self.joints.jacobian_rate(trace.graph, link, q, v, x, raw[len(RAW) :])
        body.prescribed, body.slot = link.prescribed, link.slot if self.slots else 0


@dataclass(frozen=True)
class Rows:
    """Numbers of one kernel for its bodies: one row of the uniform array for each link."""

    setup: Setup
    links: tuple[int, ...]
    start: int

    def fill(self, numbers: Numbers, out: Any) -> None:
        """Compute the rows from the links' raw numbers; -g stands behind them."""
        if self.setup.outputs:
            raw = np.array([(*numbers.links[i], *(-g for g in numbers.gravity)) for i in self.links])
            made = self.setup.evaluate(raw).ravel()
            out[self.start : self.start + len(made)] = made


def kernel_schedule(
    plan: Plan, numbers: Numbers, joints: JointCache, algorithm: Algorithm
) -> tuple[Schedule, list[Rows]]:
    """Trace an algorithm by classes and lay out records, kernels and runs."""
    return _Layout(Tracer(plan, numbers, joints, algorithm)).schedule()


class _Layout:
    """Decides what is stored where, once all traces are known."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.links = tracer.plan.links
        # "own" and "keep" are the same record, read and written: never the same entry, so that stores need not wait.
        self.names = (*tracer.algorithm.inputs, "result", "numbers", "own", "keep", "parent")
        self.slots: dict[tuple[str, str, int], int] = {}  # entries that pass between bodies, the same in all records
        self.kept: dict[BodyTrace, dict[int, int]] = {}  # per trace: node -> slot of the record
        self.used: dict[BodyTrace, list[int]] = {}
        self.children: dict[int, list[int]] = {}
        for i, link in enumerate(self.links):
            self.children.setdefault(link.parent, []).append(i)
        self.fills: dict[tuple[BodyTrace, ...], Hashable] = {}
        self._find_kept()

    # -- what must be stored --------------------------------------------------------------------------------

    def _find_kept(self) -> None:
        """Last sweep first: what a later sweep loads, an earlier one must keep."""
        wanted: dict[BodyTrace, set[int]] = {}
        order = [t for level in reversed(self.tracer.traces) for t in dict.fromkeys(level)]
        passed = {name for names in self.tracer.reads.values() for name in names}
        for trace in order:
            nodes = {x.id for x in self._outputs(trace, passed) if isinstance(x, Node)} | wanted.get(trace, set())
            used = [i for i in reachable(trace.graph, nodes) if i in trace.sources]
            chain = trace.chain()
            for i in used:
                source = trace.sources[i]
                if source[0] == "kept":
                    wanted.setdefault(chain[source[1]], set()).add(source[2])
                elif source[0] in ("parent", "sum"):
                    self.slots.setdefault(source, len(self.slots))
            self.used[trace] = used
        for trace in reversed(order):
            self.kept[trace] = self._keep(trace, sorted(wanted.get(trace, ())), passed)

    def _outputs(self, trace: BodyTrace, passed: set[str]) -> list[Any]:
        results = self.tracer.algorithm.results
        values = [x for name in trace.values if name in passed or name in results for x in trace.values[name][0]]
        return values + [x for scalars in trace.handed.values() for x in scalars]

    def _keep(self, trace: BodyTrace, nodes: list[int], passed: set[str]) -> dict[int, int]:
        """Slots of kept nodes: where they are passed on anyway, or behind those of the sweeps before."""
        shared = {x.id: slot for x, slot in self._passed_on(trace)}
        begin = len(self.slots) + sum(self._own_slots(t) for t in trace.chain()[:-1])
        kept: dict[int, int] = {}
        for node in nodes:
            kept[node] = shared[node] if node in shared else begin + sum(slot >= begin for slot in kept.values())
        return kept

    def _own_slots(self, trace: BodyTrace) -> int:
        return sum(slot >= len(self.slots) for slot in self.kept[trace].values())

    def _passed_on(self, trace: BodyTrace) -> list[tuple[Node, int]]:
        """Values that children load from this record, with their slots."""
        found = []
        for name, (scalars, _) in trace.values.items():
            for k, x in enumerate(scalars):
                slot = self.slots.get(("parent", name, k))
                if slot is not None and isinstance(x, Node) and entries_of([x])[0] is None:
                    found.append((x, slot))
        return found

    # -- kernels and runs -----------------------------------------------------------------------------------

    def schedule(self) -> tuple[Schedule, list[Rows]]:
        kernels: list[Kernel] = []
        setups: list[Setup] = []
        index: dict[Hashable, int] = {}
        calls: list[tuple[int, int]] = []  # (kernel, link) in order
        for level, sweep in enumerate(self.tracer.algorithm.sweeps):
            count = len(self.links)
            seen: set[int] = set()
            for i in range(count - 1, -1, -1) if sweep.direction == "inward" else range(count):
                trace, parent = self.tracer.traces[level][i], self.links[i].parent
                fill = self._fill(level, i) if trace.handed and parent >= 0 and parent not in seen else None
                seen.add(parent)
                key = (trace, parent >= 0, fill)
                if key not in index:
                    index[key] = len(kernels)
                    kernel, setup = self._kernel(trace, parent >= 0, fill)
                    kernels.append(kernel)
                    setups.append(setup)
                calls.append((index[key], i))
        return self._assemble(kernels, setups, calls)

    def _fill(self, level: int, i: int) -> Hashable:
        """For the first child to be visited: all entries that any child hands in, so that it can store, not add."""
        traces = tuple(self.tracer.traces[level][k] for k in self.children[self.links[i].parent])
        if traces not in self.fills:
            total = Sums()
            for trace in traces:
                for name, scalars in trace.handed.items():
                    total.add(name, entries_of(scalars), trace.values["handed " + name][1])
            self.fills[traces] = total.key()
        return self.fills[traces]

    def _kernel(self, trace: BodyTrace, has_parent: bool, fill: Any) -> tuple[Kernel, Setup]:
        stores = self._stores(trace, has_parent, fill)
        graph = trace.graph
        ids = [x.id if isinstance(x, Node) else graph.constant_id(x) for x, *_ in stores]
        raw = {i: trace.sources[i][1] for i in trace.sources if trace.sources[i][0] == "raw"}
        target, new, variables, setup = split_parameters(graph, ids, raw)
        places: dict[int, tuple[str, int]] = {k: ("numbers", k) for k in range(len(setup.outputs))}
        places |= {variables[i]: self._place(trace, trace.sources[i]) for i in variables}
        used = [name for name in self.names if name in {p[0] for p in places.values()} | {s[1] for s in stores}]
        arrays = tuple(Array(name, self._kind(name)) for name in used)  # type: ignore[arg-type]
        loads = {node: (used.index(name), offset) for node, (name, offset) in places.items()}
        made = tuple(Store(Node(target, i), used.index(s[1]), s[2], s[3]) for i, s in zip(new, stores, strict=True))
        return Kernel(target, arrays, loads, made), setup

    def _stores(self, trace: BodyTrace, has_parent: bool, fill: Any) -> list[tuple[Any, str, int, bool]]:
        """(value, array, offset, accumulate) of everything that a trace writes."""
        stores: dict[tuple[str, int], tuple[Any, str, int, bool]] = {}
        at = 0
        for name in self.tracer.algorithm.results:
            found = trace.find(name)
            if name in trace.values:
                for k, x in enumerate(trace.values[name][0]):
                    stores["result", at + k] = (x, "result", at + k, False)
            at += len(found[1]) if found else self._length(trace, name)
        for x, slot in self._passed_on(trace):
            stores["keep", slot] = (x, "keep", slot, False)
        for node, slot in self.kept[trace].items():
            stores["keep", slot] = (Node(trace.graph, node), "keep", slot, False)
        filled = {name for name, entries in fill} if fill is not None else set()
        for name, scalars in trace.handed.items() if has_parent else ():
            for k, (x, known) in enumerate(zip(scalars, entries_of(scalars), strict=True)):
                place = self.slots.get(("sum", name, k))
                needed = known != 0.0 if name not in filled else dict(fill)[name][k] is None
                if place is not None and needed:
                    stores["parent", place] = (x, "parent", place, name not in filled)
        return list(stores.values())

    def _length(self, trace: BodyTrace, name: str) -> int:
        """Entries of a result that a later sweep of the same bodies sets."""
        later = next(t for level in self.tracer.traces for t in level if name in t.values and trace in t.chain())
        return len(later.values[name][0])

    def result_starts(self) -> list[int]:
        """Where each link's results begin in the result row; the last entry is the row's length."""
        last = self.tracer.traces[-1]
        found = [[t.find(name) for name in self.tracer.algorithm.results] for t in last]
        sizes = [sum(len(scalars) for _, scalars, _ in filter(None, values)) for values in found]
        return [0, *np.cumsum(sizes)]

    def _place(self, trace: BodyTrace, source: Any) -> tuple[str, int]:
        if source[0] == "row":
            return source[1], source[2]
        if source[0] == "kept":
            return "own", self.kept[trace.chain()[source[1]]][source[2]]
        return ("parent" if source[0] == "parent" else "own"), self.slots[source]

    def _kind(self, name: str) -> str:
        return {"numbers": "uniform", "own": "lane", "keep": "lane", "parent": "lane"}.get(name, "row")

    def _assemble(
        self, kernels: list[Kernel], setups: list[Setup], calls: list[tuple[int, int]]
    ) -> tuple[Schedule, list[Rows]]:
        inputs = self.tracer.algorithm.inputs
        arrays = (*(Array(n, "row") for n in (*inputs, "result")), Array("numbers", "uniform"), Array("work", "lane"))
        base = {name: k for k, name in enumerate((*inputs, "result", "numbers"))}
        base |= dict.fromkeys(("own", "keep", "parent"), len(inputs) + 2)
        records, work = self._records()
        results = self.result_starts()
        rows: list[list[int]] = [[] for _ in kernels]
        for k, i in calls:
            rows[k].append(i)
        starts, at = [], 0
        for k, bodies in enumerate(rows):
            starts.append(at)
            at += len(bodies) * len(setups[k].outputs)
        position = [0] * len(kernels)
        runs: list[tuple[int, list[dict[str, int]]]] = []
        for k, i in calls:
            link = self.links[i]
            offsets = dict.fromkeys(inputs, link.v.start) | {"q": link.q.start, "own": records[i], "keep": records[i]}
            offsets |= {"result": results[i]} | dict.fromkeys(PER_LINK, 6 * i)
            offsets["parent"] = records[link.parent] if link.parent >= 0 else 0
            offsets["numbers"] = starts[k] + position[k] * len(setups[k].outputs)
            position[k] += 1
            if runs and runs[-1][0] == k:
                runs[-1][1].append(offsets)
            else:
                runs.append((k, [offsets]))
        made = tuple(
            Run(k, len(table), tuple((base[a.name], tuple(row[a.name] for row in table)) for a in kernels[k].arrays))
            for k, table in runs
        )
        packed = [Rows(setups[k], tuple(links), starts[k]) for k, links in enumerate(rows)]
        return Schedule(arrays, tuple(kernels), made, max(work, 1)), packed

    def _records(self) -> tuple[list[int], int]:
        """Where each link's record begins in the work array."""
        starts, at = [], 0
        for i in range(len(self.links)):
            starts.append(at)
            at += len(self.slots) + sum(self._own_slots(t) for t in self.tracer.traces[-1][i].chain())
        return starts, at
