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
    """Raw numbers of every link, and of the ground (gravity)."""

    links: tuple[tuple[float, ...], ...]
    gravity: tuple[float, float, float]

    def starts(self) -> list[int]:
        """Where each link's numbers begin in `flat`; gravity begins at the last entry."""
        return [0, *np.cumsum([len(row) for row in self.links])]

    def flat(self) -> Any:
        """All numbers in one vector, gravity last."""
        return np.array([x for row in self.links for x in row] + list(self.gravity))


def numbers_of(plan: Plan, gravity: Sequence[float]) -> Numbers:
    """The raw numbers of a plan."""
    return Numbers(tuple(map(tuple, raw_table(plan.links))), (gravity[0], gravity[1], gravity[2]))


def pattern(values: Sequence[float], exact: tuple[float, ...]) -> Pattern:
    """Which numbers are exactly one of the given values."""
    return tuple(x if x in exact else None for x in values)
