"""Identity merging by random probing: expressions that are equal become one, the cheapest of them.

It finds sin^2 + cos^2 = 1, |f_u| of a torus, and the zeros of joint Jacobians without knowing any rule. It is safe:
see probing.py for branches, interval.py for signs; equality is tested against a running bound of the rounding error,
so values that agree to nine digits are different; and the result is compared with the original at fresh points.
"""

from typing import Any

import numpy as np

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.identity import COST, Class, Classes, Member, Signed
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.node import Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.probing import Points
from anyjoint.symbolic.rewrite import common_graph, flatten, reachable

_ROUNDS = 3  # a merge may prove a sign that allows another one


def merge_identities(outputs: Any, *, points: int = 16, seed: int = 20) -> Any:
    """`outputs` (nested nodes of one graph) with equal subexpressions merged; variables vary over their domains.

    Where an expression is not defined at some place of the domain but its simplest equal is (x / x at 0), the
    result is; never the other way round. The same input gives the same result every time.
    """
    flat, rebuild = flatten(outputs)
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes:
        return outputs
    g = common_graph(nodes)
    before = [x.id for x in nodes]
    after = _verified(g, before, _merged(g, before, points, seed), seed)
    result = iter(after)
    return rebuild([Node(g, next(result)) if isinstance(x, Node) else x for x in flat])


def _merged(g: Graph, outputs: list[int], points: int, seed: int) -> list[int]:
    """Repeat while it pays."""
    price = _price(g, outputs)
    for _ in range(_ROUNDS):
        candidate, changes = _merge_once(g, outputs, points, seed)
        new_price = _price(g, candidate)
        if not changes or new_price > price or candidate == outputs:
            break
        stuck = new_price == price
        outputs, price = candidate, new_price
        if stuck:
            break
    return outputs


def _merge_once(g: Graph, outputs: list[int], points: int, seed: int) -> tuple[list[int], int]:
    order = reachable(g, outputs)
    with_roots = any(g.op[i] in (Op.SQRT, Op.ABS) for i in order)
    classes = Classes(g, Points(points, seed), with_roots)
    with np.errstate(all="ignore"):
        for i in order:
            classes.add(i)
    return _extracted(g, classes, outputs), classes.merged


def _extracted(g: Graph, classes: Classes, outputs: list[int]) -> list[int]:
    """The outputs built from the best member of every class, operands first."""
    built: dict[int, int] = {}
    stack = [_resolved(classes.classes, classes.of[i])[0] for i in outputs]
    while stack:
        k = stack[-1]
        member = classes.classes[k].best
        operands = [_resolved(classes.classes, x) for x in member.operands]
        missing = [x for x, _ in operands if x not in built]
        if k in built or not missing:
            stack.pop()
            if k not in built:
                built[k] = _build(g, member, [_signed(g, built[x], sign) for x, sign in operands])
        else:
            stack.extend(missing)
    final = (_resolved(classes.classes, classes.of[i]) for i in outputs)
    return [_signed(g, built[k], sign) for k, sign in final]


def _resolved(classes: list[Class], x: Signed) -> Signed:
    """The class that stands for a class: itself, or a cheaper one that was found to equal it later."""
    k, sign = x
    alias = classes[k].alias
    if alias is not None and classes[alias[0]].best.total and classes[alias[0]].best.cost < classes[k].best.cost:
        return alias[0], sign * alias[1]
    return x


def _build(g: Graph, member: Member, operands: list[int]) -> int:
    if member.op == Op.CONST:
        return g.constant_id(member.number)
    if member.op == Op.VAR:
        return member.leaf
    built = g.node(member.op, operands[0], member.leaf) if member.op == Op.GATHER else g.node(member.op, *operands)
    return _signed(g, built, member.sign)


def _signed(g: Graph, i: int, sign: int) -> int:
    return i if sign > 0 else g.node(Op.NEG, i)


def _price(g: Graph, outputs: list[int]) -> float:
    """What all operations below some outputs cost."""
    return sum(COST.get(Op(g.op[i]), 20) for i in reachable(g, outputs) if g.op[i] > Op.VAR)


def _verified(g: Graph, before: list[int], after: list[int], seed: int) -> list[int]:
    """Each new output where it agrees with the old one at fresh points, else the old one."""
    changed = [(i, j) for i, j in zip(before, after, strict=True) if i != j]
    if not changed:
        return after
    together = [i for pair in changed for i in pair]
    fresh = Points(24, seed + 1)
    values = {
        i: fresh.variable(g.a[i], g.variables[g.a[i]].domain) for i in reachable(g, together) if g.op[i] == Op.VAR
    }
    computed = evaluate_ids(g, together, values)
    return [j if i == j or _same(computed[i], computed[j]) else i for i, j in zip(before, after, strict=True)]


def _same(old: Any, new: Any) -> bool:
    """Do values agree wherever the old ones are finite, against the largest of them?"""
    old, new = np.broadcast_arrays(np.asarray(old, dtype=float), np.asarray(new, dtype=float))
    finite = np.isfinite(old)
    if not finite.any():
        return False
    scale = np.abs(old[finite]).max()
    return bool((np.abs(old[finite] - new[finite]) <= 1e-7 * scale + 1e-12).all())
