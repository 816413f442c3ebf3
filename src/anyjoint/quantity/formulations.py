"""Formulations of forward dynamics by name; a model that leaves the choice to us needs none of this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anyjoint.dynamics.algorithm import Algorithm, Over
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.lagrangian_equations import LAGRANGIAN_EQUATIONS
from anyjoint.dynamics.modified_articulated_body import MODIFIED_ARTICULATED_BODY
from anyjoint.dynamics.recursive import RECURSIVE
from anyjoint.dynamics.recursive_mixed import RECURSIVE_MIXED
from anyjoint.dynamics.split_pivot import SPLIT_PIVOT
from anyjoint.scalar import Scalar
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from .answers.forward_dynamics import COUPLED, INPUTS, SMALL, composite
from .answers.mass_matrix import DENSE
from .lagrangian import lagrangian

SWEEPS: dict[str, Algorithm] = {
    a.name: a for a in (RECURSIVE, ARTICULATED_BODY, SPLIT_PIVOT, MODIFIED_ARTICULATED_BODY)
}
# How they are traced, and up to how many velocities: larger ones go by kernels.
DENSE_FORMULATIONS: dict[str, tuple[Callable[[Straight], list[Scalar]], Over, int]] = {
    COUPLED: (composite, "regrouped", DENSE),
    "lagrangian": (lagrangian, "regrouped", SMALL),
}
MIXED = RECURSIVE_MIXED.name  # sweeps, then kernels that know nothing of joints
NUMERIC = ("augmented", "redmax")  # solved numerically, from compiled blocks
FORMULATIONS = (*SWEEPS, MIXED, *DENSE_FORMULATIONS, *NUMERIC)
CARRYING = (ARTICULATED_BODY.name,)  # with constraints: sweeps that carry their multipliers
SOLVING = (*DENSE_FORMULATIONS, *NUMERIC)  # with constraints: systems with multipliers, solved numerically
FOLLOWING = (*CARRYING, *DENSE_FORMULATIONS)  # with joints that follow others


def traced(workshop: Workshop, formulation: str) -> Trace:
    """Forward dynamics of a tree by the named formulation; where nothing moves, all are alike."""
    if formulation in DENSE_FORMULATIONS:
        function, over, most = DENSE_FORMULATIONS[formulation]
        if workshop.mechanism.nv > most:
            from anyjoint.trace.cholesky_layout import solved_schedule  # only where kernels are asked for

            return workshop.layout(replace(LAGRANGIAN_EQUATIONS, name=formulation), solved_schedule)
        return workshop.straight(formulation, INPUTS, function, over=over)
    if formulation == MIXED and workshop.plan().links:
        from anyjoint.trace.mixed_layout import mixed_schedule  # only where it is asked for

        return workshop.layout(RECURSIVE_MIXED, mixed_schedule)
    return workshop.sweeps(SWEEPS.get(formulation, ARTICULATED_BODY))
