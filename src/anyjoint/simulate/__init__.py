"""Simulation: compiled steppers, forces, events, trajectories."""

from anyjoint.forces import Limits, Servo, Spring, Wrench

from .contact import ContactTrack, ContactTrajectory, Impact, ModeChange, Piece
from .events import Event
from .integrate import simulate
from .status import Status
from .trajectory import Crossing, Trajectory

__all__ = [
    "ContactTrack", "ContactTrajectory", "Crossing", "Event", "Impact", "Limits", "ModeChange", "Piece", "Servo",
    "Spring", "Status", "Trajectory", "Wrench", "simulate",
]  # fmt: skip
