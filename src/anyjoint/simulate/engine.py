"""Which engine runs a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from anyjoint.errors import InputError
from anyjoint.scalar.array import Floats

from .adaptive import compiled_adaptive, python_adaptive
from .chunk import Chunk, StepUnderflow
from .fixed import compiled_fixed, held_fixed, python_fixed
from .request import Request


def engine(request: Request) -> Iterator[Chunk]:
    """Machine code wherever no Python function has to be asked within a step."""
    if not request.model.nv:
        return iter([still(request)])
    adaptive = request.stepper.adaptive
    if request.hold:
        return held_fixed(request)
    asks = request.drive.callback is not None or (adaptive and request.drive.varying) or request.model.numeric
    if asks and request.stepper.chooses:
        raise InputError(
            f"method={request.method!r} takes steps that no Python function can be asked in: no tau(t, q, v), no inputs"
            " or forces over time; use 'bdf2'"
        )
    if asks:
        return one_by_one(request) if request.batch > 1 else in_python(request)
    return compiled_adaptive(request) if adaptive else compiled_fixed(request)


def in_python(request: Request) -> Iterator[Chunk]:
    """A single trajectory, step by step."""
    return python_adaptive(request) if request.stepper.adaptive else python_fixed(request)


def one_by_one(request: Request) -> Iterator[Chunk]:
    """A batch in Python: each trajectory to its end, then all of them together."""
    parts = [_joined(in_python(_logged(request, k)), k) for k in range(request.batch)]
    q, v = (np.concatenate([getattr(part, x) for part in parts], axis=1) for x in ("q", "v"))
    paths = tuple(path for part in parts for path in part.paths)
    yield Chunk(parts[0].t, q, v, sum(part.steps for part in parts), paths=paths, work=_works(parts, 1))


def member_of(request: Request, k: int) -> Request:
    """The request of one trajectory of a batch."""
    values = request.drive.values
    own = values[k : k + 1] if len(values) == request.batch and request.drive.times is None else values
    rows = request.parameters.take([k]) if request.parameters else None
    drive = replace(request.drive, values=own)
    return replace(request, q=request.q[k : k + 1], v=request.v[k : k + 1], drive=drive, parameters=rows)


def _logged(request: Request, k: int) -> Request:
    """The same, whose steps go into the log as those of this trajectory."""
    made = member_of(request, k)
    if request.log is None:
        return made
    own = replace(request.log, parts={0: request.log.parts.setdefault(k, [])})
    return replace(made, log=own)


def _joined(chunks: Iterator[Chunk], member: int) -> Chunk:
    try:
        parts = list(chunks)
    except StepUnderflow as trouble:
        raise StepUnderflow(trouble.time, member, trouble.q, trouble.v) from trouble
    t, q, v = (np.concatenate([getattr(part, x) for part in parts]) for x in ("t", "q", "v"))
    paths = [path for part in parts for path in part.paths]
    whole = [(np.concatenate([t for t, _ in paths]), np.concatenate([q for _, q in paths]))] if paths else []
    return Chunk(t, q, v, sum(part.steps for part in parts), paths=tuple(whole), work=_works(parts, 0))


def _works(parts: Sequence[Chunk], axis: int) -> Floats | None:
    works = [part.work for part in parts if part.work is not None]
    return np.concatenate(works, axis=axis) if works else None


def still(request: Request) -> Chunk:
    """A mechanism without coordinates has nothing to integrate."""
    nothing = np.zeros((len(request.times), request.batch, 0))
    return Chunk(request.times, nothing, nothing, request.steps)
