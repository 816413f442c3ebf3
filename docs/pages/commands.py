"""The command line's own help, so that the page cannot disagree with it."""

from pathlib import Path


def page(root: Path, folder: Path) -> str:
    """`--help` of every command as plain text."""
    import click
    from typer.main import get_command

    from anyjoint.cli.app import app

    group = get_command(app)
    assert isinstance(group, click.Group) or hasattr(group, "commands")
    return "\n".join(_command(name, command) for name, command in group.commands.items())


def _command(name: str, command: object) -> str:
    """Heading, purpose, options and the example of one command."""
    rows = [f"| `{' '.join(_spelled(p))}` | {p.help or ''} |" for p in command.params if getattr(p, "help", None)]  # type: ignore[attr-defined]
    options = "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""
    epilog = f"\n{command.epilog}\n" if command.epilog else ""  # type: ignore[attr-defined]
    return f"## anyjoint {name}\n\n{command.help}\n\n{options}\n{epilog}"  # type: ignore[attr-defined]


def _spelled(parameter: object) -> list[str]:
    if parameter.param_type_name == "argument":  # type: ignore[attr-defined]
        return [parameter.metavar or parameter.name.upper()]  # type: ignore[attr-defined]
    return list(parameter.opts)  # type: ignore[attr-defined]
