"""One sweep traced for one class of bodies: what it loads, what it keeps, what it hands to the parent.

A body's class in a sweep is its class in the sweep before, plus which entries are exact numbers in what it reads
from its parent and from its children. Values kept from one sweep to the next are loaded again only if they have to be:
numbers are built in, parameters and state rows are read where they are, signs are free, and only the rest is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from anyjoint.errors import AlgorithmError
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Scalars
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.rewrite import Rebuild, import_into
from anyjoint.tree.record import said, unset

from .flatten import flatten


@frozen
class FromRow:
    """Loaded from entry k of this link's part of a state row."""

    row: str
    k: int


@frozen
class FromRaw:
    """A raw number of the link; -3 to -1 are -gravity, which stands behind them."""

    index: int


@frozen
class FromParent:
    """Entry k of a value that the parent has set in the same sweep."""

    name: str
    k: int


@frozen
class FromChildren:
    """Entry k of the sum of what the children have handed in."""

    name: str
    k: int


@frozen
class FromRecord:
    """A node of this link's trace of an earlier sweep, kept in its record."""

    level: int
    node: int


Message = FromParent | FromChildren  # lives for one sweep
Source = FromRow | FromRaw | FromRecord | Message  # where a variable of a trace is loaded from
Entries = Sequence[Scalar]  # numbers, or None for entries that are loaded


@dataclass(eq=False)
class BodyTrace:
    """A traced sweep of a class of bodies."""

    level: int
    before: BodyTrace | None
    graph: Graph = field(default_factory=Graph)
    variables: dict[Source, Node] = field(default_factory=dict)
    sources: dict[int, Source] = field(default_factory=dict)
    values: dict[str, tuple[list[Scalar], Rebuild]] = field(default_factory=dict)  # set on the body in this sweep
    handed: dict[str, tuple[list[Scalar], Rebuild]] = field(default_factory=dict)  # given to the parent in this sweep
    asked: set[str] = field(default_factory=set)  # names whose sums this sweep has asked for
    given: set[str] = field(default_factory=set)  # names among the values that were there before this sweep

    def variable(self, source: Source) -> Node:
        """The variable that is loaded from a source."""
        if source not in self.variables:
            node = self.variables[source] = self.graph.variable("x")
            self.sources[node.id] = source
        return self.variables[source]

    def find(self, name: str) -> tuple[BodyTrace, list[Scalar], Rebuild] | None:
        """The latest trace of this body that has set a value."""
        trace: BodyTrace | None = self
        while trace is not None:
            if name in trace.values:
                return (trace, *trace.values[name])
            trace = trace.before
        return None

    def chain(self) -> list[BodyTrace]:
        """The traces of this body's sweeps so far, first to this."""
        return [*(self.before.chain() if self.before else []), self]

    def bring(self, origin: BodyTrace, x: Scalar) -> Scalar:
        """A value of an earlier trace of the same body, as cheaply as it can be had in this one."""
        if not isinstance(x, Node) or origin is self:
            return x
        graph, op = origin.graph, origin.graph.op[x.id]
        if op == Op.CONST:
            return graph.value(x.id)
        if op == Op.NEG:
            return -self.bring(origin, Node(graph, graph.a[x.id]))
        if op == Op.VAR and not isinstance(origin.sources[x.id], Message):
            return self.variable(origin.sources[x.id])
        leaves = parameter_leaves(origin, x.id)
        if leaves is not None:
            copies = {Node(graph, i): self.variable(origin.sources[i]) for i in leaves}
            return import_into(self.graph, x, copies)
        return self.variable(FromRecord(origin.level, x.id))


def parameter_leaves(trace: BodyTrace, node: int) -> list[int] | None:
    """The variables of an expression of raw numbers alone, or None if it depends on the state."""
    graph, seen, stack, leaves = trace.graph, {node}, [node], []
    while stack:
        i = stack.pop()
        if graph.op[i] == Op.VAR:
            if not isinstance(trace.sources[i], FromRaw):
                return None
            leaves.append(i)
        for x in graph.operands(i):
            if x not in seen:
                seen.add(x)
                stack.append(x)
    return sorted(leaves)


class TracedBody:
    """What a sweep function sees instead of a Record while its class is being traced."""

    def __init__(self, trace: BodyTrace, sums: dict[str, tuple[Entries, Rebuild]]) -> None:
        self.__dict__.update(_trace=trace, _sums=sums, _values={})

    def __getattr__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        found = self._trace.find(name)
        if found is None:
            raise AlgorithmError(unset(name))
        origin, scalars, rebuild = found
        value = self._values[name] = rebuild([self._trace.bring(origin, x) for x in scalars])
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self._values[name] = said(value)
        self._trace.values[name] = flatten(value)
        self._trace.given.discard(name)

    def plus(self, name: str, own: Any) -> Any:
        """Own value plus what the children have handed in."""
        self._trace.asked.add(name)
        handed = self.handed(name)
        return own if handed is None else own + handed

    def handed(self, name: str) -> Any:
        """What the children have handed in; None if no child has."""
        if name not in self._sums:
            return None
        entries, rebuild = self._sums[name]
        return rebuild([self._trace.variable(FromChildren(name, k)) if x is None else x for k, x in enumerate(entries)])


class TracedParent:
    """The parent as a sweep function sees it while a class is being traced."""

    def __init__(self, trace: BodyTrace, read: Callable[[str], tuple[Entries, Rebuild]]) -> None:
        self._trace, self._read = trace, read
        self._handed: dict[str, Any] = {}
        self.names: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        entries, rebuild = self._read(name)
        if name not in self.names:
            self.names.append(name)
        loaded = [self._entry(name, k, x) for k, x in enumerate(entries)]
        return rebuild(loaded)

    def _entry(self, name: str, k: int, x: Scalar) -> Scalar:
        if x is None:
            return self._trace.variable(FromParent(name, k))
        return self._trace.variable(x) if isinstance(x, FromRaw) else x  # gravity has a source of its own

    def add(self, name: str, value: Any) -> None:
        """Hand a value inward, beside what this link has handed in before."""
        self._handed[name] = self._handed[name] + value if name in self._handed else value
        self._trace.handed[name] = flatten(self._handed[name])


def entries_of(scalars: Scalars) -> tuple[float | None, ...]:
    """Numbers where they are known, None where a value has to be loaded."""
    return tuple(_number(x) for x in scalars)


def _number(x: Scalar) -> float | None:
    if isinstance(x, Node):
        return x.graph.value(x.id) if x.graph.op[x.id] == Op.CONST else None
    return float(x)
