"""How the commands speak: facts as rich tables for people or as JSON for machines, errors on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from anyjoint.errors import AnyjointError


class UsageError(AnyjointError):
    """The command line itself is wrong: an unknown name, a malformed option."""


def complain(message: str) -> None:
    """Print an error on stderr."""
    from rich.text import Text

    text = Text("error: ", style="bold red").append(message, style="not bold default")
    _console(stderr=True).print(text, soft_wrap=True)


def warn(message: str) -> None:
    """Print a warning on stderr."""
    from rich.text import Text

    text = Text("warning: ", style="bold yellow").append(message, style="not bold default")
    _console(stderr=True).print(text, soft_wrap=True)


def print_json(facts: object) -> None:
    """Print facts as JSON; NumPy numbers and arrays become plain ones."""
    sys.stdout.write(json.dumps(facts, indent=2, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_facts(title: str, facts: Mapping[str, object]) -> None:
    """Print name-value pairs as a two-column table."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE, show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, _text(value))
    # Paths stay whole where a program reads them; a terminal folds what it cannot show.
    _console(piped=max([100, *(len(name) + len(str(value)) + 10 for name, value in facts.items())])).print(table)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under headings; columns of numbers are aligned to the right."""
    from rich import box
    from rich.table import Table

    rows = [list(row) for row in rows]
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE)
    for i, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", style="cyan" if i == 0 else None)
    for row in rows:
        table.add_row(*map(_text, row))
    _console().print(table)


def status(message: str, quiet: bool = False) -> Any:
    """A spinner on stderr while a block runs; silent with quiet=True or when nobody watches."""
    from rich.text import Text

    return _console(stderr=True, quiet=quiet).status(Text(message))


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A bar on stderr; the block gets a function that takes the fraction done."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    hidden = quiet or not sys.stderr.isatty()
    with Progress(*columns, console=_console(stderr=True), transient=True, disable=hidden) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda fraction: bar.update(task, completed=fraction)


def say(message: str, style: str = "") -> None:
    """Print one line as it is; long ones stay whole."""
    from rich.text import Text

    _console().print(Text(message, style=style), soft_wrap=True)


def _console(piped: int = 100, stderr: bool = False, quiet: bool = False) -> Any:
    """Where text goes out. Names of files and bodies are no markup, and `:leg:` is no picture of a leg."""
    from rich.console import Console

    # Piped output is read by programs and by tests: 100 columns beat rich's 80 there.
    watched = (sys.stderr if stderr else sys.stdout).isatty()
    width = None if watched else piped
    return Console(width=width, stderr=stderr, quiet=quiet, markup=False, emoji=False, highlight=False)


def _text(value: object) -> Any:
    from rich.text import Text

    if isinstance(value, bool):
        return Text("yes" if value else "no")
    if isinstance(value, float):
        return Text(f"{value:.4g}")
    if isinstance(value, int):
        return Text(f"{value:,}")
    return Text(str(value))
