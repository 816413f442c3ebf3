"""What pulls in a mechanism, along paths or between two points: which forces, of which look, how thick."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.forces.bushing import Bushing
from anyjoint.forces.lag import activated
from anyjoint.forces.muscle import Hill
from anyjoint.forces.path import Path, read_path
from anyjoint.forces.spring import Spring
from anyjoint.frozen import frozen
from anyjoint.view.drawing import typical_length

if TYPE_CHECKING:
    from anyjoint.forces import Force
    from anyjoint.mechanism import Mechanism

STRESS = 5e6  # N/m^2 of a muscle's belly as it is drawn: a tenth of what it has, else bones would not be seen
BELLY = (0.008, 0.05)  # least and largest radius of a belly, in lengths of the path
PLAIN = 0.02  # radius of a muscle whose strength is not known, in lengths of its path
THIN = 0.01  # radius of cables, in lengths of a middling one
WIDE = {"spring": 0.06, "damper": 0.04, "bushing": 0.6}  # radius of what is between two points, in lengths of it
RUBBER = 0.1  # half of a bushing's length, in lengths of a middling body


@frozen(eq=False)
class Pulling:
    """Something that pulls along a path, or between two points."""

    name: str
    path: Path
    force: Any  # the force, or None of a path alone

    @property
    def muscle(self) -> bool:
        """Whether it has an activation."""
        return hasattr(self.force, "activation")

    @property
    def kind(self) -> str:
        """What it looks like."""
        return "muscle" if self.muscle else _kind(self.force)

    def level(self, t: float) -> float:
        """The activation at a time."""
        signal = activated(self.force.activation, self.force.lag)
        return min(max(float(signal(t) if callable(signal) else signal), 0.0), 1.0)

    def radius(self, length: float) -> float:
        """How thick it is drawn."""
        if not self.muscle:
            return WIDE.get(self.kind, THIN) * (max(length, self.force.length) if self.kind == "spring" else length)
        strength = self.force.force.max_force if isinstance(self.force.force, Hill) else None
        thick = PLAIN * length if strength is None else math.sqrt(strength / (math.pi * STRESS))
        return min(max(thick, BELLY[0] * length), BELLY[1] * length)


def pulling(mechanism: Mechanism, acting: Sequence[Force]) -> Iterator[Pulling]:
    """Each path once: those of the file with their names, by forces that act where there are such; then the others."""
    waiting = [force for force in acting if _items(force, mechanism) is not None]
    told = list[Any]()
    for name, given in [*_of_file(mechanism), *((type(force).__name__.lower(), force) for force in waiting)]:
        items = _items(given, mechanism)
        mark = _kind(given), items
        if any(mark == other for other in told):
            continue
        told.append(mark)
        along = [force for force in waiting if getattr(force, "path", None) == items and hasattr(force, "activation")]
        own = along[0] if along else given
        try:
            yield Pulling(name, read_path(items, mechanism, "to_html", whole=True), own if own is not items else None)
        except InputError:  # a joint was replaced, and with it went a coordinate that the file's path depends on
            continue


def _kind(force: Any) -> str:
    """What a force that is no muscle looks like."""
    if isinstance(force, Spring):
        return "spring" if force.stiffness else "damper"
    return "bushing" if isinstance(force, Bushing) else "cable"


def _items(force: Any, mechanism: Mechanism) -> Any:
    """The path that a force pulls along, or that it is; None where it has none."""
    if isinstance(force, Spring):
        return [(force.body_a, force.point_a), (force.body_b, force.point_b)]
    if isinstance(force, Bushing):  # a lump along the axis that it turns about most easily
        axis = np.eye(3)[int(np.argmin(force.stiffness[:3]))] * RUBBER * typical_length(mechanism.bodies)
        ends = force.at_a.act(-axis), force.at_b.act(axis)
        return [(body, tuple(map(float, end))) for body, end in zip((force.body_a, force.body_b), ends, strict=True)]
    return force if isinstance(force, (list, tuple)) else getattr(force, "path", None)


def _of_file(mechanism: Mechanism) -> list[tuple[str, Any]]:
    """Paths and forces along them that a file has, with their names; muscles before tendons that they pull at."""
    source = mechanism.source
    if source is None:
        return []
    drives = [(name, x) for name, x in source.actuators.items() if getattr(x, "path", None) is not None]
    drives.sort(key=lambda pair: not hasattr(pair[1], "activation"))
    others = [("", force) for force in source.forces if _items(force, mechanism) is not None]
    return [*drives, *source.tendons.items(), *others]
