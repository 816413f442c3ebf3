"""What a run with contacts tells beside its states: changes of modes, impacts, contact points and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from anyjoint.scalar.array import Floats

from ..tracks import ContactTrack


class ModeChange(NamedTuple):
    """A contact that changed its mode: when, whose, "sliding -> flight", and why."""

    time: float
    body: str
    change: str
    reason: str


@dataclass(frozen=True)
class Impact:
    """A body that met its parent: the impulse on it, the kinetic energy that was lost, and what momentum lacks.

    The impulse is in world axes; `imbalance` is a share of it, 0 but for rounding.
    """

    time: float
    body: str
    impulse: Floats
    lost: float
    imbalance: float


__all__ = ["ContactTrack", "Impact", "ModeChange"]
