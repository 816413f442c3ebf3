"""`model.export(language, folder)`: write the files of a language into a folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from anyjoint.codegen.word import word
from anyjoint.errors import AnyjointError, InputError
from anyjoint.options import meant

from .c import c_package
from .javascript import javascript_module
from .latex import document
from .offer import NOTHING, Beside

if TYPE_CHECKING:
    from anyjoint.model import Model

WRITERS: dict[str, Callable[[Model, str, Beside], dict[str, str]]] = {
    "c": c_package,
    "js": javascript_module,
    "latex": lambda model, prefix, _: {f"{prefix}.tex": document(model.workshop)},
}


def export(
    model: Model, language: str, folder: str | Path, prefix: str | None = None, beside: Beside = NOTHING
) -> list[Path]:
    """Write the model as source files and return their paths; names in the code begin with `prefix`."""
    if language not in WRITERS:
        hint = f"{meant(language, WRITERS)}; choose one of {', '.join(WRITERS)}"
        raise InputError(f"export: language {language!r} is unknown{hint}")
    name = word(model.mechanism.name, "model").lower() if prefix is None else prefix
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InputError(f"export: prefix {prefix!r} must be a name of letters, digits and _, such as 'arm'")
    target = Path(folder)
    written = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file, text in WRITERS[language](model, name, beside).items():
            path = target / file
            path.write_text(text, encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise AnyjointError(f"export: cannot write to {target}: {error.strerror}; choose another folder") from error
    return written
