"""Formulations of forward dynamics by name; a model that leaves the choice to us needs none of this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.lagrangian_equations import LAGRANGIAN_EQUATIONS
from anyjoint.dynamics.modified_articulated_body import MODIFIED_ARTICULATED_BODY
from anyjoint.dynamics.recursive import RECURSIVE
from anyjoint.dynamics.recursive_mixed import RECURSIVE_MIXED
from anyjoint.dynamics.split_pivot import SPLIT_PIVOT
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from .answers.forward_dynamics import COUPLED, INPUTS, SMALL, carried, composite, projected
from .answers.mass_matrix import DENSE
from .lagrangian import lagrangian
from .quantity import sweeps

Traces = Callable[[Workshop, str], Trace]  # the second argument is the formulation's name


@frozen
class Formulation:
    """A way to forward dynamics: how it is traced for a tree, and where joints follow others, if it can be there."""

    name: str
    tree: Traces
    following: Traces | None = None
    numeric: bool = False  # whether accelerations are solved for numerically, from compiled blocks
    carries: bool = False  # with constraints: by sweeps that carry their multipliers
    solves: bool = False  # with constraints: by a system with multipliers, solved numerically


def dense(function: Callable[[Straight], list[Scalar]], most: int) -> Traces:
    """By matrices: straight up to so many velocities, larger ones by kernels."""

    def traced(workshop: Workshop, name: str) -> Trace:
        if workshop.mechanism.nv > most:
            from anyjoint.trace.cholesky_layout import solved_schedule  # only where kernels are asked for

            return workshop.layout(replace(LAGRANGIAN_EQUATIONS, name=name), solved_schedule)
        return workshop.straight(name, INPUTS, function, over="regrouped")

    return traced


def mixed(workshop: Workshop, _: str) -> Trace:
    """Sweeps, then kernels that know nothing of joints; where nothing moves, all formulations are alike."""
    if not workshop.plan().links:
        return workshop.sweeps(ARTICULATED_BODY)
    from anyjoint.trace.mixed_layout import mixed_schedule  # only where it is asked for

    return workshop.layout(RECURSIVE_MIXED, mixed_schedule)


def lagrangian_of_followers(workshop: Workshop, name: str) -> Trace:
    """The equations of the links, projected."""
    return workshop.straight(name, INPUTS, lagrangian)


BY_SWEEPS = sweeps(ARTICULATED_BODY)
FORMULATIONS = {
    formulation.name: formulation
    for formulation in (
        Formulation(RECURSIVE.name, sweeps(RECURSIVE)),
        Formulation(ARTICULATED_BODY.name, BY_SWEEPS, carried, carries=True),
        Formulation(SPLIT_PIVOT.name, sweeps(SPLIT_PIVOT)),
        Formulation(MODIFIED_ARTICULATED_BODY.name, sweeps(MODIFIED_ARTICULATED_BODY)),
        Formulation(RECURSIVE_MIXED.name, mixed),
        Formulation(COUPLED, dense(composite, DENSE), projected, solves=True),
        Formulation("lagrangian", dense(lagrangian, SMALL), lagrangian_of_followers, solves=True),
        # Their blocks are compiled; what is built on accelerations by code goes by sweeps.
        Formulation("augmented", BY_SWEEPS, numeric=True, solves=True),
        Formulation("redmax", BY_SWEEPS, numeric=True, solves=True),
    )
}
CARRYING = tuple(name for name, formulation in FORMULATIONS.items() if formulation.carries)
SOLVING = tuple(name for name, formulation in FORMULATIONS.items() if formulation.solves)
FOLLOWING = tuple(name for name, formulation in FORMULATIONS.items() if formulation.following)


def traced(workshop: Workshop, name: str) -> Trace:
    """Forward dynamics of a tree by the named formulation."""
    formulation = FORMULATIONS[name]
    trace = formulation.following if workshop.expansion else formulation.tree
    assert trace is not None  # refused when the model was compiled
    return trace(workshop, name)
