"""The adjoint of a schedule: its runs, which keep what is needed later, then the same runs backwards.

A kernel y = f(x) becomes xbar += (df/dx)^T ybar; after a plain store ybar is set to zero, after one that adds it stays,
which makes places right that are used again and again. What the backward kernel needs of the forward one is read again
where it still stands, computed again where that is one operation, and otherwise kept on a tape in the work array.
It knows nothing of physics and works on any schedule, steps included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from anyjoint.codegen.activity import Entries, activity, lasting
from anyjoint.codegen.angles import Angles
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.keep import cut_at, kept_values
from anyjoint.codegen.kernel import Array, Kernel, Offsets, Place, Run, Schedule, Store, without_idle
from anyjoint.codegen.meeting import add_backwards
from anyjoint.codegen.rest import Rest
from anyjoint.codegen.shadow import Copied, Shadows, copied, one_by_one
from anyjoint.codegen.unroll import unrolled
from anyjoint.errors import ExpressionError
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.reverse import pullback


def bar_of(name: str) -> str:
    """The array that holds the adjoints of an array."""
    return f"{name}~"


Weigh = Callable[[Builder, Place], None]  # writes weights of the output to a place, once its values are known
Solve = Callable[[Shadows], None]  # writes adjoints of an equation, once those of its unknown are known


def adjoint(
    schedule: Schedule, inputs: Collection[str], output: str = "result", weigh: Weigh | None = None,
    totals: Collection[str] = (), more: Sequence[str] = (), solves: Mapping[int, Solve] | None = None,
    twice: bool = False, only: Entries | None = None,
) -> Schedule:  # fmt: skip
    """Values as before and, for weights of the output, the derivatives of the weighted sum by some inputs.

    Arrays of adjoints come behind: those of the inputs are written, those of `totals` among them added to what is
    there; that of the output is read, by `weigh` if it is given, which may use the rows `more`. An array may be input
    and output. Entries that nothing depends on are not written. `solves` are added where adjoints come back to runs,
    which are counted from the last, -1: an unknown a of r(a, x) = 0 has adjoints by then, from which those of r follow.
    `twice`: the adjoint will be differentiated again. Inputs with entries in `only` may lack derivatives by others.
    """
    schedule, loops = unrolled(one_by_one(schedule))
    angles = Angles(schedule, loops)
    schedule = angles.schedule
    if any(run.again for run in schedule.runs):
        raise ExpressionError("The adjoint of an adjoint with loops is not known; take the tangent of one of them.")
    found = activity(schedule, inputs, only)
    rows = {name: bar_of(name) for name in (*inputs, output)}
    made = Shadows(schedule, found.shadowed, rows, weigh is None, more)
    if made.is_direct:
        kernel, used = without_idle(_straight(schedule.kernels[0], found.loads[0], made))
        number = made.builder.kernel(kernel)
        made.builder.runs.append(Run(number, *made.columns(schedule.runs[0], used)))
        return made.made(angles)
    made.clear([array.name for array in schedule.arrays if array.name != output])
    still = lasting(schedule)
    kept = [_Kept(*x) for x in zip(still.loads, still.stores, angles.loads, angles.stores, strict=True)]
    parts = zip(schedule.kernels, found.loads, found.stores, kept, strict=True)
    pairs = [_pair(*part, made) for part in parts]
    forward, rest = [made.builder.kernel(pair.forward) for pair in pairs], Rest(made, found.alive, loops, twice)
    tapes = _forward_runs(schedule, made, pairs, forward, rest)
    seeds = made.shadow(output)
    if weigh and seeds:
        weigh(made.builder, seeds[0])
    else:
        made.fill(output)
    numbers: dict[int, int] = {}  # of backward kernels
    for i in reversed(range(len(schedule.runs))):
        run = schedule.runs[i]
        pair = pairs[run.kernel]
        if solves and i - len(schedule.runs) in solves:
            solves[i - len(schedule.runs)](made)
        rest.begin_adjoints(i)
        if pair.backward.stores:
            arrays, offsets = made.columns(run, pair.used, tapes[i])
            add_backwards(made, pair.backward, numbers, arrays, offsets[::-1])
        rest.end_adjoints(i)
    for name in inputs:
        made.fetch(name, add=name in totals)
    return made.made(angles)


@frozen
class _Pair:
    """A kernel that keeps what the other needs, and the other; `used` are the arguments of that."""

    forward: Kernel
    backward: Kernel
    used: list[int]
    tape: int  # numbers kept by each call


def _forward_runs(
    schedule: Schedule, made: Shadows, pairs: Sequence[_Pair], kernels: Sequence[int], rest: Rest
) -> list[Offsets]:
    """Add the runs that keep a tape; where the tape of each call begins."""
    tapes = []
    for i, run in enumerate(schedule.runs):
        rest.enter(i)
        size = pairs[run.kernel].tape
        begin = made.builder.room(size * run.times).offset
        tapes.append(np.asarray(begin + size * np.arange(run.times), dtype=np.int32))
        n = len(run.arrays)
        used = [*range(n), *([2 * n] if size else [])]
        made.builder.runs.append(Run(kernels[run.kernel], *made.columns(run, used, tapes[-1])))
        rest.leave(i)
    return tapes


# -- one kernel ---------------------------------------------------------------------------------------------------


@frozen
class _Backward:
    """Adjoints of a kernel's variables as expressions in its values and in the adjoints of what it stores."""

    copy: Copied
    seeds: dict[int, Place]  # variables that stand for adjoints of what is stored
    results: dict[tuple[int, int], int]  # what is to be added to the adjoint of a place


