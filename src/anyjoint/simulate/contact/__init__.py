"""Contacts that open and close: modes, what is watched in them, and how one follows another [PAK section 6]."""

from .records import ContactTrack, Impact, ModeChange
from .simulation import simulate_contacts
from .trajectory import ContactTrajectory, Piece, facts_of

__all__ = [
    "ContactTrack", "ContactTrajectory", "Impact", "ModeChange", "Piece", "facts_of", "simulate_contacts",
]  # fmt: skip
