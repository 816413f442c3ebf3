"""Packages that only some uses need: imported when they are, or an error that says how to get them."""

import importlib
from typing import Any

from anyjoint.errors import AnyjointError


def optional(module: str, remedy: str | None = None) -> Any:
    """A module of a package that may be missing; `remedy` is what to say then."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        plain = f"this needs {module}, which is not installed; run: pip install {module}"
        raise AnyjointError(remedy or plain) from error
