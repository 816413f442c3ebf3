"""The mass matrix of large mechanisms by kernels: S and F of all links in the world, then products, block by block."""

from __future__ import annotations

from anyjoint.codegen import Schedule

from .classes import Tracer
from .layout import Layout, tree_builder
from .pair_layout import Entries, Part, Target, add_entries
from .setup import Rows

MOST = 6  # velocities of a block, unless one link has more
MASS = Entries(own=Part("D_world", 0), upper=((Part("S_world"), Part("F_world")),), symmetric=True)


def mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M by rows, for the algorithm COMPOSITE_WORLD; entries between branches are not written."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    target = Target(builder.place("result"), tracer.plan.links[-1].v.stop)
    add_entries(builder, tracer.plan, layout.results, MASS, target, MOST)
    return builder.schedule(), layout.rows
