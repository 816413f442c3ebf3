"""Reverse mode: adjoints flow from the roots to the leaves, one pass per root."""

from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph


def adjoints(d: DerivativeGraph, seeds: dict[int, int], order: list[int] | None = None) -> dict[int, int]:
    """The derivative of sum(seeds[root] * root) by every node, as node ids; absent means zero."""
    g, make = d.graph, d.graph.node
    zero = g.constant_id(0.0)
    adjoint = {root: value for root, value in seeds.items() if value != zero}
    for i in reversed(d.order) if order is None else order:
        above = adjoint.get(i)
        if above is None:
            continue
        for operand, partial in d.edges[i]:
            term = make(Op.MUL, partial, above)
            old = adjoint.get(operand)
            adjoint[operand] = term if old is None else make(Op.ADD, old, term)
    return adjoint


def reverse(d: DerivativeGraph) -> list[dict[int, int]]:
    """Sparse rows of the Jacobian, {leaf number: node id} per root, by one reverse pass per root."""
    rows = []
    one, zero = d.graph.constant_id(1.0), d.graph.constant_id(0.0)
    below = ancestors(d)
    for r, root in enumerate(d.roots):
        adjoint = adjoints(d, {root: one}, below[r])
        row = {j: adjoint[leaf] for j, leaf in enumerate(d.leaves) if leaf in adjoint}
        rows.append({j: value for j, value in row.items() if value != zero})
    return rows


def ancestors(d: DerivativeGraph) -> list[list[int]]:
    """Per root, the active nodes that it depends on, root first."""
    lists: list[list[int]] = [[] for _ in d.roots]
    mask = root_masks(d)
    for i in reversed(d.order):
        roots = mask[i]
        while roots:
            low = roots & -roots
            lists[low.bit_length() - 1].append(i)
            roots ^= low
    return lists


def root_masks(d: DerivativeGraph) -> dict[int, int]:
    """Per active node and leaf, the bit set of the roots above it."""
    mask = dict.fromkeys((*d.order, *d.leaves), 0)
    for r, root in enumerate(d.roots):
        if root in mask:
            mask[root] |= 1 << r
    for i in reversed(d.order):
        above = mask[i]
        if above:
            for operand, _ in d.edges[i]:
                mask[operand] |= above
    return mask
