"""Derivatives of expressions: Jacobians, Hessians, products with them, rates; the cheapest way by operation count."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import ExpressionError, InputError
from anyjoint.scalar.differentiate import map_nested
from anyjoint.symbolic.dstar import dstar
from anyjoint.symbolic.forward import contract, forward, tangents
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.node import Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import (
    branch,
    count_operations,
    derivative_graph,
    hazardous_branches,
    reach_masks,
    reachable,
)
from anyjoint.symbolic.reverse import adjoints, reverse, root_masks
from anyjoint.symbolic.rewrite import substitute

Array = np.ndarray[Any, np.dtype[Any]]
Rows = list[dict[int, int]]  # per root {leaf number: node id}, zeros left out

METHODS = {"dstar": dstar, "forward": forward, "reverse": reverse}
LARGE = 20_000  # edges from which on one method is picked by a bound instead of by trying all


def jacobian(outputs: Any, x: Any, method: str = "auto") -> Array:
    """d outputs / d x as an (m, n) array of nodes; method "auto" (fewest operations), "dstar", "forward", "reverse"."""
    g, roots, leaves = _problem(outputs, x)
    return _matrix(g, _rows(g, roots, leaves, method), len(leaves))


def sparsity(outputs: Any, x: Any) -> Array:
    """Which entries of the Jacobian may be nonzero, as an (m, n) array of bool, from the structure alone."""
    g, roots, leaves = _problem(outputs, x)
    reach = reach_masks(g, reachable(g, roots), leaves)
    found = [[bool(reach.get(root, 0) >> j & 1) for j in range(len(leaves))] for root in roots]
    return np.array(found, dtype=bool).reshape(len(roots), len(leaves))


def hessian(f: Any, x: Any, method: str = "auto") -> Array:
    """The symmetric (n, n) matrix of second derivatives of one expression; each pair is computed once."""
    g, roots, leaves = _problem(f, x)
    if len(roots) != 1:
        raise InputError(f"hessian: one expression is expected, {len(roots)} were given; call it once per expression")
    n = len(leaves)
    gradient = _matrix(g, _rows(g, roots, leaves, method), n)[0]
    first = [node.id for node in gradient]
    triangles = [
        [{j: value for j, value in row.items() if j <= i} for i, row in enumerate(rows)]
        for rows in _candidates(g, first, leaves, method)
    ]
    rows = _cheapest(g, roots + first, triangles)
    full: Rows = [dict(row) for row in rows]
    for i, row in enumerate(rows):
        for j, value in row.items():
            full[j][i] = value
    return _matrix(g, full, n)


def jvp(outputs: Any, x: Any, direction: Any) -> Array:
    """The Jacobian times a direction, sum_j (d outputs / d x_j) * direction_j, by one forward pass; shape (m,)."""
    g, roots, leaves = _problem(outputs, x)
    rates = _factors(g, direction, len(leaves), "jvp", "direction")
    return _vector(g, _along(g, roots, leaves, rates))


def vjp(outputs: Any, x: Any, weights: Any) -> Array:
    """Weights times the Jacobian, sum_i weights_i * (d outputs_i / d x), by one reverse pass; shape (n,)."""
    g, roots, leaves = _problem(outputs, x)
    seeds = _factors(g, weights, len(roots), "vjp", "weights")
    zero = g.constant_id(0.0)
    if hazardous_branches(g, roots, leaves):
        total = [zero] * len(leaves)
        for seed, row in zip(seeds, _rows(g, roots, leaves, "forward"), strict=True):
            for j, value in row.items():
                total[j] = g.node(Op.ADD, total[j], g.node(Op.MUL, seed, value))
        return _vector(g, total)
    start: dict[int, int] = {}
    for root, seed in zip(roots, seeds, strict=True):
        start[root] = g.node(Op.ADD, start[root], seed) if root in start else seed
    adjoint = adjoints(derivative_graph(g, roots, leaves), start)
    return _vector(g, [adjoint.get(leaf, zero) for leaf in leaves])


def time_derivative(outputs: Any, x: Any, rates: Any) -> Array:
    """d outputs / dt when x changes at the given rates: like jvp, but the cheapest of several ways; shape (m,)."""
    g, roots, leaves = _problem(outputs, x)
    speed = _factors(g, rates, len(leaves), "time_derivative", "rates")
    ways = [_along(g, roots, leaves, speed)]
    if len(reachable(g, roots, leaves)) < LARGE // 10:
        for rows in _candidates(g, roots, leaves, "auto"):
            ways.append([contract(g, row, speed) for row in rows])
    return _vector(g, min(ways, key=lambda way: count_operations(g, roots + way)))


# Hooks of the scalar layer: derivatives of functions at nodes that may be any expressions.


def differentiate_along(f: Callable[[Any], Any], x: Node) -> Any:
    """df/dx at a node that may be an expression; nested sequences as f returns them."""
    g = x.graph
    t = _fresh(g, x)
    y = f(t)
    flat = _flatten(y)
    slope = jacobian(flat, [t])[:, 0] if flat else []
    values = iter(substitute(list(slope), {t: x}))
    return map_nested(lambda _: next(values), y)


def jet(f: Callable[[Any], Any], q: Sequence[Any], v: Sequence[Any]) -> tuple[list[Any], list[list[Any]], list[Any]]:
    """f(q), its partial derivatives (a list per coordinate) and its second derivative along v, all as nodes."""
    g = next(x.graph for x in (*q, *v) if isinstance(x, Node))
    points = [_as_node(g, x) for x in q]
    t = [_fresh(g, x) for x in points]
    values = [_as_node(g, y) for y in f(t)]
    first = jacobian(values, t)
    roots = [y.id for y in (*values, *first.flat)]
    rates = [_as_node(g, s).id for s in v]
    leaves = [s.id for s in t]
    speed = [contract(g, {j: y.id for j, y in enumerate(row)}, rates) for row in first]
    direct = _along(g, [y.id for y in values], leaves, rates)
    ways = [_along(g, way, leaves, rates) for way in (speed, direct)]
    second = _vector(g, min(ways, key=lambda way: count_operations(g, roots + way)))
    back = substitute([*values, *first.T.flat, *second], dict(zip(t, points, strict=True)))
    m, n = len(values), len(t)
    return back[:m], [back[m + j * m : m + (j + 1) * m] for j in range(n)], back[m + n * m :]


def _fresh(g: Graph, x: Node) -> Node:
    """A new variable that stands for x while a function of it is differentiated."""
    if g.op[x.id] == Op.VAR:
        return g.variable(f"at {len(g.variables)}", domain=g.variables[g.a[x.id]].domain)
    return g.variable(f"at {len(g.variables)}")


# The choice between the methods.


def _rows(g: Graph, roots: list[int], leaves: list[int], method: str) -> Rows:
    return _cheapest(g, roots, list(_candidates(g, roots, leaves, method)))


def _cheapest(g: Graph, values: list[int], candidates: list[Rows]) -> Rows:
    """The rows that need the fewest operations together with the values; the first of equals."""
    if len(candidates) == 1:
        return candidates[0]
    return min(candidates, key=lambda rows: count_operations(g, values + [i for row in rows for i in row.values()]))


def _candidates(g: Graph, roots: list[int], leaves: list[int], method: str) -> Iterable[Rows]:
    """The Jacobian by the named method, or by each that is worth trying."""
    if method == "auto":
        for name in _worth_trying(g, roots, leaves):
            yield jacobian_rows(g, roots, leaves, name)
    elif method in METHODS:
        yield jacobian_rows(g, roots, leaves, method)
    else:
        known = ", ".join(("auto", *METHODS))
        raise InputError(f"jacobian: method {method!r} is unknown; expected one of {known}")


def _worth_trying(g: Graph, roots: list[int], leaves: list[int]) -> list[str]:
    """Names of methods by increasing bound on their multiplications; one alone if the graph is large."""
    d = derivative_graph(g, roots, leaves)
    above = root_masks(d)
    cost = {"forward": 0, "reverse": 0}
    for i, edges in d.edges.items():
        cost["forward"] += len(edges) * d.reach[i].bit_count()
        cost["reverse"] += len(edges) * above[i].bit_count()
    names = sorted(cost, key=lambda name: cost[name])
    if d.size > LARGE:
        return names[:1]
    if cost[names[1]] > 6 * cost[names[0]]:
        names.pop()
    return ["dstar", *names]


def jacobian_rows(g: Graph, roots: list[int], leaves: list[int], method: str) -> Rows:
    """Sparse rows of the Jacobian by one method.

    Forward mode selects tangents, so a branch that is not taken cannot spoil the result. The other two multiply
    along paths; they are cut at hazardous branches, which become leaves, and whose sides become roots.
    """
    cuts = [] if method == "forward" else hazardous_branches(g, roots, leaves)
    sides = [side for i in cuts for side in (branch(g, i) or ())]
    targets = [side for k, side in enumerate(sides) if k % 3]
    rows = METHODS[method](derivative_graph(g, roots + targets, leaves + cuts))
    n, m, zero = len(leaves), len(roots), g.constant_id(0.0)
    at_cut: Rows = []  # derivatives of the cut branches by the leaves

    def whole(row: dict[int, int]) -> dict[int, int]:
        total = {j: value for j, value in row.items() if j < n}
        for k, value in row.items():
            for j, below in at_cut[k - n].items() if k >= n else ():
                term = g.node(Op.MUL, value, below)
                total[j] = g.node(Op.ADD, total[j], term) if j in total else term
        return total

    for k in range(len(cuts)):
        yes, no = (whole(rows[m + 2 * k + side]) for side in (0, 1))
        chosen = {j: g.node(Op.SELECT, sides[3 * k], yes.get(j, zero), no.get(j, zero)) for j in {**yes, **no}}
        at_cut.append(chosen)
    return [whole(row) for row in rows[:m]] if cuts else rows


def _along(g: Graph, roots: list[int], leaves: list[int], rates: list[int]) -> list[int]:
    rate = tangents(derivative_graph(g, roots, leaves), dict(zip(leaves, rates, strict=True)))
    zero = g.constant_id(0.0)
    return [rate.get(root, zero) for root in roots]


# From what users pass to node ids and back.


def _flatten(tree: Any) -> list[Any]:
    """The scalars of nested sequences and arrays, in order."""
    flat: list[Any] = []
    map_nested(flat.append, tree)
    return flat


def _as_node(g: Graph, x: Any) -> Node:
    if isinstance(x, Node):
        if x.graph is not g:
            raise ExpressionError("derivative: expressions of two graphs were given; build them all in one graph")
        return x
    try:
        return g.constant(float(x))
    except (TypeError, ValueError):
        raise InputError(f"derivative: an expression or a real number is expected, {x!r} was given") from None


def _problem(outputs: Any, x: Any) -> tuple[Graph, list[int], list[int]]:
    """The graph, the ids of the outputs and the ids of the variables."""
    flat, wanted = _flatten(outputs), _flatten(x)
    g = next((node.graph for node in (*wanted, *flat) if isinstance(node, Node)), None) or Graph()
    leaves = []
    for k, item in enumerate(wanted):
        if not isinstance(item, Node) or g.op[_as_node(g, item).id] != Op.VAR:
            raise InputError(f"derivative: x[{k}] is {item!r}, a variable is expected; differentiate by variables only")
        leaves.append(item.id)
    if len(set(leaves)) < len(leaves):
        raise InputError("derivative: a variable occurs twice in x; give each once")
    return g, [_as_node(g, y).id for y in flat], leaves


def _factors(g: Graph, given: Any, expected: int, where: str, what: str) -> list[int]:
    flat = _flatten(given)
    if len(flat) != expected:
        raise InputError(f"{where}: {len(flat)} {what} were given, {expected} are expected, one for each")
    return [_as_node(g, item).id for item in flat]


def _vector(g: Graph, ids: Sequence[int]) -> Array:
    result = np.empty(len(ids), dtype=object)
    for k, i in enumerate(ids):
        result[k] = Node(g, i)
    return result


def _matrix(g: Graph, rows: Rows, n: int) -> Array:
    result = np.full((len(rows), n), g.constant(0.0), dtype=object)
    for i, row in enumerate(rows):
        for j, value in row.items():
            result[i, j] = Node(g, value)
    return result
