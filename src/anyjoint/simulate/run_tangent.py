"""How all samples of a run change along a direction: forwards through its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.codegen.tangent import rate_of
from anyjoint.errors import InputError, SingularityError
from anyjoint.model.arguments import checked_flag, finite
from anyjoint.model.asked_product import named
from anyjoint.model.linearise import rate_matrix, tangent_inverse
from anyjoint.scalar.array import Floats

from .event_slope import event_slope
from .run_problem import DURATION, Q0, TAU, V0, Problem, bends, warn_of_stops
from .step_map import Part, over_steps
from .steps import Steps, steps_of

if TYPE_CHECKING:
    from .trajectory import Trajectory

InputRates = Callable[[Steps, Floats], Floats]  # of steps: how fast their inputs change


def tangent(traj: Trajectory, direction: Mapping[str, object], raw: bool) -> tuple[Floats, Floats]:
    """See `Trajectory.tangent`."""
    if not isinstance(direction, Mapping):
        raise InputError(f"tangent: a direction is changes by name, such as {{'q0': ...}}; got {direction!r}")
    checked_flag("tangent", "raw", raw)
    problem = Problem(traj, named("tangent", direction))
    problem.stretch = float(finite("tangent: duration", direction.get(DURATION, 0.0), ()))
    warn_of_stops(problem)
    members = [_forward(problem, k, direction, raw) for k in range(problem.request.batch)]
    rates = np.array(members).swapaxes(0, 1)
    if not np.isfinite(rates).all():
        raise SingularityError("tangent: rates are not finite; a step of the run is singular, or it exploded")
    if traj.q.ndim == 2:
        rates = rates[:, 0]
    nq = problem.model.nq
    dq, dv = rates[..., :nq], rates[..., nq:]
    if not raw and bends(problem.model):
        flat_q, flat = traj.q.reshape(-1, nq), dq.reshape(-1, nq)
        turned = [tangent_inverse(problem.model, x) @ y for x, y in zip(flat_q, flat, strict=True)]
        dq = np.array(turned).reshape(*dq.shape[:-1], -1)
    return dq, dv


def _forward(problem: Problem, member: int, direction: Mapping[str, Any], raw: bool) -> Floats:
    """Rates of all samples of one trajectory, (samples, n)."""
    steps = steps_of(problem.traj, problem.request, member)
    rate, inputs, numbers = _directions(problem, member, direction, raw)
    settings = np.zeros(len(problem.request.forces.numbers) + 1)
    if problem.freed:
        numbers[problem.programs.pushing] += problem.force_numbers.push(direction)
    elif problem.force_numbers.names:
        settings[:-1] = problem.force_numbers.push(direction)
    own = {rate_of("numbers"): numbers, rate_of("settings"): settings}
    along = partial(_run_forward, problem, steps, member, inputs, own)
    if problem.starts_inside(steps):
        along("start", np.zeros(1, int), rate)
    made = np.zeros((len(problem.traj.t), len(rate)))
    made[0] = rate
    for i in range(1, len(made)):
        a, b = int(steps.at[i - 1]) + (steps.s[i - 1] == 1), int(steps.at[i]) + (steps.s[i] == 1)
        if b > a:
            along("end" if problem.cut and b == steps.count else "step", np.arange(a, b), rate)
        made[i] = rate
        if steps.s[i] != 1:
            along("inside", np.arange(b, b + 1), made[i], steps.s[i])
    made = made[:, : problem.n]
    if (slope := event_slope(problem, steps)) is not None:
        made[-1] -= slope[0] * (slope[1] @ made[-1])
    return made


def _run_forward(
    problem: Problem, steps: Steps, member: int, inputs: InputRates, numbers: Mapping[str, Floats], part: Part,
    k: Floats, rate: Floats, s: float = 1.0,
) -> None:  # fmt: skip
    """Take rates of the state through steps; `s` is the part of a step after which a sample inside it stands."""
    rows, n = problem.given(steps, k, member), problem.n
    states, _ = problem.rows(steps, int(k[0]), int(k[-1]) + 1, part)
    own = np.append(rate[:n], np.zeros(problem.ending.row - n)) if part == "end" else rate
    rows |= {"state": states, "s": np.full(1, s), rate_of("state"): own}
    rows |= {**numbers, rate_of("drive"): inputs(steps, k)}
    rows[rate_of("h")] = problem.stretch * steps.h[k, None] / (problem.request.duration or 1.0)
    over_steps(problem.code("forward", part), rows, len(k))
    rate[:n] = own[:n]


def _directions(
    problem: Problem, member: int, direction: Mapping[str, Any], raw: bool
) -> tuple[Floats, InputRates, Floats]:
    """Rates of the first state, of inputs (a function of steps), and of numbers."""
    model = problem.model
    rate = np.zeros(problem.map.row)
    q, v, moved = problem.start(member)
    for name, part, n in ((Q0, slice(0, model.nq), model.nq), (V0, slice(model.nq, problem.n), model.nv)):
        if name in direction:
            bent = name == Q0 and not raw
            given = _own(problem, member, name, direction[name], model.nv if bent else n)
            rate[part] = rate_matrix(model, q) @ given if bent else given
    if moved:
        changes = {"q": rate[: model.nq], "v": rate[model.nq : problem.n]}
        changes |= {name: direction[name] for name in problem.in_charts}
        _, found = model.jvp("rechart", (q, v), changes, raw=True)
        rate[: problem.n] = np.concatenate(found)
    numbers = np.zeros(len(problem.numbers))
    own = {name: direction[name] for name in problem.parameters}
    for start, slopes in problem.slopes:
        change = slopes.push(own)
        if change.ndim > 1:
            raise InputError("tangent: parameters are those of all trajectories; give one change of each")
        numbers[start : start + slopes.count] = change
    return rate, _input_rates(problem, member, direction.get(TAU)), numbers


def _own(problem: Problem, member: int, name: str, given: object, n: int) -> Floats:
    """The change (n,) of one trajectory, of what is given for all, or (batch, n) for each."""
    batch = () if problem.traj.q.ndim == 2 else (problem.request.batch,)
    values = finite(f"tangent: {name}", given, *dict.fromkeys([(n,), (*batch, n)]))
    return np.asarray(values if values.ndim == 1 else values[member])


def _input_rates(problem: Problem, member: int, given: object) -> InputRates:
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
        times = steps.instants(k).ravel()
        made = np.zeros((len(times), width))
        if drive.times is not None:
            for j, column in enumerate(values.T):
                made[:, j] = np.interp(times, drive.times, column)
        else:
            made[:, :nv] = values
        if problem.moves_inputs:
            made += problem.stretch * problem.input_slopes(steps, k).reshape(made.shape)
        return made.reshape(len(k), -1)

    return rows
