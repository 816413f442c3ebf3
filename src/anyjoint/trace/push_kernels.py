"""Pushes by kernels: one for each kind, called for all pushes of that kind, however many bodies there are.

A kernel loads where the links that a push touches are and how they move, and adds what the push does to them to the
rows that implicit sweeps load: wrenches and inertias of links, forces and pivots of joints, rows that are carried.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.mechanism import Mechanism
from anyjoint.spatial import vector
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.closures import ClosedPlan

from .body_trace import entries_of
from .constrained import Question, poses_of
from .constraint_program import Seen
from .layout import Layout
from .numbers import Numbers
from .push_program import PushPrograms
from .pushes import Pushes, Shares, Spot, shares, split_numbers
from .row_kernels import EXACT, Feeds
from .setup import Rows, split_parameters

SEEN = ("R", "p", "v")
SHARED = ("lack", "give", "pull", "grip")  # rows that several pushes add to


@dataclass(frozen=True)
class Landing:
    """Where some entries of a push go: a row, the link (or closure) that has it, and the places in its part."""

    row: str
    link: int
    at: tuple[int, ...]


def destinations(landings: Sequence[Landing]) -> list[tuple[str, int]]:
    """Parts of rows that are written, each once."""
    return list(dict.fromkeys((landing.row, landing.link) for landing in landings))


@dataclass
class PushKind:
    """A kernel of one kind of pushes, and the offsets of its arguments in each call."""

    kernel: int
    setup: Any
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
        self.numbers, self.programs, self.frames = numbers, programs, frames
        self.feeds, self.question = feeds, question
        self.exact = numbers.patterns(EXACT)[len(closed.plan.links) + 1 + len(mechanism.constraints) :]
        self.kinds: dict[Hashable, PushKind] = {}
        self._clear()
        signal, block = 0, len(closed.where) - len(pushes.spread)
        for k, spot in enumerate(pushes.spots):
            self._add(k, spot, block, signal)
            signal += len(spot.push.signals)
            block += spot.spread
        self.rows = self._finish(first)

    def _clear(self) -> None:
        """Pushes add to what is there: to nothing, in the beginning."""
        for name in SHARED:
            size = max((getattr(link.feed, name).stop for link in self.closed.plan.links), default=0)
            room = self.feeds.rooms[name]
            if size:
                self.builder.pointwise(size, {}, {}, {"x": room}, lambda x: {"x": 0.0})

    def _add(self, k: int, spot: Spot, block: int, signal: int) -> None:
        landings = list(self._landings(spot, block))
        seen = tuple(self._seen(link) for link in spot.links)
        parts = destinations(landings)
        alike = tuple((x.row, x.at, parts.index((x.row, x.link))) for x in landings)
        key = spot.push.kind, spot.spread, alike, seen, self.exact[k]
        if key not in self.kinds:
            self.kinds[key] = self._trace(spot, landings, seen, self.exact[k])
        traced = self.kinds[key]
        traced.pushes.append(k)
        traced.offsets.append([place.offset for place in self._places(spot, landings, signal)])
        for landing, moving in zip(landings, traced.nonzero, strict=True):
            entries = self.feeds.exact[landing.link][landing.row]
            for at, moves in zip(landing.at, moving, strict=True):
                entries[at] = None if moves else entries[at]

    def _seen(self, link: int) -> Hashable:
        """What is exact about where a link is and how it moves."""
        values = self.frames.tracer.traces[-1][self.closed.at[link]].values
        return tuple(entries_of(values[name][0]) for name in SEEN)

    def _landings(self, spot: Spot, block: int) -> Iterator[Landing]:
        """Where the entries of `_entries` go, in the same order."""
        at, felt = self.closed.at, self.pushes.felt
        for link in spot.links:
            if link in felt.lack:
                yield Landing("lack", at[link], tuple(range(6)))
            if link in felt.give:
                yield Landing("give", at[link], tuple(range(21)))
        widths = [self.closed.plan.links[at[link]].joint.nv for link, _ in spot.joints]
        for n, (link, index) in zip(widths, spot.joints if not spot.spread else (), strict=False):
            yield Landing("pull", at[link], (index,))
            if spot.stiff:
                yield Landing("grip", at[link], tuple(n * index + other for _, other in spot.joints))
        if not spot.spread:
            return
        closure = self.closed.where[block]
        for link in spot.links:
            place = closure if at[link] == self.closed.hubs[block] else at[link]
            column = 6 * self.closed.starts[place].index((block, 0))
            yield Landing("K", place, tuple(range(column, column + 6 * spot.rows)))
        for n, (link, index) in zip(widths, spot.joints, strict=True):
            column = n * self.closed.joints[at[link]].index((block, 0)) + index
            yield Landing("N", at[link], tuple(column + n * row for row in range(spot.rows)))
        for name in ("gamma", "weight"):
            yield Landing(name, closure, tuple(range(spot.rows)))

    def _entries(self, spot: Spot, share: Shares) -> Iterator[Sequence[Any]]:
        """What a push adds, landing by landing."""
        felt = self.pushes.felt
        for k, link in enumerate(spot.links):
            if link in felt.lack:
                yield list(share.lack[k])
            if link in felt.give:
                yield list(share.give[k])
        for k, _ in enumerate(spot.joints if not spot.spread else ()):
            yield [share.pull[k]]
            if share.grip is not None:
                yield list(share.grip[k])
        if spot.spread:
            yield from (list(K.T.ravel()) for K in share.K)
            yield from (list(N) for N in share.N)
            yield from (list(share.gamma), list(share.weight))

    def _trace(
        self, spot: Spot, landings: Sequence[Landing], seen: Sequence[Any], exact: Sequence[float | None]
    ) -> PushKind:
        graph, loads, raw = Graph(), dict[int, tuple[int, int]](), dict[int, int]()
        arrays: list[Array] = []

        def loaded(name: str, kind: str, known: Sequence[Any]) -> list[Any]:
            arrays.append(Array(name, kind))  # type: ignore[arg-type]
            made = []
            for k, x in enumerate(known):
                node = graph.variable("x") if x is None else x
                if x is None:
                    loads[node.id] = (len(arrays) - 1, k)
                made.append(node)
            return made

        row: list[Any] = []
        for k, x in enumerate(exact):
            row.append(graph.variable("p") if x is None else x)
            if x is None:
                raw[row[-1].id] = k
        X, own = split_numbers(row, spot.push)
        bodies = []
        for frame, parts in zip(poses_of(X), seen, strict=True):
            R, p, v = (vector(*loaded(name, "lane", known)) for name, known in zip(SEEN, parts, strict=True))
            bodies.append(Seen(R.reshape(3, 3), p, v[:3], v[3:], frame))
        q, qd = [], []
        for _ in spot.joints:
            q += loaded("q", "row", [None])
            qd += loaded("v", "row", [None])
        signals = loaded("signals", "row", [None] * len(spot.push.signals)) if spot.push.signals else []
        h = loaded("h", "row", [None])[0] if self.question else 0.0
        ahead = self.question.ahead(h) if self.question else 0.0
        share = shares(spot, self.programs.at(graph, spot.push, bodies, q, qd, own, signals, h, ahead))
        return self._kernel(graph, arrays, loads, raw, landings, list(self._entries(spot, share)))

    def _kernel(
        self, graph: Graph, arrays: list[Array], loads: dict[int, tuple[int, int]], raw: dict[int, int],
        landings: Sequence[Landing], entries: Sequence[Sequence[Any]],
    ) -> PushKind:  # fmt: skip
        """The kernel that adds entries where they land; those that are exactly zero are not written."""
        sums: dict[tuple[str, int], dict[int, Any]] = {part: {} for part in destinations(landings)}
        nonzero = []
        for landing, values in zip(landings, entries, strict=True):
            total = sums[landing.row, landing.link]
            nonzero.append([x != 0 for x in entries_of(values)])
            for at, x, moves in zip(landing.at, values, nonzero[-1], strict=True):
                if moves:
                    total[at] = total[at] + x if at in total else x
        wanted: list[tuple[Any, int, int, bool]] = []
        for (row, _), total in sums.items():
            arrays.append(Array(row, "lane"))
            wanted += [(x, len(arrays) - 1, at, row in SHARED) for at, x in total.items()]
        ids = [x.id if isinstance(x, Node) else graph.constant_id(float(x)) for x, *_ in wanted]
        target, new, variables, setup = split_parameters(graph, ids, raw)
        places = {variables[i]: loads[i] for i in variables}
        if setup.outputs:
            arrays.append(Array("numbers", "uniform"))
            places |= {k: (len(arrays) - 1, k) for k in range(len(setup.outputs))}
        stores = tuple(Store(Node(target, i), at, k, add) for i, (_, at, k, add) in zip(new, wanted, strict=True))
        number = self.builder.kernel(Kernel(target, tuple(arrays), places, stores))
        return PushKind(number, setup, [self._array(array) for array in arrays], nonzero=nonzero)

    def _array(self, array: Array) -> int:
        """The builder's array that an argument is a part of."""
        return self.builder.room(0).array if array.kind == "lane" else self.builder.place(array.name).array

    def _places(self, spot: Spot, landings: Sequence[Landing], signal: int) -> list[Place]:
        """Where the arguments of one call begin, in the order of the kernel's arrays; numbers come last."""
        work, results = self.builder.room(0).array, self.frames.results
        places = [Place(work, results[name][self.closed.at[link]]) for link in spot.links for name in SEEN]
        for body, index in spot.push.coordinates:
            own = self.mechanism.bodies[body]
            places.append(self.builder.place("q", own.q.start + index))
            places.append(self.builder.place("v", own.v.start + (own.joint.velocity_of(index) or 0)))
        places += [self.builder.place("signals", signal)] if spot.push.signals else []
        places += [self.builder.place("h")] if self.question else []
        for row, link in destinations(landings):
            feed = getattr(self.closed.plan.links[link].feed, row)
            places.append(Place(work, self.feeds.rooms[row].offset + feed.start))
        return places

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
