"""Partial derivatives of every operation, and the derivative graph made of them.

The derivative graph has the expression's own vertices; the edge from a node to one of its operands carries the
partial derivative of the one by the other. The derivative of a root by a leaf is the sum over all paths of the
products of their edges; forward mode, reverse mode and D* are three ways to add that up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import Op

Rule = Callable[[Graph, int], int]
Edge = tuple[int, int]  # (operand, partial derivative by it), both node ids


def _constant(value: float) -> Rule:
    return lambda g, y: g.constant_id(value)


def _inverse_of_divisor(g: Graph, y: int) -> int:
    return g.node(Op.DIV, g.constant_id(1.0), g.b[y])


def _by_divisor(g: Graph, y: int) -> int:
    return g.node(Op.NEG, g.node(Op.MUL, y, _inverse_of_divisor(g, y)))


def _tangent(g: Graph, y: int) -> int:
    return g.node(Op.ADD, g.constant_id(1.0), g.node(Op.MUL, y, y))


def _arcsine(g: Graph, y: int) -> int:
    one = g.constant_id(1.0)
    x = g.a[y]
    return g.node(Op.DIV, one, g.node(Op.SQRT, g.node(Op.SUB, one, g.node(Op.MUL, x, x))))


def _over_square_radius(g: Graph, y: int, numerator: int) -> int:
    a, b = g.a[y], g.b[y]
    return g.node(Op.DIV, numerator, g.node(Op.ADD, g.node(Op.MUL, a, a), g.node(Op.MUL, b, b)))


def _by_base(g: Graph, y: int) -> int:
    a, b = g.a[y], g.b[y]
    return g.node(Op.MUL, b, g.node(Op.POW, a, g.node(Op.SUB, b, g.constant_id(1.0))))


def _sign(g: Graph, y: int) -> int:
    negative = g.node(Op.LT, g.a[y], g.constant_id(0.0))
    return g.node(Op.SELECT, negative, g.constant_id(-1.0), g.constant_id(1.0))


def branch(g: Graph, y: int) -> tuple[int, int, int] | None:
    """A select, min or max as (condition, value if true, value if false); None for any other node."""
    op, a, b = g.op[y], g.a[y], g.b[y]
    if op == Op.SELECT:
        return a, b, g.c[y]
    if op == Op.MIN:
        return g.node(Op.LT, a, b), a, b
    if op == Op.MAX:
        return g.node(Op.LT, a, b), b, a
    return None


def _taken(which: int) -> Rule:
    def rule(g: Graph, y: int) -> int:
        condition = (branch(g, y) or (y, y, y))[0]
        return g.node(Op.SELECT, condition, g.constant_id(1.0 - which), g.constant_id(float(which)))

    return rule


def _whole_times(g: Graph, y: int) -> int:
    """d rem(a, b) / db: how many times b was taken off, with a minus."""
    return g.node(Op.DIV, g.node(Op.SUB, y, g.a[y]), g.b[y])


# One rule per operand; None where the operation is piecewise constant in that operand.
PARTIALS: dict[Op, tuple[Rule | None, ...]] = {
    Op.CONST: (),
    Op.VAR: (),
    Op.ADD: (_constant(1.0), _constant(1.0)),
    Op.SUB: (_constant(1.0), _constant(-1.0)),
    Op.MUL: (lambda g, y: g.b[y], lambda g, y: g.a[y]),
    Op.DIV: (_inverse_of_divisor, _by_divisor),
    Op.NEG: (_constant(-1.0),),
    Op.SQRT: (lambda g, y: g.node(Op.DIV, g.constant_id(0.5), y),),
    Op.SIN: (lambda g, y: g.node(Op.COS, g.a[y]),),
    Op.COS: (lambda g, y: g.node(Op.NEG, g.node(Op.SIN, g.a[y])),),
    Op.TAN: (_tangent,),
    Op.ASIN: (_arcsine,),
    Op.ACOS: (lambda g, y: g.node(Op.NEG, _arcsine(g, y)),),
    Op.ATAN2: (
        lambda g, y: _over_square_radius(g, y, g.b[y]),
        lambda g, y: g.node(Op.NEG, _over_square_radius(g, y, g.a[y])),
    ),
    Op.EXP: (lambda g, y: y,),
    Op.LOG: (lambda g, y: g.node(Op.DIV, g.constant_id(1.0), g.a[y]),),
    Op.POW: (_by_base, lambda g, y: g.node(Op.MUL, y, g.node(Op.LOG, g.a[y]))),
    Op.ABS: (_sign,),
    Op.MIN: (_taken(0), _taken(1)),
    Op.MAX: (_taken(1), _taken(0)),
    Op.FLOOR: (None,),
    Op.LT: (None, None),
    Op.LE: (None, None),
    Op.EQ: (None, None),
    Op.SELECT: (None, _taken(0), _taken(1)),
    Op.GATHER: (None,),
    Op.REM: (_constant(1.0), _whole_times),
}

# Where both partials share a factor: the factor, and what is left of each. dy = factor * (left_a da + left_b db)
COMMON_FACTOR: dict[Op, tuple[Rule, Rule, Rule]] = {
    Op.DIV: (_inverse_of_divisor, _constant(1.0), lambda g, y: g.node(Op.NEG, y)),
    Op.ATAN2: (
        lambda g, y: _over_square_radius(g, y, g.constant_id(1.0)),
        lambda g, y: g.b[y],
        lambda g, y: g.node(Op.NEG, g.a[y]),
    ),
}

# Operations whose value or derivative may be infinite or undefined somewhere on finite operands.
SINGULAR = frozenset({Op.DIV, Op.SQRT, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN2, Op.EXP, Op.LOG, Op.POW, Op.REM})


@dataclass(frozen=True)
class DerivativeGraph:
    """The part of a graph through which the roots depend on the leaves.

    Vertices are node ids; `~y` is a vertex of its own between y and its operands, where their partials share a factor.
    """

    graph: Graph
    roots: list[int]
    leaves: list[int]
    order: list[int]  # active vertices, operands first, leaves left out
    edges: dict[int, list[Edge]]  # per active vertex
    reach: dict[int, int]  # per active vertex and leaf: bit set of the leaves below it
    known: dict[int, dict[int, int]] = field(default_factory=dict)  # derivatives {vertex: {leaf number: node}} for free

    @property
    def size(self) -> int:
        """The number of edges."""
        return sum(map(len, self.edges.values()))


def reachable(g: Graph, roots: Sequence[int], leaves: Sequence[int] = ()) -> list[int]:
    """Ids of all nodes below the roots in increasing order; nothing below the leaves."""
    a, b, c, op = g.a, g.b, g.c, g.op
    leaf = set(leaves)
    seen = set(roots)
    stack = list(seen)
    while stack:
        i = stack.pop()
        kind = op[i]
        if kind <= Op.VAR or i in leaf:
            continue
        operands = (a[i],) if kind == Op.GATHER else (a[i], b[i], c[i])
        for k in operands:
            if k >= 0 and k not in seen:
                seen.add(k)
                stack.append(k)
    return sorted(seen)


def count_operations(g: Graph, roots: Sequence[int]) -> int:
    """The number of operations that compute the roots, each shared one counted once."""
    op = g.op
    return sum(op[i] > Op.VAR for i in reachable(g, roots))


def reach_masks(g: Graph, nodes: Sequence[int], leaves: Sequence[int]) -> dict[int, int]:
    """Per node that depends differentiably on a leaf, the bit set of those leaves; nodes in increasing order."""
    reach = {leaf: 1 << j for j, leaf in enumerate(leaves)}
    op, arrays = g.op, (g.a, g.b, g.c)
    positions = {kind: [arrays[k] for k, rule in enumerate(rules) if rule] for kind, rules in PARTIALS.items()}
    get = reach.get
    for i in nodes:
        if i in reach:
            continue
        mask = 0
        for operand in positions[op[i]]:  # type: ignore[index]
            mask |= get(operand[i], 0)
        if mask:
            reach[i] = mask
    return reach


def derivative_graph(g: Graph, roots: Sequence[int], leaves: Sequence[int]) -> DerivativeGraph:
    """Build the edges between the roots and the leaves; zero partials give no edge."""
    nodes = reachable(g, roots, leaves)
    reach = reach_masks(g, nodes, leaves)
    stop = set(leaves)
    d = DerivativeGraph(g, list(roots), list(leaves), [], {}, reach)
    for i in nodes:
        if i in reach and i not in stop:
            _add_edges(d, i)
    return d


def _add_edges(d: DerivativeGraph, i: int) -> None:
    g, reach, zero = d.graph, d.reach, d.graph.constant_id(0.0)
    kind, arrays = Op(g.op[i]), (g.a, g.b, g.c)
    common = COMMON_FACTOR.get(kind)
    if common and g.a[i] in reach and g.b[i] in reach:
        d.order.append(~i)
        d.edges[~i] = [(g.a[i], common[1](g, i)), (g.b[i], common[2](g, i))]
        reach[~i] = reach[i]
        edges = [(~i, common[0](g, i))]
    else:
        rules = zip(PARTIALS[kind], arrays, strict=False)
        edges = [(operand[i], rule(g, i)) for rule, operand in rules if rule and operand[i] in reach]
    d.order.append(i)
    d.edges[i] = [(operand, value) for operand, value in edges if value != zero]


def hazardous_branches(g: Graph, roots: Sequence[int], leaves: Sequence[int]) -> list[int]:
    """Branches over the leaves with a singular operation below a side of theirs.

    There, 0 * infinity would make the side that is not taken poison the result, so a product of edges must not
    cross the branch; see `derivative.jacobian_rows`.
    """
    nodes = reachable(g, roots, leaves)
    reach = reach_masks(g, nodes, leaves)
    stop, op, a, b, c = set(leaves), g.op, g.a, g.b, g.c
    singular: set[int] = set()
    found = []
    for i in nodes:
        kind = Op(op[i])
        if i in stop or not PARTIALS[kind]:
            continue
        operands = [a[i]] if kind == Op.GATHER else [k for k in (a[i], b[i], c[i]) if k >= 0]
        if kind in (Op.SELECT, Op.MIN, Op.MAX) and i in reach and any(k in singular for k in operands):
            found.append(i)
        harmless = kind == Op.DIV and op[b[i]] == Op.CONST
        if (kind in SINGULAR and not harmless) or any(k in singular for k in operands):
            singular.add(i)
    return found
