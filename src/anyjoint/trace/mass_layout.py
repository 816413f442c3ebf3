"""The mass matrix of large mechanisms by kernels: S and F of all links in the world, then one dot product per entry."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anyjoint.codegen import Array, Kernel, Schedule, Store
from anyjoint.spatial import dot
from anyjoint.symbolic import Graph
from anyjoint.tree.plan import Plan

from .classes import Tracer
from .layout import Layout, tree_builder
from .setup import Rows


def mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M by rows, for the algorithm COMPOSITE_WORLD; entries between branches are not written."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    nv, result = tracer.plan.links[-1].v.stop, builder.place("result").array
    work = builder.room(0).array
    for key, table in _pairs(tracer.plan, layout.results):
        columns = [(work, table[:, 0]), (work, table[:, 1]), (result, table[:, 2]), (result, table[:, 3])]
        builder.run(builder.kernel(pair_kernel(*key, nv)), *(columns[:3] if key[2] else columns))
    return builder.schedule(), layout.rows


def _pairs(
    plan: Plan, results: dict[str, list[int]]
) -> Iterator[tuple[tuple[int, int, bool], np.ndarray[tuple[int, int], np.dtype[np.int64]]]]:
    """For each kind of pair (link, link between it and the root): offsets of F, S and of the two blocks of M."""
    nv = plan.links[-1].v.stop
    found: dict[tuple[int, int, bool], list[tuple[int, int, int, int]]] = {}
    for i, link in enumerate(plan.links):
        j, width = i, link.joint.nv
        while j >= 0:
            other = plan.links[j]
            upper, lower = link.v.start * nv + other.v.start, other.v.start * nv + link.v.start
            place = (results["F_world"][i], results["S_world"][j], upper, lower)
            found.setdefault((width, other.joint.nv, i == j), []).append(place)
            j = other.parent
    for key, places in found.items():
        yield key, np.array(places, dtype=np.int64)


def pair_kernel(width: int, other: int, same: bool, nv: int) -> Kernel:
    """M_ij = S_j . F_i and its mirror image; the diagonal block once."""
    g = Graph()
    F = [[g.variable("F") for _ in range(width)] for _ in range(6)]
    S = [[g.variable("S") for _ in range(other)] for _ in range(6)]
    loads = {x.id: (0, k) for k, x in enumerate(x for row in F for x in row)}
    loads |= {x.id: (1, k) for k, x in enumerate(x for row in S for x in row)}
    stores = []
    for a in range(width):
        for b in range(other):
            row, column = (min(a, b), max(a, b)) if same else (b, a)  # symmetric to the bit
            entry = dot([S[k][row] for k in range(6)], [F[k][column] for k in range(6)])
            stores.append(Store(entry, 2, a * nv + b))
            if not same:
                stores.append(Store(entry, 3, b * nv + a))
    blocks = (Array("upper", "row"),) if same else (Array("upper", "row"), Array("lower", "row"))
    return Kernel(g, (Array("F", "lane"), Array("S", "lane"), *blocks), loads, tuple(stores))
