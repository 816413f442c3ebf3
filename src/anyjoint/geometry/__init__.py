"""Curves, surfaces, signed distances and scalar functions that joints ride on and contacts meet, over any scalar."""

import importlib
from typing import Any

__all__ = ["curves", "distances", "functions", "surfaces"]


def __getattr__(name: str) -> Any:
    """Folders are loaded when they are first used: most robots have neither curves nor surfaces."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
