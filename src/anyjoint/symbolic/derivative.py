"""Derivatives of expressions: Jacobians, Hessians, products with them, rates; the cheapest way by operation count."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import ExpressionError, InputError
from anyjoint.scalar import Scalar
from anyjoint.scalar.differentiate import Jet, Nested, map_nested

from .forward import contract, forward
from .graph import Graph
from .methods import METHODS, Rows, along, candidates, cheapest, cheapest_rows
from .node import Node
from .ops import Op
from .partials import derivative_graph, reach_masks
from .reverse import pullback
from .rewrite import flatten, reachable, substitute

__all__ = [
    "METHODS", "differentiate_along", "hessian", "jacobian", "jet", "jvp", "sparsity", "time_derivative", "vjp",
]  # fmt: skip

Array = np.ndarray[Any, np.dtype[Any]]


def jacobian(outputs: Nested, x: Nested, method: str = "auto") -> Array:
    """d outputs / d x as an (m, n) array of nodes; method "auto" (fewest operations), "dstar", "forward", "reverse"."""
    g, roots, leaves = _problem(outputs, x)
    return _matrix(g, cheapest_rows(g, roots, leaves, method), len(leaves))


def sparsity(outputs: Nested, x: Nested) -> Array:
    """Which entries of the Jacobian may be nonzero, as an (m, n) array of bool, from the structure alone."""
    g, roots, leaves = _problem(outputs, x)
    reach = reach_masks(g, reachable(g, roots), leaves)
    found = [[bool(reach.get(root, 0) >> j & 1) for j in range(len(leaves))] for root in roots]
    return np.array(found, dtype=bool).reshape(len(roots), len(leaves))


def hessian(f: Nested, x: Nested, method: str = "auto") -> Array:
    """The symmetric (n, n) matrix of second derivatives of one expression; each pair is computed once."""
    g, roots, leaves = _problem(f, x)
    if len(roots) != 1:
        raise InputError(f"hessian: one expression is expected, {len(roots)} were given; call it once per expression")
    n = len(leaves)
    gradient = _matrix(g, cheapest_rows(g, roots, leaves, method), n)[0]
    first = [node.id for node in gradient]
    triangles = [
        [{j: value for j, value in row.items() if j <= i} for i, row in enumerate(rows)]
        for rows in candidates(g, first, leaves, method)
    ]
    rows = cheapest(g, roots + first, triangles)
    full: Rows = [dict(row) for row in rows]
    for i, row in enumerate(rows):
        for j, value in row.items():
            full[j][i] = value
    return _matrix(g, full, n)


def jvp(outputs: Nested, x: Nested, direction: Nested) -> Array:
    """The Jacobian times a direction, sum_j (d outputs / d x_j) * direction_j, by one forward pass; shape (m,)."""
    g, roots, leaves = _problem(outputs, x)
    rates = _factors(g, direction, len(leaves), "jvp", "direction")
    rows = forward(along(derivative_graph(g, roots, leaves), rates))
    return _column(g, rows)


def vjp(outputs: Nested, x: Nested, weights: Nested) -> Array:
    """Weights times the Jacobian, sum_i weights_i * (d outputs_i / d x), by one reverse pass; shape (n,)."""
    g, roots, leaves = _problem(outputs, x)
    seeds = _factors(g, weights, len(roots), "vjp", "weights")
    zero = g.constant_id(0.0)
    start: dict[int, int] = {}
    for root, seed in zip(roots, seeds, strict=True):
        start[root] = g.node(Op.ADD, start[root], seed) if root in start else seed
    adjoint = pullback(g, start, leaves)
    return _vector(g, [adjoint.get(leaf, zero) for leaf in leaves])


def time_derivative(outputs: Nested, x: Nested, rates: Nested) -> Array:
    """d outputs / dt when x changes at the given rates: like jvp, but the cheapest of several ways; shape (m,)."""
    g, roots, leaves = _problem(outputs, x)
    speed = _factors(g, rates, len(leaves), "time_derivative", "rates")
    return _column(g, cheapest_rows(g, roots, leaves, "auto", speed))


# Hooks of the scalar layer: derivatives of functions at nodes that may be any expressions.


def differentiate_along(f: Callable[[Scalar], Nested], x: Node) -> Nested:
    """df/dx at a node that may be an expression; nested sequences as f returns them."""
    g = x.graph
    t = _fresh(g, x)
    y = f(t)
    flat = flatten(y)[0]
    slope = list(jacobian(flat, [t])[:, 0])
    values = iter(substitute(slope, {t: x}))
    return map_nested(lambda _: next(values), y)


def jet(f: Callable[[Sequence[Scalar]], Sequence[Scalar]], q: Sequence[Scalar], v: Sequence[Scalar]) -> Jet:
    """f(q), its partial derivatives (a list per coordinate) and its second derivative along v, all as nodes."""
    g = next(x.graph for x in (*q, *v) if isinstance(x, Node))
    points = [_as_node(g, x) for x in q]
    t = [_fresh(g, x) for x in points]
    values = [_as_node(g, y) for y in f(t)]
    first = jacobian(values, t)
    roots = [y.id for y in (*values, *first.flat)]
    rates = [_as_node(g, s).id for s in v]
    leaves = [s.id for s in t]
    # the second derivative: along v of the first derivatives as they stand, or of those along v
    speeds = [contract(g, {j: y.id for j, y in enumerate(row)}, rates) for row in first]
    direct = [
        row.get(0, g.constant_id(0.0)) for row in candidates(g, roots[: len(values)], leaves, "forward", rates)[0]
    ]
    ways = [way for start in (speeds, direct) for way in candidates(g, start, leaves, "auto", rates)]
    second = _column(g, cheapest(g, roots, ways))
    back = substitute([*values, *first.T.flat, *second], dict(zip(t, points, strict=True)))
    m, n = len(values), len(t)
    return back[:m], [back[m + j * m : m + (j + 1) * m] for j in range(n)], back[m + n * m :]


def _fresh(g: Graph, x: Node) -> Node:
    """A new variable that stands for x while a function of it is differentiated."""
    if g.op[x.id] == Op.VAR:
        variable = g.variables[g.a[x.id]]
        return g.variable(f"at {len(g.variables)}", variable.domain, variable.bounds)
    return g.variable(f"at {len(g.variables)}")


# From what users pass to node ids and back.


def _as_node(g: Graph, x: Scalar) -> Node:
    if isinstance(x, Node):
        if x.graph is not g:
            raise ExpressionError("derivative: expressions of two graphs were given; build them all in one graph")
        return x
    try:
        return g.constant(float(x))
    except (TypeError, ValueError):
        raise InputError(f"derivative: an expression or a real number is expected, {x!r} was given") from None


def _problem(outputs: Nested, x: Nested) -> tuple[Graph, list[int], list[int]]:
    """The graph, the ids of the outputs and the ids of the variables."""
    flat, wanted = flatten(outputs)[0], flatten(x)[0]
    g = next((node.graph for node in (*wanted, *flat) if isinstance(node, Node)), None) or Graph()
    leaves = []
    for k, item in enumerate(wanted):
        if not isinstance(item, Node) or g.op[_as_node(g, item).id] != Op.VAR:
            raise InputError(f"derivative: x[{k}] is {item!r}, a variable is expected; differentiate by variables only")
        leaves.append(item.id)
    if len(set(leaves)) < len(leaves):
        raise InputError("derivative: a variable occurs twice in x; give each once")
    return g, [_as_node(g, y).id for y in flat], leaves


def _factors(g: Graph, given: Nested, expected: int, where: str, what: str) -> list[int]:
    flat = flatten(given)[0]
    if len(flat) != expected:
        raise InputError(f"{where}: {len(flat)} {what} were given, {expected} are expected, one for each")
    return [_as_node(g, item).id for item in flat]


def _vector(g: Graph, ids: Sequence[int]) -> Array:
    result = np.empty(len(ids), dtype=object)
    for k, i in enumerate(ids):
        result[k] = Node(g, i)
    return result


def _column(g: Graph, rows: Rows) -> Array:
    """Rows of one column as a vector."""
    zero = g.constant_id(0.0)
    return _vector(g, [row.get(0, zero) for row in rows])


def _matrix(g: Graph, rows: Rows, n: int) -> Array:
    result = np.full((len(rows), n), g.constant(0.0), dtype=object)
    for i, row in enumerate(rows):
        for j, value in row.items():
            result[i, j] = Node(g, value)
    return result
