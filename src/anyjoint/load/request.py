"""What was asked of a loader."""

from __future__ import annotations

from pathlib import Path

from anyjoint.frozen import frozen

from .paths import Paths
from .report import Report


@frozen
class Request:
    """A file to load, how its root stands, whether meshes are read, where problems are told, what touches, trust."""

    path: Path
    data: bytes
    base: str
    meshes: str
    paths: Paths
    report: Report
    contacts: str = "skip"
    untrusted: bool = False
