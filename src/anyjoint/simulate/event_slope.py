"""What a terminal event does to derivatives: the state at which the run ends moves along the motion, because the time
of the event changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.interpret import evaluate

from .events import Event
from .python_step import python_stepper
from .request import Request

if TYPE_CHECKING:
    from .trajectory import Trajectory

Floats = np.ndarray[Any, np.dtype[Any]]


def before_event(traj: Trajectory, request: Request, seeds: Floats) -> Floats:
    """Adjoints of all samples, that of the last one as if the run had ended at a fixed time.

    With x the state, f its rate and g(t, x) = 0 the event: dx_end = dx - f (g_x dx) / (g_x f + g_t).
    """
    ended = [event for event in request.events if event.terminal and traj.events]
    if not ended or not traj.status.reason or traj.events[-1].time != traj.t[-1]:
        return seeds
    event = next(event for event in ended if event.label == traj.events[-1].event)
    t, q, v = float(traj.t[-1]), traj.q[-1], traj.v[-1]
    by_state, by_time = _slopes(event, t, q, v)
    rate = np.concatenate(python_stepper(request).rate(t, q, v))
    speed = by_state @ rate + by_time
    if speed == 0:
        raise InputError(f"gradient: the run only touches the event {event.label!r}, so its end has no derivative")
    made = seeds.copy()
    made[-1] -= by_state * (rate @ seeds[-1]) / speed
    return made


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
