"""A digest of a folder's Python source, the same on every machine; files that have not changed are not read again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from . import cache


@lru_cache(maxsize=8)
def source_digest(folder: Path) -> str:
    """Digest of all Python files below a folder: whatever has changed, what older code has made is not used."""
    files = sorted(_files(str(folder)))
    seen = cache.key_of("source", str(folder), repr(files))
    return cache.once(seen, lambda: _read(folder, [name for name, _, _ in files]).encode())[0].decode()


def _files(folder: str, prefix: str = "") -> Iterator[tuple[str, int, int]]:
    """Names, sizes and times of change."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path, f"{prefix}{entry.name}/")
            elif entry.name.endswith(".py"):
                about = entry.stat()
                yield prefix + entry.name, about.st_size, about.st_mtime_ns


def _read(folder: Path, names: list[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        data = (folder / name).read_bytes()
        digest.update(f"{name} {len(data)}\n".encode() + data)
    return digest.hexdigest()
