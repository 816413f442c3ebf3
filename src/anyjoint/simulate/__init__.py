"""Simulation: compiled steppers, forces, events, trajectories."""

from .events import Event
from .forces import Servo, Spring, Wrench
from .integrate import simulate
from .status import Status
from .trajectory import Crossing, Trajectory

__all__ = ["Crossing", "Event", "Servo", "Spring", "Status", "Trajectory", "Wrench", "simulate"]
