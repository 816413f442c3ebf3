"""Which algorithm computes which quantity; the pipeline's table."""

from __future__ import annotations

from typing import Any

from anyjoint.codegen import Schedule
from anyjoint.dynamics.algorithm import Algorithm, run_sweeps
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.constraint_wrench import CONSTRAINT_WRENCHES
from anyjoint.dynamics.kinematics import BLOCKS, MEASURE, POSES
from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE
from anyjoint.dynamics.mass_matrix import mass_matrix, solve_from_leaves
from anyjoint.dynamics.modified_articulated_body import MODIFIED_ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import BIAS, GRAVITY, INERTIAL_BIAS, MOMENTUM, NEWTON_EULER, PASSIVE
from anyjoint.dynamics.products import J_TIMES, J_TRANSPOSED_TIMES, JDOT_TIMES
from anyjoint.dynamics.recursive import RECURSIVE
from anyjoint.dynamics.recursive_mixed import SYMBOLIC_PART
from anyjoint.spatial import vector
from anyjoint.symbolic import Graph
from anyjoint.trace.joints_cache import JointCache
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.setup import Setup
from anyjoint.trace.straight import Trace, row_schedule, state_rows, trace_bodies
from anyjoint.tree.plan import Plan

from .lagrangian import trace_lagrangian

SWEEPS: dict[str, Algorithm] = {a.name: a for a in (RECURSIVE, ARTICULATED_BODY, MODIFIED_ARTICULATED_BODY)}
DENSE_FORWARD = ("composite-rigid-body", "lagrangian")  # traced with the solution of M a = tau - c
NUMERIC_FORWARD = (
    "augmented",
    "redmax",
    "recursive-mixed",
)  # solved numerically, from compiled blocks
FORWARD = (*SWEEPS, *DENSE_FORWARD, *NUMERIC_FORWARD)
KINEMATICS: dict[str, Algorithm] = {
    "body_poses": POSES,
    "measure": MEASURE,
    "blocks": BLOCKS,
    "jacobian_times": J_TIMES,
    "jacobian_rate_times": JDOT_TIMES,
    "jacobian_transposed_times": J_TRANSPOSED_TIMES,
}
FORCES: dict[str, Algorithm] = {
    "inverse_dynamics": NEWTON_EULER,
    "bias_forces": BIAS,
    "gravity_forces": GRAVITY,
    "mass_times": MOMENTUM,
    "passive_forces": PASSIVE,
    "inverse_dynamics_lagrangian": LAGRANGIAN_INVERSE,
    "constraint_wrenches": CONSTRAINT_WRENCHES,
    "recursive_mixed": SYMBOLIC_PART,
}
# Quantities that ask for single bodies; regrouped inertia would show in them.
UNGROUPED = KINEMATICS | {"constraint_wrenches": CONSTRAINT_WRENCHES}

Traced = tuple[Schedule, Setup]


def velocity_starts(plan: Plan) -> list[int]:
    """Where each link's velocities begin; the last entry is their number."""
    return [link.v.start for link in plan.links] + [plan.links[-1].v.stop if plan.links else 0]


def trace_mass_matrix(plan: Plan, numbers: Numbers, joints: JointCache) -> Traced:
    """The mass matrix as one straight-line program, by rows."""
    trace = Trace(Graph())
    bodies, root = trace_bodies(trace, plan, numbers, joints, **state_rows(trace, plan, ("q",)))
    M = mass_matrix(bodies, plan.parents, root, velocity_starts(plan))
    return row_schedule(trace, ("q",), list(M.ravel()))


def trace_composite(plan: Plan, numbers: Numbers, joints: JointCache) -> Traced:
    """Forward dynamics by composite rigid bodies: M, then Newton-Euler bias, then M^-1 (tau - bias) [PAK eq. 7]."""
    trace = Trace(Graph())
    inputs = ("q", "v", "tau")
    bodies, root = trace_bodies(trace, plan, numbers, joints, **state_rows(trace, plan, inputs))
    run_sweeps(INERTIAL_BIAS, bodies, plan.parents, root)
    M = mass_matrix(bodies, plan.parents, root, velocity_starts(plan))
    right = vector(*(t - g for body in bodies for t, g in zip(body.tau, body.generalized, strict=True)))
    return row_schedule(trace, inputs, list(solve_from_leaves(M, right)))


TRACED: dict[str, tuple[tuple[str, ...], Any]] = {
    "mass_matrix": (("q",), trace_mass_matrix),
    "composite-rigid-body": (("q", "v", "tau"), trace_composite),
    "lagrangian": (("q", "v", "tau"), trace_lagrangian),
}
