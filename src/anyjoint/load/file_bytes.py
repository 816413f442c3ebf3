"""The content of a file, where that is safe to ask for."""

from __future__ import annotations

import stat
from pathlib import Path

from anyjoint.errors import InputError

from .markup import MOST_BYTES


def read_bytes(path: Path) -> bytes:
    """The content of a regular file that is not too large; a pipe or a device would never end."""
    try:
        about = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"load: {str(path)!r} cannot be read: {reason}") from None
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"load: {str(path)!r} is no regular file; give the file of a model")
    if about.st_size > MOST_BYTES:
        raise InputError(f"load: {str(path)!r} has {about.st_size:,} bytes; at most {MOST_BYTES:,} are read")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"load: {str(path)!r} cannot be read: {error.strerror}") from None
