"""Mechanisms from files: one folder or file per format, all told by their content."""

import inspect
import sys
from types import ModuleType
from typing import Any

from .file import load
from .paths import PathRefused

__all__ = ["PathRefused", "load"]


class _Loader(ModuleType):
    """`anyjoint.load` is this module to those who import from it first, and the function to all others."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return load(*args, **kwargs)


__signature__ = inspect.signature(load)
sys.modules[__name__].__class__ = _Loader
