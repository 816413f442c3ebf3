"""The regressor of large mechanisms by kernels: wrenches of unit inertias by a sweep, entries by pairs of blocks."""

from __future__ import annotations

from anyjoint.codegen import Schedule

from .classes import Tracer
from .layout import Layout, tree_builder
from .pair_layout import INERTIA, Entries, Pairs, Part, Target, spread
from .setup import Rows

UNITS = Entries(own="D_units", upper=((Part("J_world"), Part("units", by="inertia")),))


def regressor_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """Y by rows, for the algorithm REGRESSOR; entries of bodies that a joint does not move are not written."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True, spread=spread(tracer.plan, UNITS))
    layout.add_runs()
    target = Target(builder.place("result"), INERTIA * len(tracer.plan.links))
    Pairs(builder, tracer.plan, layout.results).add(UNITS, target)
    return builder.schedule(), layout.rows
