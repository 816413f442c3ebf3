"""Records by name, one to a file: what a folder holds is what there is, and a file is imported when it is asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


class Listed(Mapping[str, T]):
    """The records that the files of a folder define, each of the name of its file, with `dash` between words.

    Names alone import nothing: a start from the cache needs one of forty quantities, and no stepper.
    """

    def __init__(self, folder: ModuleType, kind: type[T], dash: str = "_") -> None:
        self._folder, self._kind, self._dash = folder.__name__, kind, dash
        names = (file.name.replace("_", dash) for file in pkgutil.iter_modules(folder.__path__))
        self._found: dict[str, T | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> T:
        found = self._found[name]
        if found is None:
            found = self._found[name] = self._record(name)
        return found

    def _record(self, name: str) -> T:
        file = importlib.import_module(f"{self._folder}.{name.replace(self._dash, '_')}")
        for thing in vars(file).values():
            if isinstance(thing, self._kind) and getattr(thing, "name", None) == name:
                return thing
        raise ImportError(f"{file.__name__} defines no {self._kind.__name__} named {name!r}, as its file is")

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
