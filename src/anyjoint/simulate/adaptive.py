"""Engines with error control: Dormand-Prince steps of any length, sampled by their interpolants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.model.parameter_rows import ParameterRows
from anyjoint.scalar.array import Floats
from anyjoint.stepper import STEPPERS
from anyjoint.stepper.error_control import LEAST, MOST, SAFETY, AdaptiveRow, first_length, within
from anyjoint.stepper.tableau import Tableau

from .chunk import Chunk, Pace, StepUnderflow
from .compiled_stepper import compiled_stepper, initial_rows, numbers_of
from .events import StateAt
from .guard import guard_of
from .python_step import PythonStepper, python_stepper
from .request import Request
from .stabilise import projected

if TYPE_CHECKING:
    from anyjoint.model import Model
    from anyjoint.quantity import Quantity

RECORDS = 64 << 20  # bytes of steps that wait to be sampled
SMALLEST = 64  # roundings of the time that a step may not fall below


class Samples:
    """Samples of a batch at given times, filled from accepted steps and their interpolants."""

    def __init__(self, request: Request) -> None:
        self.request, self.times, self.nq, self.nv = request, request.times, request.model.nq, request.model.nv
        self.values = np.empty((len(self.times), request.batch, self.nq + self.nv + request.powered))
        self.filled = np.zeros(request.batch, dtype=int)
        self.given = self.steps = 0
        self.history: list[tuple[Floats, ...]] | None = [] if request.events or request.between else None
        self.paths: list[list[tuple[Floats, Floats]]] | None = None
        if guard_of(request.model):
            self.paths = [[] for _ in range(request.batch)]

    def add(
        self, member: int, before: Floats, after: Floats, used: Floats, y: Floats, dense: Floats,
        past: Floats | None = None,
    ) -> None:  # fmt: skip
        """Accepted steps of one trajectory: times before and after, lengths, states before, interpolants (s, 4, n).

        `past` is what the step behind each of them looks back at.
        """
        if not len(before):
            return
        first, end = self.filled[member], int(np.searchsorted(self.times, after[-1], side="right"))
        at = self.times[first:end]
        k = np.minimum(np.searchsorted(after, at, side="left"), len(after) - 1)
        self.values[first:end, member] = interpolated(at, before[k], used[k], y[k], dense[k])
        self.filled[member] = end
        if self.request.log is not None:
            n = self.nq + self.nv
            looked = np.zeros((len(before), 0)) if past is None else np.hstack([past, dense[:, 0, :n]])
            self.request.log.add(member, before, used, np.hstack([y[:, :n], looked]))
        self.steps += len(before)
        if self.history is not None:
            self.history.append((before, after, used, y, dense))
        if self.paths is not None:
            ends = interpolated(before + used, before, used, y, dense)
            self.paths[member].append((after, ends[:, : self.nq]))

    def chunk(self) -> Chunk | None:
        """The samples that all trajectories have reached since the last call."""
        part = slice(self.given, int(self.filled.min()))
        if part.start == part.stop:
            return None
        steps, self.steps, self.given = self.steps, 0, part.stop
        q, v, work = np.split(self.values[part], [self.nq, self.nq + self.nv], axis=-1)
        if len(self.request.quantities) > 1:
            q, v = self._settled(self.times[part], q, v)
        done = work[..., 0] if work.shape[-1] else None
        state_at, work_at = self._between()
        return Chunk(self.times[part], q, v, steps, state_at, self._paths(), done, work_at)

    def _settled(self, t: Floats, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Samples on the constraints, which interpolants are not."""
        model, rows, quantities = self.request.model, self.request.parameters, self.request.quantities[1:]
        corrections: list[Callable[..., Floats]] = [model.program(quantity) for quantity in quantities]
        if rows:
            every = rows.take(np.tile(np.arange(rows.count), len(t)))
            corrections = [partial(_answer, model, quantity, every) for quantity in quantities]
        clock = (np.repeat(t, q.shape[1]).astype(model.dtype)[:, None],) if model.mechanism.timed else ()
        flat = (x.reshape(-1, x.shape[-1]).astype(model.dtype) for x in (q, v))
        new_q, new_v = projected(model, corrections, *flat, *clock)
        return new_q.reshape(q.shape), new_v.reshape(v.shape)

    def _paths(self) -> tuple[tuple[Floats, Floats], ...]:
        """The steps of all trajectories since the last call."""
        if self.paths is None:
            return ()
        taken, self.paths = self.paths, [[] for _ in self.paths]
        none = [(np.zeros(0), np.zeros((0, self.nq)))]
        return tuple((np.concatenate(t), np.concatenate(q)) for t, q in (zip(*(x or none), strict=True) for x in taken))

    def _between(self) -> tuple[StateAt | None, Callable[[float], float] | None]:
        """States of a single trajectory between the last samples, and the work up to them; older steps are dropped."""
        if self.history is None:
            return None, None
        steps = [np.concatenate(parts) for parts in zip(*self.history, strict=True)]
        self.history = [tuple(part[steps[1] >= self.times[self.given - 1]] for part in steps)]

        def row_at(t: float) -> Floats:
            k = min(int(np.searchsorted(steps[1], t, side="left")), len(steps[1]) - 1)
            before, _, used, y, dense = (part[k : k + 1] for part in steps)
            return np.asarray(interpolated(np.array([t]), before, used, y, dense)[0])

        n = self.nq + self.nv
        work_at = (lambda t: float(row_at(t)[n])) if self.request.powered else None
        return (lambda t: (row_at(t)[: self.nq], row_at(t)[self.nq : n])), work_at


