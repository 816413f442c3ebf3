"""Everything that depends on parameters alone, split off a program: computed when parameters change, not per state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.interpret import evaluate_ids
from anyjoint.symbolic.ops import ARITY, Op
from anyjoint.symbolic.rewrite import import_into, reachable

from .numbers import Numbers, NumberTable


@frozen
class Setup:
    """The set-up program: expressions in the raw parameters, one for each number that a kernel loads."""

    graph: Graph
    raw: Mapping[int, int]  # id of a parameter variable -> index of the raw number
    outputs: tuple[int, ...]

    def evaluate(self, raw: Floats) -> Floats:
        """The kernel's numbers for raw numbers (count,) or, for many bodies at once, (bodies, count)."""
        columns = np.atleast_2d(raw)
        one = len(columns) == 1  # plain numbers are ten times as fast as arrays of one
        values = {node: float(columns[0, k]) if one else columns[:, k] for node, k in self.raw.items()}
        out = np.zeros((len(columns), len(self.outputs)))
        computed = evaluate_ids(self.graph, self.outputs, values) if self.outputs else {}
        for k, i in enumerate(self.outputs):
            out[:, k] = computed[i]
        return out


@frozen
class Rows:
    """Numbers of one kernel: a row of the uniform array for each of its links; links None: all raw numbers in one."""

    setup: Setup
    links: tuple[int, ...] | None
    start: int = 0
    frames: bool = False  # whether `links` are constraints, and the numbers those of their frames

    @property
    def end(self) -> int:
        """One past the last number."""
        return self.start + len(self.setup.outputs) * (1 if self.links is None else len(self.links))

    def fill(self, numbers: Numbers | NumberTable, out: Floats) -> None:
        """Compute the rows from raw numbers, of one set of parameters or of as many as `out` has rows."""
        if self.setup.outputs:
            raw = self.raw(numbers)
            made = self.setup.evaluate(raw.reshape(-1, raw.shape[-1]))
            out[..., self.start : self.end] = made.reshape(*raw.shape[:-2], -1)

    def raw(self, numbers: Numbers | NumberTable) -> Floats:
        """Raw numbers (..., calls, count); behind those of a link stands -g."""
        if self.links is None:
            return np.asarray(numbers.flat()[..., None, :])
        if self.frames:
            return numbers.of_frames(self.links)
        table = numbers.table if isinstance(numbers, Numbers) else numbers.rows
        return np.asarray(table[..., list(self.links), :])


def split_parameters(
    graph: Graph, outputs: Sequence[int], raw: Mapping[int, int]
) -> tuple[Graph, list[int], dict[int, int], Setup]:
    """Copy a program so that every parameter-only value is one load.

    Returns the new graph, the outputs in it, {old state variable: new variable}, and the set-up program whose k-th
    output is the new graph's k-th parameter variable; those variables come first in the new graph.
    """
    order = reachable(graph, outputs)
    fixed: dict[int, bool] = {}  # known to depend on parameters and constants alone
    for i in order:
        op = graph.op[i]
        operands = (graph.a[i], graph.b[i], graph.c[i])[: ARITY[op]]
        fixed[i] = i in raw if op == Op.VAR else all(fixed[x] for x in operands)
        if op == Op.SELECT and not fixed[i]:
            fixed[graph.a[i]] = False  # a condition is no number that could be loaded; what it compares is
    wanted = _boundary(graph, order, outputs, fixed)
    target = Graph()
    mapping = {i: target.variable("p").id for i in wanted}
    variables: dict[int, int] = {}
    for i in order:
        if i in mapping or (fixed[i] and graph.op[i] != Op.CONST):
            continue
        op = graph.op[i]
        if op == Op.CONST:
            mapping[i] = target.constant_id(graph.value(i))
        elif op == Op.VAR:
            variables[i] = mapping[i] = target.variable("x").id
        elif op == Op.GATHER:
            mapping[i] = target.node(op, mapping[graph.a[i]], target.table_id(graph.tables[graph.b[i]]))
        else:
            mapping[i] = target.node(op, *(mapping[x] for x in graph.operands(i)))
    return target, [mapping[i] for i in outputs], variables, _extract(graph, wanted, raw)


def _extract(graph: Graph, wanted: Sequence[int], raw: Mapping[int, int]) -> Setup:
    """The set-up program in a graph of its own."""
    own = Graph()
    needed = [i for i in reachable(graph, wanted) if i in raw]
    inputs = {i: own.variable("p") for i in needed}
    outputs = import_into(own, [Node(graph, i) for i in wanted], {Node(graph, i): x for i, x in inputs.items()})
    return Setup(own, {inputs[i].id: raw[i] for i in needed}, tuple(x.id for x in outputs))


def _boundary(graph: Graph, order: Sequence[int], outputs: Sequence[int], fixed: Mapping[int, bool]) -> list[int]:
    """Parameter-only values that state-dependent values or the outputs need."""
    wanted: set[int] = set()
    for i in order:
        if not fixed[i]:
            wanted.update(x for x in graph.operands(i) if fixed[x] and graph.op[x] != Op.CONST)
    wanted.update(i for i in outputs if fixed[i] and graph.op[i] != Op.CONST)
    return sorted(wanted)
