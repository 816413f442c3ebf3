"""What sweeps by kernels load of what other sweeps or other links have stored, and so what must be stored at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from anyjoint.scalar import Scalar
from anyjoint.symbolic import Node
from anyjoint.symbolic.rewrite import reachable

from .body_trace import BodyTrace, FromParent, FromRecord, Message, Source
from .classes import Tracer

Needed = Mapping[tuple[int, str], Collection[int]]  # entries of a link's result


class Loaded:
    """Slots of messages, per sweep, and of records, per trace and node.

    With `needed`, all other entries of results, and of messages that lead to nothing else, are left out.
    """

    def __init__(self, tracer: Tracer, needed: Needed | None = None) -> None:
        self.tracer = tracer
        self.slots: list[dict[Message, int]] = [{} for _ in tracer.traces]
        self.in_record: dict[BodyTrace, dict[int, int]] = {}
        self._needed = None if needed is None else self._by_class(needed)
        self._wanted: dict[BodyTrace, set[int]] = {}  # nodes that later sweeps load
        levels = [list(dict.fromkeys(level)) for level in tracer.traces]
        for classes in reversed(levels):  # what a later sweep loads, an earlier one must keep
            self._find(classes)
        for trace in (trace for classes in levels for trace in classes):
            begin = sum(len(self.in_record[t]) for t in trace.chain()[:-1])
            self.in_record[trace] = {node: begin + k for k, node in enumerate(sorted(self._wanted.get(trace, ())))}

    def is_needed(self, trace: BodyTrace, name: str, k: int) -> bool:
        """Whether an entry of a result is to be stored."""
        return self._needed is None or k in self._needed.get((trace, name), ())

    def _by_class(self, needed: Needed) -> dict[tuple[BodyTrace, str], set[int]]:
        made: dict[tuple[BodyTrace, str], set[int]] = {}
        for level in self.tracer.traces:
            for (link, name), entries in needed.items():
                made.setdefault((level[link], name), set()).update(entries)
        return made

    def _find(self, classes: Sequence[BodyTrace]) -> None:
        heard = None if self._needed is None else self._heard(classes)
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

    def _sources(self, trace: BodyTrace, heard: Collection[Message] | None) -> Iterator[Source | None]:
        """What a trace loads for its outputs and for what later sweeps want of it."""
        nodes = {x.id for x in self._outputs(trace, heard) if isinstance(x, Node)} | self._wanted.get(trace, set())
        return (trace.sources.get(i) for i in reachable(trace.graph, nodes))

    def _outputs(self, trace: BodyTrace, heard: Collection[Message] | None) -> list[Scalar]:
        algorithm = self.tracer.algorithm
        named = {*algorithm.results, *algorithm.totals, *self.tracer.reads[trace.level]}
        values = [
            x
            for name, (scalars, _) in trace.values.items()
            for k, x in enumerate(scalars if name in named else ())
            if heard is None or self.is_needed(trace, name, k) or FromParent(name, k) in heard
        ]
        return values + [x for scalars, _ in trace.handed.values() for x in scalars]
