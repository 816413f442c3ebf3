"""Single steps in Python over compiled dynamics: for callbacks, for locating events, and as the oracle of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints.touch import SHOWN
from anyjoint.errors import InputError, SingularityError
from anyjoint.forces.signal import signal_at
from anyjoint.joints.spring import Spring
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar.array import Floats
from anyjoint.stepper import Stepper
from anyjoint.stepper.newton import BOLD, CLOSE, MOST, ROUND, SLOW, square
from anyjoint.stepper.physics import JUMP
from anyjoint.stepper.tableau import Tableau

from .drive import Drive
from .programs import program_of
from .stabilise import charted, projected

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model import Model
    from anyjoint.quantity import Quantity

    from .request import Request

State = tuple[Floats, Floats]


class PythonStepper:
    """Steps of a model under a drive; `member` is the state's place in a batch of drives, `rows` its parameters."""

    def __init__(
        self, model: Model, drive: Drive, stepper: Stepper, member: int = 0, quantities: Sequence[str | Quantity] = (),
        rows: ParameterRows | None = None,
    ) -> None:  # fmt: skip
        self.model, self.drive, self.stepper, self.member = model, drive, stepper, member
        # without the checks of results, which are made on whole trajectories
        accelerations, *corrections = quantities or (stepper.dynamics,)
        self.forward = _forward(model, accelerations, rows)
        self.corrections = [_single(model, quantity, rows) for quantity in corrections]
        self.charted = charted(model)
        self.damping = damping_of(model.mechanism, rows).reshape(-1, model.nv)[0]
        self.work = 0.0  # of inputs, forces and dampers in the last step
        self.shown = np.zeros(SHOWN * model.mechanism.np if stepper.resists else 0)  # contacts in the last step
        self.before: tuple[Floats, Floats, float] | None = None  # the state before, and the step from there

    def rate(self, t: float, q: Floats, v: Floats) -> State:
        """dq/dt and dv/dt."""
        return coordinate_rates(self.model, q, v), self.accelerate(t, q, v)[0]

    def accelerate(self, t: float, q: Floats, v: Floats, h: float = 0.0) -> tuple[Floats, float]:
        """dv/dt, over a step of length h where it is implicit, and the power of inputs, forces and dampers."""
        if self.stepper.implicit:
            return self._implicit(t, q, v, h), 0.0
        tau = self.drive.torque(t, q, v, self.member)
        a = np.asarray(self.forward(q, v, tau, *self.model.clock(t)))
        return a, self.power(q, v, tau)

    def _implicit(self, t: float, q: Floats, v: Floats, h: float) -> Floats:
        """dv/dt by dynamics that feel forces as they will be at the end of the step."""
        found = self._felt(t, q, v, [h])
        self.shown = found[len(v) :]
        return found[: len(v)]

    def correct(self, t: float, q: Floats, v: Floats, a: Floats, g: float) -> Floats:
        """What corrects accelerations a, where velocities follow them within a time g."""
        return self._felt(t, q, v, [g], a)

    def _felt(self, t: float, q: Floats, v: Floats, *given: object) -> Floats:
        signals = [signal_at(f, t) for f in self.drive.functions]
        rows = [*given, *self.model.clock(t), *([signals] if signals else [])]
        tau = self.drive.given(t, q, v, self.member)
        return np.asarray(self.forward(q, v, tau, *(np.array(row, self.model.dtype) for row in rows)), dtype=float)

    def power(self, q: Floats, v: Floats, tau: Floats) -> float:
        """The power of inputs, forces and dampers."""
        return float(tau @ v - self.damping @ np.square(speeds_of(self.model.mechanism, q, v)))

    def step(self, t: float, q: Floats, v: Floats, h: float) -> State:
        """The state after one step, in the same chart."""
        ops, before = NumberOps(self, t, q, v, h), self.work
        found: State = self.stepper.step(ops)
        self.work = ops.work
        if self.stepper.implicit:  # which has moved along velocities under the forces that were met there
            c, met_q, met_v = ops.met or (1.0, *found)
            on, g = ops.looked or (0.0, h)  # work is integrated just as velocities are
            tau = self.drive.torque(t + c * h, met_q, met_v, self.member)
            self.work = on * before + g * self.power(met_q, met_v, tau)
        self.before = q, v, h
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
        charted_q, v = self._rechart(q, v)
        if self.before and np.abs(charted_q - q).sum() >= JUMP:  # nothing to look back to in another chart
            self.before = None
        q = charted_q
        return projected(self.model, self.corrections, q, v, *self.model.clock(t)) if self.corrections else (q, v)

    def _rechart(self, q: Floats, v: Floats) -> State:
        """(q, v) rewritten where a joint wants to."""
        if not self.charted:
            return q, v
        row = self.model.program("rechart")(q, v)
        return row[: len(q)].astype(float), row[len(q) :].astype(float)


def python_stepper(request: Request, member: int = 0) -> PythonStepper:
    """Steps of one trajectory of a request."""
    rows = request.parameters.take([member]) if request.parameters else None
    return PythonStepper(request.model, request.drive, request.stepper, member, request.quantities, rows)


