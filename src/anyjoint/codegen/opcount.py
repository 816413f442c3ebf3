"""How many operations an expression costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields

from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.rewrite import reachable

_FIELD: dict[int, str] = {
    Op.ADD: "add",
    Op.SUB: "add",
    Op.MUL: "mul",
    Op.DIV: "div",
    Op.SQRT: "sqrt",
    Op.SIN: "trig",
    Op.COS: "trig",
}
# A change of sign folds into the addition or product that uses it (a - b, fused negate-multiply-add).
_FREE = frozenset((Op.CONST, Op.VAR, Op.NEG))


@frozen
class OpCount:
    """Operations by kind: add (+ and -), mul, div, sqrt, trig (sin and cos), other; changes of sign are free."""

    add: int = 0
    mul: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """All operations."""
        return sum(astuple(self))

    def __add__(self, more: OpCount) -> OpCount:
        return OpCount(*(a + b for a, b in zip(astuple(self), astuple(more), strict=True)))

    def __mul__(self, times: int) -> OpCount:
        return OpCount(*(a * times for a in astuple(self)))

    __rmul__ = __mul__

    def __getitem__(self, name: str) -> int:
        if name not in self.keys():
            raise KeyError(name)
        return int(getattr(self, name))

    def keys(self) -> list[str]:
        """Names of the kinds and "total", so that `dict(count)` works."""
        return [*(field.name for field in fields(self)), "total"]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())


def count_operations(graph: Graph, roots: Iterable[int]) -> OpCount:
    """Operations of all nodes that the roots depend on, each counted once."""
    counts: Counter[str] = Counter()
    for op, times in Counter(map(graph.op.__getitem__, reachable(graph, roots))).items():
        if op not in _FREE:
            counts[_FIELD.get(op, "other")] += times
    return OpCount(**counts)
