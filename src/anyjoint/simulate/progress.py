"""A progress bar for runs that last."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from anyjoint.errors import InputError

# True shows a bar, False none, None after a while; a function is told.
Telling = bool | Callable[[float], object] | None
PATIENCE = 2.0  # seconds before a bar appears by itself


class Progress:
    """Shows how far a run is: None decides by itself, True and False force it, a function gets the fraction."""

    def __init__(self, wanted: Telling, title: str) -> None:
        if not (wanted is None or isinstance(wanted, bool) or callable(wanted)):
            raise InputError(f"progress={wanted!r}; expected None, True, False or a function of the fraction done")
        self._function: Callable[[float], object] | None = wanted if callable(wanted) else None
        self._allowed = wanted is True or (wanted is None and sys.stderr.isatty())
        self._delay = 0.0 if wanted is True else PATIENCE
        self._title, self._begin = title, time.perf_counter()
        self.bar: Any = None
        self._task: Any = None

    def show(self, fraction: float) -> None:
        """Tell how much is done."""
        if self._function is not None:
            self._function(fraction)
        elif self._allowed and time.perf_counter() - self._begin > self._delay:
            self._draw(fraction)

    def _draw(self, fraction: float) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            title = TextColumn("{task.description}", markup=False)  # a mechanism may have any name
            columns = (title, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self.bar.add_task(self._title, total=1.0)
            self.bar.start()
        self.bar.update(self._task, completed=fraction)

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
