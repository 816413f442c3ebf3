"""Where a mechanism was loaded from, and what its file said that a mechanism has no place for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.joints import Coupled

from .checks import Problem
from .sensor import Sensor
from .shapes import Shape


@frozen
class Source:
    """The file of a loaded mechanism.

    `warnings` are problems that loading lived with, `notes` are parts of the file that dynamics does not need. `joints`
    says which body moves by a joint of the file, by the joint's name; `coordinates` which body and which of its
    coordinates is one that the file names. `chained` are joints that follow others over one that follows itself, as
    they follow that one, by the names of their bodies. `starts` are states (q, v) that the file names,
    `collisions` the shapes that a body touches others with. `actuators` are drives by name, at zero control, and
    `forces` other forces of the file: give both to `simulate(forces=...)` and they act. `settings` are what the file
    says of runs, such as the step. `tendons` are paths by name, for `model.path_length` and `model.moment_arms`;
    `sensors` are functions (model, q, v) by name.
    """

    path: str
    format: str
    warnings: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    joints: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    chained: Mapping[str, Coupled] = field(default_factory=dict)
    starts: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    collisions: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    actuators: Mapping[str, Any] = field(default_factory=dict)
    forces: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    tendons: Mapping[str, Any] = field(default_factory=dict)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)

    @property
    def muscles(self) -> Mapping[str, Any]:
        """Those of the actuators that are muscles."""
        return {name: drive for name, drive in self.actuators.items() if hasattr(drive, "activation")}
