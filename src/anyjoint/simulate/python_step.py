"""Single steps in Python over compiled dynamics: for callbacks, for locating events, and as the oracle of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.stepper import Stepper
from anyjoint.stepper.tableau import Tableau

from .drive import Drive
from .stabilise import charted, projected

Floats = np.ndarray[Any, np.dtype[Any]]
State = tuple[Floats, Floats]
FORWARD = ("forward_dynamics",)


class PythonStepper:
    """Steps of a model under a drive; `member` is the state's place in a batch of drives."""

    def __init__(
        self, model: Any, drive: Drive, stepper: Stepper, member: int = 0, quantities: Sequence[Any] = FORWARD
    ) -> None:
        self.model, self.drive, self.stepper, self.member = model, drive, stepper, member
        # without the checks of results, which are made on whole trajectories
        accelerations, *corrections = quantities
        self.forward = _unchecked(model) if model.numeric else model.program(accelerations)
        self.corrections = [model.program(quantity) for quantity in corrections]
        self.charted = charted(model)
        self.damping = damping_of(model.mechanism)
        self.work = 0.0  # of inputs, forces and dampers in the last step

    def rate(self, t: float, q: Floats, v: Floats) -> State:
        """dq/dt and dv/dt."""
        return coordinate_rates(self.model, q, v), self.accelerate(t, q, v)[0]

    def accelerate(self, t: float, q: Floats, v: Floats) -> tuple[Floats, float]:
        """dv/dt, and the power of inputs, forces and dampers."""
        tau = self.drive.torque(t, q, v, self.member)
        a = np.asarray(self.forward(q, v, tau, *self.model.clock(t)))
        return a, float((tau - self.damping * v) @ v)

    def step(self, t: float, q: Floats, v: Floats, h: float) -> State:
        """The state after one step, in the same chart."""
        ops = NumberOps(self, t, q, v, h)
        found: State = self.stepper.step(ops)
        self.work = ops.work
        return found

    def stages(self, t: float, q: Floats, v: Floats, h: float, tableau: Tableau) -> tuple[State, Floats]:
        """The state after one step, and the stages' rates of q, v and work (stages, n)."""
        nq, nv = len(q), len(v)
        rates = np.zeros((tableau.stages, nq + nv + 1))
        for i, (c, weights) in enumerate(zip(tableau.c, tableau.a, strict=True)):
            going = np.array(weights) @ rates[:i]
            rates[i] = self.rates(t + c * h, q + h * going[:nq], v + h * going[nq : nq + nv])
        going = np.array(tableau.b) @ rates
        return (q + h * going[:nq], v + h * going[nq : nq + nv]), rates

    def rates(self, t: float, q: Floats, v: Floats) -> Floats:
        """dq/dt, dv/dt and power, side by side."""
        a, power = self.accelerate(t, q, v)
        return np.concatenate([coordinate_rates(self.model, q, v), a, [power]])

    def settle(self, t: float, q: Floats, v: Floats) -> State:
        """The state after a step as it should be: in the charts that joints want, and on the constraints."""
        q, v = self._rechart(q, v)
        return projected(self.model, self.corrections, q, v, *self.model.clock(t)) if self.corrections else (q, v)

    def _rechart(self, q: Floats, v: Floats) -> State:
        """(q, v) rewritten where a joint wants to."""
        if not self.charted:
            return q, v
        row = self.model.program("rechart")(q, v)
        return row[: len(q)].astype(float), row[len(q) :].astype(float)


class NumberOps:
    """The operations of a step on arrays of numbers."""

    def __init__(self, owner: PythonStepper, t: float, q: Floats, v: Floats, h: float) -> None:
        self.owner, self.t, self.q, self.v, self.h = owner, t, q, v, h
        self.powers: list[tuple[Floats, float]] = []  # accelerations, and the power of what was at work in them
        self.work = 0.0

    def accelerate(self, c: float, q: Floats, v: Floats) -> Floats:
        """dv/dt at t + c h."""
        found = self.owner.accelerate(self.t + c * self.h, q, v)
        self.powers.append(found)
        return found[0]

    def rate(self, q: Floats, v: Floats) -> Floats:
        """dq/dt."""
        return coordinate_rates(self.owner.model, q, v)

    def go(self, x: Floats, weights: Sequence[float], rates: Sequence[Floats]) -> Floats:
        """x + h times the weighted sum of rates; the work is integrated just as the velocities are."""
        if x is self.v:
            power = {id(a): p for a, p in self.powers}
            self.work = self.h * sum(w * power[id(rate)] for w, rate in zip(weights, rates, strict=True))
        return x + self.h * sum((w * rate for w, rate in zip(weights, rates, strict=True) if w), np.zeros(len(x)))


def damping_of(mechanism: Any) -> Floats:
    """The damping of all joints, one number per velocity."""
    found = np.zeros(mechanism.nv)
    for body in mechanism.bodies:
        if any(body.damping):
            found[body.v] = body.damping
    return found


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
