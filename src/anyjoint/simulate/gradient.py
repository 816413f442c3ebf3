"""Derivatives of a whole run: of a weighted sum of its samples by where it began, inputs and parameters, backwards
through all steps; and of all samples along a direction, forwards."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen.adjoint import bar_of
from anyjoint.codegen.tangent import rate_of
from anyjoint.errors import InputError, SingularityError
from anyjoint.forces.limits import limited_coordinates
from anyjoint.model.change import names as parameter_names
from anyjoint.model.products import derivative_workshop, named
from anyjoint.model.program import filled
from anyjoint.model.raw_gradient import RawGradient
from anyjoint.quantity import QUANTITIES
from anyjoint.stepper.physics import joint_groups, moves_otherwise
from anyjoint.trace.whole import whole
from anyjoint.trace.workshop import Trace

from .event_slope import before_event
from .kept import kept
from .request import Request
from .step_map import SEED, StepMap, run
from .steps import Steps, steps_of

if TYPE_CHECKING:
    from .trajectory import Trajectory

Floats = np.ndarray[Any, np.dtype[Any]]
Q0, V0, TAU = "q0", "v0", "tau"
GROWN = 1e10  # times that an adjoint may grow before it is said to explode


class Gradient(dict[str, Floats]):
    """Gradients by name; `growth` is how many times the adjoint of the state has grown on the way back."""

    growth: float = 0.0


class Problem:
    """A run, what it is differentiated by, and the programs for it."""

    def __init__(self, traj: Trajectory, names: tuple[str, ...]) -> None:
        self.traj, self.request = traj, checked_run(traj)
        self.model = self.request.model
        self.names = tuple(_checked_names(self.request, names))
        self.parameters = tuple(x for x in self.names if x not in (Q0, V0, TAU))
        self.numbers, traces, self.slopes = kept(self.model, ("numbers", *self.key), self._traces)
        request = self.request
        self.map = StepMap(request.stepper, self.model.mechanism, traces, request.forces, request.drive.varying)
        self.n = self.model.nq + self.model.nv
        self.row = self.n + self.model.mechanism.timed  # of numbers beside those of a state, which may know the time

    @property
    def key(self) -> tuple[Any, ...]:
        """What programs depend on."""
        request, mechanism = self.request, self.model.mechanism
        return (self.names, request.method, request.stabilise, request.forces, request.drive.varying,
                tuple(mechanism.bodies), tuple(mechanism.gravity))  # fmt: skip

    @property
    def by(self) -> list[str]:
        """Rows of the step that it is differentiated by, beside the state."""
        return [*(["drive"] if TAU in self.names else []), *(["numbers"] if self.parameters else [])]

    def _traces(self) -> tuple[Floats, tuple[Trace, ...], list[tuple[int, RawGradient]]]:
        """The programs of a step and their numbers, raw ones where parameters are among the names.

        Then where the numbers of each program begin, and how they change with parameters.
        """
        model, mechanism = self.model, self.model.mechanism
        workshop = derivative_workshop(model, self.parameters)
        numbers, traces, slopes, start = [], [], [], 0
        for quantity in self.request.quantities:
            record = QUANTITIES[quantity] if isinstance(quantity, str) else quantity
            trace = record.trace(workshop, model.algorithm)
            if self.parameters:
                trace = whole(trace)
                slopes.append((start, RawGradient(mechanism, self.parameters, trace.plan, trace.numbers)))
            numbers.append(filled(record.name, trace, trace.numbers, (), np.dtype(float)))
            start += trace.count
            traces.append(trace)
        return np.concatenate(numbers), tuple(traces), slopes

    def code(self, kind: str, inside: bool = False) -> Any:
        """Machine code of the step, transposed ("backward") or with rates ("forward")."""
        return kept(self.model, (kind, inside, *self.key), lambda: getattr(self.map, kind)(self.by, inside))

    def rows(self, steps: Steps, a: int, b: int) -> Floats:
        """Rows of the state before some steps."""
        states = steps.states(a, b)
        return np.hstack([states, steps.t[a:b, None]]) if self.model.mechanism.timed else states.copy()

    def start(self, member: int) -> tuple[Floats, Floats, bool]:
        """The first state as it was given, and whether joints chose other charts for it."""
        request = self.request
        q, v = (x[member] for x in request.given or (request.q, request.v))
        moved = not np.array_equal(q, request.q[member]) or not np.array_equal(v, request.v[member])
        return q, v, moved

    def given(self, steps: Steps, k: Any, member: int) -> dict[str, Floats]:
        """What steps k are given beside the state."""
        drive, request = self.request.drive, self.request
        if drive.varying:
            times = steps.t[k, None] + steps.h[k, None] * np.array([0.0, 0.5, 1.0])
            inputs = drive.rows(times.ravel()).reshape(len(times), -1)
        else:
            inputs = np.array(drive.values[member if len(drive.values) > 1 else 0], dtype=float)
        settings = np.array([*request.forces.numbers, 0.0])
        return {"h": steps.h[k, None].copy(), "drive": inputs, "numbers": self.numbers, "settings": settings}


def gradient(traj: Trajectory, dq: Any, dv: Any, wrt: Sequence[str], raw: bool) -> Gradient:
    """See `Trajectory.gradient`."""
    problem = Problem(traj, named("gradient", wrt))
    _warn_of_stops(problem)
    seeds = _seeds(traj, dq, dv, raw)
    members = [_Backward(problem, k).result(seeds[:, k], raw) for k in range(problem.request.batch)]
    found = Gradient({name: np.array([part[name] for part in members]) for name in problem.names})
    if traj.q.ndim == 2:
        found = Gradient({name: value[0] for name, value in found.items()})
    found.growth = max(part.growth for part in members)
    if found.growth > GROWN:
        warnings.warn(
            f"the adjoint of the state grew {found.growth:.1e} times over {traj.t[-1]:g} s: the motion is chaotic or"
            " stiff and the gradient says little about larger changes; take a shorter horizon, or several shots",
            stacklevel=3,
        )
    return found


class _Backward:
    """One trajectory, backwards."""

    def __init__(self, problem: Problem, member: int) -> None:
        self.problem, self.member = problem, member
        self.steps = steps_of(problem.traj, problem.request, member)
        self.bar = np.zeros(problem.row)
        self.numbers = np.zeros(len(problem.numbers))
        drive = problem.request.drive
        self.drive = np.zeros(problem.map.width)  # of inputs that stay what they are
        self.tau = np.zeros_like(drive.values) if drive.times is not None else None

    def result(self, seeds: Floats, raw: bool) -> Gradient:
        """Gradients for the adjoints of all samples, (samples, n)."""
        problem, steps = self.problem, self.steps
        seeds = before_event(problem, steps, seeds)
        for a, b in reversed(list(pairwise(steps.cuts))):
            self._through(int(a), int(b), seeds)
        self.bar = self.bar[: problem.n] + seeds[0]
        if not np.isfinite(self.bar).all():
            raise SingularityError("gradient: the adjoint is not finite; a step of the run is singular, or it exploded")
        size = np.abs(seeds).max(initial=0.0)
        made = Gradient(self._named(raw))
        made.growth = float(np.abs(self.bar).max() / size) if size else 0.0
        return made

    def _through(self, a: int, b: int, seeds: Floats) -> None:
        """Back through the steps from b to a; `seeds` are those of all samples."""
        problem, steps = self.problem, self.steps
        at = np.zeros((b - a + 1, problem.n))  # adjoints that join before step a + k
        mine = (steps.at >= a) & (steps.at < b)
        ends, inner = mine & (steps.s == 1), mine & (steps.s != 1)
        np.add.at(at, steps.at[ends] - a + 1, seeds[ends])
        states = problem.rows(steps, a, b)
        if inner.any():
            k = steps.at[inner]
            bars = np.zeros((len(k), problem.row))
            self._run(True, states[k - a], k, steps.s[inner, None], seeds[inner], bars)
            np.add.at(at, k - a, bars[:, : problem.n])
        order = np.arange(b - 1, a - 1, -1)
        self._run(False, states[::-1].copy(), order, np.ones(1), at[:0:-1].copy(), self.bar)
        self.bar[: problem.n] += at[0]

    def _run(self, inside: bool, states: Floats, k: Floats, s: Floats, seeds: Floats, bars: Floats) -> None:
        problem = self.problem
        rows = problem.given(self.steps, k, self.member)
        varying = rows["drive"].ndim == 2
        inputs = np.zeros_like(rows["drive"]) if varying else self.drive
        rows |= {"state": states, "s": np.ascontiguousarray(s), SEED: np.ascontiguousarray(seeds)}
        rows |= {bar_of("state"): bars, bar_of("drive"): inputs, bar_of("numbers"): self.numbers}
        run(problem.code("backward", inside), rows, len(k))
        if varying and TAU in problem.names:
            self._spread(k, inputs)

    def _spread(self, k: Floats, inputs: Floats) -> None:
        """Adjoints of inputs at the beginning, middle and end of steps onto the samples they were made of."""
        steps, drive, nv = self.steps, self.problem.request.drive, self.problem.model.nv
        bars = inputs.reshape(len(k), 3, -1)[..., :nv]
        if self.tau is None:
            self.drive[:nv] += bars.sum(axis=(0, 1))
        else:
            self.tau += drive.spread(steps.t[k, None] + steps.h[k, None] * np.array([0.0, 0.5, 1.0]), bars)

    def _named(self, raw: bool) -> dict[str, Floats]:
        """Gradients by the names that were asked for."""
        problem, nv = self.problem, self.problem.model.nv
        found: dict[str, Floats] = {}
        if {Q0, V0} & set(problem.names):
            found[Q0], found[V0] = _at_start(problem, self.member, self.bar, raw)
        if TAU in problem.names:
            found[TAU] = self.drive[:nv] if self.tau is None else self.tau
        for start, slopes in problem.slopes:
            for name, value in slopes.pull(self.numbers[start : start + slopes.count]).items():
                found[name] = found[name] + value if name in found else value
        return {name: found[name] for name in problem.names}


def _at_start(problem: Problem, member: int, bar: Floats, raw: bool) -> tuple[Floats, Floats]:
    """Adjoints by the state that was given, before joints chose their charts."""
    (q, v, moved), model = problem.start(member), problem.model
    if moved:
        _, found = model.vjp("rechart", (q, v), bar, raw=True)
        bar = np.concatenate([found["q"], found["v"]])
    by_q, by_v = bar[: model.nq], bar[model.nq :]
    return (by_q if raw else rate_matrix(model, q).T @ by_q), by_v


def tangent(traj: Trajectory, direction: Mapping[str, Any], raw: bool) -> tuple[Floats, Floats]:
    """See `Trajectory.tangent`."""
    if not isinstance(direction, Mapping):
        raise InputError(f"tangent: a direction is changes by name, such as {{'q0': ...}}; got {direction!r}")
    problem = Problem(traj, tuple(direction))
    _warn_of_stops(problem)
    members = [_forward(problem, k, direction, raw) for k in range(problem.request.batch)]
    rates = np.array(members).swapaxes(0, 1)
    if traj.q.ndim == 2:
        rates = rates[:, 0]
    nq = problem.model.nq
    dq, dv = rates[..., :nq], rates[..., nq:]
    if not raw and bends(problem.model):
        flat_q, flat = traj.q.reshape(-1, nq), dq.reshape(-1, nq)
        turned = [np.linalg.pinv(rate_matrix(problem.model, x)) @ y for x, y in zip(flat_q, flat, strict=True)]
        dq = np.array(turned).reshape(*dq.shape[:-1], -1)
    return dq, dv


def _forward(problem: Problem, member: int, direction: Mapping[str, Any], raw: bool) -> Floats:
    """Rates of all samples of one trajectory, (samples, n)."""
    steps, request = steps_of(problem.traj, problem.request, member), problem.request
    if ended_at_event(problem.traj, request):
        raise InputError("tangent: the run ended at an event, whose time changes, too; differentiate with gradient")
    rate, inputs, numbers = _directions(problem, member, direction, raw)
    made = np.zeros((len(problem.traj.t), problem.row))
    made[0] = rate
    for i in range(1, len(made)):
        a, b = int(steps.at[i - 1]) + (steps.s[i - 1] == 1), int(steps.at[i]) + (steps.s[i] == 1)
        if b > a:
            _run_forward(problem, steps, member, np.arange(a, b), rate, inputs, numbers, None)
        made[i] = rate
        if steps.s[i] != 1:
            _run_forward(problem, steps, member, np.arange(b, b + 1), made[i], inputs, numbers, steps.s[i])
    return made[:, : problem.n]


def _run_forward(
    problem: Problem, steps: Steps, member: int, k: Floats, rate: Floats, inputs: Any, numbers: Floats, s: Any
) -> None:
    rows = problem.given(steps, k, member)
    states = problem.rows(steps, int(k[0]), int(k[-1]) + 1)
    rows |= {"state": states, "s": np.full(1, 1.0 if s is None else s), rate_of("state"): rate}
    rows |= {rate_of("numbers"): numbers, rate_of("drive"): inputs(steps, k)}
    run(problem.code("forward", s is not None), rows, len(k))


def _directions(problem: Problem, member: int, direction: Mapping[str, Any], raw: bool) -> tuple[Any, Any, Floats]:
    """Rates of the first state, of inputs (a function of steps), and of numbers."""
    model = problem.model
    rate = np.zeros(problem.row)
    q, v, moved = problem.start(member)
    for name, part, n in ((Q0, slice(0, model.nq), model.nq), (V0, slice(model.nq, problem.n), model.nv)):
        if name in direction:
            bent = name == Q0 and not raw
            given = _own(problem, member, name, direction[name], model.nv if bent else n)
            rate[part] = rate_matrix(model, q) @ given if bent else given
    if moved:
        _, found = model.jvp("rechart", (q, v), (rate[: model.nq], rate[model.nq : problem.n]), raw=True)
        rate[: problem.n] = np.concatenate(found)
    numbers = np.zeros(len(problem.numbers))
    own = {name: direction[name] for name in problem.parameters}
    for start, slopes in problem.slopes:
        change = slopes.push(own)
        if change.ndim > 1:
            raise InputError("tangent: parameters are those of all trajectories; give one change of each")
        numbers[start : start + slopes.count] = change
    return rate, _input_rates(problem, member, direction.get(TAU)), numbers


def _own(problem: Problem, member: int, name: str, given: Any, n: int) -> Floats:
    """The change (n,) of one trajectory, of what is given for all, or (batch, n) for each."""
    batch = () if problem.traj.q.ndim == 2 else (problem.request.batch,)
    values = finite(f"tangent: {name}", given, *dict.fromkeys([(n,), (*batch, n)]))
    return np.asarray(values if values.ndim == 1 else values[member])


def _input_rates(problem: Problem, member: int, given: Any) -> Any:
    drive, width, nv = problem.request.drive, problem.map.width, problem.model.nv
    if drive.times is not None:
        values = np.zeros_like(drive.values) if given is None else finite("tangent: tau", given, drive.values.shape)
    else:
        values = np.zeros(nv) if given is None else _own(problem, member, TAU, given, nv)

    def rows(steps: Steps, k: Floats) -> Floats:
        if not drive.varying:
            made = np.zeros(width)
            made[:nv] = values
            return made
        times = (steps.t[k, None] + steps.h[k, None] * np.array([0.0, 0.5, 1.0])).ravel()
        made = np.zeros((len(times), width))
        if drive.times is not None:
            for j, column in enumerate(values.T):
                made[:, j] = np.interp(times, drive.times, column)
        else:
            made[:, :nv] = values
        return made.reshape(len(k), -1)

    return rows


# -- checks ---------------------------------------------------------------------------------------------------------


def finite(what: str, given: Any, *shapes: tuple[int, ...], hint: str = "") -> Floats:
    """Finite numbers of one of some shapes, or of any if none is named."""
    wanted = " or ".join(f"finite numbers {shape}" if shape else "a finite number" for shape in shapes)
    expected = f"expected {wanted or 'finite numbers'}{hint}"
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}={given!r}; {expected}") from error
    if shapes and values.shape not in shapes:
        raise InputError(f"{what} has shape {values.shape}; {expected}")
    if not np.isfinite(values).all():
        raise InputError(f"{what} holds NaN or infinity; {expected}")
    return values


def checked_run(traj: Trajectory) -> Request:
    """The request of a run that can be differentiated."""
    request: Request | None = traj.run
    if request is None:
        raise InputError("this trajectory does not know its steps; simulate(..., gradient=True) makes one that does")
    if not traj.status.ok:
        raise InputError(f"the run did not reach its end, so it has no gradient: {traj.status.reason}")
    if not request.record.still_holds(request.model.mechanism):
        raise InputError("parameters of the model have changed since the run, so its steps are others; simulate again")
    return request


def check_differentiable(request: Request) -> None:
    """Refuse runs with something in them whose derivative is not known."""
    model = request.model
    if request.drive.callback is not None:
        raise InputError(
            "gradient: tau is a Python function, whose derivative is not known; give its values over time, or a force"
            " of anyjoint.forces such as Servo"
        )
    if model.numeric:
        raise InputError(f"gradient: {model.numeric} solves numerically; compile with another algorithm")
    if model.dtype != np.dtype(float):
        raise InputError(f"gradient: the model computes in {model.dtype}; compile with dtype='float64'")
    if request.stepper.solves:
        raise InputError(
            f"gradient: {request.method} solves equations by repeated corrections, which are not differentiated; use an"
            " explicit method, or 'implicit-euler', which solves them once"
        )
    if request.parameters is not None:
        raise InputError("gradient: parameters that vary from state to state are not differentiated; run one by one")
    if request.stepper.adaptive and request.drive.varying:
        raise InputError(f"gradient: inputs over time are not known inside the steps of {request.method}; use 'rk4'")


def _checked_names(request: Request, given: Sequence[str]) -> list[str]:
    known = [Q0, V0, TAU, *parameter_names(request.model.mechanism)]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.3)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(f"gradient: {name!r} is neither q0, v0 or tau nor a parameter of the model{hint}")
    return list(dict.fromkeys(given))


def _warn_of_stops(problem: Problem) -> None:
    """Say where a run has met stops of our own, which are as hard as steps can follow: too hard to differentiate."""
    q = problem.traj.q
    limits = limited_coordinates(problem.model.mechanism) if problem.request.stops else []
    if any((q[..., at] < low).any() or (q[..., at] > high).any() for _, at, _, (low, high) in limits):
        warnings.warn(
            "the run met a limit of a joint, and the impact lasted a few steps: this is the derivative of these steps,"
            " which may be far from that of the motion; end the run there by an event, or give softer forces.Limits",
            stacklevel=4,
        )


def ended_at_event(traj: Trajectory, request: Request) -> bool:
    """Whether an event has ended the run."""
    return any(event.terminal for event in request.events) and bool(traj.status.reason)


def _seeds(traj: Trajectory, dq: Any, dv: Any, raw: bool) -> Floats:
    """Adjoints of all samples, (samples, batch, n)."""
    model = traj.run.model if traj.run else None
    assert model is not None
    samples, batch = len(traj.t), 1 if traj.q.ndim == 2 else traj.q.shape[1]
    q = traj.q.reshape(samples, batch, model.nq)
    made = np.zeros((samples, batch, model.nq + model.nv))
    for name, given, n, part in (
        ("dq", dq, model.nq if raw else model.nv, slice(0, model.nq)), ("dv", dv, model.nv, slice(model.nq, None))
    ):  # fmt: skip
        if given is None:
            continue
        last, every = ((n,), (samples, n)) if traj.q.ndim == 2 else ((batch, n), (samples, batch, n))
        values = finite(f"gradient: {name}", given, last, every, hint=", of the last sample or of all of them")
        rows = values.reshape(samples if values.shape == every else 1, batch, n)
        first = 0 if values.shape == every else samples - 1
        if name == "dq" and not raw and bends(model):
            rows = np.array([[_turned(model, q[first + i, k], row) for k, row in enumerate(x)]
                             for i, x in enumerate(rows)])  # fmt: skip
        made[first:, :, part] += rows
    if dq is None and dv is None:
        raise InputError("gradient: give dq or dv, the derivatives of what you want by the samples or by the last one")
    return made


def _turned(model: Any, q: Floats, weights: Floats) -> Floats:
    """Weights of changes as velocities see them, as weights of coordinates."""
    if not weights.any():
        return np.zeros(model.nq)
    return np.asarray(np.linalg.pinv(rate_matrix(model, q)).T @ weights)


def bends(model: Any) -> bool:
    """Whether velocities are not simply rates of coordinates."""
    mechanism = model.mechanism
    key = "bends", tuple(mechanism.bodies)
    return kept(model, key, lambda: any(moves_otherwise(group.joint) for group in joint_groups(mechanism)))


def rate_matrix(model: Any, q: Floats) -> Floats:
    """T(q), where dq/dt = T v."""
    if not bends(model):
        return np.eye(model.nv)
    return np.asarray(model.coordinate_rates(np.broadcast_to(q, (model.nv, model.nq)).copy(), np.eye(model.nv))).T
