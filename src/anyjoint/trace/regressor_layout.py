"""The regressor of large mechanisms by kernels: wrenches of unit inertias by a sweep, entries by pairs of blocks."""

from __future__ import annotations

from anyjoint.codegen import Schedule

from .classes import Tracer
from .layout import Layout, tree_builder
from .pair_layout import INERTIA, Entries, Part, Target, add_entries
from .setup import Rows

MOST = 2  # velocities of a block, unless one link has more
UNITS = Entries(own=Part("D_units", 0, "inertia"), upper=((Part("J_world"), Part("units", by="inertia")),))


def regressor_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """Y by rows, for the algorithm REGRESSOR; entries of bodies that a joint does not move are not written."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    target = Target(builder.place("result"), INERTIA * len(tracer.plan.links))
    add_entries(builder, tracer.plan, layout.results, UNITS, target, MOST)
    return builder.schedule(), layout.rows
