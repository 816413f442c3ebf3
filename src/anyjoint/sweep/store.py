"""Sweeps on disk: whole chunks or nothing, sealed, so that a rerun goes on where it stopped and trusts what it finds.

A store is a folder with a manifest, which says what sweep it belongs to, and one file for each chunk; a name that ends
in .zarr makes it a zarr group (see zarr_store.py), which other programs read.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.scalar.array import Floats

from .job import Rows, Shapes

FORMAT = "anyjoint sweep 1"
MANIFEST = "sweep.json"


class Store(ABC):
    """Chunks of a sweep by their number."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path, self.n, self.chunk = path, int(manifest["n"]), int(manifest["chunk"])
        self.shapes: Shapes = {name: tuple(shape) for name, shape in manifest["columns"].items()}
        facts = {name: value for name, value in manifest.items() if name != "probe"}  # which is compared roughly
        self.whose = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @classmethod
    @abstractmethod
    def manifest(cls, path: Path) -> Any:
        """What a store says of its sweep; None if there is none at this path."""

    @abstractmethod
    def create(self, manifest: Mapping[str, object]) -> None:
        """Make what is needed in an empty folder; the manifest last, so that what has one is complete."""

    @abstractmethod
    def write(self, number: int, rows: Rows) -> None:
        """Keep a chunk: all of it, or nothing."""

    @abstractmethod
    def read(self, number: int) -> Rows | None:
        """A chunk; None if it is not there, or damaged."""

    def length(self, number: int) -> int:
        """How many runs a chunk has."""
        return min(self.chunk, self.n - number * self.chunk)


class FolderStore(Store):
    """One npz file for each chunk."""

    @classmethod
    def manifest(cls, path: Path) -> Any:
        """A file of JSON."""
        try:
            return json.loads((path / MANIFEST).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            return {}

    def create(self, manifest: Mapping[str, object]) -> None:
        """Chunks come by themselves."""
        with atomic(self.path / MANIFEST) as file:
            file.write(json.dumps(manifest, indent=1).encode())

    def _file(self, number: int) -> Path:
        return self.path / f"chunk-{number:06d}.npz"

    def write(self, number: int, rows: Rows) -> None:
        """A file beside, then in its place at once."""
        arrays = {f"column {i}": rows.columns[name] for i, name in enumerate(self.shapes)}
        arrays["reasons"] = text_array(rows)
        with atomic(self._file(number)) as file:
            np.savez(file, seal=np.frombuffer(seal(self.whose, number, arrays), dtype=np.uint8), **arrays)  # type: ignore[arg-type]

    def read(self, number: int) -> Rows | None:
        """A chunk whose seal is whole."""
        try:
            with np.load(self._file(number), allow_pickle=False) as data:
                arrays = {name: np.array(data[name]) for name in data.files}
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
            return None
        stored = arrays.pop("seal", np.zeros(0, np.uint8)).tobytes()
        if stored != seal(self.whose, number, arrays) or set(arrays) != {
            "reasons",
            *(f"column {i}" for i in range(len(self.shapes))),
        }:
            return None
        columns = {name: arrays[f"column {i}"] for i, name in enumerate(self.shapes)}
        return Rows(columns, reasons_of(arrays["reasons"]), self.length(number))


def seal(whose: str, number: int, arrays: Mapping[str, Floats]) -> bytes:
    """A digest of the sweep of a chunk, of its number and of everything in it."""
    digest = hashlib.sha256(f"{FORMAT} {whose} {number}".encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return digest.digest()


def text_array(rows: Rows) -> Floats:
    """Reasons of failed runs as bytes of JSON."""
    return np.frombuffer(json.dumps({str(k): reason for k, reason in rows.reasons.items()}).encode(), dtype=np.uint8)


def reasons_of(array: Floats) -> dict[int, str]:
    """Reasons of failed runs, from bytes of JSON."""
    return {int(k): reason for k, reason in json.loads(array.tobytes().decode()).items()}


class atomic:
    """A binary file that appears under its name when it is complete; readers never see a part of it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Any:
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".new-")
        self._name = Path(name)
        self._file = os.fdopen(handle, "wb")
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if kind is None:
            os.replace(self._name, self.path)
        else:
            self._name.unlink(missing_ok=True)


# -- opening ------------------------------------------------------------------------------------------------------


def open_store(path: Any, manifest: Mapping[str, object]) -> Store:
    """The store at a path: a new one, or one of this very sweep to go on with."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"store={path!r}; expected a path, such as 'run.zarr' or a folder")
    place = Path(path).expanduser()
    kind = store_class(place)
    try:
        stored = kind.manifest(place)
        made = kind(place, manifest)
        if stored is not None:
            _check_same(place, stored, manifest)
            return made
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise InputError(f"store {place}: there is something else already; choose a new name, or an empty folder")
        place.mkdir(parents=True, exist_ok=True)
        made.create({"format": FORMAT, **manifest})
        return made
    except OSError as error:
        raise AnyjointError(
            f"store {place} cannot be written: {error.strerror or error}; choose another place"
        ) from error


def store_class(place: Path) -> type[Store]:
    """Which kind of store a name asks for."""
    if place.suffix.lower() == ".zarr":
        from .zarr_store import ZarrStore

        return ZarrStore
    if place.suffix and place.suffix.lower() in (".npz", ".npy", ".csv", ".h5", ".hdf5", ".nc", ".parquet"):
        raise InputError(
            f"store {place}: a store is a folder, or ends in .zarr; result.to_pandas() gives other formats"
        )
    return FolderStore


def _check_same(place: Path, stored: Mapping[str, object], wanted: Mapping[str, object]) -> None:
    """Refuse the store of another sweep, and say in what it differs."""
    if not isinstance(stored, Mapping) or stored.get("format") != FORMAT:
        raise InputError(f"store {place}: its manifest is damaged, or not that of {FORMAT!r}; choose another store")
    for what in wanted:
        same = _close(stored.get(what), wanted[what]) if what == "probe" else stored.get(what) == wanted[what]
        if not same:
            shown = (
                "" if what in UNREADABLE else f": it has {_brief(stored.get(what))}, this one {_brief(wanted[what])}"
            )
            raise InputError(
                f"store {place} belongs to a sweep with another {WORDS.get(what, what)}{shown}; "
                "choose another store, or remove this one"
            )


WORDS = {
    "space": "choice of what varies",
    "probe": "model, inputs or measure: the runs that were tried give other numbers",
}
UNREADABLE = ("model", "probe")


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) < 120 else f"{text[:117]}..."


def _close(one: Any, other: Any) -> bool:
    """Whether two results of the same runs agree, but for what another processor rounds differently."""
    if not isinstance(one, dict) or set(one) != set(other):
        return False
    pairs = [(np.array(one[name], dtype=float), np.array(other[name], dtype=float)) for name in one]
    return all(a.shape == b.shape and np.allclose(a, b, 1e-6, 1e-6 * _size(a), equal_nan=True) for a, b in pairs)


def _size(column: Floats) -> float:
    """The largest number of a column."""
    return float(np.abs(column[np.isfinite(column)]).max(initial=0.0))
