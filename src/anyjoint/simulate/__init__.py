"""Simulation: compiled steppers, forces, events, trajectories."""

from anyjoint.forces import Limits, Servo, Spring, Wrench

from .events import Event
from .integrate import simulate
from .status import Status
from .trajectory import Crossing, Trajectory

__all__ = ["Crossing", "Event", "Limits", "Servo", "Spring", "Status", "Trajectory", "Wrench", "simulate"]
