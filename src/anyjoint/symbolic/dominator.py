"""Dominators: which subgraphs of the derivative graph are common factors.

For one root, a vertex dominates another if every path from the root to the other passes it; for one leaf, a vertex
postdominates another if every path from the other to the leaf passes it. The graph has no cycles and vertices are
numbered from the leaves up, so one pass per root or leaf finds the immediate ones exactly.
"""

from typing import NamedTuple

from anyjoint.symbolic.web import Web


class Factor(NamedTuple):
    """All paths between two vertices, for the pairs roots x leaves.

    `entering`: the top dominates the bottom, so the edges that enter the bottom count; otherwise the bottom
    postdominates the top, and those that leave the top do.
    """

    top: int
    bottom: int
    entering: bool
    roots: int
    leaves: int


def dominator_factors(web: Web) -> list[Factor]:
    """(immediate dominator, vertex) wherever two edges of a root enter a vertex, with the roots where they do."""
    found: dict[tuple[int, int], int] = {}
    active = [v for v in range(len(web.up) - 1, -1, -1) if web.up[v]]
    for r, start in enumerate(web.root):
        dominator = {start: start}
        for v in active:
            above, count = -1, 0
            for e in web.up[v]:
                p = web.top[e]
                if web.roots[e] >> r & 1 and p in dominator:
                    count += 1
                    above = p if above < 0 else _meet_above(dominator, above, p)
            if count:
                dominator[v] = above
                if count > 1:
                    found[above, v] = found.get((above, v), 0) | 1 << r
    return [Factor(a, b, True, roots, _leaves_below(web, b)) for (a, b), roots in found.items()]


def postdominator_factors(web: Web) -> list[Factor]:
    """(vertex, immediate postdominator) wherever two edges towards a leaf leave a vertex."""
    found: dict[tuple[int, int], int] = {}
    active = [v for v in range(len(web.down)) if web.down[v]]
    for j, start in enumerate(web.leaf):
        dominator = {start: start}
        for v in active:
            below, count = -1, 0
            for e in web.down[v]:
                p = web.bottom[e]
                if web.leaves[e] >> j & 1 and p in dominator:
                    count += 1
                    below = p if below < 0 else _meet_below(dominator, below, p)
            if count:
                dominator[v] = below
                if count > 1:
                    found[v, below] = found.get((v, below), 0) | 1 << j
    return [Factor(a, b, False, _roots_above(web, a), leaves) for (a, b), leaves in found.items()]


def _meet_above(dominator: dict[int, int], a: int, b: int) -> int:
    while a != b:
        if a < b:
            a = dominator[a]
        else:
            b = dominator[b]
    return a


def _meet_below(dominator: dict[int, int], a: int, b: int) -> int:
    while a != b:
        if a > b:
            a = dominator[a]
        else:
            b = dominator[b]
    return a


def _leaves_below(web: Web, v: int) -> int:
    mask = 0
    for e in web.up[v]:
        mask |= web.leaves[e]
    return mask


def _roots_above(web: Web, v: int) -> int:
    mask = 0
    for e in web.down[v]:
        mask |= web.roots[e]
    return mask
