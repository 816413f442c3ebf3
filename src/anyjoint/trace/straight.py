"""The whole tree traced into one straight-line program: best for small mechanisms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anyjoint.codegen import Schedule, rows_and_numbers
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.algorithm import Algorithm, Along, Input, run_sweeps
from anyjoint.joints import Joint
from anyjoint.joints.parameters import bind
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.columns import FEEDS
from anyjoint.tree.links import joint_numbers, upward
from anyjoint.tree.plan import GENERAL, Link, Plan
from anyjoint.tree.record import Record, ground

from .coupling import Expanded, Expansion
from .flatten import flatten
from .joints_cache import JointCache
from .numbers import Numbers
from .setup import Rows, split_parameters


def parts_of(name: str, links: Sequence[Link], sized: Sequence[Input] = ()) -> list[slice]:
    """Each link's part of a row of the state."""
    for row in sized:
        if row.name == name:
            starts = [row.count * i if row.each else 0 for i in range(len(links))]
            return [slice(start, start + row.count) for start in starts]
    if name in FEEDS:
        k = FEEDS.index(name)
        return [link.feed[k] for link in links]
    return [link.q for link in links] if name == "q" else [link.v for link in links]


class Variables:
    """Variables of a straight-line program: rows of states, and raw numbers that are not exact."""

    def __init__(self, graph: Graph, numbers: Numbers) -> None:
        self.graph, self.numbers = graph, numbers
        self.rows: dict[tuple[str, int], Node] = {}
        self.raw: dict[int, int] = {}
        self._found: dict[int, Node] = {}

    def row(self, name: str, index: int) -> Node:
        """Element `index` of the state array `name`."""
        if (name, index) not in self.rows:
            self.rows[name, index] = self.graph.variable(name)
        return self.rows[name, index]

    def number(self, index: int) -> Scalar:
        """A raw number: itself if it is exact and stays so, else a variable."""
        exact = float(self.numbers.built_in[index])
        if not math.isnan(exact):
            return exact
        if index not in self._found:
            node = self._found[index] = self.graph.variable("p")
            self.raw[node.id] = index
        return self._found[index]


