"""Engines that take steps of a fixed length: in machine code, or in Python where a function has to be asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from anyjoint.scalar.array import Floats

from .chunk import Chunk, Pace
from .compiled_stepper import compiled_stepper, initial_rows, numbers_of
from .python_step import python_stepper
from .request import Request
from .step import Step


class Stretch(NamedTuple):
    """Steps of one length: so many samples, each after so many steps; unless they are seen, steps between samples."""

    samples: int
    every: int
    h: float
    seen: bool = True


def stretches(request: Request) -> list[Stretch]:
    """Whole samples, then what is left: steps of the same length, and a shorter one to the duration."""
    if request.begin:
        return _parts_from(request.begin, request)
    whole, left = divmod(request.steps, request.every)
    short = request.duration - request.steps * request.dt
    ends = short <= 1e-9 * request.dt or request.duration == 0
    made = [Stretch(whole, request.every, request.dt)] if whole else []
    made += [Stretch(1, left, request.dt, seen=ends)] if left else []
    return made if ends else [*made, Stretch(1, 1, short)]


def _parts_from(begin: float, request: Request) -> list[Stretch]:
    """The same for a run that begins between two samples: a shorter step to the next one comes first."""
    lengths = np.diff([begin, *request.times]).tolist()
    first, inner, last = lengths[:1], len(lengths) - 2, lengths[1:][-1:]
    ends = [[Stretch(1, 1, h) for h in part] for part in (first, last)]
    return [*ends[0], *([Stretch(inner, 1, request.dt)] if inner > 0 else []), *ends[1]]


def compiled_fixed(request: Request) -> Iterator[Chunk]:
    """The step loop as machine code."""
    stepper = compiled_stepper(request)
    state, numbers = initial_rows(request, stepper.step.row), numbers_of(request)
    stepper.prepare(request.batch)
    if request.begin and request.model.mechanism.timed:
        state[:, stepper.step.clock] = request.begin
    pace, times = Pace(max(1, 256 // request.every)), request.times
    at, clock, taken, told = 0, request.begin, 0, 0
    for samples, every, h, seen in stretches(request):
        settings = stepper.settings(h, forces=request.numbers)
        origin, done = clock, 0
        while done < samples:
            count = min(pace.start(), samples - done)
            drive = drive_rows(request, stepper.step, origin + done * every * h, count * every, h)
            out = stepper.advance(state, drive, settings, numbers, count, every, request.threads)
            pace.stop()
            done += count
            if request.log is not None:
                request.log.take(count * every, h)
                if left := stepper.step.past or stepper.step.tape:
                    request.log.leave(taken + every * np.arange(1, count + 1), out[..., left])
            taken += count * every
            if seen:
                yield _chunk(request, times[at : at + count], out, taken - told, stepper.step.shown)
                at, told = at + count, taken
        clock = origin + samples * every * h


def held_fixed(request: Request) -> Iterator[Chunk]:
    """Machine code between the calls of a sampled controller, whose answer is held for some steps."""
    stepper = compiled_stepper(request)
    state, numbers = initial_rows(request, stepper.step.row), numbers_of(request)
    stepper.prepare(request.batch)
    drive, nq, nv, hold = request.drive, request.model.nq, request.model.nv, request.hold or 1
    functions, tau, before = np.zeros(len(drive.functions)), np.zeros(nv), 0  # steps of earlier parts
    at, origin, told = 0, 0.0, 0
    for samples, every, h, seen in stretches(request):
        settings = stepper.settings(h, forces=request.numbers)
        rows, done = [], 0
        while done < samples * every:
            t = origin + done * h
            held = (before + done) % hold
            count = min(hold - held, samples * every - done)
            if not held:
                tau = drive.commanded(t, state[0, :nq].astype(float), state[0, nq : nq + nv].astype(float))
                drive.held.append((t, tau))
            inputs = np.concatenate([tau, functions])[None]
            if stepper.step.samples:  # signals of forces change with time
                inputs = drive.rows(t + 0.5 * h * np.arange(2 * count + 1))
                inputs[:, :nv] = tau
            given = np.ascontiguousarray(inputs, dtype=request.model.dtype)
            out = stepper.advance(state, given, settings, numbers, count)
            rows += [row for k, row in enumerate(out) if (done + k + 1) % every == 0]
            done += count
        before, origin = before + done, origin + done * h
        if seen:
            times = request.times[at : at + samples]
            yield _chunk(request, times, np.array(rows), before - told, stepper.step.shown)
            at, told = at + samples, before


def drive_rows(request: Request, step: Step, begin: float, steps: int, h: float) -> Floats:
    """Inputs at every half step, or one row where they are constant."""
    if step.samples:
        rows = request.drive.rows(begin + 0.5 * h * np.arange(2 * steps + 1))
    else:
        rows = request.drive.values
    return np.ascontiguousarray(rows, dtype=request.model.dtype)


def _chunk(request: Request, t: Floats, out: Floats, steps: int, shown: int) -> Chunk:
    """`shown` is where contacts stand in a row."""
    nq, nv = request.model.nq, request.model.nv
    work = out[..., nq + nv] if request.powered else None
    contacts = out[..., shown:] if request.shows else None
    return Chunk(t, out[..., :nq], out[..., nq : nq + nv], steps, work=work, contacts=contacts)


def python_fixed(request: Request) -> Iterator[Chunk]:
    """The same in Python, because a Python function has to be asked at every stage."""
    stepper = python_stepper(request)
    q, v, clock, at = request.q[0].copy(), request.v[0].copy(), request.begin, 0
    work, taken, told = 0.0, 0, 0
    pace, times = Pace(8), request.times
    for samples, every, h, seen in stretches(request):
        origin, done = clock, 0
        while done < samples:
            count = min(pace.start(), samples - done)
            out = np.empty((count, 1, len(q) + len(v) + 1 + len(stepper.shown)))
            for i in range(count):
                for k in range(every):
                    t = origin + ((done + i) * every + k) * h
                    q, v = stepper.settle(t + h, *stepper.step(t, q, v, h))
                    work += stepper.work
                out[i, 0] = [*q, *v, work, *stepper.shown]
            pace.stop()
            done, taken = done + count, taken + count * every
            if seen:
                yield _chunk(request, times[at : at + count], out, taken - told, len(q) + len(v) + 1)
                at, told = at + count, taken
        clock = origin + samples * every * h
