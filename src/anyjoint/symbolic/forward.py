"""Forward mode: tangents flow from the leaves to the roots, one pass per leaf."""

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph
from anyjoint.symbolic.slopes import branch


def tangents(d: DerivativeGraph, seeds: dict[int, int], order: list[int] | None = None) -> dict[int, int]:
    """The derivative of every node along the direction `seeds` (leaf -> rate), as node ids; absent means zero."""
    g, make = d.graph, d.graph.node
    zero = g.constant_id(0.0)
    rate = {leaf: value for leaf, value in seeds.items() if value != zero}
    get = rate.get
    for i in d.order if order is None else order:
        sides = branch(g, i) if i >= 0 and g.op[i] in _BRANCHES else None
        if sides:  # select the rates: the side that is not taken must not matter, not even as 0 * infinity
            total = make(Op.SELECT, sides[0], get(sides[1], zero), get(sides[2], zero))
        else:
            total = -1
            for operand, partial in d.edges[i]:
                below = get(operand)
                if below is not None:
                    term = make(Op.MUL, partial, below)
                    total = term if total < 0 else make(Op.ADD, total, term)
        if total >= 0 and total != zero:
            rate[i] = total
    return rate


_BRANCHES = frozenset({Op.SELECT, Op.MIN, Op.MAX})


def forward(d: DerivativeGraph) -> list[dict[int, int]]:
    """Sparse rows of the Jacobian, {leaf number: node id} per root, by one forward pass per leaf."""
    rows: list[dict[int, int]] = [{} for _ in d.roots]
    one = d.graph.constant_id(1.0)
    for j, order in enumerate(dependents(d)):
        rate = tangents(d, {d.leaves[j]: one}, order)
        for row, root in zip(rows, d.roots, strict=True):
            if root in rate:
                row[j] = rate[root]
    return rows


def dependents(d: DerivativeGraph) -> list[list[int]]:
    """Per leaf, the active nodes that depend on it, operands first."""
    lists: list[list[int]] = [[] for _ in d.leaves]
    for i in d.order:
        mask = d.reach[i]
        while mask:
            low = mask & -mask
            lists[low.bit_length() - 1].append(i)
            mask ^= low
    return lists


def contract(g: Graph, row: dict[int, int], rates: list[int]) -> int:
    """sum_j row[j] * rates[j] over node ids."""
    total = g.constant_id(0.0)
    for j, value in row.items():
        total = g.node(Op.ADD, total, g.node(Op.MUL, value, rates[j]))
    return total
