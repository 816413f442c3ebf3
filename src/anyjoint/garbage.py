"""Garbage collection waits while much is made that stays: it would walk over all of it again and again.

Half of the time to compile a chain of ten thousand bodies went there.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def postponed() -> Iterator[None]:
    """No collection until the end of the block; one that is switched off stays off."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
