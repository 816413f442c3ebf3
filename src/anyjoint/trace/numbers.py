"""The raw numbers of a plan: per link what `links.raw_table` lists, then gravity; and which of them are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyjoint.tree.links import raw_table
from anyjoint.tree.plan import Plan

Pattern = tuple[float | None, ...]  # the exact value of a number that programs may build in, or None


@dataclass(frozen=True)
class Numbers:
    """Raw numbers of every link, of the ground (gravity), and of the frames that constraints are written in."""

    links: tuple[tuple[float, ...], ...]
    gravity: tuple[float, float, float]
    frames: tuple[tuple[float, ...], ...] = ()

    def starts(self) -> list[int]:
        """Where each link's numbers begin in `flat`; gravity begins at the last entry, frames come behind it."""
        return [0, *np.cumsum([len(row) for row in self.links])]

    def flat(self) -> Any:
        """All numbers in one vector: links, gravity, frames."""
        links, frames = ([x for row in rows for x in row] for rows in (self.links, self.frames))
        return np.array([*links, *self.gravity, *frames])


def numbers_of(plan: Plan, gravity: Sequence[float], frames: Sequence[Sequence[float]] = ()) -> Numbers:
    """The raw numbers of a plan."""
    links = tuple(map(tuple, raw_table(plan.links)))
    return Numbers(links, (gravity[0], gravity[1], gravity[2]), tuple(map(tuple, frames)))


def pattern(values: Sequence[float], exact: tuple[float, ...]) -> Pattern:
    """Which numbers are exactly one of the given values."""
    return tuple(x if x in exact else None for x in values)
