"""The raw numbers of a plan: per link what `links.raw_table` lists, then gravity; and which of them are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.scalar.array import Floats
from anyjoint.tree.links import RAW, raw_table
from anyjoint.tree.plan import Plan

Pattern = tuple[float | None, ...]  # the exact value of a number that programs may build in, or None
EXACT = (0.0, 1.0, -1.0)  # which programs build in
INERTIAL = slice(RAW.index("m"), len(RAW))


@frozen
class NumberTable:
    """Raw numbers (..., links, count) of all links, one set of parameters or many; -g stands behind those of a link."""

    rows: Floats
    lengths: tuple[int, ...]  # how many numbers each link has
    frames: tuple[Floats, ...] = ()  # numbers (..., count) of the frames of each constraint

    def flat(self) -> Floats:
        """All numbers of a set in one vector, as those of `Numbers`: (..., count)."""
        parts = [self.rows[..., i, :length] for i, length in enumerate(self.lengths)]
        falling = -self.rows[..., 0, -3:]  # there is a link, or nobody would ask
        return np.concatenate([*parts, falling, *self.frames], axis=-1)

    def of_frames(self, constraints: Sequence[int]) -> Floats:
        """Numbers (..., constraints, count) of the frames of some constraints, and -g behind them."""
        made = np.stack([self.frames[k] for k in constraints], axis=-2)
        rising = np.broadcast_to(self.rows[..., :1, -3:], (*made.shape[:-1], 3))
        return np.concatenate([made, rising], axis=-1)


@frozen
class Numbers:
    """Raw numbers of every link, of the ground (gravity), and of the frames that constraints are written in."""

    links: tuple[tuple[float, ...], ...]
    gravity: tuple[float, float, float]
    frames: tuple[tuple[float, ...], ...] = ()
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

    def of_frames(self, constraints: Sequence[int]) -> Floats:
        """Numbers (constraints, count) of the frames of some constraints, and -g behind them."""
        return np.array([(*self.frames[k], *(-g for g in self.gravity)) for k in constraints])

    def starts(self) -> list[int]:
        """Where each link's numbers begin in `flat`; gravity begins at the last entry, frames come behind it."""
        return [0, *np.cumsum([len(row) for row in self.links])]

    def flat(self) -> Floats:
        """All numbers in one vector: links, gravity, frames."""
        return self._flat

    @cached_property
    def _flat(self) -> Floats:
        flat = np.array([*chain.from_iterable(self.links), *self.gravity, *chain.from_iterable(self.frames)])
        flat.setflags(write=False)
        return flat

    @cached_property
    def built_in(self) -> Floats:
        """Numbers that programs build in, because they are exact and do not vary; NaN for all others."""
        flat = self.flat()
        known = np.isin(flat, EXACT) & (True if self.varying is None else ~self.varying)
        return np.where(known, flat + 0.0, np.nan)

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The same per link, for gravity, then per frame."""
        found = [x if x == x else None for x in self.built_in.tolist()]
        ends = accumulate((len(row) for row in (*self.links, self.gravity, *self.frames)), initial=0)
        return [tuple(found[begin:end]) for begin, end in pairwise(ends)]

    def at_rest(self) -> Numbers:
        """The same where nothing falls, whatever gravity is."""
        varying = self.varying
        if varying is not None:
            begin = self.starts()[-1]
            varying = np.concatenate([varying[:begin], np.zeros(3, dtype=bool), varying[begin + 3 :]])
        return replace(self, gravity=(0.0, 0.0, 0.0), varying=varying)

    def massless(self) -> Numbers:
        """The same for who reads no inertias, which are built in nowhere then."""
        varying = np.zeros(len(self.flat()), dtype=bool) if self.varying is None else self.varying.copy()
        for start in self.starts()[:-1]:
            varying[start:][INERTIAL] = True
        return replace(self, varying=varying)


def numbers_of(plan: Plan, gravity: Sequence[float], frames: Sequence[Sequence[float]] = ()) -> Numbers:
    """The raw numbers of a plan."""
    links = tuple(map(tuple, raw_table(plan.links)))
    return Numbers(links, (gravity[0], gravity[1], gravity[2]), tuple(map(tuple, frames)))