def _answer(model: Model, quantity: str | Quantity, rows: ParameterRows, *arrays: Floats) -> Floats:
    return model.row_programs.evaluate(quantity, arrays, rows)


def interpolated(at: Floats, before: Floats, used: Floats, y: Floats, dense: Floats) -> Floats:
    """States at times within steps."""
    s = ((at - before) / used)[:, None]
    return np.asarray(within(y, used[:, None], s, [dense[:, p] for p in range(4)]))


def first_step(q: Floats, v: Floats, f: Floats, request: Request) -> float:
    """The length of the first step from a state whose rates are f."""
    y = np.concatenate([q, v])
    scale = request.atol + request.rtol * np.abs(y)
    size, slope = (float(np.mean((x / scale) ** 2)) for x in (y, f))
    return min(float(first_length(size, slope)), request.duration)


def compiled_adaptive(request: Request) -> Iterator[Chunk]:
    """The step loop as machine code; each trajectory of a batch has its own step length."""
    stepper = compiled_stepper(request)
    row = stepper.step.layout
    assert row is not None  # its steps choose their length
    state, numbers = initial_rows(request, row.length), numbers_of(request)
    _prepare(request, row, state)
    settings = stepper.settings(request.duration, request.rtol, request.atol, forces=request.numbers)
    end = float(settings[0])  # the duration, rounded where numbers are short
    drive = np.ascontiguousarray(request.drive.values, dtype=request.model.dtype)
    stepper.prepare(request.batch)
    samples, pace = Samples(request), Pace(16)
    most = max(1, RECORDS // state.nbytes)
    while (state[:, row.time] < end).any():
        out = stepper.advance(state, drive, settings, numbers, min(pace.start(), most), 1, request.threads)
        pace.stop()
        stuck = _stuck(out, row, end, request)
        for member in range(request.batch):
            steps = out[: stuck[0] + 1, member] if stuck else out[:, member]
            _add_steps(samples, member, steps, row, end, request.duration)
        ready = samples.chunk()
        if ready is not None:
            yield ready
        if stuck:
            q, v = np.split(out[stuck][: row.controlled].astype(float), [request.model.nq])
            raise StepUnderflow(float(out[stuck][row.time]), stuck[1], q, v)


def explicit(request: Request) -> Request:
    """The same by a method that knows the rates of a state; an implicit one knows those after a step."""
    return replace(request, stepper=STEPPERS["dopri5"]) if request.stepper.implicit else request


def _prepare(request: Request, row: AdaptiveRow, state: Floats) -> None:
    """First rates and step lengths."""
    request = explicit(request)
    for member, (q, v) in enumerate(zip(request.q, request.v, strict=True)):
        rates = python_stepper(request, member).rates(request.begin, q, v)
        state[member, row.time] = request.begin
        state[member, row.step] = first_step(q, v, rates[:-1], request)
        state[member, row.rates : row.rates + row.width] = rates[: row.width]


def _add_steps(samples: Samples, member: int, rows: Floats, row: AdaptiveRow, end: float, duration: float) -> None:
    """Hand the accepted steps among the rows of one trajectory to its samples."""
    rows = rows[(rows[:, row.accepted] > 0.5) & (rows[:, row.used] > 0)]
    n = row.width
    before, after, used = rows[:, [row.begin, row.time, row.used]].T.astype(float)
    after = np.where(after >= end, duration, after)
    dense = rows[:, row.dense : row.dense + 4 * n].reshape(-1, 4, n)
    past = rows[:, row.looks] if row.looks else None
    samples.add(member, before, after, used, rows[:, row.before : row.before + n], dense, past)


def smallest_step(t: float | Floats, request: Request) -> Floats:
    """The shortest step that still moves the time on."""
    return np.asarray(SMALLEST * np.finfo(request.model.dtype).eps * np.maximum(t, 1e-3 * request.duration))


def _stuck(out: Floats, row: AdaptiveRow, end: float, request: Request) -> tuple[int, int] | None:
    """The first step, and its trajectory, after which time would not move on.

    All steps are looked at: how many are taken at once depends on the clock, and what is found must not.
    """
    t, h = out[..., row.time], out[..., row.step]
    found = np.argwhere((h < smallest_step(t, request)) & (t < end))
    return (int(found[0, 0]), int(found[0, 1])) if len(found) else None


@frozen
class Tried:
    """A step that was tried: the state after it, rates of all stages and of its end, its work and its error.

    The error is relative to the tolerances: up to 1 it is small enough.
    """

    q: Floats
    v: Floats
    rates: Floats
    work: float
    error: float
    factor: float  # how much longer the next step may be


def try_step(
    stepper: PythonStepper, tableau: Tableau, request: Request, begin: tuple[float, Floats, Floats], h: float
) -> Tried:
    """A step of length h in Python, from the time and the state at its beginning."""
    t, old_q, old_v = begin
    (q, v), stages = stepper.stages(t, old_q, old_v, h, tableau)
    rates, n = np.vstack([stages, stepper.rates(t + h, q, v)]), len(q) + len(v)
    largest = np.maximum(np.abs(np.concatenate([old_q, old_v])), np.abs(np.concatenate([q, v])))
    off = h * (np.array(tableau.error) @ rates[:, :n]) / (request.atol + request.rtol * largest)
    error = float(np.sqrt(np.mean(off**2)))
    wished = SAFETY * max(error, 1e-10) ** (-1 / tableau.order) if np.isfinite(error) else LEAST
    work = h * float(np.array(tableau.b) @ stages[:, n])
    return Tried(q, v, rates, work, error, min(max(wished, LEAST), MOST))


def python_adaptive(request: Request) -> Iterator[Chunk]:
    """The same in Python, because a Python function of time or state has to be asked at every stage."""
    stepper, tableau = python_stepper(request), request.stepper.tableau
    assert tableau is not None  # adaptive steppers have one
    samples, pace = Samples(request), Pace(4)
    t, q, v, work = request.begin, request.q[0].copy(), request.v[0].copy(), 0.0
    h, n = first_step(q, v, stepper.rates(t, q, v)[:-1], request), len(q) + len(v)
    width = n + request.powered
    while t < request.duration:
        for _ in range(pace.start()):
            used = min(h, request.duration - t)
            tried = try_step(stepper, tableau, request, (t, q, v), used)
            if tried.error < 1:
                after = request.duration if used < h or t + used >= request.duration else t + used
                dense = (np.array(tableau.dense).T @ tried.rates[:, :width])[None]
                y = np.concatenate([q, v, [work]])[None, :width]
                samples.add(0, np.array([t]), np.array([after]), np.array([used]), y, dense)
                work += tried.work
                t, (q, v) = after, stepper.settle(after, tried.q, tried.v)
                h *= tried.factor
            else:
                h = used * min(tried.factor, SAFETY)
            if t >= request.duration:
                break
            if h < smallest_step(t, request):
                raise StepUnderflow(t, 0, q, v)
        pace.stop()
        ready = samples.chunk()
        if ready is not None:
            yield ready
