"""The mass matrix of large mechanisms by kernels: S and F of all links in the world, then one dot product per entry."""

from __future__ import annotations

import numpy as np

from anyjoint.codegen import Array, Kernel, Run, Schedule, Store
from anyjoint.spatial import dot
from anyjoint.symbolic import Graph
from anyjoint.tree.plan import Plan

from .classes import Tracer
from .layout import Layout
from .setup import Rows


def mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M by rows, for the algorithm COMPOSITE_WORLD; entries between branches are not written."""
    layout = Layout(tracer, results_in_work=True)
    first, rows = layout.schedule()
    plan, nv = tracer.plan, tracer.plan.links[-1].v.stop
    kernels, runs = list(first.kernels), list(first.runs)
    for width, own in _diagonal(plan, layout.results).items():
        runs.append(Run(len(kernels), len(own), ((3, tuple(own[:, 0])), (1, tuple(own[:, 1])))))
        kernels.append(diagonal_kernel(width, nv))
    for key, table in _pairs(plan, layout.results).items():
        offsets = zip((3, 3, 1, 1), table.T, strict=True)
        runs.append(Run(len(kernels), len(table), tuple((array, tuple(column)) for array, column in offsets)))
        kernels.append(pair_kernel(*key, nv))
    arrays = (Array("q", "row"), Array("result", "row"), Array("numbers", "uniform"), Array("work", "lane"))
    return Schedule(arrays, tuple(kernels), tuple(runs), first.work), rows


Table = np.ndarray[tuple[int, int], np.dtype[np.int64]]


def _diagonal(plan: Plan, results: dict[str, list[int]]) -> dict[int, Table]:
    """By the number of a joint's velocities: offsets of D and of the block of M."""
    nv = plan.links[-1].v.stop
    found: dict[int, list[tuple[int, int]]] = {}
    for i, link in enumerate(plan.links):
        found.setdefault(link.joint.nv, []).append((results["D_world"][i], link.v.start * (nv + 1)))
    return {key: np.array(places, dtype=np.int64) for key, places in found.items()}


def _pairs(plan: Plan, results: dict[str, list[int]]) -> dict[tuple[int, int], Table]:
    """For each kind of pair (link, link between it and the root): offsets of F, S and of the two blocks of M."""
    nv = plan.links[-1].v.stop
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for i, link in enumerate(plan.links):
        j = link.parent
        while j >= 0:
            other = plan.links[j]
            upper, lower = link.v.start * nv + other.v.start, other.v.start * nv + link.v.start
            place = (results["F_world"][i], results["S_world"][j], upper, lower)
            found.setdefault((link.joint.nv, other.joint.nv), []).append(place)
            j = other.parent
    return {key: np.array(places, dtype=np.int64) for key, places in found.items()}


def diagonal_kernel(width: int, nv: int) -> Kernel:
    """A block on the diagonal of M, copied."""
    g = Graph()
    D = [g.variable("D") for _ in range(width * width)]
    stores = [Store(x, 1, k // width * nv + k % width) for k, x in enumerate(D)]
    arrays = (Array("D", "lane"), Array("block", "row"))
    return Kernel(g, arrays, {x.id: (0, k) for k, x in enumerate(D)}, tuple(stores))


def pair_kernel(width: int, other: int, nv: int) -> Kernel:
    """M_ij = S_j . F_i and its mirror image."""
    g = Graph()
    F = [[g.variable("F") for _ in range(width)] for _ in range(6)]
    S = [[g.variable("S") for _ in range(other)] for _ in range(6)]
    loads = {x.id: (0, k) for k, x in enumerate(x for row in F for x in row)}
    loads |= {x.id: (1, k) for k, x in enumerate(x for row in S for x in row)}
    stores = []
    for a in range(width):
        for b in range(other):
            entry = dot([S[k][b] for k in range(6)], [F[k][a] for k in range(6)])
            stores += [Store(entry, 2, a * nv + b), Store(entry, 3, b * nv + a)]
    blocks = (Array("upper", "row"), Array("lower", "row"))
    return Kernel(g, (Array("F", "lane"), Array("S", "lane"), *blocks), loads, tuple(stores))
