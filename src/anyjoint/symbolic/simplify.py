"""Identity merging by random probing: expressions that are equal become one, the cheapest of them.

It finds sin^2 + cos^2 = 1, |f_u| of a torus, and the zeros of joint Jacobians without knowing any rule. It is safe:
see probing.py for branches, interval.py for signs, identity.py for what counts as equal; and the result is compared
with the original at fresh points.
"""

import warnings
from collections import Counter
from typing import Any

import numpy as np

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.equality import Equalities
from anyjoint.symbolic.evaluation import evaluate_exactly
from anyjoint.symbolic.extraction import COST, Extraction
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.node import Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.rewrite import common_graph, flatten, reachable, rebuilt

_ROUNDS = 6  # a merge may prove a sign that allows another one


def merge_identities(outputs: Any) -> Any:
    """`outputs` (nested nodes of one graph) with equal subexpressions merged; variables vary over their domains.

    Divisions by the same value share its reciprocal.

    Where an expression is not defined at some place of the domain but its simplest equal is (x / x at 0), the
    result is; never the other way round. The same input gives the same result every time.
    """
    flat, rebuild = flatten(outputs)
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes:
        return outputs
    g = common_graph(nodes)
    before = [x.id for x in nodes]
    after = iter(_verified(g, before, _merged(g, before)))
    return rebuild([Node(g, next(after)) if isinstance(x, Node) else x for x in flat])


def _merged(g: Graph, outputs: list[int]) -> list[int]:
    """Merge again and again while it pays."""
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
    return sum(COST[g.op[i]] for i in reachable(g, outputs))


_POINTS = 24
_TOLERANCE = 1e-7


def _verified(g: Graph, before: list[int], after: list[int]) -> list[int]:
    """Each new output where it agrees with the old one at random points, else the old one and a warning.

    Merging is exact, so this is an alarm for mistakes of ours, not a part of the argument.
    """
    together = [i for pair in zip(before, after, strict=True) if pair[0] != pair[1] for i in pair]
    random = np.random.default_rng(21)
    values = {
        i: random.uniform(*g.variables[g.a[i]].domain, _POINTS) for i in reachable(g, together) if g.op[i] == Op.VAR
    }
    computed = evaluate_ids(g, together, values)
    sizes = [np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in map(np.asarray, computed.values())]
    scale = max(sizes, default=0.0)
    agree = [i == j or _same(computed[i], computed[j], scale) for i, j in zip(before, after, strict=True)]
    if not all(agree):
        warnings.warn("merging of equal expressions changed a value; the unmerged ones are used", stacklevel=3)
    return [j if same else i for i, j, same in zip(before, after, agree, strict=True)]


def _same(old: Any, new: Any, scale: float) -> bool:
    """Do values agree wherever the old ones are finite, against the largest of all that they are made of?"""
    old, new = np.broadcast_arrays(np.asarray(old, dtype=float), np.asarray(new, dtype=float))
    finite = np.isfinite(old)
    return bool((np.abs(old[finite] - new[finite]) <= _TOLERANCE * scale).all())
