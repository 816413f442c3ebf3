"""The states of a run in the charts that joints want, before the first step; many at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from anyjoint.stepper.physics import has_chart, joint_groups, joint_variables
from anyjoint.symbolic import Graph
from anyjoint.symbolic.interpret import evaluate

Floats = np.ndarray[Any, np.dtype[Any]]


def recharted(mechanism: Any, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """States (batch, n) with the same poses and twists, rewritten where a joint wants to [RM section 4.7]."""
    q, v = q.copy(), v.copy()
    for group in joint_groups(mechanism):
        if not has_chart(group.joint):
            continue
        variables = joint_variables(Graph(), group.joint)
        chart = [list(part) for part in group.joint.chart(*variables)]
        for body in group.bodies:
            columns = [*q[:, body.q].T.copy(), *v[:, body.v].T.copy()]
            new = evaluate(chart, dict(zip((*variables[0], *variables[1]), columns, strict=True)))
            for values, place, part in ((q, body.q, new[0]), (v, body.v, new[1])):
                values[:, place] = np.stack(part, axis=-1)
    return q, v
