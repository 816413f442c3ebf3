"""Garbage collection waits while much is made that stays: it would walk over all of it again and again.

Half of the time to compile a chain of ten thousand bodies went there, and a twentieth of a start.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def postponed() -> Iterator[None]:
    """No collection until the end of the block; one that is switched off stays off."""
    running, modules = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > modules:
            _settle()
        if running:
            gc.enable()


def _settle() -> None:
    """Put all objects among the oldest without a walk over them: modules, of which there are most then, never end."""
    if not gc.get_freeze_count():  # what somebody else has frozen stays so
        gc.freeze()
        gc.unfreeze()