def _backward(kernel: Kernel, active: Collection[int], alive: Collection[int]) -> _Backward:
    copy = copied(kernel)
    graph = copy.graph
    seeds: dict[int, Place] = {}
    weights: dict[int, int] = {}
    for position in sorted(alive):
        store, node = kernel.stores[position], copy.stores[position]
        seed = graph.variable("adjoint").id
        seeds[seed] = Place(store.array, store.offset)
        weights[node] = graph.node(Op.ADD, weights[node], seed) if node in weights else seed
    leaves = [copy.variable[i] for i in sorted(active) if i in copy.variable]
    results: dict[tuple[int, int], int] = {}
    for leaf, value in pullback(graph, weights, leaves).items():
        place = copy.loads[leaf]
        results[place] = graph.node(Op.ADD, results[place], value) if place in results else value
    return _Backward(copy, seeds, results)


def _straight(kernel: Kernel, active: Collection[int], made: Shadows) -> Kernel:
    """Values and adjoints in one go, where a kernel is called once and all adjoints are rows."""
    back, n = _backward(kernel, active, range(len(kernel.stores))), len(kernel.arrays)
    graph = back.copy.graph
    loads = back.copy.loads | {i: (n + place.array, place.offset) for i, place in back.seeds.items()}
    stores = back.copy.values(kernel)
    stores += [Store(Node(graph, value), n + array, offset) for (array, offset), value in back.results.items()]
    return Kernel(graph, (*kernel.arrays, *(made.array(bar_of(a.name)) for a in kernel.arrays)), loads, tuple(stores))


@frozen
class _Kept:
    """Variables that are loaded from where they still stand, stores that do, and those of both that are angles."""

    loads: Collection[int]
    stores: Collection[int]
    angles: Mapping[int, Place]  # in whose place the sine stands, and the cosine behind it
    angles_stored: Mapping[int, Place]

    def places(self, kernel: Kernel, copy: Copied) -> dict[int, tuple[int, int]]:
        """Where values of a kernel can be read again."""
        found = {copy.variable[i]: kernel.loads[i] for i in self.loads if i in copy.variable and i not in self.angles}
        for position in self.stores:
            if position not in self.angles_stored:
                found.setdefault(copy.stores[position], kernel.stores[position].place)
        angles = {copy.variable[i]: place for i, place in self.angles.items() if i in copy.variable}
        angles |= {copy.stores[position]: place for position, place in self.angles_stored.items()}
        for angle, place in angles.items():
            found |= {copy.graph.node(Op.SIN, angle): place, copy.graph.node(Op.COS, angle): place.at(1)}
        return found


def _pair(
    kernel: Kernel, active: Collection[int], alive: Collection[int], kept: _Kept, made: Shadows
) -> _Pair:
    """The kernel with a tape, and its adjoint: arguments n + j are adjoints of arguments j, 2 n is the tape."""
    back, n = _backward(kernel, active, alive), len(kernel.arrays)
    copy, graph = back.copy, back.copy.graph
    standing = kept.places(kernel, copy)
    taped = kept_values(graph, list(back.results.values()), set(back.seeds), standing)
    values = copy.values(kernel)
    values += [Store(Node(graph, node), n, slot) for node, slot in taped.items()]
    tape = (Array("tape", "lane"),) if taped else ()
    forward = Kernel(graph, (*kernel.arrays, *tape), copy.loads, tuple(values))
    places = {i: (n + place.array, place.offset) for i, place in back.seeds.items()}
    places |= {node: (2 * n, slot) for node, slot in taped.items()} | standing
    target, loads, nodes = cut_at(graph, list(back.results.values()), places)
    stores = list(_adjoint_stores(kernel, alive, dict(zip(back.results, nodes, strict=True)), target))
    arrays = (*kernel.arrays, *(made.array(bar_of(a.name)) for a in kernel.arrays), Array("tape", "lane"))
    backward, used = without_idle(Kernel(target, arrays, loads, tuple(stores)))
    return _Pair(forward, backward, used, len(taped))


def _adjoint_stores(
    kernel: Kernel, alive: Collection[int], results: dict[tuple[int, int], Node], graph: Graph
) -> Iterator[Store]:
    """What is added to adjoints of loaded places; adjoints of places that were written anew are replaced."""
    n, zero = len(kernel.arrays), graph.constant(0.0)
    plain = {s.place for p, s in enumerate(kernel.stores) if p in alive and not s.accumulate}
    for (array, offset), node in results.items():
        yield Store(node, n + array, offset, (array, offset) not in plain)
    for array, offset in sorted(plain - set(results)):
        yield Store(zero, n + array, offset)
