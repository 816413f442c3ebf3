"""Single steps in Python over compiled dynamics: for callbacks, for locating events, and as the oracle of the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError

from .drive import Drive
from .tableau import DOPRI5, RK4, Tableau

Floats = np.ndarray[Any, np.dtype[Any]]
State = tuple[Floats, Floats]
TABLEAUS: dict[str, Tableau] = {"rk4": RK4, "dopri5": DOPRI5}


class PythonStepper:
    """Steps of a model under a drive; `member` is the state's place in a batch of drives."""

    def __init__(self, model: Any, drive: Drive, method: str, member: int = 0) -> None:
        self.model, self.drive, self.method, self.member = model, drive, method, member
        # without the checks of results, which are made on whole trajectories
        self.forward = _unchecked(model) if model.numeric else model.program("forward_dynamics")
        self.bodies = [b for b in model.mechanism.bodies if b.joint.nq]
        self.charted = [b for b in self.bodies if b.joint.chart(*_floats(b.joint)) is not None]

    def rate(self, t: float, q: Floats, v: Floats) -> State:
        """dq/dt and dv/dt."""
        a = self.forward(q, v, self.drive.torque(t, q, v, self.member))
        return coordinate_rates(self.model, q, v), np.asarray(a)

    def step(self, t: float, q: Floats, v: Floats, h: float) -> State:
        """The state after one step, in the same chart."""
        if self.method == "semi-implicit-euler":
            _, a = self.rate(t, q, v)
            w = v + h * a
            return q + h * coordinate_rates(self.model, q, w), w
        return self.stages(t, q, v, h, TABLEAUS[self.method])[0]

    def stages(self, t: float, q: Floats, v: Floats, h: float, tableau: Tableau) -> tuple[State, Floats, Floats]:
        """The state after one step, and the stages' rates (stages, n)."""
        ks, ls = np.zeros((tableau.stages, len(q))), np.zeros((tableau.stages, len(v)))
        for i, (c, weights) in enumerate(zip(tableau.c, tableau.a, strict=True)):
            w = np.array(weights)
            ks[i], ls[i] = self.rate(t + c * h, q + h * (w @ ks[:i]), v + h * (w @ ls[:i]))
        b = np.array(tableau.b)
        return (q + h * (b @ ks), v + h * (b @ ls)), ks, ls

    def rechart(self, q: Floats, v: Floats) -> State:
        """(q, v) rewritten where a joint wants to."""
        for body in self.charted:
            new = body.joint.chart([float(x) for x in q[body.q]], [float(x) for x in v[body.v]])
            q[body.q], v[body.v] = new
        return q, v


def coordinate_rates(model: Any, q: Floats, v: Floats) -> Floats:
    """dq/dt of one state."""
    if model.nq == model.nv:
        return v
    out = np.empty(model.nq)
    for body in model.mechanism.bodies:
        if body.joint.nq:
            out[body.q] = body.joint.rate([float(x) for x in q[body.q]], [float(x) for x in v[body.v]])
    return out


def _unchecked(model: Any) -> Callable[..., Floats]:
    """Numeric forward dynamics that answers with NaN where there is nothing to answer, as machine code does."""

    def forward(q: Floats, v: Floats, tau: Floats) -> Floats:
        try:
            if np.isfinite(q).all() and np.isfinite(v).all():
                return np.asarray(model.forward_dynamics(q, v, tau))
        except SingularityError:
            pass
        return np.full(model.nv, np.nan)

    return forward


def _floats(joint: Any) -> tuple[list[float], list[float]]:
    return [float(c.neutral) for c in joint.coordinates], [0.0] * joint.nv
