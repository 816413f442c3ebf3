"""What a terminal event does to derivatives: the state at which the run ends moves along the motion, because the time
of the event changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anyjoint.codegen.tangent import rate_of
from anyjoint.errors import InputError
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.interpret import evaluate

from .events import Event
from .kept import kept
from .step_map import Part, over_steps
from .steps import Steps

if TYPE_CHECKING:
    from .run_problem import Problem


def event_slope(problem: Problem, steps: Steps) -> tuple[Floats, Floats] | None:
    """(f, w) with dx_end = dx - f (w dx), where dx is as if the run had ended at a fixed time; None if it has.

    With x the state, f its rate and g(t, x) = 0 the event: w = g_x / (g_x f + g_t).
    """
    traj = problem.traj
    ended = [event for event in problem.request.events if event.terminal and traj.events]
    if not ended or not traj.status.reason or traj.events[-1].time != traj.t[-1]:
        return None
    t, q, v = float(traj.t[-1]), traj.q[-1], traj.v[-1]
    named = [event for event in ended if event.label == traj.events[-1].event]
    event = min(named, key=lambda event: abs(event.value(t, q, v)))  # names may be the same
    by_state, by_time = _slopes(event, t, q, v)
    rate = _rate(problem, steps)
    speed = by_state @ rate + by_time
    if speed == 0:
        raise InputError(f"gradient: the run only touches the event {event.label!r}, so its end has no derivative")
    return rate, by_state / speed


def _rate(problem: Problem, steps: Steps) -> Floats:
    """How the last state changes with the time at which the last step is left."""
    k, part = np.array([steps.count - 1]), problem.last_part(steps)
    by, own = "s" if part == "inside" else "h", problem.map_of(part)
    code = kept(problem.programs, ("leave", part), lambda: own.forward([by, "drive"], part))
    rows, rate = problem.given(steps, k, 0), np.zeros(own.row)
    states, _ = problem.rows(steps, int(k[0]), int(k[0]) + 1, part)
    rows |= {"state": states, "s": steps.s[-1:].copy(), rate_of("state"): rate, rate_of(by): np.ones(1)}
    if part == "inside":
        rows[rate_of(by)] = 1 / steps.h[k]
    rows[rate_of("drive")] = _input_rates(problem, steps, k, part)
    over_steps(code, rows, 1)
    return rate[: problem.n]


def _input_rates(problem: Problem, steps: Steps, k: Floats, part: Part) -> Floats:
    """How inputs at the instants of a step change with its length: by their slopes there."""
    drive, shares = problem.request.drive, np.array(steps.parts)
    if not drive.varying or part == "inside":  # where the step keeps its length
        return np.zeros(problem.map.width * (len(shares) if drive.varying else 1))
    slopes = drive.slopes(steps.t[k] + steps.h[k] * shares, steps.h[k])
    return np.ascontiguousarray(shares[:, None] * slopes).ravel()


def _slopes(event: Event, t: float, q: Floats, v: Floats) -> tuple[Floats, float]:
    """Derivatives of the watched number by the state and by the time."""
    graph = Graph()
    clock = graph.variable("t")
    qs, vs = ([graph.variable(name) for _ in row] for name, row in (("q", q), ("v", v)))
    try:
        value = event.function(clock, np.array(qs, dtype=object), np.array(vs, dtype=object))  # type: ignore[arg-type]
        found = value.item() if isinstance(value, np.ndarray) else value
        if not isinstance(found, Node):
            return np.zeros(len(q) + len(v)), 0.0
        slopes = list(jacobian([found], [*qs, *vs, clock])[0])
    except Exception as error:
        raise InputError(
            f"gradient: the run ends at the event {event.label!r}, whose function cannot be differentiated"
            f" ({error}); write it with functions of anyjoint such as aj.sin"
        ) from error
    values = dict(zip([*qs, *vs, clock], [*q.tolist(), *v.tolist(), t], strict=True))
    numbers = np.array([float(x) for x in evaluate(slopes, values)])
    return numbers[:-1], float(numbers[-1])
