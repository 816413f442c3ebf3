"""Identity merging by random probing: expressions that are equal become one, the cheapest of them.

It finds sin^2 + cos^2 = 1, |f_u| of a torus, and the zeros of joint Jacobians without knowing any rule. It is safe:
see probing.py for branches, interval.py for signs, identity.py for what counts as equal; and the result is compared
with the original at fresh points.
"""

import math
from collections import Counter
from typing import Any

import numpy as np

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.identity import Equalities
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.node import Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.probing import Points, Probe
from anyjoint.symbolic.rewrite import common_graph, flatten, reachable, rebuilt

_ROUNDS = 6  # a merge may prove a sign that allows another one

# Rough cost of an operation in units of one addition; what is not listed costs 20.
_LISTED = {Op.CONST: 0, Op.VAR: 0, Op.ADD: 1, Op.SUB: 1, Op.MUL: 1, Op.NEG: 1, Op.DIV: 6, Op.SQRT: 8, Op.SIN: 15}
_LISTED |= {Op.COS: 15, Op.ABS: 2, Op.MIN: 1, Op.MAX: 1, Op.FLOOR: 1, Op.LT: 1, Op.LE: 1, Op.EQ: 1, Op.SELECT: 1}
COST = tuple(_LISTED.get(op, 20) for op in Op)


def merge_identities(outputs: Any, *, points: int = 32, seed: int = 20) -> Any:
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
    after = iter(_verified(g, before, _merged(g, before, points, seed), seed))
    return rebuild([Node(g, next(after)) if isinstance(x, Node) else x for x in flat])


def _merged(g: Graph, outputs: list[int], points: int, seed: int) -> list[int]:
    """Merge again and again while it pays."""
    price = _price(g, outputs)
    for _ in range(_ROUNDS):
        equal = Equalities(Probe(g, reachable(g, outputs), Points(points, seed)))
        if not equal.found:
            break
        candidate = _Extraction(g, equal).build(outputs)
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


class _Extraction:
    """Picks the cheapest node of every class of equal nodes, and builds outputs from these alone.

    A node's cost is that of its tree. What is picked costs more than what it uses, so there are no cycles: a class
    only gets cheaper while rows are visited, and one that is defined everywhere uses only such classes.
    """

    def __init__(self, g: Graph, equal: Equalities) -> None:
        self.g = g
        self.equal = equal
        p = equal.probe
        self.home = [equal.of(row) for row in range(len(p.ids))]
        # Per class: an operation, the rows it uses, the sign of the class against it, and the node it came from.
        self.best: dict[int, tuple[int, tuple[int, ...], int, int]] = {}
        self._pick()

    def _pick(self) -> None:
        """Fill `best`."""
        p = self.equal.probe
        cost: dict[int, float] = {}
        total: dict[int, bool] = {}

        def offer(home: int, member: tuple[int, tuple[int, ...], int, int], defined: bool) -> None:
            parts = [self.home[x][0] for x in member[1]]
            price = COST[member[0]] + sum([cost[x] for x in parts])
            whole = defined and all(total[x] for x in parts)
            if home not in cost or (price < cost[home] if whole == total[home] else whole):
                cost[home], total[home], self.best[home] = price, whole, member

        for row, (home, sign) in enumerate(self.home):
            if row in self.equal.numbers:
                cost[row], total[row] = 0.0, True
                continue
            offer(home, (p.op[row], p.operands[row], sign, p.ids[row]), p.total[row])
        for row, (a, b, sign) in self.equal.products.items():
            home, relative = self.home[row]
            offer(home, (Op.MUL, (a, b), sign * relative, -1), True)

    def build(self, outputs: list[int]) -> list[int]:
        """The ids of the outputs, rebuilt."""
        index = self.equal.probe.index
        built: dict[int, int] = {}
        stack = [self.home[index[i]][0] for i in outputs]
        while stack:
            home = stack[-1]
            parts = () if home in self.equal.numbers else self.best[home][1]
            missing = [k for x in parts if (k := self.home[x][0]) not in built]
            if home not in built and missing:
                stack.extend(missing)
                continue
            stack.pop()
            if home not in built:
                built[home] = self._built(home, [self._signed(built, x) for x in parts])
        return [self._signed(built, index[i]) for i in outputs]

    def _built(self, home: int, operands: list[int]) -> int:
        g = self.g
        if home in self.equal.numbers:
            return g.constant_id(self.equal.numbers[home])
        op, _, sign, i = self.best[home]
        if operands:
            i = g.node(op, *operands, *([g.b[i]] if op == Op.GATHER else []))
        return i if sign > 0 else g.node(Op.NEG, i)

    def _signed(self, built: dict[int, int], row: int) -> int:
        home, sign = self.home[row]
        return built[home] if sign > 0 else self.g.node(Op.NEG, built[home])


def _price(g: Graph, outputs: list[int]) -> int:
    """What all operations below some outputs cost."""
    return sum(COST[g.op[i]] for i in reachable(g, outputs))


def _verified(g: Graph, before: list[int], after: list[int], seed: int) -> list[int]:
    """Each new output where it agrees with the old one at fresh points, else the old one."""
    together = [i for pair in zip(before, after, strict=True) if pair[0] != pair[1] for i in pair]
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
    scale = np.abs(old[finite]).max(initial=0.0)
    difference = np.abs(old[finite] - new[finite]).max(initial=math.inf if not finite.any() else 0.0)
    return bool(difference <= 1e-7 * scale + 1e-12)
