"""The regressor of large mechanisms by kernels: wrenches of unit inertias by a sweep, entries by pairs of blocks."""

from __future__ import annotations

from anyjoint.codegen import Schedule
from anyjoint.spatial.inertia import RIGID

from .classes import Tracer
from .mass_layout import pairs_schedule
from .pair_layout import Entries, Part
from .setup import Rows

UNITS = Entries(own="D_units", upper=((Part("J_world"), Part("units", by="inertia")),))


def regressor_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """Y by rows, for the algorithm REGRESSOR."""
    return pairs_schedule(tracer, UNITS, RIGID * len(tracer.plan.links))
