"""Limits of joints as events: impacts with restitution, and coordinates that rest at a stop until it would pull."""

from .engine import Crowded, impact_engine
from .members import simulate_members
from .recorder import ImpactRecorder
from .trajectory import ImpactTrajectory, LimitImpact, facts_of

__all__ = [
    "Crowded", "ImpactRecorder", "ImpactTrajectory", "LimitImpact", "facts_of", "impact_engine", "simulate_members",
]  # fmt: skip
