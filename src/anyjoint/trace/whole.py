"""A trace whose set-up is part of it: its numbers are the raw ones, so that it can be differentiated by parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anyjoint.codegen import Kernel, Place, Store
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import import_into

from .numbers import Numbers
from .setup import Rows, Setup
from .workshop import Trace


def whole(trace: Trace) -> Trace:
    """The same quantity on raw numbers as `Numbers.flat` lists them; the set-up runs first, for every state."""
    schedule, numbers = trace.schedule, trace.numbers
    builder = Builder(tuple(array for array in schedule.arrays if array.kind != "lane"))
    program = Embedded(builder, schedule, ["numbers"])
    made = builder.room(trace.count)
    for rows in trace.setups:
        if rows.setup.outputs:
            _add_setup(builder, rows, numbers, made)
    program.call({array.name: builder.place(array.name) for array in builder.given} | {"numbers": made})
    return replace(trace, schedule=builder.schedule(), setups=[Rows(_identity(len(numbers.flat())), None)])


def _identity(n: int) -> Setup:
    graph = Graph()
    variables = [graph.variable("p").id for _ in range(n)]
    return Setup(graph, {i: k for k, i in enumerate(variables)}, tuple(variables))


def _add_setup(builder: Builder, rows: Rows, numbers: Numbers, made: Place) -> None:
    """Run a set-up program over its links; behind the numbers of each stands -g."""
    starts, own = _starts(rows, numbers)
    raw, gravity = builder.place("numbers"), numbers.starts()[-1]
    graph, old = Graph(), rows.setup.graph
    loads, values = {}, {}
    for i, k in rows.setup.raw.items():
        variable = graph.variable("p")
        if 0 <= k < own:
            loads[variable.id], values[Node(old, i)] = (0, k), variable
        else:  # of -g, which is counted from the end, or behind the link's own
            loads[variable.id], values[Node(old, i)] = (1, k + 3 if k < 0 else k - own), -variable
    nodes = import_into(graph, [Node(old, i) for i in rows.setup.outputs], values)
    stores = tuple(Store(node, 2, k) for k, node in enumerate(nodes))
    array = builder.arrays[raw.array]
    kernel = builder.kernel(Kernel(graph, (array, array, builder.arrays[-1]), loads, stores))
    places = made.offset + rows.start + len(stores) * np.arange(len(starts))
    builder.run(kernel, (raw.array, starts), (raw.array, [gravity] * len(starts)), (made.array, places))


def _starts(rows: Rows, numbers: Numbers) -> tuple[list[int], int]:
    """Where the numbers of each call begin among all, and how many of them come before -g."""
    begin = numbers.starts()
    if rows.links is None:
        return [0], len(numbers.flat())
    if not rows.frames:
        return [begin[i] for i in rows.links], numbers.table.shape[1] - 3
    lengths = [len(row) for row in numbers.frames]
    behind = begin[-1] + 3 + np.concatenate([[0], np.cumsum(lengths)])
    return [int(behind[k]) for k in rows.links], lengths[rows.links[0]]
