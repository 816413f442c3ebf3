"""`anyjoint export`: generated code, a live page, equations, or a file of our own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anyjoint.cli.output import print_json, say, status, warn
from anyjoint.cli.target import Target

if TYPE_CHECKING:
    from anyjoint.model import Model


def show(target: Target, language: str, out: Path, as_json: bool, vary: Sequence[str] = ()) -> None:
    """Write the export to a folder, or to a file where its name says that it is one, and name the files."""
    with status(f"exporting {target.name}", quiet=as_json):
        model = target.mechanism.compile(vary=vary)
        stem = _stem(out, SINGLE.get(language, ""), target.name)
        stem.parent.mkdir(parents=True, exist_ok=True)
        paths = WRITERS[language](target, model, stem)
    sizes = {str(path): path.stat().st_size for path in paths}
    if as_json:
        print_json({"model": target.name, "format": language, "files": sizes})
    else:
        for path, size in sizes.items():
            say(f"wrote {path} ({size:,} bytes)")


def _write_c(target: Target, model: Model, stem: Path) -> list[Path]:
    return list(model.export("c", stem.parent, stem.name.replace("-", "_")))


def _write_js(target: Target, model: Model, stem: Path) -> list[Path]:
    return list(model.export("js", stem.parent, stem.name.replace("-", "_")))


def _write_html(target: Target, model: Model, stem: Path) -> list[Path]:
    from anyjoint.forces.program import trace_forces

    q, v = target.start(model)
    path = stem.with_name(stem.name + ".html")
    acting = target.acting
    fixed = [force for force in acting if not trace_forces(model.mechanism, [force]).functions]
    if len(fixed) < len(acting):
        warn(f"{len(acting) - len(fixed)} forces follow functions of time, which a live page cannot ask; left out")
    model.to_html(path, live=True, q0=q, v0=v, dt=target.dt, method=target.method, forces=fixed)
    return [path]


def _write_latex(target: Target, model: Model, stem: Path) -> list[Path]:
    return [_write(stem.with_name(stem.name + ".tex"), model.source("latex"))]


def _write_own(target: Target, model: Model, stem: Path) -> list[Path]:
    from anyjoint.load.own import save

    path = stem.with_name(stem.name + ".aj.json")
    save(target.mechanism, path)
    return [path]


SINGLE = {"html": ".html", "latex": ".tex", "aj.json": ".aj.json"}  # what makes one file, and how it ends
WRITERS = {"c": _write_c, "js": _write_js, "html": _write_html, "latex": _write_latex, "aj.json": _write_own}


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf8")
    return path


def _stem(out: Path, end: str, name: str) -> Path:
    """The file without its end, where `out` is one; otherwise a file of the mechanism's name in the folder."""
    own = out.name.removesuffix(end)
    return out.with_name(own) if own not in ("", out.name) and not out.is_dir() else out / _file_stem(name)


def _file_stem(name: str) -> str:
    """A mechanism may have any name; a file may not."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "model"