class NumberOps:
    """The operations of a step on arrays of numbers."""

    def __init__(self, owner: PythonStepper, t: float, q: Floats, v: Floats, h: float) -> None:
        self.owner, self.t, self.q, self.v, self.h = owner, t, q, v, h
        self.powers: list[tuple[Floats, float]] = []  # accelerations, and the power of what was at work in them
        self.work = 0.0
        self.met: tuple[float, Floats, Floats] | None = None  # the c and the state at which forces were felt
        self.looked: tuple[float, float] | None = None  # how the state before counts, and g

    def accelerate(self, c: float, q: Floats, v: Floats) -> Floats:
        """dv/dt at t + c h."""
        found = self.owner.accelerate(self.t + c * self.h, q, v, self.h)
        self.powers.append(found)
        return found[0]

    def rate(self, q: Floats, v: Floats) -> Floats:
        """dq/dt."""
        return coordinate_rates(self.owner.model, q, v)

    def carry(self, q: Floats, to: Floats, v: Floats) -> Floats:
        """Velocities at q as they are seen at `to`."""
        made = v.copy()
        for body in self.owner.model.mechanism.bodies:
            made[body.v] = body.joint.carry(*(x.tolist() for x in (q[body.q], to[body.q], v[body.v])))
        return made

    def share(self, part: float) -> float:
        """A part of the step."""
        return part * self.h

    def past(self) -> tuple[Floats, Floats, float]:
        """The state on from the one before, and g; without one before, those of backward Euler."""
        q, v, last = self.owner.before or (self.q, self.v, np.inf)
        w = self.h / last
        on, g = w * w / (1 + 2 * w), self.h * (1 + w) / (1 + 2 * w)
        self.looked = on, g
        return self.q + on * (self.q - q), self.v + on * (self.v - v), g

    def solve(self, c: float, q: Floats, v: Floats, g: float) -> tuple[Floats, Floats, Floats]:
        """The state after a stage, and its accelerations, by Newton's method as in stepper/newton.py."""
        t, a, new_v, last = self.t + c * self.h, np.zeros(len(v)), v, 1e30
        new_q = q + g * self.rate(q, v)
        for k in range(MOST):
            x = self.owner.correct(t, new_q, new_v, a, g)
            a = a + (x if k < BOLD else 0.5 * x)
            new_v = v + g * a
            moved = q + g * self.rate(new_q, new_v)
            total = float(np.sum(square(g * x, new_v)) + np.sum(square(moved - new_q, new_q)))
            new_q = moved
            if not total > CLOSE**2 or (total >= SLOW**2 * last and total < ROUND**2):
                self.met = c, new_q, new_v
                return new_q, new_v, a
            last = total
        return new_q, np.full(len(v), np.nan), a

    def go(self, x: Floats, weights: Sequence[float], rates: Sequence[Floats]) -> Floats:
        """x + h times the weighted sum of rates; the work is integrated just as the velocities are."""
        if x is self.v:
            power = {id(a): p for a, p in self.powers}
            self.work = self.h * sum(w * power.get(id(rate), 0.0) for w, rate in zip(weights, rates, strict=True))
        return x + self.h * sum((w * rate for w, rate in zip(weights, rates, strict=True) if w), np.zeros(len(x)))


def damping_of(mechanism: Mechanism, rows: ParameterRows | None = None) -> Floats:
    """The damping of all joints, one number per velocity; of each row of parameters, if there are some."""
    found = np.zeros(((rows.count,) if rows else ()) + (mechanism.nv,))
    for body in mechanism.bodies:
        varied = rows.columns.get(f"{body.name}/damping") if rows else None
        found[..., body.v] = body.damping if varied is None else varied
    return found


def speeds_of(mechanism: Mechanism, q: Floats, v: Floats) -> Floats:
    """The speeds that dampers feel, one number per velocity."""
    otherwise = [body for body in mechanism.bodies if not body.joint.speeds_are_velocities and Spring.of(body)]
    if not otherwise:
        return v
    found = v.copy()
    for body in otherwise:
        found[body.v] = body.joint.speeds(q[body.q].tolist(), v[body.v].tolist())
    return found


def coordinate_rates(model: Model, q: Floats, v: Floats) -> Floats:
    """dq/dt of one state."""
    return v if model.rates_are_velocities else np.asarray(model.program("coordinate_rates")(q, v), dtype=float)


def _forward(model: Model, accelerations: str | Quantity, rows: ParameterRows | None) -> Callable[..., Floats]:
    """Forward dynamics of one state, unchecked."""
    if model.numeric and accelerations == "forward_dynamics":
        return _unchecked(model.forward_dynamics, model.nv)
    return _single(model, accelerations, rows)


def _single(model: Model, quantity: str | Quantity, rows: ParameterRows | None) -> Callable[..., Floats]:
    """A quantity of one state, unchecked; `rows` has its parameters."""
    if rows is None:
        program = program_of(model, quantity)
        return _unchecked(program, program.size)
    return _unchecked(lambda *arrays: model.row_programs.evaluate(quantity, arrays, rows)[0], model.nv)


def _unchecked(function: Callable[..., Floats], n: int) -> Callable[..., Floats]:
    """A function of states that answers with NaN where there is nothing to answer, as machine code does."""

    def unchecked(*arrays: Floats) -> Floats:
        try:
            return np.asarray(function(*arrays))
        except SingularityError:
            pass
        except InputError:  # a motion that has blown up
            if all(np.isfinite(array).all() for array in arrays):
                raise
        return np.full((*arrays[0].shape[:-1], n), np.nan)

    return unchecked
