"""Intervals of nodes: what is certain about the values of a graph."""

from collections.abc import Sequence

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.interval import EVERYTHING, Interval, square
from anyjoint.symbolic.ops import OPERATIONS, Op


def intervals(g: Graph, ids: Sequence[int], operands: Sequence[tuple[int, ...]]) -> list[Interval]:
    """The interval of every node of a list (operands first), whose operands are given as places in that list."""
    found: list[Interval] = []
    for i, places in zip(ids, operands, strict=True):
        op = g.op[i]
        if op == Op.MUL and places[0] == places[1]:
            found.append(square(found[places[0]]))
        elif rule := OPERATIONS[op].interval:
            found.append(rule(*[found[k] for k in places]))
        else:
            found.append(_of_data(g, i))
    return found


def _of_data(g: Graph, i: int) -> Interval:
    op = g.op[i]
    if op == Op.CONST:
        return g.value(i), g.value(i)
    if op == Op.VAR:
        return g.variables[g.a[i]].bounds
    return (min(g.tables[g.b[i]]), max(g.tables[g.b[i]])) if op == Op.GATHER else EVERYTHING
