"""Forces that switch on the way of a run: a derivative of its steps does not see when they do.

A stop that a coordinate meets, a cable that tightens: where the state changes a little, the switch comes sooner. The
motion feels that, and steps feel it only at the points where they ask for forces. What is left out is as large as the
jump of the force, or, where it only bends, as its change within the step.
"""

from __future__ import annotations

import warnings
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.forces.program import ForceProgram
from anyjoint.forces.signal import signal_at
from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.symbolic.interpret import evaluate

from .jump import Pieces, made_of
from .kept import kept
from .steps import Steps, steps_of
from .way import periods_of, way

if TYPE_CHECKING:
    from .run_problem import Problem

TOLD = 2e-3  # of the largest force: what switches at once, or bends within a step, by more is told
JUMPS = 0.1  # of what a step misses: where so much is missed at one place, it is a jump
CLOSE = 1e-6  # of a step: how far along it slopes are looked at
HALVINGS = 40  # down to rounding
ASTRAY, FAR = 0.2, 0.1  # of a way, if it is long: coordinates that end so far from where rates lead were written anew


@frozen
class Switch:
    """A place where a force switches: when, by how much of the largest force, and whether it jumps there."""

    time: float
    share: float
    jumps: bool


def warn_of_switches(problem: Problem) -> None:
    """Say where forces of a run switch so much that the derivative of its steps is not that of the motion."""
    pieces = kept(problem.request.forces, "pieces", lambda: pieces_of(problem.request.forces))
    if pieces is None:
        return
    members = range(problem.request.batch)
    found = [_worst(problem, pieces, steps_of(problem.traj, problem.request, k), k) for k in members]
    worst = max((x for x in found if x), key=lambda x: x.share, default=None)
    if worst and worst.share > TOLD:
        how = "jumps" if worst.jumps else "bends within a step"
        cure = "" if worst.jumps else "shorter steps, or "
        warnings.warn(
            f"a force {how} at t = {worst.time:.4g} s, by {100 * worst.share:.2g} % of the largest one: this is the"
            " derivative of the steps as they were taken, which may be far from that of the motion, and from"
            f" differences of runs; take {cure}a force that comes in smoothly, such as forces.SoftStop, or end the"
            " run there by an event",
            stacklevel=4,
        )


def pieces_of(forces: ForceProgram) -> Pieces | None:
    """Generalized forces as expressions of coordinates, velocities, numbers and signals; None if they are smooth."""
    made = forces.straight
    given = [*made.q, *made.v, *made.parameters, *made.signals]
    return made_of(made.graph, given, made.torques.values(), slopes=False)


def _worst(problem: Problem, pieces: Pieces, steps: Steps, member: int) -> Switch | None:
    """The switch of one trajectory at which its steps miss most."""
    last = problem.traj.q[-1], problem.traj.v[-1]
    end = np.concatenate([x if x.ndim == 1 else x[member] for x in last])
    largest = 0.0
    missed: list[tuple[float, float, float]] = []
    for a, b in pairwise(steps.cuts):
        states = steps.states(int(a), int(b))[0][:, : problem.n]
        after = steps.states(int(b), int(b) + 1)[0][:1, : problem.n] if b < steps.count else end[None]
        path = np.vstack([states, after])
        found, size = _of_segment(problem, pieces, path, steps.t[a:b], steps.h[a:b])
        largest = max(largest, size)
        missed += found
    worst = max(missed, key=lambda x: x[1], default=None)
    if worst is None or not largest:
        return None
    time, much, jump = worst
    return Switch(time, much / largest, jump > JUMPS * much)


def _of_segment(
    problem: Problem, pieces: Pieces, path: Floats, t: Floats, h: Floats
) -> tuple[list[tuple[float, float, float]], float]:
    """Of the switch at which most is missed: when, by how much, and how much of that at once. And the largest force."""
    forces = problem.request.forces
    signals = np.array([[signal_at(f, float(time)) for f in forces.functions] for time in t]).reshape(len(t), -1)
    numbers = np.tile([x for push in forces.pushes for x in push.numbers], (len(t), 1))
    rows, there = np.hstack([path[:-1], numbers, signals]), _ways(problem, path, h)
    ahead = np.hstack([there, np.zeros((len(t), rows.shape[1] - there.shape[1]))])  # inputs of time stay what they are
    switched = (pieces.cases(rows) != pieces.cases(rows + ahead)).any(axis=0)
    values = partial(_values, pieces)
    largest = float(np.nan_to_num(np.abs(values(rows))).max(initial=0.0))
    if not switched.any():
        return [], largest
    x, d = rows[switched], ahead[switched]
    first, last, near, far = (values(x + share * d) for share in (0.0, 1.0, CLOSE, 1 - CLOSE))
    before, behind = _place(pieces, x, d)
    jumps = np.nan_to_num(np.abs(values(x + behind * d) - values(x + before * d))).max(axis=1)
    bends = np.nan_to_num(np.abs(last - far - (near - first)) / (2 * CLOSE)).max(axis=1)
    missed = np.maximum(bends, jumps)
    k = int(np.argmax(missed))
    return [(float(t[switched][k]), float(missed[k]), float(jumps[k]))], largest


def _place(pieces: Pieces, x: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Shares (n, 1) of ways d from x just before and just behind a switch, by bisection."""
    low, high, cases = np.zeros((len(x), 1)), np.ones((len(x), 1)), pieces.cases(x)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        left = (pieces.cases(x + middle * d) != cases).any(axis=0)[:, None]
        low, high = np.where(left, low, middle), np.where(left, middle, high)
    return low, high


def _values(pieces: Pieces, rows: Floats) -> Floats:
    """Generalized forces (n, entries) at rows of all that they depend on."""
    given = {node.id: column for node, column in zip(pieces.q, np.ascontiguousarray(rows.T), strict=True)}
    found = evaluate(list(pieces.values), given)
    return np.stack([np.broadcast_to(x, len(rows)) for x in found], axis=1).astype(float)


def _ways(problem: Problem, path: Floats, h: Floats) -> Floats:
    """From each state to the next one; none where a chart has written coordinates anew."""
    model, nq = problem.model, problem.model.nq
    coordinates = (c for body in model.mechanism.bodies for c in body.joint.coordinates)
    q, v = path[:, :nq], path[:, nq:]
    there = way(q[:-1], q[1:], periods_of(coordinates))
    rates = h[:, None] * np.asarray(model.coordinate_rates(q[:-1], (v[:-1] + v[1:]) / 2), dtype=float)
    astray = np.abs(there - rates).max(axis=1) > ASTRAY * np.maximum(np.abs(there).max(axis=1), FAR)
    made = np.hstack([there, np.diff(v, axis=0)])
    made[astray] = 0.0
    return made
