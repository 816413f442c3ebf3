"""Object code on disk: private to the user, verified before it is loaded, safe for processes that run at once.

The directory is `ANYJOINT_CACHE` (or none, if that is "off" or "0"), else `anyjoint` in the user's cache directory.
It must belong to the user and be closed to everybody else; if not, nothing is read or written and code is compiled
anew. An entry is the SHA-256 of its payload, then the payload, so a damaged or foreign file is noticed and replaced.
What one process makes, others on the same machine wait for. Entries travel to other machines by `recorded` and `offer`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path

FORMAT = b"anyjoint object 1\n"
LIMIT = 16_000  # entries; some 20 kB each
SELDOM = 64  # of so many entries that are stored, one has a look at how many there are
_DIGEST = hashlib.sha256().digest_size
_used: ContextVar[dict[str, bytes] | None] = ContextVar("used", default=None)


def key_of(*parts: str) -> str:
    """The name of an entry: a digest of everything that the object code depends on."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def directory() -> Path | None:
    """The cache directory, made if it is missing; None if caching is off or the directory is not safe to use."""
    setting = os.environ.get("ANYJOINT_CACHE", "")
    if setting.strip().lower() in ("off", "0"):
        return None
    path = Path(setting).expanduser() if setting.strip() else _default()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _is_private(os.lstat(path)) else None
    except (OSError, RuntimeError):
        return None


def _default() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "anyjoint"


def _is_private(status: os.stat_result) -> bool:
    """A real directory (no link) of this user that nobody else may enter."""
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o077


def load(key: str) -> bytes | None:
    """The payload stored under a key, or None if there is none that can be trusted."""
    folder = directory()
    if folder is None:
        return None
    try:
        data = (folder / key).read_bytes()
    except OSError:
        return None
    start = len(FORMAT) + _DIGEST
    payload = data[start:]
    if data[: len(FORMAT)] != FORMAT or data[len(FORMAT) : start] != _seal(key, payload):
        return None
    return payload


def save(key: str, payload: bytes) -> None:
    """Store a payload; readers see the old file or the whole new one. A full or read-only disk is no error."""
    folder = directory()
    if folder is None:
        return
    temporary, seal = "", _seal(key, payload)
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(FORMAT + seal + payload)
        os.replace(temporary, folder / key)
        if seal[0] % SELDOM == 0:  # as good as a die
            _prune(folder)
    except OSError:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def once(key: str, make: Callable[[], bytes]) -> tuple[bytes, bool]:
    """The payload of a key, and whether it was stored; if not it is made, by one process while others wait for it."""
    payload = load(key)
    found = payload is not None
    if payload is None:
        with _alone(key):
            payload = load(key)  # another process may have made it meanwhile
            found = payload is not None
            if payload is None:
                payload = make()
                save(key, payload)
    used = _used.get()
    if used is not None:
        used[key] = payload
    return payload, found


@contextlib.contextmanager
def _alone(key: str) -> Iterator[None]:
    """Wait until no other process makes this entry; without a cache, or without locks, nobody waits."""
    folder = directory()
    try:
        import fcntl

        # A file of its own for each key: making one entry may ask for another.
        lock = open(folder / f".lock-{key}", "wb") if folder else None  # noqa: SIM115 (closed below)
    except (ImportError, OSError):
        lock = None
    if lock is None:
        yield
        return
    with lock:  # closing it is what lets the next one in
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
        with contextlib.suppress(OSError):  # who has opened it before makes the entry twice at worst
            os.unlink(lock.name)


@contextlib.contextmanager
def recorded() -> Iterator[dict[str, bytes]]:
    """Entries that are asked for or made within the block, by key, to take along to another machine."""
    entries: dict[str, bytes] = {}
    token = _used.set(entries)
    try:
        yield entries
    finally:
        _used.reset(token)


def offer(entries: Mapping[str, bytes]) -> None:
    """Store what another machine has made. Keys name the processor, so nobody asks for code of a foreign one."""
    for key, payload in entries.items():
        if load(key) is None:
            save(key, payload)


def _prune(folder: Path) -> None:
    """Drop the older half of the entries when there are too many."""
    with os.scandir(folder) as found:
        entries = [entry for entry in found if entry.is_file(follow_symlinks=False)]
    if len(entries) > LIMIT:
        entries.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in entries[: len(entries) // 2]:
            Path(entry.path).unlink(missing_ok=True)


def _seal(key: str, payload: bytes) -> bytes:
    """Digest of the payload and its key, so that an entry copied to another name is not taken for it."""
    return hashlib.sha256(key.encode() + payload).digest()
