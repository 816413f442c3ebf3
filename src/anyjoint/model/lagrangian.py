"""Forward dynamics of Guenter & Lee: M and c taken out of the symbolic inverse dynamics, then solved [GL eq. 14]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyjoint.codegen import Schedule
from anyjoint.dynamics.algorithm import run_sweeps
from anyjoint.dynamics.lagrangian import LAGRANGIAN_INVERSE
from anyjoint.dynamics.mass_matrix import solve_from_leaves
from anyjoint.spatial import Matrix, Vector, vector, zeros
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import coefficients, substitute
from anyjoint.trace.joints_cache import JointCache
from anyjoint.trace.numbers import Numbers
from anyjoint.trace.setup import Setup
from anyjoint.trace.straight import Trace, row_schedule, state_rows, trace_bodies
from anyjoint.tree.plan import Plan


def equations_of_motion(outputs: Sequence[Any], qdd: Sequence[Node]) -> tuple[Matrix, Vector]:
    """M and c of outputs = M qdd + c, which are linear in the nodes qdd; M is taken from its lower triangle."""
    n = len(qdd)
    M = zeros(n, n)
    for j in range(n):
        rows = [i for i in range(j, n) if isinstance(outputs[i], Node)]
        for i, found in zip(rows, coefficients([outputs[i] for i in rows], qdd[j]), strict=True):
            M[i, j] = M[j, i] = found  # [GL section 4]
    c = vector(*substitute(list(outputs), dict.fromkeys(qdd, 0.0)))
    return M, c


def trace_lagrangian(plan: Plan, numbers: Numbers, joints: JointCache) -> tuple[Schedule, Setup]:
    """Forward dynamics as one straight-line program: M qdd = Q - c by LDL^T, Cholesky without square roots."""
    trace, inputs = Trace(Graph()), ("q", "v", "tau")
    bodies, root = trace_bodies(trace, plan, numbers, joints, **state_rows(trace, plan, LAGRANGIAN_INVERSE.inputs))
    qdd = [x for body in bodies for x in body.qdd]
    run_sweeps(LAGRANGIAN_INVERSE, bodies, plan.parents, root)
    M, c = equations_of_motion([x for body in bodies for x in body.generalized], qdd)
    tau = vector(*(trace.row("tau", k) for k in range(len(qdd))))
    return row_schedule(trace, inputs, list(solve_from_leaves(M, tau - c)))
