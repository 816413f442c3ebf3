"""Dry friction along a path, as a force that every stepper feels."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.constraints import Push
from anyjoint.constraints.resistance import rubbing
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism

from .force import Values, check_number
from .path import Item, check_listed, read_path


@frozen
class DryFriction:
    """Resists the rate of a path (see Cable) with -force * rate / sqrt(rate^2 + slip^2).

    Nothing sticks: under less than `force` a path creeps slower than about `slip`. A path of a single Drum is a joint.
    """

    path: Sequence[Item]
    force: float
    slip: float = 1e-3

    def __post_init__(self) -> None:
        check_listed(self.path, "DryFriction")
        check_number("DryFriction", "force", self.force, least=0.0)
        check_number("DryFriction", "slip", self.slip, least=1e-12)

    def pushes(self, mechanism: Mechanism) -> list[Push]:
        path = read_path(self.path, mechanism, "DryFriction")
        return [
            Push(what="DryFriction", measure=path.measure, effort=resist, bodies=path.bodies,
                 coordinates=path.coordinates, numbers=(*path.numbers, self.force, self.slip))
        ]  # fmt: skip


def resist(s: Values, rate: Values, n: Values, signals: Values) -> Values:
    return rubbing(rate, n[-2], n[-1])
