"""Single steps in Python over compiled dynamics: for callbacks, for locating events, and as the oracle of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import SingularityError
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.stepper import Stepper
from anyjoint.stepper.physics import has_chart
from anyjoint.stepper.tableau import Tableau

from .drive import Drive
from .kept import Joints, kept

if TYPE_CHECKING:
    from anyjoint.model import Model

Floats = np.ndarray[Any, np.dtype[Any]]
State = tuple[Floats, Floats]


class PythonStepper:
    """Steps of a model under a drive; `member` is the state's place in a batch of drives, `rows` its parameters."""

    def __init__(
        self, model: Model, drive: Drive, stepper: Stepper, member: int = 0, rows: ParameterRows | None = None
    ) -> None:
        self.model, self.drive, self.stepper, self.member = model, drive, stepper, member
        # without the checks of results, which are made on whole trajectories
        self.forward = _forward(model, rows)
        self.charted = charted(model)

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
        if not self.charted:
            return q, v
        row = self.model.program("rechart")(q, v)
        return row[: len(q)].astype(float), row[len(q) :].astype(float)


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


def coordinate_rates(model: Model, q: Floats, v: Floats) -> Floats:
    """dq/dt of one state."""
    return v if model.nq == model.nv else np.asarray(model.program("coordinate_rates")(q, v), dtype=float)


def _forward(model: Model, rows: ParameterRows | None) -> Callable[..., Floats]:
    """Forward dynamics of one state, unchecked."""
    if rows is not None:
        return _unchecked(lambda q, v, tau: model.forward_dynamics(q, v, tau, parameters=rows)[0], model.nv)
    if model.numeric:
        return _unchecked(model.forward_dynamics, model.nv)
    program: Callable[..., Floats] = model.program("forward_dynamics")
    return program


def _unchecked(dynamics: Callable[..., Floats], nv: int) -> Callable[..., Floats]:
    """Forward dynamics that answers with NaN where there is nothing to answer, as machine code does."""

    def forward(q: Floats, v: Floats, tau: Floats) -> Floats:
        try:
            if np.isfinite(q).all() and np.isfinite(v).all():
                return np.asarray(dynamics(q, v, tau))
        except SingularityError:
            pass
        return np.full(nv, np.nan)

    return forward


def charted(model: Model) -> bool:
    """Whether a joint of the model ever rewrites its coordinates."""
    joints = Joints(tuple(body.joint for body in model.mechanism.bodies))
    return kept(model, ("charts", joints), lambda: any(map(has_chart, {id(x): x for x in joints.joints}.values())))
