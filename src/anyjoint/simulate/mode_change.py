"""How a contact or a stop changed."""

from typing import NamedTuple


class ModeChange(NamedTuple):
    """A contact that changed its mode: when, whose, "sliding -> flight", and why."""

    time: float
    body: str
    change: str
    reason: str
