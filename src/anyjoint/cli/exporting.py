"""`anyjoint export`: generated code, a live page, or equations, written to a folder."""

import re
from pathlib import Path
from typing import Any

from anyjoint.cli.output import print_json, say, status
from anyjoint.cli.target import Target

SUFFIX = {"c": ".c", "js": ".js", "html": ".html", "latex": ".tex"}


def show(target: Target, language: str, folder: Path, as_json: bool) -> None:
    """Write the export and name the files."""
    with status(f"exporting {target.name}", quiet=as_json):
        model = target.mechanism.compile()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (_file_stem(target.name) + SUFFIX[language])
        _write(target, model, language, path)
    if as_json:
        print_json({"model": target.name, "format": language, "files": [str(path)], "bytes": path.stat().st_size})
    else:
        say(f"wrote {path} ({path.stat().st_size:,} bytes)")


def _write(target: Target, model: Any, language: str, path: Path) -> None:
    if language == "html":
        q, v = target.start(model)
        model.to_html(path, live=True, q0=q, v0=v, dt=target.dt)
    else:
        path.write_text(model.source(language), encoding="utf8")


def _file_stem(name: str) -> str:
    """A mechanism may have any name; a file may not."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "model"
