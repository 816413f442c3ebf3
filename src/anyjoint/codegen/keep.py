"""Expressions in two parts: what is known early and kept, and what is computed later from that.

An adjoint goes back with numbers that the way forwards has kept. A program that is repeated with some of its rows
changed keeps what does not depend on them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from anyjoint.codegen.kernel import Array, Kernel, Run, Schedule, Store, without_idle
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.ops import CONDITIONS, Op
from anyjoint.symbolic.rewrite import reachable, rebuilt

_CHEAP = frozenset((Op.ADD, Op.SUB, Op.MUL, Op.NEG))
EARLY = "early"  # the row of what is known early


def in_two(schedule: Schedule, later: Collection[str]) -> tuple[Schedule, Schedule, int] | None:
    """A straight program as two: what does not depend on some rows goes to a row of so many numbers, and the rest.

    None if it is no straight program, or all depends on them.
    """
    if len(schedule.runs) != 1 or schedule.runs[0].times != 1 or schedule.work:
        return None
    run = schedule.runs[0]
    kernel, n = schedule.kernels[run.kernel], len(run.arrays)
    moving = {j for j, array in enumerate(run.arrays) if schedule.arrays[array].name in later}
    seeds = {i: place for i, place in kernel.loads.items() if place[0] in moving}
    standing = {i: place for i, place in kernel.loads.items() if place[0] not in moving}
    results = [store.node.id for store in kernel.stores]
    kept = kept_values(kernel.graph, results, seeds, standing)
    if not kept:
        return None
    arrays = (*kernel.arrays, Array(EARLY, "row"))
    stores = tuple(Store(Node(kernel.graph, node), n, slot) for node, slot in kept.items())
    graph, loads, nodes = cut_at(kernel.graph, results, seeds | standing | {node: (n, k) for node, k in kept.items()})
    rest = tuple(replace(store, node=x) for x, store in zip(nodes, kernel.stores, strict=True))
    columns = [*zip(run.arrays, ((int(at),) for at in run.offsets[0]), strict=True), (len(schedule.arrays), (0,))]
    made = []
    for part in (Kernel(kernel.graph, arrays, standing, stores), Kernel(graph, arrays, loads, rest)):
        small, used = without_idle(part)
        runs = (Run.over(0, *(columns[j] for j in used)),)
        made.append(Schedule((*schedule.arrays, Array(EARLY, "row")), (small,), runs))
    return made[0], made[1], len(kept)


def kept_values(
    graph: Graph, results: Sequence[int], seeds: Collection[int], standing: Collection[int]
) -> dict[int, int]:
    """Values that must be kept for what depends on seeds, with their slots; those that stand are read again."""
    order = reachable(graph, results)
    later: set[int] = set()  # nodes that depend on seeds
    wanted = set(results)
    for i in order:
        operands = graph.operands(i)
        if i in seeds or any(x in later for x in operands):
            later.add(i)
            wanted.update(operands)
    for i in reversed(order):
        if graph.op[i] in CONDITIONS and i in wanted and i not in later:  # no place in an array: computed again
            wanted.remove(i)
            wanted.update(graph.operands(i))
    there = {i for i in order if graph.op[i] == Op.CONST} | set(standing)
    kept: dict[int, int] = {}
    for i in sorted(wanted - later - there):
        while graph.op[i] == Op.NEG:
            i = graph.a[i]
        if i in there or i in kept:
            continue
        if graph.op[i] in _CHEAP and all(x in there or x in kept for x in graph.operands(i)):
            continue
        kept[i] = len(kept)
    return kept


def cut_at(
    graph: Graph, results: Sequence[int], places: dict[int, tuple[int, int]]
) -> tuple[Graph, dict[int, tuple[int, int]], list[Node]]:
    """The results in a graph of their own, in which the nodes with a place are loaded from there."""
    target, loads = Graph(), {}
    mapping: dict[int, int] = {}
    for i in reachable(graph, results, places):
        if i in places:
            mapping[i] = target.variable("x").id
            loads[mapping[i]] = places[i]
        else:
            mapping[i] = rebuilt(graph, target, i, mapping)
    return target, loads, [Node(target, mapping[i]) for i in results]
