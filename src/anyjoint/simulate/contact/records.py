"""What a run with contacts tells beside its states: changes of modes, impacts, contact points and forces."""

from __future__ import annotations

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats

from ..mode_change import ModeChange
from ..tracks import ContactTrack


@frozen
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
