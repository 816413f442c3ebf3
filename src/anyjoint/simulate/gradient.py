"""The gradient of a weighted sum of a run's samples by where it began, inputs and parameters: backwards through all
steps."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.codegen.adjoint import bar_of
from anyjoint.errors import InputError, SingularityError
from anyjoint.model.arguments import checked_flag, finite
from anyjoint.model.asked_product import named
from anyjoint.model.linearise import rate_matrix, tangent_inverse
from anyjoint.scalar.array import ArrayLike, Floats

from .event_slope import event_slope
from .run_problem import DURATION, Q0, TAU, V0, Problem, bends, warn_of_stops
from .step_map import SEED, Part, over_steps
from .steps import steps_of
from .taped_step import KNOWN, TAPE

if TYPE_CHECKING:
    from anyjoint.model import Model

    from .trajectory import Trajectory

GROWN = 1e10  # times that an adjoint may grow before it is said to explode


class Gradient(dict[str, Floats]):
    """Gradients by name; `growth` is how many times the adjoint of the state has grown on the way back."""

    growth: float = 0.0


def gradient(traj: Trajectory, dq: ArrayLike | None, dv: ArrayLike | None, wrt: Sequence[str], raw: bool) -> Gradient:
    """See `Trajectory.gradient`."""
    checked_flag("gradient", "raw", raw)
    problem = Problem(traj, named("gradient", wrt), backwards=True)
    warn_of_stops(problem)
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
        self.bar = np.zeros(problem.map.row)
        self.numbers = np.zeros(len(problem.numbers))
        self.settings = np.zeros(len(problem.request.forces.numbers) + 1)
        drive = problem.request.drive
        self.drive = np.zeros(problem.map.width)  # of inputs that stay what they are
        self.tau = np.zeros_like(drive.values) if drive.times is not None else None
        self.duration = 0.0

    def result(self, seeds: Floats, raw: bool) -> Gradient:
        """Gradients for the adjoints of all samples, (samples, n)."""
        problem, steps = self.problem, self.steps
        if (slope := event_slope(problem, steps)) is not None:
            seeds = seeds.copy()
            seeds[-1] -= slope[1] * (slope[0] @ seeds[-1])
        cuts = steps.cuts
        if problem.cut:
            self._end(seeds[-1])
            cuts = np.array([0, steps.count - 1])
        for a, b in reversed(list(pairwise(cuts))):
            self._through(int(a), int(b), seeds)
        if problem.starts_inside(steps):
            states, tape = problem.rows(steps, 0, 1)
            none = np.zeros((1, problem.map.handed))
            self._run("start", (states, tape), np.zeros(1, int), np.ones(1), none, self.bar)
        self.bar = self.bar[: problem.n] + seeds[0]
        if not np.isfinite(self.bar).all():
            raise SingularityError("gradient: the adjoint is not finite; a step of the run is singular, or it exploded")
        size = np.abs(seeds).max(initial=0.0)
        made = Gradient(self._named(raw))
        made.growth = float(np.abs(self.bar).max() / size) if size else 0.0
        return made

    def _end(self, seed: Floats) -> None:
        """Back through a last step that does not look back."""
        problem, last = self.problem, self.steps.count - 1
        bar = np.zeros(problem.ending.row)
        given = problem.rows(self.steps, last, last + 1, "end")
        self._run("end", given, np.array([last]), np.ones(1), seed[None], bar)
        self.bar[: problem.n] = bar[: problem.n]

    def _through(self, a: int, b: int, seeds: Floats) -> None:
        """Back through the steps from b to a; `seeds` are those of all samples."""
        problem, steps, handed = self.problem, self.steps, self.problem.map.handed
        at = np.zeros((b - a + 1, handed))  # adjoints that join before step a + k
        mine = (steps.at >= a) & (steps.at < b)
        ends, inner = mine & (steps.s == 1), mine & (steps.s != 1)
        at[steps.at[ends] - a + 1, : problem.n] += seeds[ends]  # every step ends once
        states, tape = problem.rows(steps, a, b)
        if inner.any():
            k = steps.at[inner]
            bars = np.zeros((len(k), problem.map.row))
            given = np.hstack([seeds[inner], np.zeros((len(k), handed - problem.n))])
            self._run("inside", (states[k - a], tape), k, steps.s[inner, None], given, bars)
            np.add.at(at, k - a, bars[:, :handed])
        order = np.arange(b - 1, a - 1, -1)
        self._run("step", (states[::-1], tape[::-1]), order, np.ones(1), at[:0:-1], self.bar)
        self.bar[:handed] += at[0]

    def _run(self, part: Part, given: tuple[Floats, ...], k: Floats, s: Floats, seeds: Floats, bars: Floats) -> None:
        problem, (states, tape) = self.problem, given
        rows = problem.given(self.steps, k, self.member)
        varying = rows["drive"].ndim == 2
        inputs = np.zeros_like(rows["drive"]) if varying else self.drive
        rows |= {TAPE: tape, KNOWN: tape, bar_of(TAPE): np.zeros(tape.shape[1])}
        rows |= {"state": states, "s": np.ascontiguousarray(s), SEED: seeds}
        rows |= {bar_of("state"): bars, bar_of("drive"): inputs, bar_of("numbers"): self.numbers}
        rows[bar_of("settings")] = self.settings
        lengths = rows[bar_of("h")] = np.zeros((len(k), 1))
        over_steps(problem.code("backward", part), rows, len(k))
        self.duration += float(lengths[:, 0] @ self.steps.h[k]) / (problem.request.duration or 1.0)
        if problem.moves_inputs:
            slopes = problem.input_slopes(self.steps, k)
            self.duration += float(np.sum(inputs.reshape(slopes.shape) * slopes))
        if varying and TAU in problem.names:
            self._spread(k, inputs)

    def _spread(self, k: Floats, inputs: Floats) -> None:
        """Adjoints of inputs at the instants of steps onto the samples they were made of."""
        steps, drive, nv = self.steps, self.problem.request.drive, self.problem.model.nv
        bars = inputs.reshape(len(k), len(steps.parts), -1)[..., :nv]
        if self.tau is None:
            self.drive[:nv] += bars.sum(axis=(0, 1))
        else:
            self.tau += drive.spread(steps.instants(k), bars)

    def _named(self, raw: bool) -> dict[str, Floats]:
        """Gradients by the names that were asked for."""
        problem, nv = self.problem, self.problem.model.nv
        found = _at_start(problem, self.member, self.bar, raw)
        if TAU in problem.names:
            found[TAU] = self.drive[:nv] if self.tau is None else self.tau
        found[DURATION] = np.asarray(self.duration)
        for start, slopes in problem.slopes:
            for name, value in slopes.pull(self.numbers[start : start + slopes.count]).items():
                found[name] = found[name] + value if name in found else value
        pushing = self.numbers[problem.programs.pushing] if problem.freed else self.settings[:-1]
        found |= problem.force_numbers.pull(pushing)
        return {name: found[name] for name in problem.names}


def _at_start(problem: Problem, member: int, bar: Floats, raw: bool) -> dict[str, Floats]:
    """Gradients by the state that was given, before joints chose their charts, and by what these depend on."""
    (q, v, moved), model = problem.start(member), problem.model
    found = {"q": bar[: model.nq], "v": bar[model.nq :]}
    wanted = {Q0, V0, *problem.in_charts} & set(problem.names)
    if moved and wanted:
        _, found = model.vjp("rechart", (q, v), bar, wrt=("q", "v", *problem.in_charts), raw=True)
    by_q, by_v = found.pop("q"), found.pop("v")
    return {**found, Q0: by_q if raw or not bends(model) else rate_matrix(model, q).T @ by_q, V0: by_v}


def _seeds(traj: Trajectory, dq: ArrayLike | None, dv: ArrayLike | None, raw: bool) -> Floats:
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


def _turned(model: Model, q: Floats, weights: Floats) -> Floats:
    """Weights of changes as velocities see them, as weights of coordinates."""
    if not weights.any():
        return np.zeros(model.nq)
    return np.asarray(tangent_inverse(model, q).T @ weights)
