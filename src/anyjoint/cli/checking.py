"""`anyjoint check`: all mistakes of a model at once."""

from collections.abc import Sequence

import typer

from anyjoint.cli.output import UsageError, print_json, say
from anyjoint.cli.target import resolve
from anyjoint.errors import AnyjointError


def show(argument: str, settings: Sequence[str], as_json: bool) -> None:
    """Print the problems of a model; exit with 1 when there are any."""
    problems = find_problems(argument, settings)
    if as_json:
        print_json({"model": argument, "ok": not problems, "problems": problems})
    elif problems:
        say(f"{len(problems)} problem{'s' if len(problems) > 1 else ''} in {argument}:", "red")
        for problem in problems:
            say(f"  - {problem}")
    else:
        say(f"{argument} is fine.", "green")
    if problems:
        raise typer.Exit(1)


def find_problems(argument: str, settings: Sequence[str]) -> list[str]:
    """What the builder itself raised, else what the mechanism's own rules say, else what compiling it raises."""
    try:
        mechanism = resolve(argument, settings).mechanism
        problems = [str(problem) for problem in mechanism.check()]
        if not problems:
            mechanism.compile()
        return problems
    except UsageError:
        raise
    except AnyjointError as error:
        return [str(error)]
