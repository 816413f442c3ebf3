"""The engine's sweeps on floats, without a compiler: carried unknowns over the closed plan of a mechanism."""

import numpy as np

from anyjoint.dynamics.led import give_leads
from anyjoint.dynamics.link_rows import LinkFrames, constraint_rows
from anyjoint.spatial import vector
from anyjoint.trace.constrained import (
    FIRST,
    Constrained,
    Question,
    coordinate_pair,
    frame_numbers,
    give_forces,
    poses_of,
    right_side,
)
from anyjoint.trace.coupling import Expansion
from anyjoint.trace.straight import Straight
from anyjoint.trace.workshop import Workshop
from anyjoint.tree.links import float_bodies, upward
from anyjoint.tree.record import ground


def forward(mech, q, v, tau, t=0.0):
    """Accelerations and multipliers of all rows."""
    workshop = Workshop(mech)
    closed, relative, tree = workshop.closed(), workshop.relative, float_tree(workshop, q, v, tau)
    tree.run(FIRST)
    frames = LinkFrames(tree.records, closed.plan.parents)
    X = [poses_of(row) for row in frame_numbers(closed.plan, mech.constraints)]
    rows = constraint_rows(
        closed, mech.constraints, relative, frames, X, lambda place: coordinate_pair(tree, mech, place), t,
        lambda c, *arguments: c.rows(*arguments),
    )  # fmt: skip
    give_forces(tree, mech, closed)
    give_leads(tree.records, closed.plan.parents, tree.root.acceleration, list)
    pairs = zip(mech.constraints, rows, strict=True)
    right = [vector(*right_side(constraint, found, Question("accelerations"))) for constraint, found in pairs]
    found = Constrained(tree, mech, closed, relative, frames, rows, still=False).solve(right)
    return tuple(np.array(values, dtype=float) for values in found)


def float_tree(workshop, q, v, tau):
    """The links of a closed plan at a state, those of joints that follow others too."""
    mech, plan = workshop.mechanism, workshop.closed().plan
    state = {name: [float(x) for x in row] for name, row in (("q", q), ("v", v), ("tau", tau))}
    expansion = workshop.expansion or Expansion(mech, mech.bodies, mech.nq, mech.nv)
    expanded = expansion.coordinates(state["q"], state["v"])
    bodies, root = float_bodies(plan, expanded.q, expanded.v), ground(upward(mech.gravity))
    for body in bodies:
        body.up = root.acceleration
    return Straight(None, plan, state, bodies, root, expanded)
