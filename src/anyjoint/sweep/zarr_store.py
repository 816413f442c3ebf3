"""Sweeps as zarr groups: every column is an array (runs, ...) that other programs read, chunk by chunk."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.errors import AnyjointError

from .job import Rows
from .store import Store, reasons_of, seal

SEALS, REASONS = "_seals", "_reasons"
OK = "ok"


class ZarrStore(Store):
    """Columns as arrays, `ok` beside them; a chunk counts when its seal is written, which is last."""

    def __init__(self, path: Path, manifest: Any) -> None:
        super().__init__(path, manifest)
        self._zarr = _zarr()
        self._names = _array_names([*self.shapes, OK])

    def create(self) -> None:
        """Empty arrays."""
        group = self._zarr.open_group(str(self.path), mode="w")
        for name, shape in self.shapes.items():
            piece = (self.chunk, *(max(x, 1) for x in shape))
            group.create_array(self._names[name], shape=(self.n, *shape), chunks=piece, dtype="f8", fill_value=np.nan)
        group.create_array(OK, shape=(self.n,), chunks=(self.chunk,), dtype="i1", fill_value=0)
        chunks = -(-self.n // self.chunk)
        group.create_array(SEALS, shape=(chunks, 32), chunks=(1, 32), dtype="u1", fill_value=0)
        group.attrs["columns"] = self._names
        (self.path / REASONS).mkdir()

    def write(self, number: int, rows: Rows) -> None:
        """Columns, then reasons, then the seal."""
        group, (first, last) = self._zarr.open_group(str(self.path), mode="r+"), self._range(number)
        arrays = self._arrays(rows)
        for name, array in arrays.items():
            group[self._names[name]][first:last] = array
        self._reasons(number).write_text(_reason_text(rows), encoding="utf8")
        group[SEALS][number] = np.frombuffer(seal(number, arrays | {REASONS: _bytes(_reason_text(rows))}), np.uint8)

    def read(self, number: int) -> Rows | None:
        """A chunk whose seal is whole."""
        first, last = self._range(number)
        try:
            group = self._zarr.open_group(str(self.path), mode="r")
            stored = bytes(group[SEALS][number])
            if not any(stored):
                return None
            arrays = {name: np.array(group[self._names[name]][first:last]) for name in (*self.shapes, OK)}
            text = self._reasons(number).read_text(encoding="utf8")
            if stored != seal(number, arrays | {REASONS: _bytes(text)}):
                return None
            columns = {name: arrays[name] for name in self.shapes}
            return Rows(columns, reasons_of(_bytes(text)), last - first)
        except Exception:  # whatever a damaged file makes the library raise, the chunk is made again
            return None

    def _arrays(self, rows: Rows) -> dict[str, Any]:
        ok = np.ones(rows.count, dtype="i1")
        ok[list(rows.reasons)] = 0
        return {**{name: rows.columns[name] for name in self.shapes}, OK: ok}

    def _range(self, number: int) -> tuple[int, int]:
        return number * self.chunk, number * self.chunk + self.length(number)

    def _reasons(self, number: int) -> Path:
        return self.path / REASONS / f"{number:06d}.json"


def _reason_text(rows: Rows) -> str:
    return json.dumps({str(k): reason for k, reason in rows.reasons.items()})


def _bytes(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _array_names(columns: list[str]) -> dict[str, str]:
    """Names of arrays by those of columns: nothing that a file system or zarr could take for something else."""
    made: dict[str, str] = {}
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_-]+", ".", column).strip("._") or "column"
        made[column] = plain if plain not in made.values() else f"{plain}.{len(made)}"
    return made


def _zarr() -> Any:
    try:
        return importlib.import_module("zarr")
    except ImportError:
        raise AnyjointError(
            "a store that ends in .zarr needs zarr; run: pip install 'anyjoint[zarr]', or give a plain folder"
        ) from None
