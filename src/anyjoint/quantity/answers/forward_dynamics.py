"""Accelerations for given forces, by the formulation with the fewest operations or by a named one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.carried import CARRIED
from anyjoint.dynamics.mass_matrix import solve_from_leaves
from anyjoint.dynamics.newton_euler import BIAS, INERTIAL_BIAS
from anyjoint.mechanism.checks import check_regular
from anyjoint.scalar import Scalar
from anyjoint.spatial import vector
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Trace, Workshop

from ..constraints import ACCELERATIONS
from ..divides import BY_FORCES
from ..quantity import TAU, A, Q, Quantity, T, V, fewer, with_time
from .mass_matrix import traced_mass

if TYPE_CHECKING:
    from ..accelerations import Equation

INPUTS = ("q", "v", "tau")
SMALL = 18  # velocities up to which the dense formulation is traced too, to see which has fewer operations
COUPLED = "composite-rigid-body"  # the formulation that joints which follow others are projected with


def composite(tree: Straight) -> list[Scalar]:
    """M by composite rigid bodies, then Newton-Euler bias, then M^-1 (tau - bias) [PAK eq. 7; SG eq. 16, 17, 54]."""
    tree.run(INERTIAL_BIAS)
    right = [t - g for t, g in zip(tree.values("tau"), tree.values("generalized"), strict=True)]
    return list(solve_from_leaves(traced_mass(tree), vector(*right)))


def projection(tree: Straight) -> list[Scalar]:
    """Where joints follow others: accelerations from the projected mass matrix and bias."""
    tree.run(BIAS)
    bias = tree.project(tree.values("generalized"))
    right = vector(*(t - b for t, b in zip(tree.rows["tau"], bias, strict=True)))
    return list(solve_from_leaves(traced_mass(tree), right))


def projected(workshop: Workshop, _: str) -> Trace:
    """By that projection."""
    return workshop.straight(COUPLED, INPUTS, projection, over="regrouped")


def carried(workshop: Workshop, _: str) -> Trace:
    """By unknowns that constraints, or joints that follow others, share: in linear time."""
    return workshop.constrained(CARRIED.name, with_time(workshop, INPUTS), ACCELERATIONS)


def trace(workshop: Workshop, formulation: str) -> Trace:
    """By the named formulation, or by the one with the fewest operations."""
    mechanism = workshop.mechanism
    check_regular(mechanism)
    if mechanism.constraints:
        return carried(workshop, formulation)
    if formulation != "auto":
        from ..formulations import traced  # only where one is asked for

        return traced(workshop, formulation)
    if workshop.expansion:
        sweeps = carried(workshop, formulation)
        return sweeps if len(mechanism.bodies) > SMALL else fewer(sweeps, projected(workshop, formulation))
    sweeps = workshop.sweeps(ARTICULATED_BODY)
    if mechanism.nv > SMALL or workshop.form == "kernels":
        return sweeps
    return fewer(sweeps, workshop.straight(COUPLED, INPUTS, composite, over="regrouped"))


def equation(workshop: Workshop, accelerations: Trace, rates: bool, by_numbers: bool) -> Equation | None:
    """What derivatives of accelerations go by."""
    from ..accelerations import equation  # imported when something is differentiated

    return equation(workshop, accelerations, rates, by_numbers)


FORWARD_DYNAMICS = Quantity(
    "forward_dynamics",
    "Accelerations of the state (q, v) under the generalized forces tau.",
    (Q, V, TAU, T),
    (A,),
    trace,
    optional=("tau", "t"),
    divides=BY_FORCES,
    equation=equation,
)
