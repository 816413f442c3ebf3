"""Reverse mode: adjoints flow from the roots to the leaves, one pass per root."""

from collections.abc import Mapping, Sequence

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph, branch, derivative_graph, hazardous_branches


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


def pullback(g: Graph, seeds: Mapping[int, int], leaves: Sequence[int]) -> dict[int, int]:
    """The derivative of sum(seeds[root] * root) by every leaf, as node ids; absent means zero.

    Where a side of a branch may be singular, its adjoint is carried to the leaves as if it were taken, and selected
    there: the side that is not taken must not matter, not even as 0 * infinity.
    """
    roots = list(seeds)
    cuts = hazardous_branches(g, roots, leaves)
    branches = {i: branch(g, i) or (i, i, i) for i in cuts}
    sides = [side for i in cuts for side in branches[i][1:]]
    d = derivative_graph(g, [*roots, *sides], [*leaves, *cuts])
    adjoint = adjoints(d, dict(seeds))
    zero, below = g.constant_id(0.0), ancestors(d) if cuts else []
    for k, i in reversed(list(enumerate(cuts))):
        condition, yes, no = branches[i]
        if i not in adjoint:
            continue
        for which, side in enumerate((yes, no)):
            part = adjoints(d, {side: adjoint[i]}, below[len(roots) + 2 * k + which])
            for leaf in d.leaves:
                if leaf in part:
                    taken = (part[leaf], zero) if which == 0 else (zero, part[leaf])
                    term = g.node(Op.SELECT, condition, *taken)
                    adjoint[leaf] = g.node(Op.ADD, adjoint[leaf], term) if leaf in adjoint else term
    return {leaf: adjoint[leaf] for leaf in leaves if adjoint.get(leaf, zero) != zero}


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
