"""What sweeps by kernels load of what other sweeps or other links have stored, and so what must be stored at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from anyjoint.scalar import Scalar
from anyjoint.symbolic import Node
from anyjoint.symbolic.rewrite import reachable

from .body_trace import BodyTrace, FromChildren, FromParent, FromRecord, Message, Source, entries_of
from .classes import Tracer

Needed = Mapping[tuple[int, str], Collection[int]]  # entries of a link's result


class Home(NamedTuple):
    """An entry of a result that a trace sets."""

    name: str
    k: int
    trace: BodyTrace


class Loaded:
    """Slots of messages, per sweep, and of records, per trace and node.

    Entries of messages that lead to no result are left out, and with `needed` all other entries of results. Where they
    are `at_hand`, later sweeps load from there what is a result, which then has no second place in the record.
    """

    def __init__(self, tracer: Tracer, needed: Needed | None = None, at_hand: bool = False) -> None:
        self.tracer = tracer
        self.slots: list[dict[Message, int]] = [{} for _ in tracer.traces]
        self.in_record: dict[BodyTrace, dict[int, int]] = {}
        self._needed = None if needed is None else self._by_class(needed)
        parents = [link.parent for link in tracer.plan.links]
        carried, carrying = [i for i, parent in enumerate(parents) if parent >= 0], {*parents} - {-1}
        self._carried = {level[i] for level in tracer.traces for i in carried}  # others hand in to the ground
        self._carrying = {level[i] for level in tracer.traces for i in carrying}  # others speak to nobody
        self._wanted: dict[BodyTrace, set[int]] = {}  # nodes that later sweeps load
        levels = [list(dict.fromkeys(level)) for level in tracer.traces]
        for classes in reversed(levels):  # what a later sweep loads, an earlier one must keep
            self._find(classes)
        self.homes = self._homes(levels) if at_hand else {}
        for trace in (trace for classes in levels for trace in classes):
            begin = sum(len(self.in_record[t]) for t in trace.chain()[:-1])
            nodes = sorted(self._wanted.get(trace, set()) - self.homes.get(trace, {}).keys())
            self.in_record[trace] = {node: begin + k for k, node in enumerate(nodes)}

    def is_needed(self, trace: BodyTrace, name: str, k: int) -> bool:
        """Whether an entry of a result is to be stored."""
        return self._needed is None or k in self._needed.get((trace, name), ())

    def origin(self, trace: BodyTrace, x: Scalar) -> tuple[BodyTrace, int] | None:
        """The trace and the node that an entry of a result comes from; None if it is a number."""
        if not isinstance(x, Node) or entries_of([x])[0] is not None:
            return None
        source = trace.sources.get(x.id)
        return (trace.chain()[source.level], source.node) if isinstance(source, FromRecord) else (trace, x.id)

    def _homes(self, levels: Sequence[Sequence[BodyTrace]]) -> dict[BodyTrace, dict[int, Home]]:
        """Results that nodes are kept in, by trace and node: the same one whatever becomes of the link later on."""
        homes: dict[BodyTrace, dict[int, Home]] = {}
        names = Counter(name for classes in levels for name in {name for trace in classes for name in trace.values})
        results = [name for name in self.tracer.algorithm.results if names[name] == 1]  # the rest is written again
        for classes in levels:
            found: dict[tuple[BodyTrace, int], dict[tuple[str, int], list[BodyTrace]]] = {}
            for trace in classes:
                for name, k, x in entries(trace, results):
                    origin = self.origin(trace, x) if self.is_needed(trace, name, k) else None
                    if origin and origin[1] in self._wanted.get(origin[0], ()):
                        found.setdefault(origin, {}).setdefault((name, k), []).append(trace)
            later = Counter(before for trace in classes for before in trace.chain())
            for (before, node), places in found.items():
                same = [Home(*place, traces[0]) for place, traces in places.items() if len(traces) == later[before]]
                if same:
                    homes.setdefault(before, {}).setdefault(node, same[0])
        return homes

    def _by_class(self, needed: Needed) -> dict[tuple[BodyTrace, str], set[int]]:
        made: dict[tuple[BodyTrace, str], set[int]] = {}
        for level in self.tracer.traces:
            for (link, name), entries in needed.items():
                made.setdefault((level[link], name), set()).update(entries)
        return made

    def _find(self, classes: Sequence[BodyTrace]) -> None:
        heard = self._heard(classes)
        for trace in classes:
            chain = trace.chain()
            for source in self._sources(trace, heard):
                if isinstance(source, FromRecord):
                    self._wanted.setdefault(chain[source.level], set()).add(source.node)
                elif isinstance(source, Message):
                    slots = self.slots[trace.level]
                    slots.setdefault(source, len(slots))

    def _heard(self, classes: Sequence[BodyTrace]) -> set[Message]:
        """Entries of one sweep's messages that lead to something wanted, be it from link to link to link."""
        heard, before = set[Message](), None
        while heard != before:
            before = heard
            sources = (source for trace in classes for source in self._sources(trace, before))
            heard = {source for source in sources if isinstance(source, Message)}
        return heard

    def _sources(self, trace: BodyTrace, heard: Collection[Message]) -> Iterator[Source | None]:
        """What a trace loads for its outputs and for what later sweeps want of it."""
        nodes = {x.id for x in self._outputs(trace, heard) if isinstance(x, Node)} | self._wanted.get(trace, set())
        return (trace.sources.get(i) for i in reachable(trace.graph, nodes))

    def _outputs(self, trace: BodyTrace, heard: Collection[Message]) -> Iterator[Scalar]:
        algorithm = self.tracer.algorithm
        results = {*algorithm.results, *algorithm.totals}
        said = self.tracer.reads[trace.level] if trace in self._carrying else ()
        for name, (scalars, _) in trace.values.items():
            for k, x in enumerate(scalars):
                result = name in results and self.is_needed(trace, name, k)
                if result or (name in said and FromParent(name, k) in heard):
                    yield x
        for name, (scalars, _) in trace.handed.items() if trace in self._carried else ():
            yield from (x for k, x in enumerate(scalars) if FromChildren(name, k) in heard)


def entries(trace: BodyTrace, names: Sequence[str]) -> Iterator[tuple[str, int, Scalar]]:
    """(name, place in the link's part, value) of the results that a trace sets."""
    for name in names:
        for k, x in enumerate(trace.values[name][0] if name in trace.values else ()):
            yield name, k, x
