"""Identity merging: expressions that are equal algebraically become one, the cheapest of them.

It finds sin^2 + cos^2 = 1, |f_u| of a torus, and the zeros of joint Jacobians without knowing any rule, and it is
sound: all nodes are evaluated exactly, at a random place of finite fields (field.py), with unknowns in place of what is
not algebra (evaluation.py, angle.py), signs of roots only where they are proved (radical.py, interval.py), and nothing
takes the place of something that is defined elsewhere (definedness.py, equality.py).
"""

from collections import Counter

from anyjoint.scalar.differentiate import Nested

from .graph import Graph
from .node import Node
from .ops import Op
from .rewrite import common_graph, flatten, reachable, rebuilt

_ROUNDS = 6  # a merge may prove a sign that allows another one


def merge_identities(outputs: Nested) -> Nested:
    """`outputs` (nested nodes of one graph) with equal subexpressions merged; divisions share reciprocals.

    Equal means: as functions of the variables, wherever these are within their bounds; a variable's domain has no
    part in it. Constants are the numbers that they mean (reading.py). Where an expression is undefined but its simplest
    equal is not (x / x at 0), the result is defined; never the other way round. The same input always gives the same
    result.
    """
    from .verification import verified

    flat, rebuild = flatten(outputs)
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes:
        return outputs
    g = common_graph(nodes)
    before = [x.id for x in nodes]
    after = iter(verified(g, before, merged(g, before)))
    return rebuild([Node(g, next(after)) if isinstance(x, Node) else x for x in flat])


def merged(g: Graph, outputs: list[int]) -> list[int]:
    """Merge again and again while it pays."""
    # Loaded here: a robot whose code is in the cache needs none of it.
    from .equality import Equalities
    from .evaluation import evaluate_exactly
    from .extraction import Extraction

    price = _price(g, outputs)
    for _ in range(_ROUNDS):
        equal = Equalities(evaluate_exactly(g, reachable(g, outputs)))
        if not equal.found:
            break
        candidate = Extraction(g, equal).build(outputs)
        if candidate == outputs or (new_price := _price(g, candidate)) >= price:
            break
        outputs, price = candidate, new_price
    return _with_shared_reciprocals(g, outputs)


def _with_shared_reciprocals(g: Graph, outputs: list[int]) -> list[int]:
    """a / d and b / d as a * (1 / d) and b * (1 / d): one division, which costs as much as several products."""
    order, one = reachable(g, outputs), g.constant_id(1.0)
    divisions = [i for i in order if g.op[i] == Op.DIV and g.op[g.b[i]] != Op.CONST]
    uses = Counter(g.b[i] for i in divisions if g.a[i] == one or g.op[g.a[i]] != Op.CONST)
    if not any(n > 1 for n in uses.values()):
        return outputs
    mapping: dict[int, int] = {}
    for i in order:
        if g.op[i] == Op.DIV and uses[g.b[i]] > 1 and g.op[g.a[i]] != Op.CONST:
            mapping[i] = g.node(Op.MUL, mapping[g.a[i]], g.node(Op.DIV, one, mapping[g.b[i]]))
        else:
            mapping[i] = rebuilt(g, g, i, mapping)
    return [mapping[i] for i in outputs]


def _price(g: Graph, outputs: list[int]) -> int:
    """What all operations below some outputs cost."""
    from .extraction import COST

    return sum(COST[g.op[i]] for i in reachable(g, outputs))
