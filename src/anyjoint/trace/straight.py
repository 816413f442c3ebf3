"""The whole tree traced into one straight-line program: best for small mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyjoint.codegen import Array, Kernel, Run, Schedule, Store
from anyjoint.dynamics.algorithm import Algorithm, run_sweeps
from anyjoint.spatial import vector
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.links import give_input, give_springs, joint_numbers, link_body, upward
from anyjoint.tree.plan import Plan
from anyjoint.tree.record import Record, ground

from .flatten import flatten
from .joints_cache import JointCache
from .numbers import Numbers
from .setup import Setup, split_parameters

EXACT = (0.0, 1.0, -1.0)
PER_LINK = ("y",)  # rows with six numbers for each link


class Trace:
    """Variables of a straight-line program: rows of states, and raw numbers that are not exact."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.rows: dict[tuple[str, int], Node] = {}
        self.raw: dict[int, int] = {}

    def row(self, name: str, index: int) -> Node:
        """Element `index` of the state array `name`."""
        if (name, index) not in self.rows:
            self.rows[name, index] = self.graph.variable(name)
        return self.rows[name, index]

    def number(self, value: float, index: int) -> Any:
        """A raw number: itself if exact, else a variable."""
        if value in EXACT:
            return value
        node = self.graph.variable("p")
        self.raw[node.id] = index
        return node


def trace_bodies(
    trace: Trace, plan: Plan, numbers: Numbers, joints: JointCache, q: Any, v: Any, **others: Any
) -> tuple[list[Record], Record]:
    """Records of all links and of the ground over graph nodes; q, v and others are indexed like the state rows."""
    bodies: list[Record] = []
    starts = numbers.starts()
    for link, values, start in zip(plan.links, numbers.links, starts, strict=False):
        raw = [trace.number(x, start + k) for k, x in enumerate(values)]
        ql, vl = q[link.q], v[link.v]
        own = joint_numbers(link, raw)
        body = link_body(link.kind, raw, ql, vl, joints.motion(trace.graph, link, ql, vl, own))
        give_springs(body, link, raw, ql, vl)
        body.prescribed, body.slot = link.prescribed, link.slot
        for name, row in others.items():
            part = slice(6 * len(bodies), 6 * len(bodies) + 6) if name in PER_LINK else link.v
            give_input(body, name, vector(*row[part]))
        if "x" in others:
            body.Sdot_x = joints.jacobian_rate(trace.graph, link, ql, vl, others["x"][link.v], own)
        bodies.append(body)
    gravity = [trace.number(x, starts[-1] + k) for k, x in enumerate(numbers.gravity)]
    return bodies, ground(upward(gravity))


def state_rows(trace: Trace, plan: Plan, inputs: Sequence[str]) -> dict[str, list[Any]]:
    """Variables of all state rows; velocities that are not an input are exactly zero."""
    rows: dict[str, list[Any]] = {name: [trace.row(name, k) for k in range(n)] for name, n in input_sizes(plan, inputs)}
    rows.setdefault("v", [0] * dict(input_sizes(plan, ["v"]))["v"])
    return rows


def input_sizes(plan: Plan, inputs: Sequence[str]) -> list[tuple[str, int]]:
    """Lengths of the state rows."""
    nq = max((link.q.stop for link in plan.links), default=0)
    nv = max((link.v.stop for link in plan.links), default=0)
    special = {"q": nq} | {name: 6 * len(plan.links) for name in PER_LINK}
    return [(name, special.get(name, nv)) for name in inputs]


def straight_schedule(plan: Plan, numbers: Numbers, joints: JointCache, algorithm: Algorithm) -> tuple[Schedule, Setup]:
    """One kernel over rows: the algorithm's inputs in their order, its result, the numbers."""
    trace = Trace(Graph())
    bodies, root = trace_bodies(trace, plan, numbers, joints, **state_rows(trace, plan, algorithm.inputs))
    run_sweeps(algorithm, bodies, plan.parents, root)
    results = [x for body in bodies for name in algorithm.results for x in flatten(getattr(body, name))[0]]
    return row_schedule(trace, algorithm.inputs, results)


def row_schedule(trace: Trace, inputs: tuple[str, ...], outputs: list[Any]) -> tuple[Schedule, Setup]:
    """A schedule of one kernel call from the traced entries of the result row."""
    graph = trace.graph
    ids = [x.id if isinstance(x, Node) else graph.constant_id(x) for x in outputs]
    target, new_ids, variables, setup = split_parameters(graph, ids, trace.raw)
    arrays = (*(Array(name, "row") for name in inputs), Array("result", "row"), Array("numbers", "uniform"))
    result, uniform = len(inputs), len(inputs) + 1
    loads = {k: (uniform, k) for k in range(len(setup.outputs))}  # parameter variables come first in the new graph
    for (name, index), node in trace.rows.items():
        if node.id in variables:
            loads[variables[node.id]] = (inputs.index(name), index)
    stores = tuple(Store(Node(target, i), result, k) for k, i in enumerate(new_ids))
    kernel = Kernel(target, arrays, loads, stores)
    run = Run(0, 1, tuple((j, (0,)) for j in range(len(arrays))))
    return Schedule(arrays, (kernel,), (run,)), setup
