"""Which engine runs a request."""

from __future__ import annotations

from collections.abc import Iterator

from .adaptive import compiled_adaptive, python_adaptive
from .chunk import Chunk
from .fixed import compiled_fixed, python_fixed
from .request import Request


def engine(request: Request) -> Iterator[Chunk]:
    """Machine code wherever no Python function has to be asked within a step."""
    adaptive = request.method == "dopri5"
    asks = request.drive.callback is not None or (adaptive and request.drive.varying)
    if adaptive:
        return python_adaptive(request) if asks else compiled_adaptive(request)
    return python_fixed(request) if asks else compiled_fixed(request)
