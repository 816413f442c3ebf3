"""The gallery: where its scripts live, what they are called, and how one is found."""

import ast
import difflib
from pathlib import Path

from anyjoint.cli.output import UsageError

HERE = Path(__file__).resolve()
# Inside a wheel the scripts are packaged beside this folder; in the repository they are at its root.
FOLDERS = (HERE.parents[1] / "examples", HERE.parents[3] / "examples")


def names() -> list[str]:
    """All gallery names, sorted."""
    return sorted(_scripts())


def find(name: str) -> Path:
    """The script of a gallery name; an unknown one suggests the nearest."""
    scripts = _scripts()
    key = name.lower().replace("_", "-")
    if key in scripts:
        return scripts[key]
    near = difflib.get_close_matches(key, scripts, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`anyjoint list` shows all names."
    raise UsageError(f"there is no gallery mechanism {name!r}; {hint}")


def summary(script: Path) -> str:
    """The first line of a script's docstring, read without running it."""
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf8"))) or ""
    return docstring.split("\n", 1)[0]


def _scripts() -> dict[str, Path]:
    folder = next((f for f in FOLDERS if f.is_dir()), None)
    paths = folder.glob("[a-z]*.py") if folder else ()
    return {path.stem.replace("_", "-"): path for path in paths}
