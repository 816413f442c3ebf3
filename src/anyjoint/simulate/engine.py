"""Which engine runs a request."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .adaptive import compiled_adaptive, python_adaptive
from .chunk import Chunk
from .fixed import compiled_fixed, python_fixed
from .request import Request


def engine(request: Request) -> Iterator[Chunk]:
    """Machine code wherever no Python function has to be asked within a step."""
    if not request.model.nv:
        return iter([still(request)])
    adaptive = request.method == "dopri5"
    asks = request.drive.callback is not None or (adaptive and request.drive.varying) or request.model._numeric
    if adaptive:
        return python_adaptive(request) if asks else compiled_adaptive(request)
    return python_fixed(request) if asks else compiled_fixed(request)


def still(request: Request) -> Chunk:
    """A mechanism without coordinates has nothing to integrate."""
    nothing = np.zeros((len(request.times), request.batch, 0))
    return Chunk(request.times, nothing, nothing, request.steps)
