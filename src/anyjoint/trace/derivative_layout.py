"""Derivatives of the dynamics of large mechanisms by kernels: columns by sweeps, entries by pairs of blocks, solves."""

from __future__ import annotations

from anyjoint.codegen import Schedule
from anyjoint.dynamics.algorithm import Along

from .classes import Tracer
from .layout import Layout, tree_builder
from .mass_layout import pairs_schedule
from .pair_layout import By, Entries, Pairs, Part, Target, matrix, spread
from .product_layout import add_copy, add_product
from .setup import Rows
from .solve_layout import Solve

PRODUCTS = 64  # velocities up to which products with M^-1 take less than solving

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
    for entries, width in matrices:
        pairs.add(entries, Target(at, width))
        at = at.at(tracer.plan.links[-1].v.stop * width)
    return builder.schedule(), layout.rows


def coriolis_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """C, for an algorithm with the results of dynamics/coriolis.py."""
    return pairs_schedule(tracer, CORIOLIS)


def forward_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """-M^-1 dtau/dq, -M^-1 dtau/dv and M^-1, for an algorithm with the results of FORWARD_DERIVATIVES."""
    builder = tree_builder(tracer)
    matrices = _matrices(tracer)[:2]
    spreading = spread(tracer.plan, *(entries for entries, _ in matrices))
    layout = Layout(tracer, builder, results_in_work=True, spread=spreading)
    layout.add_runs()
    plan, nv, to = tracer.plan, tracer.plan.links[-1].v.stop, builder.place("result")
    pairs = Pairs(builder, plan, layout.results)
    rights = [matrix(builder, nv, width) for _, width in matrices]
    for (entries, _), right in zip(matrices, rights, strict=True):
        pairs.add(entries, right)
    solve = Solve(builder, plan, layout.results)
    inverse = solve.inverse()
    for (entries, width), right in zip(matrices, rights, strict=True):
        if nv <= PRODUCTS:
            add_product(builder, plan, inverse, right, Target(to, width), entries.by)
        else:
            solve.add(right, Target(to, width), entries.by)
        to = to.at(nv * width)
    add_copy(builder, inverse, Target(to, nv), nv, nv)
    return builder.schedule(), layout.rows


def inverse_mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M^-1, for an algorithm with factors among its results."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    nv = tracer.plan.links[-1].v.stop
    inverse = Solve(builder, tracer.plan, layout.results).inverse()
    add_copy(builder, inverse, Target(builder.place("result"), nv), nv, nv)
    return builder.schedule(), layout.rows


def _matrices(tracer: Tracer) -> list[tuple[Entries, int]]:
    """The matrices of inverse dynamics and their widths."""
    last, along = tracer.plan.links[-1], tracer.algorithm.partials or "velocities"
    nv = last.v.stop
    return [(by_q(along), nv if along == "velocities" else last.q.stop), (BY_V, nv), (BY_A, nv)]
