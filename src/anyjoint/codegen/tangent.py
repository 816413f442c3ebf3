"""The tangent of a schedule: every kernel computes values and, beside them, their rates along a direction.

It knows nothing of physics and works on any schedule, steps and adjoints included.
"""

from __future__ import annotations

from collections.abc import Collection

from anyjoint.codegen.activity import Entries, activity
from anyjoint.codegen.angles import Angles
from anyjoint.codegen.kernel import Kernel, Run, Schedule, Store, without_idle
from anyjoint.codegen.rest import Rest
from anyjoint.codegen.shadow import Shadows, copied, one_by_one
from anyjoint.codegen.unroll import unrolled
from anyjoint.symbolic import Node
from anyjoint.symbolic.forward import tangents
from anyjoint.symbolic.partials import derivative_graph
from anyjoint.symbolic.rotation import with_rotations


def rate_of(name: str) -> str:
    """The array that holds the rates of an array."""
    return f"{name}'"


def tangent(
    schedule: Schedule, inputs: Collection[str], outputs: Collection[str] = ("result",), only: Entries | None = None
) -> Schedule:
    """Values as before and, for directions of some inputs, rates of the outputs; arrays of rates come behind.

    An array may be input and output. Directions of inputs with entries in `only` must be zero at all others.
    """
    schedule, loops = unrolled(one_by_one(schedule))
    angles = Angles(schedule, loops)
    schedule = angles.schedule
    found = activity(schedule, inputs, only)
    made = Shadows(schedule, found.shadowed, {x: rate_of(x) for x in (*inputs, *outputs)})
    looping = any(run.again for run in schedule.runs) or bool(loops)  # a pass may read what only the next one writes
    lanes = [array.name for array in schedule.arrays if array.kind == "lane" and looping]
    made.clear([*lanes, *(name for name in outputs if name not in inputs)])  # and entries that no run writes
    made.clear_some(found.still)
    for name in inputs:
        made.fill(name)
    first = len(made.builder.kernels)
    used = []
    for kernel, loads, stores in zip(schedule.kernels, found.loads, found.stores, strict=True):
        small, arguments = without_idle(_tangent(kernel, loads, stores, made))
        made.builder.kernel(small)
        used.append(arguments)
    rest = Rest(made, found.alive, loops)
    for i, run in enumerate(schedule.runs):
        rest.enter(i)
        rest.begin_rates(i)
        made.builder.runs.append(Run(first + run.kernel, *made.columns(run, used[run.kernel]), run.again))
        rest.end_rates(i)
    for name in outputs:
        made.fetch(name)
    return made.made(angles)


def _tangent(kernel: Kernel, active: Collection[int], alive: Collection[int], made: Shadows) -> Kernel:
    """Values and rates; argument n + j is the shadow of argument j."""
    copy, n = copied(kernel), len(kernel.arrays)
    graph, loads, stores = copy.graph, dict(copy.loads), copy.values(kernel)
    leaves = [copy.variable[i] for i in active if i in copy.variable]
    directions = {}
    for leaf in leaves:
        array, offset = copy.loads[leaf]
        directions[leaf] = graph.variable("rate").id
        loads[directions[leaf]] = (n + array, offset)
    moving = [copy.stores[p] for p in sorted(alive)]
    d = with_rotations(derivative_graph(graph, list(dict.fromkeys(moving)), leaves))
    rates = tangents(d, directions)
    zero = graph.constant_id(0.0)
    for position in sorted(alive):
        store, rate = kernel.stores[position], rates.get(copy.stores[position], zero)
        if rate != zero or not store.accumulate:
            stores.append(Store(Node(graph, rate), n + store.array, store.offset, store.accumulate))
    arrays = (*kernel.arrays, *(made.array(rate_of(a.name)) for a in kernel.arrays))
    return Kernel(graph, arrays, loads, tuple(stores))
