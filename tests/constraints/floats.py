"""The engine's sweeps on floats, without a compiler: carried unknowns over the closed plan of a mechanism."""

import numpy as np

from anyjoint.dynamics.algorithm import run_sweeps
from anyjoint.dynamics.link_rows import LinkFrames, constraint_rows, give_rows
from anyjoint.spatial import vector
from anyjoint.trace.constrained import FIRST, REST, Question, frame_numbers, poses_of, right_side, velocity_place
from anyjoint.trace.workshop import Workshop
from anyjoint.tree.links import float_bodies, upward
from anyjoint.tree.record import ground


def forward(mech, q, v, tau, t=0.0):
    """Accelerations and multipliers of all rows."""
    workshop = Workshop(mech)
    closed, relative = workshop.closed(), workshop.relative
    plan = closed.plan
    bodies = float_bodies(plan, np.asarray(q), np.asarray(v), tau=np.asarray(tau))
    root = ground(upward(mech.gravity))
    for body in bodies:
        body.up = root.acceleration
    run_sweeps(FIRST, bodies, plan.parents, root)
    frames = LinkFrames(bodies, plan.parents)
    X = [poses_of(row) for row in frame_numbers(plan, mech.constraints)]

    def coordinate(place):
        body, k = mech.bodies[place[0]], place[1]
        return float(q[body.q][k]), float(v[body.v][body.joint.velocity_of(k)])

    rows = constraint_rows(
        closed, mech.constraints, relative, frames, X, coordinate, t, lambda c, *arguments: c.rows(*arguments)
    )
    pairs = zip(mech.constraints, rows, strict=True)
    right = [vector(*right_side(constraint, found, Question("accelerations"))) for constraint, found in pairs]
    give_rows(
        closed, mech.constraints, relative, frames, rows, right, root.acceleration,
        lambda place: velocity_place(mech, closed, place),
    )  # fmt: skip
    run_sweeps(REST, bodies, plan.parents, root)
    a = np.zeros(mech.nv)
    for link, body in zip(plan.links, bodies, strict=True):
        a[link.v] = np.asarray(body.qdd, dtype=float)
    return a, np.array([float(x) for k in closed.where for x in bodies[k].multipliers])
