"""The derivative graph, made of the partial derivatives of operations.

The derivative graph has the expression's own vertices; the edge from a node to one of its operands carries the
partial derivative of the one by the other. The derivative of a root by a leaf is the sum over all paths of the
products of their edges; forward mode, reverse mode and D* are three ways to add that up.
"""

from collections.abc import Sequence
from dataclasses import field

from anyjoint.frozen import frozen
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.ops import ARITY, OPERATIONS, Op
from anyjoint.symbolic.rewrite import reachable

Edge = tuple[int, int]  # (operand, partial derivative by it), both node ids


@frozen
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


def count_operations(g: Graph, roots: Sequence[int]) -> int:
    """The number of operations that compute the roots, each shared one counted once."""
    op = g.op
    return sum([ARITY[op[i]] > 0 for i in reachable(g, roots)])


def reach_masks(g: Graph, nodes: Sequence[int], leaves: Sequence[int]) -> dict[int, int]:
    """Per node that depends differentiably on a leaf, the bit set of those leaves; nodes in increasing order."""
    reach = {leaf: 1 << j for j, leaf in enumerate(leaves)}
    op, arrays = g.op, (g.a, g.b, g.c)
    positions = {kind: [arrays[k] for k, rule in enumerate(of.partials) if rule] for kind, of in OPERATIONS.items()}
    get = reach.get
    for i in nodes:
        if i in reach:
            continue
        mask = 0
        for operand in positions[op[i]]:
            mask |= get(operand[i], 0)
        if mask:
            reach[i] = mask
    return reach


def derivative_graph(g: Graph, roots: Sequence[int], leaves: Sequence[int]) -> DerivativeGraph:
    """Build the edges between the roots and the leaves; zero partials give no edge."""
    stop = set(leaves)
    nodes = reachable(g, roots, stop)
    reach = reach_masks(g, nodes, leaves)
    d = DerivativeGraph(g, list(roots), list(leaves), [], {}, reach)
    for i in nodes:
        if i in reach and i not in stop:
            _add_edges(d, i)
    return d


def _add_edges(d: DerivativeGraph, i: int) -> None:
    g, reach, zero = d.graph, d.reach, d.graph.constant_id(0.0)
    kind, arrays = Op(g.op[i]), (g.a, g.b, g.c)
    common = OPERATIONS[kind].common
    if common and g.a[i] in reach and g.b[i] in reach:
        d.order.append(~i)
        d.edges[~i] = [(g.a[i], common[1](g, i)), (g.b[i], common[2](g, i))]
        reach[~i] = reach[i]
        edges = [(~i, common[0](g, i))]
    else:
        rules = zip(OPERATIONS[kind].partials, arrays, strict=False)
        edges = [(operand[i], rule(g, i)) for rule, operand in rules if rule and operand[i] in reach]
    d.order.append(i)
    d.edges[i] = [(operand, value) for operand, value in edges if value != zero]


def hazardous_branches(g: Graph, roots: Sequence[int], leaves: Sequence[int]) -> list[int]:
    """Branches over the leaves with a singular operation below a side of theirs.

    There, 0 * infinity would make the side that is not taken poison the result, so a product of edges must not
    cross the branch; see `derivative.jacobian_rows`.
    """
    stop, op, a, b, c = set(leaves), g.op, g.a, g.b, g.c
    nodes = reachable(g, roots, stop)
    reach = reach_masks(g, nodes, leaves)
    singular: set[int] = set()
    found = []
    for i in nodes:
        kind = op[i]
        if i in stop or not OPERATIONS[kind].partials:
            continue
        above = not singular.isdisjoint((a[i], b[i], c[i])[: ARITY[kind]])
        if above and i in reach and kind in (Op.SELECT, Op.MIN, Op.MAX):
            found.append(i)
        harmless = kind == Op.DIV and op[b[i]] == Op.CONST
        if above or (OPERATIONS[kind].singular and not harmless):
            singular.add(i)
    return found