@dataclass
class Straight:
    """A tree over graph nodes: the rows of the state, the links' records, the ground's.

    Where joints follow others, `expanded` knows the links' coordinates, and forces are projected on the way out.
    """

    variables: Variables
    plan: Plan
    rows: dict[str, list[Scalar]]
    records: list[Record]
    root: Record
    expanded: Expanded | None = None

    def run(self, algorithm: Algorithm) -> None:
        """Run all sweeps."""
        run_sweeps(algorithm, self.records, self.plan.parents, self.root)

    def outputs(self, algorithm: Algorithm) -> list[Scalar]:
        """Results, name by name and link by link; then totals. Nothing at all where nothing moves."""
        if not self.records:
            return []
        made: list[Scalar] = []
        for name in algorithm.results:
            entries = self.values(name)
            made += self.project(entries) if name == "generalized" else entries
        for name in algorithm.totals:
            made += sum((flatted(record, name) for record in self.records[1:]), flatted(self.records[0], name)).tolist()
        return made

    def joint(self, body: int) -> Joint:
        """The joint of a body, with the numbers of this tree: its own ones would be built in."""
        k = next(k for k, link in enumerate(self.plan.links) if link.body == body)
        link, numbers = self.plan.links[k], self.variables.numbers
        start = numbers.starts()[k]
        raw = [self.variables.number(start + i) for i in range(len(numbers.links[k]))]
        return bind(link.joint, joint_numbers(link, raw)) if link.kind == GENERAL else link.joint

    def values(self, name: str) -> list[Scalar]:
        """One value of all links."""
        return [x for record in self.records for x in flatten(getattr(record, name))[0]]

    def project(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """Forces on the mechanism's own coordinates."""
        return list(self.expanded.Phi.T @ vector(*forces)) if self.expanded else list(forces)

    @property
    def velocity_starts(self) -> list[int]:
        """Where each link's velocities begin; the last entry is their number."""
        return [*(link.v.start for link in self.plan.links), max((x.v.stop for x in self.plan.links), default=0)]


def flatted(record: Record, name: str) -> Vector:
    """A value as a vector."""
    return vector(*flatten(getattr(record, name))[0])


def trace_tree(
    plan: Plan,
    numbers: Numbers,
    joints: JointCache,
    sizes: Sequence[tuple[str, int]],
    expansion: Expansion | None = None,
    partials: Along | None = None,
    sized: Sequence[Input] = (),
    factors: bool = False,
) -> Straight:
    """A tree over the variables of state rows, given with their lengths; velocities that are no input are zero."""
    variables = Variables(Graph(), numbers)
    rows: dict[str, list[Scalar]] = {name: [variables.row(name, k) for k in range(n)] for name, n in sizes}
    nv = expansion.mechanism.nv if expansion else max((link.v.stop for link in plan.links), default=0)
    rows.setdefault("v", [0] * nv)
    given: dict[str, Sequence[Scalar] | Vector] = {name: row for name, row in rows.items() if name not in ("q", "v")}
    expanded = None
    q, v = rows["q"], rows["v"]
    if expansion:
        expanded = expansion.coordinates(q, v)
        q, v = expanded.q, expanded.v
        moving = given.keys() - {row.name for row in sized}
        given |= {name: expanded.Phi @ vector(*given[name]) for name in moving}
        if "qdd" in given:
            given["qdd"] = given["qdd"] + expanded.second
    records, root = trace_records(variables, plan, numbers, joints, q, v, partials, sized, factors, **given)
    if expanded:
        for link, record in zip(plan.links, records, strict=True):
            record.qdd_rest = expanded.second[link.v]
    if expansion and "x" in rows:
        rate = expansion.rate_times(rows["q"], rows["v"], rows["x"])
        for link, record in zip(plan.links, records, strict=True):
            record.Sdot_x = record.Sdot_x + (record.S_A + record.S_B) @ rate[link.v]
    return Straight(variables, plan, rows, records, root, expanded)


def trace_records(
    variables: Variables, plan: Plan, numbers: Numbers, joints: JointCache, q: Sequence[Scalar], v: Sequence[Scalar],
    partials: Along | None = None, sized: Sequence[Input] = (), factors: bool = False,
    **others: Sequence[Scalar] | Vector,
) -> tuple[list[Record], Record]:  # fmt: skip
    """Records of all links and of the ground over graph nodes; q, v and others are indexed like the state rows."""
    records: list[Record] = []
    starts = numbers.starts()
    parts = {name: parts_of(name, plan.links, sized) for name in others}
    up = upward([variables.number(starts[-1] + k) for k in range(3)])
    for link, values, start in zip(plan.links, numbers.links, starts, strict=False):
        raw = [variables.number(start + k) for k in range(len(values))]
        given = {name: vector(*row[parts[name][len(records)]]) for name, row in others.items()}
        records.append(joints.record(variables.graph, link, raw, q[link.q], v[link.v], up, given, partials, factors))
    return records, ground(up)


def row_schedule(variables: Variables, inputs: Sequence[str], outputs: Sequence[Scalar]) -> tuple[Schedule, list[Rows]]:
    """A schedule of one kernel call from the traced entries of the result row."""
    graph = variables.graph
    ids = [x.id if isinstance(x, Node) else graph.constant_id(x) for x in outputs]
    target, new_ids, moved, setup = split_parameters(graph, ids, variables.raw)
    builder = Builder(rows_and_numbers(*inputs, "result"))
    result, numbers = builder.place("result"), builder.place("numbers")
    loads = {k: numbers.at(k) for k in range(len(setup.outputs))}  # parameter variables come first in the new graph
    for (name, index), node in variables.rows.items():
        if node.id in moved:
            loads[moved[node.id]] = builder.place(name, index)
    builder.straight(target, loads, [(result.at(k), Node(target, i)) for k, i in enumerate(new_ids)])
    return builder.schedule(), [Rows(setup, None)]
