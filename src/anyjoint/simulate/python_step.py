"""Single steps in Python over compiled dynamics: for callbacks, for locating events, and as the oracle of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.stepper import Stepper
from anyjoint.stepper.tableau import Tableau

from .drive import Drive

Floats = np.ndarray[Any, np.dtype[Any]]
State = tuple[Floats, Floats]


class PythonStepper:
    """Steps of a model under a drive; `member` is the state's place in a batch of drives."""

    def __init__(self, model: Any, drive: Drive, stepper: Stepper, member: int = 0) -> None:
        self.model, self.drive, self.stepper, self.member = model, drive, stepper, member
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
        found: State = self.stepper.step(NumberOps(self, t, q, v, h))
        return found

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


class NumberOps:
    """The operations of a step on arrays of numbers."""

    def __init__(self, owner: PythonStepper, t: float, q: Floats, v: Floats, h: float) -> None:
        self.owner, self.t, self.q, self.v, self.h = owner, t, q, v, h

    def accelerate(self, c: float, q: Floats, v: Floats) -> Floats:
        """dv/dt at t + c h."""
        owner = self.owner
        return np.asarray(owner.forward(q, v, owner.drive.torque(self.t + c * self.h, q, v, owner.member)))

    def rate(self, q: Floats, v: Floats) -> Floats:
        """dq/dt."""
        return coordinate_rates(self.owner.model, q, v)

    def go(self, x: Floats, weights: Sequence[float], rates: Sequence[Floats]) -> Floats:
        """x + h times the weighted sum of rates."""
        return x + self.h * sum((w * rate for w, rate in zip(weights, rates, strict=True) if w), np.zeros(len(x)))


def coordinate_rates(model: Any, q: Floats, v: Floats) -> Floats:
    """dq/dt of one state."""
    return v if model.nq == model.nv else np.asarray(model.program("coordinate_rates")(q, v), dtype=float)


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
