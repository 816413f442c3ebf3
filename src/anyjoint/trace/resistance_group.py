"""Resistances that share their kernels, and where each of them has its numbers in the work array."""

from __future__ import annotations

from dataclasses import dataclass, field

from anyjoint.codegen import Place
from anyjoint.scalar import Scalar
from anyjoint.symbolic.rewrite import Rebuild

from .landings import Landing
from .pushes import Spot
from .setup import Setup


@dataclass
class Stash:
    """Values kept in the work array from one kernel to the next: those that are exact are built in."""

    known: tuple[Scalar, ...]
    rebuild: Rebuild

    @property
    def size(self) -> int:
        """How much room they take."""
        return len(self.known)


@dataclass
class Member:
    """One resistance of a group: where its stashes, its rows and its part of the result stand."""

    spot: Spot
    begun: Place
    line: Place
    row: int
    result: int
    landings: list[Landing]
    places: list[Place]  # of the arguments of its first kernel


@dataclass
class Group:
    """Resistances that share their kernels."""

    spot: Spot
    kernel: int
    setup: Setup
    begun: Stash
    line: Stash
    load: int
    numbers: list[int] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Of each of them."""
        return self.spot.rows

    @property
    def shows(self) -> bool:
        """Whether they have a part of the result."""
        return bool(self.spot.push.bodies)
