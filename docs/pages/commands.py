"""The command line's own help, so that the page cannot disagree with it."""

from pathlib import Path
from typing import Any


def page(root: Path, folder: Path) -> str:
    """`--help` of every command as plain text."""
    from typer.main import get_command

    from anyjoint.cli.app import app

    group: Any = get_command(app)
    return "\n".join(_command(name, command) for name, command in group.commands.items())


def _command(name: str, command: Any) -> str:
    """Heading, purpose, options and the example of one command."""
    rows = [f"| `{' '.join(_spelled(p))}` | {p.help or ''} |" for p in command.params if getattr(p, "help", None)]
    options = "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""
    epilog = f"\n{command.epilog}\n" if command.epilog else ""
    return f"## anyjoint {name}\n\n{command.help}\n\n{options}\n{epilog}"


def _spelled(parameter: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [parameter.metavar or parameter.name.upper()]
    return list(parameter.opts)
