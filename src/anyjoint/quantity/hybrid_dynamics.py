"""Some joints prescribed, the others free [RM alg. 6]."""

from __future__ import annotations

from dataclasses import replace

from anyjoint.dynamics.hybrid import HYBRID
from anyjoint.mechanism.checks import check_regular
from anyjoint.trace.workshop import Trace, Workshop

from .quantity import TAU, A, Q, Quantity, Row, V


def hybrid_dynamics(prescribed: frozenset[int]) -> Quantity:
    """The quantity for one choice of links whose accelerations are given."""

    def trace(workshop: Workshop, _: str) -> Trace:
        plan = workshop.plan("links")
        check_regular(workshop.mechanism, {plan.links[i].body for i in prescribed})
        links = tuple(replace(link, prescribed=i in prescribed) for i, link in enumerate(plan.links))
        return workshop.sweeps(HYBRID, replace(plan, links=links))

    return Quantity(
        f"hybrid_dynamics {sorted(prescribed)}",
        "Accelerations and forces of all joints, of which some follow given accelerations.",
        (Q, V, TAU, Row("a", "velocities", meaning="accelerations of prescribed joints; others are not read")),
        (A, TAU),
        trace,
    )
