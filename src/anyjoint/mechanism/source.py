"""Where a mechanism was loaded from, and what its file said that a mechanism has no place for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .checks import Problem
from .shapes import Shape


@dataclass(frozen=True)
class Source:
    """The file of a loaded mechanism.

    `warnings` are problems that loading lived with, `notes` are parts of the file that dynamics does not need. `joints`
    says which body moves by a joint of the file, by the joint's name. `starts` are states (q, v) that the file names,
    `collisions` the shapes that a body touches others with, `forces` what to give to `simulate(forces=...)` so that the
    file's own forces act.
    """

    path: str
    format: str
    warnings: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    joints: Mapping[str, str] = field(default_factory=dict)
    starts: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    collisions: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    forces: tuple[Any, ...] = ()
