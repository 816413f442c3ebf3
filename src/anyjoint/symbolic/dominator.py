"""Dominators: which subgraphs of the derivative graph are common factors.

For one root, a vertex dominates another if every path from the root to the other passes it; for one leaf, a vertex
postdominates another if every path from the other to the leaf passes it. The graph has no cycles and vertices are
numbered from the leaves up, so one pass per root or leaf finds the immediate ones exactly.
"""

from collections.abc import Collection, Sequence
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
    found = _immediate(web.root, web.up, web.top, web.roots, downward=True)
    return [Factor(a, b, True, roots, _leaves_below(web, b)) for (b, a), roots in found.items()]


def postdominator_factors(web: Web) -> list[Factor]:
    """(vertex, immediate postdominator) wherever two edges towards a leaf leave a vertex."""
    found = _immediate(web.leaf, web.down, web.bottom, web.leaves, downward=False)
    return [Factor(a, b, False, _roots_above(web, a), leaves) for (a, b), leaves in found.items()]


def _immediate(
    starts: Sequence[int], edges: Sequence[Collection[int]], far: Sequence[int], masks: Sequence[int], downward: bool
) -> dict[tuple[int, int], int]:
    """{(vertex, its immediate dominator): for which starts} wherever two edges of a start come to a vertex.

    `edges` of a vertex lead back towards the starts, to the vertices `far`; `masks` are the starts that edges serve.
    """
    found: dict[tuple[int, int], int] = {}
    active = [v for v in range(len(edges)) if edges[v]]
    for k, start in enumerate(starts):
        dominator = {start: start}
        for v in reversed(active) if downward else active:
            meeting, count = -1, 0
            for e in edges[v]:
                p = far[e]
                if masks[e] >> k & 1 and p in dominator:
                    count += 1
                    meeting = p if meeting < 0 else _meet(dominator, meeting, p, downward)
            if count:
                dominator[v] = meeting
                if count > 1:
                    found[v, meeting] = found.get((v, meeting), 0) | 1 << k
    return found


def _meet(dominator: dict[int, int], a: int, b: int, downward: bool) -> int:
    """The first vertex that dominates both: the one that is farther from the start steps back."""
    while a != b:
        if (a < b) == downward:
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
