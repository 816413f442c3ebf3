"""M^-1 x by the factors of M^-1, without forming either."""

from __future__ import annotations

from anyjoint.dynamics.inverse_mass import INVERSE_MASS_TIMES
from anyjoint.dynamics.mass_matrix import solve_from_leaves
from anyjoint.mechanism.checks import check_regular
from anyjoint.spatial import vector
from anyjoint.trace.workshop import Trace, Workshop

from ..divides import BY_LOAD
from ..quantity import Q, Quantity, Row
from .mass_matrix import traced_mass


def trace(workshop: Workshop, _: str) -> Trace:
    """By two sweeps; where joints follow others, by the factors of the projected mass matrix."""
    check_regular(workshop.mechanism)
    if not workshop.expansion:
        return workshop.sweeps(INVERSE_MASS_TIMES)
    return workshop.straight(
        "inverse mass times, projected",
        INVERSE_MASS_TIMES.inputs,
        lambda tree: list(solve_from_leaves(traced_mass(tree), vector(*tree.rows["load"]))),
        over="regrouped",
        gravity=False,
    )


INVERSE_MASS_TIMES_FORCES = Quantity(
    "inverse_mass_times",
    "M^-1 x in linear time, without forming M or its inverse [SG eq. 58].",
    (Q, Row("x", "velocities", meaning="any generalized forces")),
    (Row("y", "velocities", meaning="accelerations that they alone cause"),),
    trace,
    divides=BY_LOAD,
)
