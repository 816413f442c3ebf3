"""The raw numbers of a plan: per link what `links.raw_table` lists, then gravity; and which of them are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from anyjoint.tree.links import raw_table
from anyjoint.tree.plan import Plan

Floats = np.ndarray[Any, np.dtype[Any]]
Pattern = tuple[float | None, ...]  # the exact value of a number that programs may build in, or None


@dataclass(frozen=True)
class NumberTable:
    """Raw numbers (..., links, count) of all links, one set of parameters or many; -g stands behind those of a link."""

    rows: Floats
    lengths: tuple[int, ...]  # how many numbers each link has

    def flat(self) -> Floats:
        """All numbers of a set in one vector, gravity last: (..., count)."""
        parts = [self.rows[..., i, :length] for i, length in enumerate(self.lengths)]
        return np.concatenate([*parts, -self.rows[..., 0, -3:]], axis=-1)  # there is a link, or nobody would ask


@dataclass(frozen=True)
class Numbers:
    """Raw numbers of every link, and of the ground (gravity)."""

    links: tuple[tuple[float, ...], ...]
    gravity: tuple[float, float, float]
    varying: Floats | None = field(default=None, compare=False)  # which of `flat` are variables whatever their value

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
        """Where each link's numbers begin in `flat`; gravity begins at the last entry."""
        return [0, *np.cumsum([len(row) for row in self.links])]

    def flat(self) -> Floats:
        """All numbers in one vector, gravity last."""
        return np.array([*chain.from_iterable(self.links), *self.gravity])


    def is_varying(self, index: int) -> bool:
        """Whether a number of `flat` is a variable whatever its value."""
        return self.varying is not None and bool(self.varying[index])

    def patterns(self, exact: tuple[float, ...]) -> list[Pattern]:
        """Per link, and last for gravity: which numbers are exactly one of the given values, and do not vary."""
        found = [tuple(x if x in exact else None for x in values) for values in (*self.links, self.gravity)]
        if self.varying is None or not self.varying.any():
            return found
        ends = [*self.starts(), len(self.varying)]
        masks = [self.varying[begin:end] for begin, end in pairwise(ends)]
        return [
            tuple(None if free else x for x, free in zip(row, mask.tolist(), strict=True))
            for row, mask in zip(found, masks, strict=True)
        ]


def numbers_of(plan: Plan, gravity: Sequence[float]) -> Numbers:
    """The raw numbers of a plan."""
    return Numbers(tuple(map(tuple, raw_table(plan.links))), (gravity[0], gravity[1], gravity[2]))
