"""D*: symbolic differentiation by factoring the sum over all paths (Guenter 2007).

Whatever flows from a vertex to one that it dominates (or that postdominates it) is a common factor of all paths
through both. Factoring replaces the paths between the two by one edge that carries their sum. The factor that is
used by the most Jacobian entries goes first, inner ones before the outer ones that contain them, until one path is
left for each entry; then products that several paths share are built once.
"""

import heapq
from dataclasses import replace

from anyjoint.frozen import frozen
from anyjoint.symbolic.dominator import Factor, dominator_factors, postdominator_factors
from anyjoint.symbolic.forward import dependents, tangents
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph, count_operations
from anyjoint.symbolic.pathproduct import share_products
from anyjoint.symbolic.rewrite import reachable
from anyjoint.symbolic.web import Web


@frozen
class Strategy:
    """What is factored and in which order."""

    dominators: bool
    postdominators: bool
    most_used_first: bool
    eager: bool  # use known derivatives everywhere


MIXED = Strategy(dominators=True, postdominators=True, most_used_first=True, eager=False)
# Close to forward and to reverse mode, for few leaves or few roots; each alone also ends with one path per entry.
TO_LEAVES = Strategy(dominators=False, postdominators=True, most_used_first=False, eager=True)
FROM_ROOTS = Strategy(dominators=True, postdominators=False, most_used_first=True, eager=True)
SMALL = 1000  # edges up to which the mixed order is worth its time; on larger graphs it hardly ever wins


def dstar(d: DerivativeGraph) -> list[dict[int, int]]:
    """Sparse rows of the Jacobian, {leaf number: node id} per root, by the strategy with the fewest operations."""
    d = with_forward_knowledge(d)
    m, n = len(d.roots), len(d.leaves)
    strategies = [MIXED] if d.size <= SMALL else []
    if 2 * n <= 3 * m:
        strategies.append(TO_LEAVES)
    if 2 * m <= 3 * n:
        strategies.append(FROM_ROOTS)
    ways = [factor(d, strategy) for strategy in strategies]
    return min(ways, key=lambda rows: count_operations(d.graph, d.roots + [i for row in rows for i in row.values()]))


def factor(d: DerivativeGraph, strategy: Strategy) -> list[dict[int, int]]:
    """Factor until one path is left per entry, and multiply along it."""
    web = Web(d, strategy.eager)
    while factor_round(web, strategy):
        pass
    return entries(web)


def with_forward_knowledge(d: DerivativeGraph) -> DerivativeGraph:
    """What forward mode finds out: which derivatives of vertices are zero, and which are nodes that exist anyway.

    Zeros come from paths that cancel, which cannot be seen once they are factored differently.
    """
    g = d.graph
    one, existing = g.constant_id(1.0), set(reachable(g, d.roots))
    reach = {leaf: 1 << j for j, leaf in enumerate(d.leaves)}
    known: dict[int, dict[int, int]] = {}
    for j, order in enumerate(dependents(d)):
        for i, value in tangents(d, {d.leaves[j]: one}, order).items():
            reach[i] = reach.get(i, 0) | 1 << j
            plain = g.a[value] if g.op[value] == Op.NEG else value
            if plain in existing or g.op[plain] == Op.CONST:
                known.setdefault(i, {})[j] = value
    return replace(d, reach=reach, known=known)


def factor_round(web: Web, strategy: Strategy) -> int:
    """Factor every subgraph found at the beginning of the round that is still there; returns how many were."""
    found = dominator_factors(web) if strategy.dominators else []
    found += postdominator_factors(web) if strategy.postdominators else []
    heap = [(_priority(item, strategy), item) for item in found]
    heapq.heapify(heap)
    done = 0
    while heap:
        priority, item = heapq.heappop(heap)
        trimmed = _trim(web, item)
        if not trimmed.roots or not trimmed.leaves:
            continue
        if trimmed is not item:
            item = trimmed
            later = _priority(item, strategy)
            if later > priority:
                heapq.heappush(heap, (later, item))
                continue
        region = _region(web, item)
        if region is None:
            continue
        parts = _refine(web, item, region)
        for part in parts:
            heapq.heappush(heap, (_priority(part, strategy), part))
        if not parts:
            web.replace(item.top, item.bottom, _sum_of_paths(web, item, region), item.roots, item.leaves, item.entering)
            done += 1
    return done


def _priority(item: Factor, strategy: Strategy) -> tuple[int, int]:
    """Small goes first: many uses, and inner subgraphs before those that contain them."""
    uses = item.roots.bit_count() * item.leaves.bit_count()
    return (-uses if strategy.most_used_first else 0), item.top - item.bottom


