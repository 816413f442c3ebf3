"""How fast expressions are built and simplified: `python -m bench.build_speed`."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.symbolic import Graph, Node, Op
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.interpret import evaluate
from anyjoint.symbolic.rewrite import reachable
from anyjoint.symbolic.simplify import merge_identities
from bench.joint_ops import expressions
from tests.joints.zoo import KINDS


def best_of(action: Callable[[], int], repeats: int = 3) -> tuple[float, int]:
    """Shortest processor time of a few runs (one thread), and what the action counted."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        count = action()
        times.append(time.process_time() - start)
    return min(times), count


def chain(size: int) -> Node:
    """A graph of `size` nodes through the operators: sums, differences and products of nodes, some constants."""
    g = Graph()
    x = [g.variable(f"x{i}", (-1.0, 1.0)) for i in range(10)]
    a, b, k = x[0], x[1], 0
    while len(g) < size:
        a, b, k = a * x[k % 10] + b, 0.5 * b - a * x[(7 * k) % 10], k + 1
    return a


def random_graph(size: int) -> Node:
    """Nodes that use random earlier ones: the worst case for locality and for sharing."""
    random = np.random.default_rng(3)
    g = Graph()
    pool = [g.variable(f"x{i}") for i in range(10)]
    picks = random.integers(0, np.arange(10, 10 + size)[:, None], (size, 2)).tolist()
    kinds = random.integers(0, 3, size).tolist()
    for (i, j), kind in zip(picks, kinds, strict=True):
        a, b = pool[i], pool[j]
        pool.append(a + b if kind == 0 else a - b if kind == 1 else a * b)
    return pool[-1]


def torus_joint() -> list[Any]:
    """Pose and Jacobian entries of a torus that slides on a torus, nothing simplified by hand."""
    g = Graph()
    q = [g.variable(f"q{i}", (-3.0, 3.0)) for i in range(4)]
    bounds = {"R": (1.0, 2.0), "r": (0.1, 0.9)}
    sizes = [tuple(g.variable(name, ends, ends) for name, ends in bounds.items()) for _ in range(2)]
    A, B = (_frame(q[2 * k], q[2 * k + 1], *sizes[k]) for k in range(2))
    flipped = A @ np.diag([1.0, -1.0, -1.0, 1.0])
    R = B[:3, :3]
    inverse = np.vstack([np.hstack([R.T, -(R.T @ B[:3, 3])[:, None]]), [[0.0, 0.0, 0.0, 1.0]]])
    G = flipped @ inverse
    slopes = jacobian(G[:3], q).reshape(3, 4, 4)
    twists = [G[:3, :3].T @ slopes[:, :, k] for k in range(4)]
    S = [[W[2, 1], W[0, 2], W[1, 0], W[0, 3], W[1, 3], W[2, 3]] for W in twists]
    return [*G[:3].ravel(), *(x for column in S for x in column)]


def _frame(u: Any, v: Any, R: Any, r: Any) -> Any:
    """The frame of a torus: tangent, normal x tangent, normal, point."""
    point = [(R + r * np.cos(v)) * np.cos(u), (R + r * np.cos(v)) * np.sin(u), r * np.sin(v)]
    slopes = jacobian(point, [u, v])
    tangent, normal = _unit(slopes[:, 0]), _unit(np.cross(slopes[:, 0], slopes[:, 1]))
    top = np.stack([tangent, np.cross(normal, tangent), normal, np.array(point)], axis=1)
    return np.vstack([top, [[0.0, 0.0, 0.0, 1.0]]])


def _unit(x: Any) -> Any:
    return x / np.sqrt(x @ x)


def count(outputs: list[Any], *ops: Op) -> int:
    """Operations below some outputs, all or only some kinds."""
    nodes = [x for x in outputs if isinstance(x, Node)]
    kinds = [nodes[0].graph.op[i] for i in reachable(nodes[0].graph, [x.id for x in nodes])]
    return sum(op in ops if ops else op > Op.VAR for op in kinds)


def merge_joints() -> tuple[int, float]:
    """Nodes of all joint kinds together, and the shortest processor time to merge what is equal among them."""
    nodes, seconds = 0, 0.0
    for joint in KINDS.values():
        best = math.inf
        for _ in range(3):
            if outputs := expressions(joint):
                start = time.process_time()
                merge_identities(outputs)
                best = min(best, time.process_time() - start)
        if outputs:
            seconds += best
            nodes += len(reachable(outputs[0].graph, [x.id for x in outputs]))
    return nodes, seconds


def main() -> None:
    """Print the numbers."""
    for name, build in (("chain", chain), ("random", random_graph)):
        for size in (78_000, 1_000_000):
            seconds, nodes = best_of(lambda build=build, size=size: len(build(size).graph), 3 if size < 1e5 else 1)  # type: ignore[misc]
            print(f"build {name:7} {nodes:9,} nodes: {seconds:6.2f} s, {nodes / seconds:9,.0f} nodes/s")
    a = chain(1_000_000)
    start = time.process_time()
    evaluate(a, {Node(a.graph, i): 0.1 for i in range(10)})
    print(f"interpret       1,000,000 nodes: {time.process_time() - start:6.2f} s")
    outputs = torus_joint()
    before = count(outputs)
    seconds, after = best_of(lambda: count(merge_identities(outputs)))
    left = count(merge_identities(outputs), Op.DIV, Op.SQRT)
    print(f"merge torus on torus: {before} operations ({count(outputs, Op.DIV, Op.SQRT)} divisions and roots)", end="")
    print(f" -> {after} ({left}), {1e3 * seconds:.0f} ms, {1e6 * seconds / before:.0f} us per operation")
    nodes, seconds = merge_joints()
    print(f"merge all joint kinds: {nodes:,} nodes, {seconds:.2f} s, {1e6 * seconds / nodes:.0f} us per node")


if __name__ == "__main__":
    main()
