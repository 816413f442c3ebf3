"""The ways to compute a Jacobian, and the choice of the cheapest by operation count."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from anyjoint.errors import InputError
from anyjoint.symbolic.forward import forward
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph, count_operations, derivative_graph, hazardous_branches
from anyjoint.symbolic.reverse import reverse, root_masks
from anyjoint.symbolic.slopes import branch

Rows = list[dict[int, int]]  # per root {leaf number: node id}, zeros left out


def dstar(d: DerivativeGraph) -> Rows:
    """By D*, which is loaded where something is differentiated by it: code from the cache needs none."""
    from anyjoint.symbolic.dstar import dstar as by_dstar

    return by_dstar(d)


METHODS: dict[str, Callable[[DerivativeGraph], Rows]] = {"dstar": dstar, "forward": forward, "reverse": reverse}
LARGE = 20_000  # edges from which on one method is picked by a bound instead of by trying all
DSTAR_LIMIT = 500_000  # edges times (roots + leaves) up to which D* is tried unasked
UNLIKELY = 6  # forward or reverse mode is not tried if its bound is so many times larger than the other's
TIME = ~(1 << 60)  # the vertex of the one leaf on which all variables depend when rates are given


def cheapest_rows(g: Graph, roots: list[int], leaves: list[int], method: str, rates: list[int] | None = None) -> Rows:
    """The Jacobian by the named method, or by the one that gives the fewest operations."""
    return cheapest(g, roots, candidates(g, roots, leaves, method, rates))


def cheapest(g: Graph, values: list[int], choice: Sequence[Rows]) -> Rows:
    """The rows that need the fewest operations together with the values; the first of equals."""
    if len(choice) == 1:
        return choice[0]
    return min(choice, key=lambda rows: count_operations(g, values + [i for row in rows for i in row.values()]))


def candidates(
    g: Graph, roots: list[int], leaves: list[int], method: str, rates: list[int] | None = None
) -> list[Rows]:
    """The Jacobian by the named method, or by each that is worth trying; with rates, the derivative along them."""
    if method not in (*METHODS, "auto"):
        raise InputError(f"jacobian: method {method!r}; expected one of {', '.join(('auto', *METHODS))}.")
    plain = derivative_graph(g, roots, leaves)
    if rates is not None:
        plain = along(plain, rates)
    names = _worth_trying(plain) if method == "auto" else [method]
    cuts = [] if names == ["forward"] else hazardous_branches(g, roots, leaves)
    found = []
    for name in names:
        if cuts and name != "forward":
            found.append(_across_branches(plain, leaves, cuts, rates, METHODS[name]))
        else:
            found.append(METHODS[name](plain))
    return found


def along(d: DerivativeGraph, rates: list[int]) -> DerivativeGraph:
    """The first leaves become functions of one new leaf, time, that change at the given rates."""
    n, zero = len(rates), d.graph.constant_id(0.0)
    moving = {leaf: rate for leaf, rate in zip(d.leaves, rates, strict=False) if rate != zero}
    mask = sum(1 << j for j, leaf in enumerate(d.leaves[:n]) if leaf in moving)
    reach = {i: bool(m & mask) | m >> n << 1 for i, m in d.reach.items() if m & mask or m >> n}
    edges = {
        **{leaf: [(TIME, rate)] for leaf, rate in moving.items()},
        **{i: [(o, p) for o, p in d.edges[i] if o in reach] for i in d.order if i in reach},
    }
    reach[TIME] = 1
    return replace(d, leaves=[TIME, *d.leaves[n:]], order=list(edges), edges=edges, reach=reach)


def _worth_trying(d: DerivativeGraph) -> list[str]:
    """Names of methods by increasing bound on their multiplications; one alone if the graph is large."""
    above = root_masks(d)
    cost = {"forward": 0, "reverse": 0}
    for i, edges in d.edges.items():
        cost["forward"] += len(edges) * d.reach[i].bit_count()
        cost["reverse"] += len(edges) * above[i].bit_count()
    names = sorted(cost, key=lambda name: cost[name])
    if d.size > LARGE:
        return names[:1]
    if cost[names[1]] > UNLIKELY * cost[names[0]]:
        names.pop()
    # with one leaf, forward mode visits every edge once and there is nothing left to share
    if len(d.leaves) > 1 and d.size * (len(d.roots) + len(d.leaves)) < DSTAR_LIMIT:
        names.append("dstar")
    return names


def _across_branches(
    d: DerivativeGraph,
    leaves: list[int],
    cuts: list[int],
    rates: list[int] | None,
    method: Callable[[DerivativeGraph], Rows],
) -> Rows:
    """Sparse rows of the Jacobian by a method that multiplies along paths, which must not cross the cut branches.

    Forward mode selects tangents, so a branch that is not taken cannot spoil the result. For the other methods the
    branches become leaves and their sides become roots; the pieces are put together by selecting.
    """
    g, m = d.graph, len(d.roots)
    branches = [branch(g, i) or (i, i, i) for i in cuts]
    pieces = derivative_graph(g, d.roots + [side for b in branches for side in b[1:]], leaves + cuts)
    if rates is not None:
        pieces = along(pieces, rates)
    rows, n = method(pieces), len(d.leaves)
    at_cut: Rows = []  # derivatives of the cut branches, operands first
    zero = g.constant_id(0.0)
    for k, (condition, _, _) in enumerate(branches):
        yes, no = (_put_together(g, rows[m + 2 * k + side], at_cut, n) for side in (0, 1))
        at_cut.append({j: g.node(Op.SELECT, condition, yes.get(j, zero), no.get(j, zero)) for j in sorted({*yes, *no})})
    return [_put_together(g, row, at_cut, n) for row in rows[:m]]


def _put_together(g: Graph, row: dict[int, int], at_cut: Rows, n: int) -> dict[int, int]:
    """A row by the first n leaves, where the other leaves are branches with known derivatives."""
    total = {j: value for j, value in row.items() if j < n}
    for k, value in row.items():
        for j, below in at_cut[k - n].items() if k >= n else ():
            term = g.node(Op.MUL, value, below)
            total[j] = g.node(Op.ADD, total[j], term) if j in total else term
    return total
