"""Simulation: compiled steppers, forces, events, trajectories."""

from typing import TYPE_CHECKING, Any

from anyjoint.forces import Limits, Servo, Spring, Wrench

from .events import Event
from .integrate import simulate
from .status import Status
from .trajectory import Crossing, Trajectory

if TYPE_CHECKING:
    from .contact import ContactTrack, ContactTrajectory, Impact, ModeChange, Piece

__all__ = [
    "ContactTrack", "ContactTrajectory", "Crossing", "Event", "Impact", "Limits", "ModeChange", "Piece", "Servo",
    "Spring", "Status", "Trajectory", "Wrench", "simulate",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What contacts that open and close need is loaded when it is first used: most mechanisms have none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import contact

    return getattr(contact, name)
