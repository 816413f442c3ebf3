"""The raw numbers of a plan: per link what `links.raw_table` lists, then gravity; and which of them are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from anyjoint.tree.links import raw_table
from anyjoint.tree.plan import Plan

Floats = np.ndarray[Any, np.dtype[Any]]
Pattern = tuple[float | None, ...]  # the exact value of a number that programs may build in, or None


@dataclass(frozen=True)
class Numbers:
    """Raw numbers of every link, of the ground (gravity), and of the frames that constraints are written in."""

    links: tuple[tuple[float, ...], ...]
    gravity: tuple[float, float, float]
    frames: tuple[tuple[float, ...], ...] = ()

    @cached_property
    def table(self) -> Floats:
        """A row for each link: its numbers, zeros where other links have more, and -g, which the ground hands out."""
        longest = max((len(row) for row in self.links), default=0)
        table = np.zeros((len(self.links), longest + 3))
        for length in {len(row) for row in self.links}:
            here = [i for i, row in enumerate(self.links) if len(row) == length]
            table[here, :length] = [self.links[i] for i in here]
        table[:, longest:] = -np.array(self.gravity)
        return table

    def starts(self) -> list[int]:
        """Where each link's numbers begin in `flat`; gravity begins at the last entry, frames come behind it."""
        return [0, *np.cumsum([len(row) for row in self.links])]

    def flat(self) -> Floats:
        """All numbers in one vector: links, gravity, frames."""
        return np.array([*chain.from_iterable(self.links), *self.gravity, *chain.from_iterable(self.frames)])


def numbers_of(plan: Plan, gravity: Sequence[float], frames: Sequence[Sequence[float]] = ()) -> Numbers:
    """The raw numbers of a plan."""
    links = tuple(map(tuple, raw_table(plan.links)))
    return Numbers(links, (gravity[0], gravity[1], gravity[2]), tuple(map(tuple, frames)))


def pattern(values: Sequence[float], exact: tuple[float, ...]) -> Pattern:
    """Which numbers are exactly one of the given values."""
    return tuple(x if x in exact else None for x in values)
