"""A progress bar for files with many meshes."""

from __future__ import annotations

import sys
from typing import Any

MANY = 20


class Bar:
    """Shows how many of the expected meshes have been read, where they are many and someone watches."""

    def __init__(self, title: str, expected: int) -> None:
        self._progress: Any = None
        if expected > MANY and sys.stderr.isatty():
            from anyjoint.simulate.progress import Progress

            self._progress = Progress(None, title)
        self._done, self._expected = 0, max(expected, 1)

    def advance(self) -> None:
        """One more has been read."""
        self._done += 1
        if self._progress is not None:
            self._progress.show(min(self._done / self._expected, 1.0))

    def close(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.close()