def _trim(web: Web, item: Factor) -> Factor:
    """Keep the roots and leaves for which edges still exist; no roots if fewer than two edges are left."""
    top, bottom, entering, roots, leaves = item
    hooks = [
        e for e in (web.up[bottom] if entering else web.down[top]) if web.roots[e] & roots and web.leaves[e] & leaves
    ]
    if len(hooks) < 2:
        return item._replace(roots=0)
    some_roots = some_leaves = 0
    for e in hooks:
        some_roots |= web.roots[e]
        some_leaves |= web.leaves[e]
    if roots & ~some_roots or leaves & ~some_leaves:
        return item._replace(roots=roots & some_roots, leaves=leaves & some_leaves)
    return item


def _region(web: Web, item: Factor) -> list[int] | None:
    """The edges between the two vertices; None if other paths have appeared, so that the factor is no longer one."""
    top, bottom, entering, roots, leaves = item
    start, goal = (bottom, top) if entering else (top, bottom)
    neighbours, far = (web.up, web.top) if entering else (web.down, web.bottom)
    seen, stack, region = {start}, [start], []
    while stack:
        for e in neighbours[stack.pop()]:
            if web.roots[e] & roots and web.leaves[e] & leaves:
                region.append(e)
                v = far[e]
                if v in seen or v == goal:
                    continue
                if v > top or v < bottom or v in web.fixed:
                    return None
                seen.add(v)
                stack.append(v)
    return region


def _refine(web: Web, item: Factor, region: list[int]) -> list[Factor]:
    """Split the factor if an edge of it serves only some of its pairs: all pairs must see the same sum."""
    roots, leaves = item.roots, item.leaves
    for e in region:
        if roots & ~web.roots[e]:
            return [item._replace(roots=part) for part in (roots & web.roots[e], roots & ~web.roots[e])]
        if leaves & ~web.leaves[e]:
            return [item._replace(leaves=part) for part in (leaves & web.leaves[e], leaves & ~web.leaves[e])]
    return []


def _sum_of_paths(web: Web, item: Factor, region: list[int]) -> int:
    """The sum over all paths of the region of the products of their edges, by one sweep.

    The sweep starts at the dominating end: products that begin there are shared with what other factors need.
    """
    start, goal = (item.top, item.bottom) if item.entering else (item.bottom, item.top)
    near, far, sign = (web.top, web.bottom, -1) if item.entering else (web.bottom, web.top, 1)
    make = web.graph.node
    total = {start: web.graph.constant_id(1.0)}
    for e in sorted(region, key=lambda e: (sign * near[e], e)):
        before = total.get(near[e])
        if before is not None:
            v = far[e]
            term = make(Op.MUL, before, web.value[e])
            total[v] = make(Op.ADD, total[v], term) if v in total else term
    return total.get(goal, web.graph.constant_id(0.0))


def entries(web: Web) -> list[dict[int, int]]:
    """Multiply along the one path of each entry; where more are left, add them up by a sweep."""
    rows: list[dict[int, int]] = [{} for _ in web.root]
    paths: dict[tuple[int, int], list[int]] = {}
    for r in range(len(web.root)):
        for j in range(len(web.leaf)):
            path = single_path(web, r, j)
            if path is None:
                value = _sum_of_pair(web, r, j)
                if value is not None:
                    rows[r][j] = value
            elif path:
                paths[r, j] = path
    for (r, j), value in share_products(web.graph, paths).items():
        rows[r][j] = value
    zero = web.graph.constant_id(0.0)
    return [{j: row[j] for j in sorted(row) if row[j] != zero} for row in rows]


def single_path(web: Web, r: int, j: int) -> list[int] | None:
    """Edge values from root r to leaf j; empty if there is no path, None if the way forks."""
    v, values = web.root[r], []
    while v != web.leaf[j]:
        ways = [e for e in web.down[v] if web.roots[e] >> r & 1 and web.leaves[e] >> j & 1]
        if not ways:
            return []
        if len(ways) > 1:
            return None
        values.append(web.value[ways[0]])
        v = web.bottom[ways[0]]
    return values


def _sum_of_pair(web: Web, r: int, j: int) -> int | None:
    """The sum over all paths of one pair, by a sweep downwards."""
    make = web.graph.node
    total = {web.root[r]: web.graph.constant_id(1.0)}
    queue = [-web.root[r]]
    while queue:
        v = -heapq.heappop(queue)
        for e in web.down[v]:
            if web.roots[e] >> r & 1 and web.leaves[e] >> j & 1:
                term, below = make(Op.MUL, total[v], web.value[e]), web.bottom[e]
                if below in total:
                    total[below] = make(Op.ADD, total[below], term)
                else:
                    total[below] = term
                    heapq.heappush(queue, -below)
    return total.get(web.leaf[j])
