"""Derivatives of the dynamics of large mechanisms by kernels: columns by sweeps, entries by pairs of blocks, solves."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen import Array, Kernel, Schedule, Store
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.algorithm import Along
from anyjoint.symbolic import Graph

from .classes import Tracer
from .layout import Layout, tree_builder
from .pair_layout import By, Entries, Pairs, Part, Target, spread
from .setup import Rows
from .solve_layout import Solve

FILL = 64  # entries that one call clears

J, A, B = Part("J_world"), Part("a_world"), Part("b_world", 3)
BY_A = Entries(own="D_a", upper=((J, A),), lower=((A, J),))
BY_V = Entries(own="D_v", upper=((J, Part("Fv")),), lower=((A, Part("Phi")), (B, J)))


def by_q(along: Along) -> Entries:
    """Entries of dtau/dq, with columns for velocities or coordinates."""
    by: By = "v" if along == "velocities" else "q"
    lower = ((A, Part("Psi2", by=by)), (B, Part("Psi1", 3, by)))
    return Entries(own="D_q", upper=((J, Part("Fq", by=by)),), lower=lower)


def inverse_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """dtau/dq, dtau/dv and M, for an algorithm with the results of INVERSE_DERIVATIVES."""
    builder = tree_builder(tracer)
    matrices, at = _matrices(tracer), builder.place("result")
    kept = spread(tracer.plan, *(entries for entries, _ in matrices))
    layout = Layout(tracer, builder, results_in_work=True, spread=kept)
    layout.add_runs()
    pairs = Pairs(builder, tracer.plan, layout.results)
    for entries, width in matrices:
        pairs.add(entries, Target(at, width))
        at = at.at(tracer.plan.links[-1].v.stop * width)
    return builder.schedule(), layout.rows


def forward_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """-M^-1 dtau/dq, -M^-1 dtau/dv and M^-1, for an algorithm with the results of FORWARD_DERIVATIVES."""
    builder = tree_builder(tracer)
    matrices = _matrices(tracer)[:2]
    kept = spread(tracer.plan, *(entries for entries, _ in matrices))
    layout = Layout(tracer, builder, results_in_work=True, spread=kept)
    layout.add_runs()
    plan, nv, to = tracer.plan, tracer.plan.links[-1].v.stop, builder.place("result")
    pairs = Pairs(builder, plan, layout.results)
    solve = Solve(builder, plan, layout.results)
    branched = len({link.parent for link in plan.links}) < len(plan.links)
    for entries, width in matrices:
        right = Target(builder.room(nv * width), width)
        if branched:
            fill(builder, right, range(nv * width), 0.0)
        pairs.add(entries, right)
        solve.add(right, Target(to, width), width)
        to = to.at(nv * width)
    add_inverse(builder, solve, nv, Target(to, nv))
    return builder.schedule(), layout.rows


def inverse_mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M^-1, for an algorithm with factors among its results."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    nv = tracer.plan.links[-1].v.stop
    add_inverse(builder, Solve(builder, tracer.plan, layout.results), nv, Target(builder.place("result"), nv))
    return builder.schedule(), layout.rows


def add_inverse(builder: Builder, solve: Solve, nv: int, to: Target) -> None:
    """M^-1 from minus the identity."""
    right = Target(builder.room(nv * nv), nv)
    fill(builder, right, range(nv * nv), 0.0)
    fill(builder, right, range(0, nv * nv, nv + 1), -1.0)
    solve.add(right, to, nv)


def fill(builder: Builder, to: Target, places: Sequence[int], value: float) -> None:
    """Set entries of a matrix in the work array: those that follow each other many at a time."""
    step = places[1] - places[0] if len(places) > 1 else 1
    for size, begin, count in _batches(len(places), FILL if step == 1 else 1):
        offsets = [to.at.offset + places[begin + k * size] for k in range(count)]
        number = builder.kernel(_constant(size, value))
        builder.run(number, (to.at.array, offsets))


def _batches(total: int, size: int) -> list[tuple[int, int, int]]:
    """(size, first, count) of whole batches, and of what is left."""
    whole, rest = divmod(total, size)
    return [x for x in ((size, 0, whole), (rest, whole * size, 1)) if x[0] and x[2]]


def _constant(size: int, value: float) -> Kernel:
    g = Graph()
    stores = tuple(Store(g.constant(value), 0, k) for k in range(size))
    return Kernel(g, (Array("entries", "lane"),), {}, stores)


def _matrices(tracer: Tracer) -> list[tuple[Entries, int]]:
    """The matrices of inverse dynamics and their widths."""
    last, along = tracer.plan.links[-1], tracer.algorithm.partials or "velocities"
    nv = last.v.stop
    return [(by_q(along), nv if along == "velocities" else last.q.stop), (BY_V, nv), (BY_A, nv)]
