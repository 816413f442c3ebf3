"""Pushes by kernels: one for each kind, called for all pushes of that kind, however many bodies there are.

A kernel loads where the links that a push touches are and how they move, and adds what the push does to them to the
rows that implicit sweeps load: wrenches and inertias of links, forces and pivots of joints, rows that are carried.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anyjoint.codegen import Array, Place
from anyjoint.codegen.builder import Builder
from anyjoint.constraints import Push
from anyjoint.mechanism import Mechanism
from anyjoint.tree.closures import ClosedPlan

from .constrained import Question
from .feeds import Feeds
from .landings import ADDED_TO, Landing, alike, entries_at, land, landings_of, mark, places_of
from .layout import Layout
from .numbers import Numbers, Pattern
from .push_program import PushPrograms
from .pushes import Pushes, Spot, shares
from .seen import Exact, Sights, loaded
from .setup import Rows, Setup
from .sketch import Sketch


@dataclass
class PushKind:
    """A kernel of one kind of pushes, and the offsets of its arguments in each call."""

    kernel: int
    setup: Setup
    arrays: list[int]
    offsets: list[list[int]] = field(default_factory=list)
    pushes: list[int] = field(default_factory=list)
    nonzero: list[list[bool]] = field(default_factory=list)  # of each landing, which entries are not exactly zero


class PushKernels:
    """Adds the kernels and runs of all pushes to a builder, behind those of constraints."""

    def __init__(
        self, builder: Builder, mechanism: Mechanism, closed: ClosedPlan, pushes: Pushes, numbers: Numbers,
        programs: PushPrograms, frames: Layout, feeds: Feeds, first: int, question: Question | None = None,
    ) -> None:  # fmt: skip
        """Without a question, nothing is implicit: pushes are wrenches."""
        self.builder, self.mechanism, self.closed, self.pushes = builder, mechanism, closed, pushes
        self.programs, self.feeds, self.question = programs, feeds, question
        self.exact = numbers.patterns[len(closed.plan.links) + 1 + len(mechanism.constraints) :]
        self.sights = Sights(builder, mechanism, closed, frames)
        self.kinds: dict[Hashable, PushKind] = {}
        self._clear()
        signal, block = 0, len(closed.where) - len(pushes.spread)
        for k, spot in enumerate(pushes.spots):
            if isinstance(spot.push, Push):  # what resists has kernels of its own
                self._add(k, spot, block, signal)
            signal += len(spot.push.signals)
            block += spot.spread
        self.rows = self._finish(first)

    def _clear(self) -> None:
        """Pushes add to what is there: to nothing, in the beginning."""
        for name in ADDED_TO:
            size = max((getattr(link.feed, name).stop for link in self.closed.plan.links), default=0)
            room = self.feeds.rooms[name]
            if size:
                self.builder.clear(size, room)

    def _add(self, k: int, spot: Spot, block: int, signal: int) -> None:
        landings = list(landings_of(self.closed, self.pushes.felt, spot, block))
        seen = self.sights.exact(spot)
        key = spot.push.kind, spot.spread, alike(landings), seen, self.exact[k]
        if key not in self.kinds:
            self.kinds[key] = self._trace(spot, landings, seen, self.exact[k])
        traced = self.kinds[key]
        traced.pushes.append(k)
        traced.offsets.append([place.offset for place in self._places(spot, landings, signal)])
        mark(self.feeds, landings, traced.nonzero)

    def _trace(self, spot: Spot, landings: Sequence[Landing], seen: Exact, numbers: Pattern) -> PushKind:
        assert isinstance(spot.push, Push)
        sketch = Sketch()
        bodies, q, qd, own = loaded(sketch, spot, numbers, seen)
        signals = sketch.load("signals", "row", [None] * len(spot.push.signals)) if spot.push.signals else []
        h = sketch.load("h", "row", [None])[0] if self.question else 0.0
        ahead = self.question.ahead(h) if self.question else 0.0
        share = shares(spot, self.programs.at(sketch.graph, spot.push, bodies, q, qd, own, signals, h, ahead))
        nonzero = land(sketch, landings, list(entries_at(self.pushes.felt, spot, share)))
        number, setup = sketch.finish(self.builder)
        arrays = self.builder.kernels[number].arrays
        return PushKind(number, setup, [self._array(array) for array in arrays], nonzero=nonzero)

    def _array(self, array: Array) -> int:
        """The builder's array that an argument is a part of."""
        return self.builder.work_array if array.kind == "lane" else self.builder.place(array.name).array

    def _places(self, spot: Spot, landings: Sequence[Landing], signal: int) -> list[Place]:
        """Where the arguments of one call begin, in the order of the kernel's arrays; numbers come last."""
        places = self.sights.places(spot)
        places += [self.builder.place("signals", signal)] if spot.push.signals else []
        places += [self.builder.place("h")] if self.question else []
        return places + places_of(self.builder, self.closed, self.feeds, landings)

    def _finish(self, first: int) -> list[Rows]:
        """Add the runs, and say which numbers they load."""
        made, before = [], len(self.mechanism.constraints)
        for traced in self.kinds.values():
            made.append(Rows(traced.setup, tuple(before + k for k in traced.pushes), first, frames=True))
            columns = np.array(traced.offsets).T.tolist()
            if traced.setup.outputs:
                columns.append((first + len(traced.setup.outputs) * np.arange(len(traced.pushes))).tolist())
            first = made[-1].end
            if self.builder.kernels[traced.kernel].stores:
                self.builder.run(traced.kernel, *zip(traced.arrays, columns, strict=True))
        return made
