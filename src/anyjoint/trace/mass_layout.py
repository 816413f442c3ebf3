"""The mass matrix of large mechanisms by kernels: S and F of all links in the world, then products, block by block."""

from __future__ import annotations

from anyjoint.codegen import Schedule

from .classes import Tracer
from .layout import Layout, tree_builder
from .pair_layout import Entries, Pairs, Part, Target, spread
from .setup import Rows
from .zeros import add_zeros

S, F = Part("S_world"), Part("F_world")
MASS = Entries(own="D_world", upper=((S, F),), mirrored=True)


def mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M by rows, for the algorithm COMPOSITE_WORLD."""
    return pairs_schedule(tracer, MASS)


def pairs_schedule(tracer: Tracer, entries: Entries, width: int | None = None) -> tuple[Schedule, list[Rows]]:
    """A matrix from the results of an algorithm, square unless it has another width."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True, spread=spread(tracer.plan, entries))
    layout.add_runs()
    nv = tracer.plan.links[-1].v.stop
    target = Target(builder.place("result"), width or nv)
    Pairs(builder, tracer.plan, layout.results).add(entries, target)
    add_zeros(builder, target, nv)
    return builder.schedule(), layout.rows
