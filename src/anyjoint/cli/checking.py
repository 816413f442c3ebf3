"""`anyjoint check`: all mistakes of a model at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from anyjoint.cli.output import UsageError, print_json, say
from anyjoint.cli.target import is_file, resolve
from anyjoint.errors import AnyjointError

if TYPE_CHECKING:
    from anyjoint.load.oracle import Comparison

CLOSE = 1e-8  # what differs by more from another engine is a problem


def show(
    argument: str, settings: Sequence[str], as_json: bool, options: Mapping[str, Any], oracle: str | None = None
) -> None:
    """Print the problems of a model, and how far another engine agrees; exit with 1 when something is wrong."""
    problems, warnings, hints = find_problems(argument, settings, options)
    found = compare(argument, oracle, options) if oracle and not problems else None
    differences, notes = (found.worst, found.notes) if found else ({}, ())
    problems += [f"{oracle} differs: {what} by {x:.2g}" for what, x in (found.beyond(CLOSE) if found else {}).items()]
    if as_json:
        facts = {"problems": problems, "warnings": warnings, "hints": hints}
        beside = {"differences": differences, "notes": notes} if oracle else {}
        print_json({"model": argument, "ok": not problems} | facts | beside)
    elif problems:
        say(f"{len(problems)} problem{'s' if len(problems) > 1 else ''} in {argument}:", "red")
        for problem in problems:
            say(f"  - {problem}")
    else:
        say(f"{argument} is fine.", "green")
        for hint in hints:
            say(f"  hint: {hint}")
        for what, worst in differences.items():
            say(f"  {oracle}: {what} within {worst:.2g}")
        for note in notes:
            say(f"  {oracle}: not compared: {note}")
    if problems:
        raise typer.Exit(1)


def find_problems(
    argument: str, settings: Sequence[str], options: Mapping[str, Any]
) -> tuple[list[str], list[str], list[str]]:
    """Problems: what the builder itself raised, else what the rules say, else what compiling raises; warnings; hints.

    A file is read and not compiled: it may come from anywhere.
    """
    strange = {"untrusted": True} if is_file(argument) else {}
    try:
        mechanism = resolve(argument, settings, {**options, **strange}).mechanism
        hints = [str(hint) for hint in mechanism.hints()]
        if mechanism.source and is_file(argument):
            return [], [str(warning) for warning in mechanism.source.warnings], hints
        problems = [str(problem) for problem in mechanism.check()]
        if not problems:
            mechanism.compile()
        return problems, [], hints
    except UsageError:
        raise
    except AnyjointError as error:
        return _listed(str(error)), [], []


def compare(argument: str, oracle: str, options: Mapping[str, Any]) -> Comparison:
    """How far another engine differs; for that a file is compiled, and the other one reads it."""
    from anyjoint.load import load
    from anyjoint.load.oracle import ENGINES, OracleRefused, compared

    if oracle not in ENGINES:
        raise UsageError(f"--oracle {oracle}: expected {', '.join(ENGINES)}")
    if not is_file(argument):
        raise UsageError(f"{argument}: --oracle is for files that are loaded, such as robot.urdf")
    try:
        return compared(oracle, Path(argument), load(argument, **{**options, "meshes": "skip"}))
    except OracleRefused as error:
        raise UsageError(str(error)) from error


def _listed(message: str) -> list[str]:
    """The problems in the message of a file that has several; others are one."""
    head, *lines = message.splitlines()
    if head.endswith(("problems:", "problem:")) and lines and all(line.startswith("  - ") for line in lines):
        return [line.removeprefix("  - ") for line in lines]
    return [message]
