"""Sweeps as zarr groups: every column is an array (runs, ...) that other programs read, chunk by chunk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.optional import optional
from anyjoint.scalar.array import Floats

from .job import LONGEST, Rows
from .store import Store, seal

OK, REASON, SEALS = "\0ok", "\0reason", "seal"  # the arrays are called without what no column begins with
MANIFEST = "sweep"  # the attribute of the group


class ZarrStore(Store):
    """Columns as arrays; beside them `ok`, and `reason` as bytes of text. A chunk counts once its seal is written."""

    def __init__(self, path: Path, manifest: Mapping[str, object]) -> None:
        super().__init__(path, manifest)
        _zarr()  # it must be there
        self._names = _array_names([SEALS, OK, REASON, *self.shapes])

    @classmethod
    def manifest(cls, path: Path) -> Any:
        """An attribute of the group; None if there is no such group."""
        if not (path / "zarr.json").exists():
            return None
        try:
            return _zarr().open_group(str(path), mode="r").attrs.get(MANIFEST)
        except Exception:  # whatever a damaged file makes the library raise
            return {}

    def create(self, manifest: Mapping[str, object]) -> None:
        """Empty arrays, then the manifest."""
        group = _zarr().open_group(str(self.path), mode="w")
        for name, (shape, dtype) in self._arrays().items():
            piece = (self.chunk, *(max(x, 1) for x in shape))
            axes = ("run", *(f"{self._names[name]} {k}" for k in range(len(shape))))
            empty = np.nan if dtype == "f8" else 0
            group.create_array(
                self._names[name], shape=(self.n, *shape), chunks=piece, dtype=dtype, fill_value=empty,
                dimension_names=axes,
            )  # fmt: skip
        chunks, size = -(-self.n // self.chunk), 32
        group.create_array(
            SEALS, shape=(chunks, size), chunks=(1, size), dtype="u1", fill_value=0, dimension_names=("chunk", "byte")
        )
        group.attrs[MANIFEST] = dict(manifest)

    def write(self, number: int, rows: Rows) -> None:
        """Columns first, the seal last."""
        group, part, arrays = _zarr().open_group(str(self.path), mode="r+"), self._part(number), _flagged(rows)
        for name, array in arrays.items():
            group[self._names[name]][part] = array
        group[SEALS][number] = np.frombuffer(seal(self.whose, number, arrays), np.uint8)

    def read(self, number: int) -> Rows | None:
        """A chunk whose seal is whole."""
        try:
            group = _zarr().open_group(str(self.path), mode="r")
            stored = bytes(group[SEALS][number])
            if not any(stored):
                return None
            arrays = {name: np.array(group[self._names[name]][self._part(number)]) for name in self._arrays()}
        except Exception:  # whatever a damaged file makes the library raise, the chunk is made again
            return None
        if stored != seal(self.whose, number, arrays):
            return None
        failed, texts = np.flatnonzero(arrays[OK] == 0), arrays[REASON]
        reasons = {int(k): texts[k].tobytes().rstrip(b"\0").decode() for k in failed}
        return Rows({name: arrays[name] for name in self.shapes}, reasons, len(texts))

    def _arrays(self) -> dict[str, tuple[tuple[int, ...], str]]:
        """Shapes of a row, and types."""
        return {
            **{name: (shape, "f8") for name, shape in self.shapes.items()},
            OK: ((), "i1"),
            REASON: ((LONGEST,), "u1"),
        }

    def _part(self, number: int) -> slice:
        return slice(number * self.chunk, number * self.chunk + self.length(number))


def _flagged(rows: Rows) -> dict[str, Floats]:
    """Columns, and what says which rows count."""
    ok, texts = np.ones(rows.count, dtype="i1"), np.zeros((rows.count, LONGEST), dtype="u1")
    for k, reason in rows.reasons.items():
        ok[k] = 0
        text = np.frombuffer(reason.encode(), dtype=np.uint8)
        texts[k, : len(text)] = text
    return {**rows.columns, OK: ok, REASON: texts}


def _array_names(columns: list[str]) -> dict[str, str]:
    """Names of arrays by those of columns: nothing that a file system or zarr could take for something else."""
    made: dict[str, str] = {}
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_-]+", ".", column).strip("._") or "column"
        made[column] = plain if plain not in made.values() else f"{plain}.{len(made)}"
    return made


def _zarr() -> Any:
    remedy = "a store that ends in .zarr needs zarr; run: pip install 'anyjoint[zarr]', or give a plain folder"
    return optional("zarr", remedy)
