"""Files that a model names: found by its own folder and by packages, and never outside of these."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from os import PathLike
from os.path import expanduser
from pathlib import Path

from anyjoint.errors import AnyjointError, InputError

PACKAGE = ("package://", "model://")
LEVELS = 6  # how far up a package is looked for
PERSONAL = {"Desktop", "Documents", "Downloads"}  # of a home: where things of all kinds lie beside each other


class PathRefused(AnyjointError):
    """A file that is not there, or that a model may not name."""


class Paths:
    """Where a model's own files may be: its folder, the package that it lies in, and packages given by the user."""

    def __init__(self, file: Path, packages: Mapping[str, str | Path] | None = None) -> None:
        self.folder = file.resolve().parent
        self.packages = _checked(packages or {})
        above = [self.folder, *self.folder.parents][:LEVELS]
        own = next((folder for folder in above if (folder / "package.xml").is_file()), self.folder)
        self.roots = [self.folder, own, *self.packages.values()]

    def find(self, reference: str, folder: Path | None = None) -> Path:
        """The real path of a regular file that a model names, or a PathRefused that says why not.

        A relative path begins at the model's own folder; another may be given, as of an included file.
        """
        path = self._place(reference, folder or self.folder)
        try:
            real = path.resolve()
            if not any(real.is_relative_to(root) for root in self.roots):
                raise PathRefused(
                    f"{reference!r} leads out of the model's folder and of its packages; if you trust it, name the "
                    "folder where it may look: packages={'meshes': FOLDER}"
                )
            kind = real.stat().st_mode
        except (OSError, RuntimeError, ValueError):
            raise PathRefused(f"there is no file {reference!r} in the model's folder and its packages") from None
        if not stat.S_ISREG(kind):
            raise PathRefused(f"{reference!r} is no regular file")
        return real

    def _place(self, reference: str, start: Path) -> Path:
        if "\0" in reference or not reference.strip():
            raise PathRefused(f"{reference!r} is no name of a file")
        for scheme in PACKAGE:
            if reference.startswith(scheme):
                name, _, rest = reference.removeprefix(scheme).lstrip("/").partition("/")
                return self._package(name) / rest.lstrip("/")
        if "://" in reference:
            raise PathRefused(f"{reference!r}: only package:// and paths relative to the model's file are read")
        if Path(reference).is_absolute():
            raise PathRefused(f"{reference!r} is an absolute path; write it relative to the model's file")
        return start / reference

    def _package(self, name: str) -> Path:
        """The folder of a package: as given, or one that the file lies in, or one beside those."""
        if name in self.packages:
            return self.packages[name]
        for folder in [self.folder, *self.folder.parents][:LEVELS]:
            beside = folder / name
            found = None
            if folder.name == name and not _crowded(folder):
                found = folder
            elif (beside / "package.xml").is_file():
                found = beside
            if found is not None and name not in ("", ".", ".."):
                self.roots.append(found.resolve())
                return found
        raise PathRefused(f"the package {name!r} is not known; say where it is: packages={{{name!r}: FOLDER}}")


def _crowded(folder: Path) -> bool:
    """Whether it holds more than a package: the user's home, what is above it, Downloads, or the top of the disk."""
    home = Path(expanduser("~")).resolve()
    personal = folder.parent == home and folder.name in PERSONAL
    return personal or home.is_relative_to(folder) or len(folder.parts) <= 2


def _checked(packages: Mapping[str, str | Path]) -> dict[str, Path]:
    if not isinstance(packages, Mapping):
        raise InputError(f"load: packages={packages!r}; expected folders by name, {{NAME: FOLDER}}")
    made = {}
    for name, folder in packages.items():
        if not isinstance(folder, (str, PathLike)) or not Path(folder).is_dir():
            raise InputError(f"load: packages[{name!r}] = {str(folder)!r} is no folder")
        made[str(name)] = Path(folder).resolve()
    return made
