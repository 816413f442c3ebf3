"""Derivatives of the dynamics of large mechanisms by kernels: columns by sweeps, entries by pairs of blocks, solves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from anyjoint.codegen import Schedule
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.algorithm import Along

from .classes import Tracer
from .layout import Layout, tree_builder
from .loaded import Needed
from .mass_layout import pairs_schedule
from .pair_layout import By, Entries, Pairs, Part, Target, spread, spread_of
from .setup import Rows
from .yield_kernels import Answer, Sort
from .yield_layout import Yielding, spread_parts
from .zeros import add_zeros

J, A, B = Part("J_world"), Part("a_world"), Part("b_world", 3)
BY_A = Entries(own="D_a", upper=((J, A),), mirrored=True)
CORIOLIS = Entries(own="D_c", upper=((J, Part("F")),), lower=((A, Part("Jdot")), (B, J)))
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
    spreading = spread(tracer.plan, *(entries for entries, _ in matrices))
    layout = Layout(tracer, builder, results_in_work=True, spread=spreading)
    layout.add_runs()
    pairs = Pairs(builder, tracer.plan, layout.results)
    nv = tracer.plan.links[-1].v.stop
    for entries, width in matrices:
        pairs.add(entries, Target(at, width))
        add_zeros(builder, Target(at, width), nv)
        at = at.at(nv * width)
    return builder.schedule(), layout.rows


def coriolis_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """C, for an algorithm with the results of dynamics/coriolis.py."""
    return pairs_schedule(tracer, CORIOLIS)


def forward_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """da/dq, da/dv and M^-1, for an algorithm with the results of FORWARD_DERIVATIVES."""
    (by_coordinates, width), *_ = _matrices(tracer)
    by = by_coordinates.by
    builder = tree_builder(tracer)
    nv, to = tracer.plan.links[-1].v.stop, builder.place("result")
    sorts = [
        Sort("Aq", "Psi1", "Pq", "Yq", by, Target(to, width)),
        Sort("Av", "Phi1", "Pv", "Yv", "v", Target(to.at(nv * width), nv)),
    ]
    return _yielding(tracer, builder, Target(to.at(nv * width + nv * nv), nv), sorts, by)


def inverse_mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M^-1, for an algorithm with the results of MASS_FACTORS."""
    builder = tree_builder(tracer)
    return _yielding(tracer, builder, Target(builder.place("result"), tracer.plan.links[-1].v.stop))


def _yielding(
    tracer: Tracer, builder: Builder, inverse: Target, sorts: Sequence[Sort] = (), by: By | None = None
) -> tuple[Schedule, list[Rows]]:
    spreading = spread_of(tracer.plan, spread_parts(by))
    layout = Layout(tracer, builder, results_in_work=True, spread=spreading, needed=_needed(tracer))
    layout.add_runs()
    answer = Answer(inverse, tuple(sorts), spreading, builder.kind(inverse.at))
    Yielding(builder, tracer.plan, layout.results, answer).add()
    for matrix in (*(sort.to for sort in sorts), inverse):
        add_zeros(builder, matrix, tracer.plan.links[-1].v.stop)
    return builder.schedule(), layout.rows


def _needed(tracer: Tracer) -> Needed:
    """What kernels of yield_layout.py load: Lambda only where the tree branches, Pu beyond that."""
    links, found = tracer.plan.links, dict[tuple[int, str], Sequence[int]]()
    children = Counter(link.parent for link in links)
    beyond: list[bool] = []  # whether the tree branches before a link
    for i, (link, trace) in enumerate(zip(links, tracer.traces[-1], strict=True)):
        beyond.append(link.parent >= 0 and (children[link.parent] > 1 or beyond[link.parent]))
        for name in tracer.algorithm.results:
            wanted = {"Lambda": children[i] > 1, "Pu": beyond[i]}.get(name, True)
            found[i, name] = range(tracer.result_length(trace, name) if wanted else 0)
    return found


def _matrices(tracer: Tracer) -> list[tuple[Entries, int]]:
    """The matrices of inverse dynamics and their widths."""
    last, along = tracer.plan.links[-1], tracer.algorithm.partials or "velocities"
    nv = last.v.stop
    return [(by_q(along), nv if along == "velocities" else last.q.stop), (BY_V, nv), (BY_A, nv)]
