"""Coordinates by the names of the file, wherever they went: free, following another one, or locked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.geometry import functions
from anyjoint.scalar import Scalar

SAME = functions.Linear()


@frozen
class Place:
    """The value of a coordinate: a function of coordinates (body, number) of the mechanism."""

    coordinates: tuple[tuple[str, int], ...]
    function: Any = SAME

    def value(self, *x: Scalar) -> Scalar:
        """The value at these coordinates."""
        return self.function(*x) if self.coordinates else self.function(0.0)

    @property
    def own(self) -> tuple[str, int] | None:
        """The coordinate of the mechanism that it is, if it is one."""
        return self.coordinates[0] if self.function == SAME else None


@frozen
class Places:
    """Where all coordinates of a file went."""

    free: Mapping[str, tuple[str, int]]
    following: Mapping[str, Place] = field(default_factory=dict)
    locked: Mapping[str, float] = field(default_factory=dict)
    angles: Collection[str] = ()  # those that are the angle of an axis

    def find(self, name: str) -> Place | None:
        """Where a coordinate is; None if the file has none of this name."""
        if name in self.free:
            return Place((self.free[name],))
        if name in self.locked:
            return Place((), functions.Constant(self.locked[name]))
        return self.following.get(name)
