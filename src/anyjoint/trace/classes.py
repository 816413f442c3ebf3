"""An algorithm traced once per class of bodies: the tree is walked sweep by sweep, traces are memoised."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anyjoint.dynamics.algorithm import Algorithm, SweepFunction, check_sums, unset_by_parent
from anyjoint.errors import AlgorithmError
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector
from anyjoint.symbolic.rewrite import Rebuild
from anyjoint.tree.links import upward
from anyjoint.tree.plan import Link, Plan
from anyjoint.tree.record import ground, unset

from .body_trace import BodyTrace, FromRaw, FromRow, TracedBody, TracedParent, entries_of
from .flatten import flatten
from .joints_cache import JointCache
from .numbers import Numbers, Pattern
from .straight import parts_of

SumsKey = tuple[tuple[str, tuple[float | None, ...]], ...]  # per name: 0.0 where nothing comes in, else None


@dataclass
class Sums:
    """What has been handed in to one body: per name, which entries are exactly zero."""

    entries: dict[str, tuple[list[Scalar], Rebuild]] = field(default_factory=dict)

    def add(self, name: str, scalars: tuple[Scalar, ...], rebuild: Rebuild) -> None:
        if name not in self.entries:
            self.entries[name] = (list(scalars), rebuild)
            return
        known, _ = self.entries[name]
        for k, x in enumerate(scalars):
            known[k] = 0.0 if known[k] == 0.0 and x == 0.0 else None

    def key(self) -> SumsKey:
        return tuple(
            (name, tuple(x if x == 0.0 else None for x in scalars))
            for name, (scalars, _) in sorted(self.entries.items())
        )


class Tracer:
    """Walks the tree sweep by sweep and memoises the traces of body classes."""

    def __init__(
        self, plan: Plan, numbers: Numbers, joints: JointCache, algorithm: Algorithm,
        feeds: Sequence[Mapping[str, Pattern]] = (),
    ) -> None:  # fmt: skip
        self.plan, self.numbers, self.joints, self.algorithm = plan, numbers, joints, algorithm
        self.feeds = feeds  # per link: which entries of its rows of constraints are exact numbers
        self.memo: dict[Hashable, BodyTrace] = {}
        self.reads: dict[int, tuple[str, ...]] = {}  # names that a sweep reads from the parent
        self._numbers: dict[Hashable, int] = {}  # of long keys, which take time to compare
        self._handed: dict[tuple[BodyTrace, ...], tuple[Sums, int]] = {}
        self._spoken: dict[BodyTrace, int] = {}  # what children read of a parent of this class
        self._lengths: dict[tuple[BodyTrace, str], int] = {}
        self.traces: list[list[BodyTrace]] = []  # per sweep, per link
        patterns = numbers.patterns
        self.kinds = [(self._kind(i, link), patterns[i]) for i, link in enumerate(plan.links)]
        gravity = patterns[len(plan.links)]
        self.ground = self._ground(gravity)
        for level, sweep in enumerate(algorithm.sweeps):
            inward = sweep.direction == "inward"
            self.traces.append(
                self._sweep(
                    level, sweep.function, range(len(plan.links) - 1, -1, -1) if inward else range(len(plan.links))
                )
            )

    def _kind(self, i: int, link: Link) -> Hashable:
        elders = link.elders if self.algorithm.siblings else 0
        fed = tuple(self.feeds[i].items()) if self.feeds else ()
        return self.joints.key(link), link.spring is not None, link.prescribed, link.still, elders, link.columns, fed

    def _ground(self, gravity: tuple[float | None, ...]) -> dict[str, tuple[list[Scalar], Rebuild]]:
        """Values of the ground; gravity that is not exact is a raw number behind each link's own."""
        root = ground(upward([0, 0, 0]))
        flat = {name: flatten(value) for name, value in vars(root).items() if not name.startswith("_")}
        up = [FromRaw(k - 3) if g is None else -g for k, g in enumerate(gravity)]  # -g ends each row of raw numbers
        flat["acceleration"] = (up, flat["acceleration"][1])
        flat["alpha"] = ([0, 0, 0, *up], flat["alpha"][1])
        return flat

    def _sweep(self, level: int, function: SweepFunction, order: range) -> list[BodyTrace]:
        links = self.plan.links
        givers: list[tuple[BodyTrace, ...]] = [()] * len(links)  # children that have handed something in
        made: list[BodyTrace | None] = [None] * len(links)
        for i in order:
            parent = links[i].parent
            before = self.traces[-1][i] if self.traces else None
            start: Hashable = before or self._number(self.kinds[i])
            sums, handed = self.sums(givers[i])
            key = (level, start, handed, self._parent_key(level, i, made))
            if key not in self.memo:
                self.memo[key] = self._trace(level, function, i, before, sums, made)
            trace = made[i] = self.memo[key]
            if parent >= 0 and trace.handed:
                givers[parent] = (*givers[parent], trace)
        traces = [trace for trace in made if trace is not None]
        classes = dict.fromkeys(traces)
        check_sums({n for trace in classes for n in trace.asked}, {n for trace in classes for n in trace.handed})
        return traces

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def sums(self, givers: tuple[BodyTrace, ...]) -> tuple[Sums, int]:
        """What children of these classes hand in, and the number of its key."""
        if givers not in self._handed:
            sums = Sums()
            for trace in givers:
                for name, (scalars, rebuild) in trace.handed.items():
                    sums.add(name, entries_of(scalars), rebuild)
            self._handed[givers] = sums, self._number(sums.key())
        return self._handed[givers]

    def _parent_values(
        self, i: int, made: list[BodyTrace | None], name: str
    ) -> tuple[Sequence[Scalar | None], Rebuild]:
        """What the parent of link i says in the present sweep."""
        parent = self.plan.links[i].parent
        if parent < 0:
            if name not in self.ground:
                raise AlgorithmError(unset_by_parent(name))
            return self.ground[name]
        trace = made[parent]
        if trace is None or name not in trace.values or name in trace.given:
            raise AlgorithmError(unset_by_parent(name))
        scalars, rebuild = trace.values[name]
        return entries_of(scalars), rebuild

    def _parent_key(self, level: int, i: int, made: list[BodyTrace | None]) -> Hashable:
        parent = self.plan.links[i].parent
        if parent < 0 or level not in self.reads:
            return ("ground", i if level not in self.reads else -1)
        trace = made[parent]
        if trace is None or trace not in self._spoken:
            spoken = (tuple(self._parent_values(i, made, name)[0]) for name in self.reads[level])
            key = self._number(tuple(spoken))
            if trace is None:
                return key
            self._spoken[trace] = key
        return self._spoken[trace]

    def _trace(
        self,
        level: int,
        function: SweepFunction,
        i: int,
        before: BodyTrace | None,
        sums: Sums,
        made: list[BodyTrace | None],
    ) -> BodyTrace:
        trace = BodyTrace(level, before)
        zeroed: dict[str, tuple[Sequence[Scalar], Rebuild]] = {
            name: ([0.0 if x == 0.0 else None for x in scalars], rebuild)
            for name, (scalars, rebuild) in sums.entries.items()
        }
        body: Any = TracedBody(trace, zeroed)  # stands for a Record
        if before is None:
            self._begin(trace, body, i)
        parent: Any = TracedParent(trace, lambda name: self._parent_values(i, made, name))
        function(body, parent)
        known = self.reads.get(level, ())
        if level not in self.reads or not set(parent.names) <= set(known):
            self.reads[level] = tuple(dict.fromkeys((*known, *parent.names)))
            self._spoken.clear()  # keys that say less
        return trace

    def _begin(self, trace: BodyTrace, body: Any, i: int) -> None:
        """Give the body what the first sweep starts from."""
        link, exact = self.plan.links[i], self.kinds[i][1]
        raw: list[Scalar] = [trace.variable(FromRaw(k)) if x is None else x for k, x in enumerate(exact)]
        q = [trace.variable(FromRow("q", k)) for k in range(link.joint.nq)]
        algorithm = self.algorithm
        nv, inputs = link.joint.nv, algorithm.inputs
        v: list[Scalar] = [trace.variable(FromRow("v", k)) if "v" in inputs else 0 for k in range(nv)]
        up = vector(*(trace.variable(x) if isinstance(x, FromRaw) else x for x in self.ground["acceleration"][0]))
        given: dict[str, Vector] = {}
        for name in inputs:
            if name not in ("q", "v"):
                (part,) = parts_of(name, [link], self.algorithm.sized)
                known = self.feeds[i].get(name) if self.feeds else None
                entries = known if known is not None else (None,) * (part.stop - part.start)
                values = (trace.variable(FromRow(name, k)) if x is None else x for k, x in enumerate(entries))
                given[name] = vector(*values)
        record = self.joints.record(trace.graph, link, raw, q, v, up, given, algorithm.partials, algorithm.factors)
        if not self.algorithm.siblings:
            record.elders = 0
        for name, value in vars(record).items():
            if not name.startswith("_"):
                setattr(body, name, value)
        trace.given = set(trace.values)

    def result_length(self, trace: BodyTrace, name: str) -> int:
        """Entries of a result, whether a sweep so far has set it or a later one of the same bodies will."""
        found = trace.find(name)
        if found is not None:
            return len(found[1])
        key = (trace, name)
        if key not in self._lengths:
            later = (t for level in self.traces for t in level if name in t.values and trace in t.chain())
            setting = next(later, None)
            if setting is None:
                raise AlgorithmError(unset(name))
            self._lengths[key] = len(setting.values[name][0])
        return self._lengths[key]
