"""Reverse mode: adjoints flow from the roots to the leaves, one pass per root."""

from collections.abc import Mapping, Sequence

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph, derivative_graph, hazardous_branches
from anyjoint.symbolic.rotation import with_rotations


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
    """The derivative of sum(seeds[root] * root) by every leaf, as node ids; absent means zero."""
    d = with_rotations(derivative_graph(g, list(seeds), leaves))
    hazards = hazardous_branches(g, d.roots, leaves)
    adjoint = _guarded(d, dict(seeds), needs(d, hazards)) if hazards else adjoints(d, dict(seeds))
    zero = g.constant_id(0.0)
    return {leaf: adjoint[leaf] for leaf in leaves if adjoint.get(leaf, zero) != zero}


def needs(d: DerivativeGraph, hazards: Sequence[int]) -> dict[int, int]:
    """Per vertex a node that is 1 where some root needs it and 0 where it is only below sides that are not taken."""
    g, cut = d.graph, set(hazards)
    one = g.constant_id(1.0)
    need = dict.fromkeys(d.roots, one)
    for i in reversed(d.order):
        above = need.get(i)
        if above is None:
            continue
        for operand, partial in d.edges[i]:  # of a branch, the partials are 1 for the side that is taken, else 0
            more = g.node(Op.MUL, partial, above) if i in cut else above
            old = need.get(operand)
            if old != one:
                need[operand] = more if old is None or more == one else g.node(Op.MAX, old, more)
    return need


def _guarded(d: DerivativeGraph, seeds: dict[int, int], need: Mapping[int, int]) -> dict[int, int]:
    """Adjoints, selected where they leave what is below the sides of branches.

    The side that is not taken must not matter, not even as 0 * infinity.
    """
    g, adjoint = d.graph, seeds
    zero, one, half = g.constant_id(0.0), g.constant_id(1.0), g.constant_id(0.5)
    for i in reversed(d.order):
        above, here = adjoint.get(i), need.get(i, one)
        if above is None or above == zero:
            continue
        for operand, partial in d.edges[i]:
            term = g.node(Op.MUL, partial, above)
            if here != one and need.get(operand) != here:
                term = g.node(Op.SELECT, g.node(Op.LT, half, here), term, zero)
            old = adjoint.get(operand)
            adjoint[operand] = term if old is None else g.node(Op.ADD, old, term)
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
