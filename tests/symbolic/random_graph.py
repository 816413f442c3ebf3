"""Random expressions whose operands stay well inside every operation's domain at a known point."""

import math
import random
from dataclasses import dataclass

from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.node import Node
from anyjoint.symbolic.op import clamp_index
from anyjoint.symbolic.ops import OPERATIONS, Op

TABLE = (0.5, -1.25, 2.0, 0.75)
SMOOTH = (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.DIV, Op.NEG, Op.SQRT, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS)
SMOOTH += (Op.ATAN2, Op.EXP, Op.LOG, Op.POW)
BROKEN = (Op.ABS, Op.MIN, Op.MAX, Op.FLOOR, Op.SELECT, Op.GATHER, Op.REM)


@dataclass
class RandomGraph:
    """A graph, its variables, the point where it is tame, and some of its nodes as outputs."""

    x: list[Node]
    point: list[float]
    outputs: list[Node]


def random_graph(
    seed: int, n: int = 3, m: int = 3, size: int = 25, ops: tuple[Op, ...] = SMOOTH + BROKEN
) -> RandomGraph:
    """Grow a graph operation by operation, keeping those whose value is tame."""
    rng = random.Random(seed)
    g = Graph()
    x = [g.variable(f"x{j}") for j in range(n)]
    point = [rng.uniform(-1.5, 1.5) for _ in x]
    pool = [(node, value) for node, value in zip(x, point, strict=True)]
    pool.append((g.constant(rng.uniform(0.5, 2.0)), 0.0))
    pool[-1] = (pool[-1][0], float(pool[-1][0]))
    while len(pool) < n + 1 + size:
        grown = _grow(rng, g, pool, rng.choice(ops))
        if grown and 1e-2 < abs(grown[1]) < 1e2:
            pool.append(grown)
    outputs = [rng.choice(pool[-max(2 * m, 4) :])[0] for _ in range(m)]
    return RandomGraph(x, point, outputs)


def _grow(rng: random.Random, g: Graph, pool: list[tuple[Node, float]], op: Op) -> tuple[Node, float] | None:
    # recent nodes are preferred, so that graphs are deep as well as shared
    (a, va), (b, vb), (c, vc), (d, vd) = (pool[-1 - min(int(rng.expovariate(0.2)), len(pool) - 1)] for _ in range(4))
    if op == Op.SELECT:
        if abs(va - vb) < 1e-2:
            return None
        return (a < b).select(c, d), vc if va < vb else vd
    if op == Op.GATHER:
        if abs(va - round(va)) < 1e-2:
            return None
        index = a * 1.0
        return index.gather(TABLE) + b, TABLE[clamp_index(va, len(TABLE))] + vb
    if not _inside(op, va, vb):
        return None
    if op in (Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.ATAN2, Op.POW, Op.MIN, Op.MAX, Op.REM):
        return Node(g, g.node(op, a.id, b.id)), OPERATIONS[op].value(va, vb)
    return Node(g, g.node(op, a.id)), OPERATIONS[op].value(va)


def _inside(op: Op, a: float, b: float) -> bool:
    """Is the operation defined and smooth around these operands?"""
    if op in (Op.SQRT, Op.LOG):
        return a > 0.1
    if op in (Op.ASIN, Op.ACOS):
        return abs(a) < 0.9
    if op == Op.DIV:
        return abs(b) > 0.1
    if op == Op.TAN:
        return abs(math.cos(a)) > 0.2
    if op == Op.EXP:
        return a < 3
    if op == Op.POW:
        return a > 0.1 and abs(b) < 3
    if op == Op.ATAN2:
        return abs(a) > 0.05
    if op == Op.ABS:
        return abs(a) > 1e-2
    if op in (Op.MIN, Op.MAX):
        return abs(a - b) > 1e-2
    if op == Op.FLOOR:
        return abs(a - round(a)) > 1e-2
    if op == Op.REM:
        return abs(b) > 0.1 and abs(a / b - round(a / b)) > 1e-2
    return True
