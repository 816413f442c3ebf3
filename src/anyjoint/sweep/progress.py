"""A progress bar for sweeps: how many runs are done, how fast, and how long it will take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyjoint.simulate.progress import Progress

if TYPE_CHECKING:
    from anyjoint.simulate.progress import Telling


class RunProgress(Progress):
    """As for a single run, with runs for its unit."""

    def __init__(self, wanted: Telling, title: str, runs: int) -> None:
        super().__init__(wanted, title)
        self._runs = runs

    def _draw(self, fraction: float) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                ProgressColumn,
                Task,
                TaskProgressColumn,
                TextColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as Bar
            from rich.text import Text

            class Rate(ProgressColumn):
                """Runs done, and runs per second."""

                def render(self, task: Task) -> Text:
                    speed = f", {task.speed:,.0f} runs/s" if task.speed else ""
                    return Text(f"{int(task.completed):,} of {int(task.total or 0):,}{speed}", style="cyan")

            title = TextColumn("{task.description}", markup=False)  # a mechanism may have any name
            columns = (title, BarColumn(), TaskProgressColumn(), Rate(), TimeRemainingColumn())
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self.bar.add_task(self._title, total=self._runs)
            self.bar.start()
        self.bar.update(self._task, completed=round(fraction * self._runs))
