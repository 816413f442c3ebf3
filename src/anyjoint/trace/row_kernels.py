"""Rows of constraints by kernels: one for each kind of constraint, called for all constraints of that kind.

A kernel loads where the links that a constraint touches are and how they move, and stores K, N and the right side where
the sweeps that carry unknowns load them. Entries that are exact numbers are not stored: the sweeps have them built in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyjoint.codegen import Array, Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.constraints import Constraint, FunctionConstraint, Loop, Standing, Touched
from anyjoint.constraints.rows import Rows as ConstraintRows
from anyjoint.constraints.rows import giving_way
from anyjoint.mechanism import Mechanism
from anyjoint.spatial import as_matrix, dot, vector, zeros
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.closures import GROUND, ClosedPlan
from anyjoint.tree.plan import Link

from .body_trace import entries_of
from .constrained import Question, poses_of, right_side, velocity_place
from .constraint_program import ConstraintPrograms, Seen
from .layout import Layout
from .numbers import Numbers, Pattern
from .setup import Rows, split_parameters
from .straight import FEEDS

EXACT = (0.0, 1.0)
WORLD, HUB = ("R", "p"), ("R_hub", "p_hub")  # where links are in the world, and seen from the hub below


@dataclass
class Feeds:
    """Rows that kernels write for sweeps: where they stand in the work array, and what is exact in them, by link."""

    rooms: dict[str, Place]
    exact: list[dict[str, list[Any]]]

    @staticmethod
    def of(builder: Builder, links: Sequence[Link]) -> Feeds:
        """Room for the rows of all links, and zeros."""
        ends = {name: max((getattr(link.feed, name).stop for link in links), default=0) for name in FEEDS}
        exact = [{name: [0.0] * (at.stop - at.start) for name, at in vars(link.feed).items()} for link in links]
        return Feeds({name: builder.room(end) for name, end in ends.items()}, exact)

    def patterns(self) -> list[dict[str, Pattern]]:
        """The exact entries of every link's rows."""
        return [{name: tuple(entries) for name, entries in feed.items()} for feed in self.exact]


@dataclass
class RowKind:
    """A kernel of one kind of constraints, with its arguments: (array of the builder, offset in each call)."""

    kernel: int
    setup: Any
    columns: list[tuple[int, list[int]]]
    numbers: int | None  # which argument the numbers are
    feeds: list[list[Any]]  # entries that it hands on, one list for each place where some land
    constraints: list[int] = field(default_factory=list)


class RowKernels:
    """Adds the kernels and runs of all rows to a builder; `feeds` are exact entries, link by link."""

    def __init__(
        self, builder: Builder, mechanism: Mechanism, closed: ClosedPlan, relative: Sequence[bool], numbers: Numbers,
        programs: ConstraintPrograms, frames: Layout, question: Question, first: int,
    ) -> None:  # fmt: skip
        self.builder, self.mechanism, self.closed, self.relative = builder, mechanism, closed, relative
        self.numbers, self.programs, self.frames, self.question = numbers, programs, frames, question
        links = closed.plan.links
        self.feeds = Feeds.of(builder, links)
        self.falls, *self.exact = numbers.patterns(EXACT)[len(links) :]  # of gravity, and of frames
        self.kinds: dict[Hashable, RowKind] = {}
        self._columns = [{place: k for k, place in enumerate(row)} for row in closed.starts]
        self._joints = [{place: k for k, place in enumerate(row)} for row in closed.joints]
        for k in range(len(mechanism.constraints)):
            self._add(k)
        self.rows = self._finish(first)

    # -- one constraint -------------------------------------------------------------------------------------------

    def _add(self, k: int) -> None:
        constraint = self.mechanism.constraints[k]
        links = [self.closed.plan.placed[body][0] if body >= 0 else GROUND for body in constraint.bodies]
        paths = [self._path(link, self.closed.hubs[k]) if self.relative[k] else [link] for link in links]
        seen = [self._known(link, path, self.relative[k]) for link, path in zip(links, paths, strict=True)]
        landings = self._landings(k, constraint, links)
        exact = self.exact[k]
        widths = [self._width(place) for place in constraint.coordinates]
        shared = tuple(landing is not None and landings.index(landing) for landing in landings)
        kind = row_kind(constraint), constraint.compliance, constraint.count
        key = (*kind, tuple(seen), shared, exact, tuple(widths), self.relative[k])
        if key not in self.kinds:
            self.kinds[key] = self._trace(constraint, seen, landings, exact, widths, self.relative[k])
        traced = self.kinds[key]
        traced.constraints.append(k)
        self._call(traced, k, constraint, links, paths, landings)

    def _width(self, place: tuple[int, int]) -> tuple[int, int]:
        """How many velocities the link of a coordinate has, and which of them is its rate."""
        link, velocity = velocity_place(self.mechanism, self.closed, place)
        return self.closed.plan.links[link].joint.nv, velocity

    def _path(self, link: int, hub: int) -> list[int]:
        """The links that a link is seen through from a hub, itself first: each is seen from the hub below it."""
        path, links = [], self.closed.plan.links
        while link != hub:
            path.append(link)
            while not links[link].columns.on_hub:
                link = links[link].parent
            link = links[link].parent
            while link >= 0 and links[link].columns.closes:
                link = links[link].parent
        return path

    def _known(self, link: int, path: Sequence[int], relative: bool) -> Hashable:
        """What is exact about where a link is, part by part, and how it moves; None for the ground."""
        if link == GROUND:
            return None
        parts = tuple(self._entries(part, HUB if relative else WORLD) for part in path)
        return parts, () if self.still_frames else self._entries(link, ("v",))

    def _entries(self, link: int, names: Sequence[str]) -> tuple[Any, ...]:
        trace = self.frames.tracer.traces[-1][link]
        return tuple(entries_of(trace.values[name][0]) for name in names)

    def _landings(self, k: int, constraint: Constraint, links: Sequence[int]) -> list[tuple[int, int] | None]:
        """(link, first column of its K) for each body; None for the ground of rows that are not relative."""
        made: list[tuple[int, int] | None] = []
        for link in links:
            if link == GROUND and not self.relative[k]:
                made.append(None)
                continue
            at = self.closed.where[k] if link == self.closed.hubs[k] else link
            made.append((at, self._columns[at][k, 0]))
        return made

    def _trace(
        self, constraint: Constraint, seen: Sequence[Any], landings: Sequence[Any], exact: Pattern,
        widths: Sequence[tuple[int, int]], relative: bool,
    ) -> RowKind:  # fmt: skip
        """Trace the rows of a kind of constraints; arguments are in the order in which `_places` lists them."""
        graph, loads, raw = Graph(), dict[int, tuple[int, int]](), dict[int, int]()
        arrays: list[Array] = []

        def argument(name: str, kind: str) -> int:
            arrays.append(Array(name, kind))  # type: ignore[arg-type]
            return len(arrays) - 1

        def loaded(at: int, k: int) -> Node:
            node = graph.variable("x")
            loads[node.id] = (at, k)
            return node

        row = []
        for k, x in enumerate((*exact, *(None if g is None else -g for g in self.falls))):
            if x is None:
                node = graph.variable("p")
                raw[node.id] = k
            row.append(node if x is None else x)
        X, up = poses_of(row[:-3]), vector(*row[-3:])
        bodies: list[Touched] = []
        for frame, entries in zip(X, seen, strict=True):
            if entries is None:
                bodies.append(Standing(frame))
                continue
            parts, twist = entries

            def lane(known: Sequence[Any]) -> Any:
                at = argument("x", "lane")
                return vector(*(loaded(at, k) if x is None else x for k, x in enumerate(known)))

            R, p = as_matrix(np.eye(3, dtype=int)), zeros(3)
            for part in parts:  # from the hub below, from the one below that
                turn, shift = (lane(known) for known in part)
                turn = turn.reshape(3, 3)
                R, p = turn @ R, turn @ p + shift
            v = lane(twist[0]) if twist else zeros(6)
            bodies.append(Seen(R, p, v[:3], v[3:], frame))
        q, qd = [], []
        for _ in constraint.coordinates:
            q.append(loaded(argument("q", "row"), 0))
            qd.append(0 if self.still_frames else loaded(argument("v", "row"), 0))
        t = loaded(argument("t", "row"), 0) if self.mechanism.timed else 0.0
        h = loaded(argument("h", "row"), 0) if self.question.implicit else None
        rows = self.programs.rows(graph, constraint, bodies, q, qd, t)
        wanted, feeds = self._wanted(constraint, rows, bodies, landings, widths, relative, up, h, argument)
        ids = [x.id if isinstance(x, Node) else graph.constant_id(x) for x, *_ in wanted]
        target, new, variables, setup = split_parameters(graph, ids, raw)
        numbers = None
        places = {variables[i]: loads[i] for i in variables}
        if setup.outputs:
            numbers = argument("numbers", "uniform")
            places |= {k: (numbers, k) for k in range(len(setup.outputs))}
        stores = tuple(Store(Node(target, i), at, k, add) for i, (_, at, k, add) in zip(new, wanted, strict=True))
        kernel = self.builder.kernel(Kernel(target, tuple(arrays), places, stores))
        return RowKind(kernel, setup, [(0, []) for _ in arrays], numbers, feeds)

    @property
    def still_frames(self) -> bool:
        """Whether nothing moves."""
        return "v" not in self.frames.tracer.algorithm.inputs

    def _wanted(
        self, constraint: Constraint, rows: ConstraintRows, bodies: Sequence[Touched], landings: Sequence[Any],
        widths: Sequence[tuple[int, int]], relative: bool, up: Any, h: Any, argument: Callable[[str, str], int],
    ) -> tuple[list[tuple[Any, int, int, bool]], list[list[Any]]]:  # fmt: skip
        """(value, argument, offset, whether it is added) of all stores, and the entries that land in each place."""
        wanted: list[tuple[Any, int, int, bool]] = []
        feeds: list[list[Any]] = []
        if self.question.right is None:  # errors themselves are asked for
            held = rows.error if rows.error is not None else [0.0] * constraint.count
            for name, values in (("position", held), ("velocity", rows.rate)):
                at = argument(name, "row")
                wanted += [(x, at, k, False) for k, x in enumerate(values)]
            return wanted, feeds
        right = list(right_side(constraint, rows, self.question, h))
        for body, K, landing in zip(bodies, rows.K, landings, strict=True):
            if landing is None:
                continue
            twice, again = list(landings).count(landing) > 1, landing in list(landings)[: len(feeds)]
            entries = list(K.T.ravel())
            if not (relative or self.question.at_rest or constraint.compliance):
                right = [x - dot(K[3:, k], body.R.T @ up) for k, x in enumerate(right)]
            feeds.append([None] * len(entries) if twice else list(entries_of(entries)))
            at = argument("K", "lane")
            wanted += [(x, at, k, again) for k, x in enumerate(entries) if feeds[-1][k] is None]
        for N, (width, index) in zip(rows.N, widths, strict=True):
            feeds.append(list(entries_of(list(N))))
            at = argument("N", "lane")
            wanted += [(x, at, width * k + index, False) for k, x in enumerate(N) if feeds[-1][k] is None]
        ending = {"gamma": right}
        if h is not None and constraint.compliance:
            ending["weight"] = list(giving_way(rows, constraint.compliance, h, 0)[1])
        for name, values in ending.items():
            feeds.append(list(entries_of(values)))
            at = argument(name, "lane")
            wanted += [(x, at, k, False) for k, x in enumerate(values) if feeds[-1][k] is None]
        return wanted, feeds

    # -- calls ----------------------------------------------------------------------------------------------------

    def _call(
        self, traced: RowKind, k: int, constraint: Constraint, links: Sequence[int], paths: Sequence[Sequence[int]],
        landings: Sequence[Any],
    ) -> None:  # fmt: skip
        """Add the offsets of one call, and hand exact entries on."""
        places: list[Place] = []
        work = self.builder.room(0).array
        results, names = self.frames.results, HUB if self.relative[k] else WORLD
        for link, path in zip(links, paths, strict=True):
            if link != GROUND:
                places += [Place(work, results[name][part]) for part in path for name in names]
                places += [] if self.still_frames else [Place(work, results["v"][link])]
        for body, index in constraint.coordinates:
            own = self.mechanism.bodies[body]
            places.append(self.builder.place("q", own.q.start + index))
            if not self.still_frames:
                places.append(self.builder.place("v", own.v.start + (own.joint.velocity_of(index) or 0)))
        places += [self.builder.place("t")] if self.mechanism.timed else []
        places += [self.builder.place("h")] if self.question.implicit else []
        feeds = iter(traced.feeds)
        if self.question.right is None:
            first = sum(c.count for c in self.mechanism.constraints[:k])
            places += [self.builder.place("result", at) for at in (first, self.mechanism.nc + first)]
        else:
            for landing in landings:
                if landing is not None:
                    link, column = landing
                    self._feed(places, "K", link, 6 * column, 1, next(feeds))
            for place in constraint.coordinates:
                link, index = velocity_place(self.mechanism, self.closed, place)
                width, column = self.closed.plan.links[link].joint.nv, self._joints[link][k, 0]
                self._feed(places, "N", link, width * column, width, next(feeds), index)
            for name, entries in zip(("gamma", "weight"), feeds, strict=False):
                self._feed(places, name, self.closed.where[k], 0, 1, entries)
        for column, place in zip(traced.columns, places, strict=False):  # numbers come last, and are known at the end
            column[1].append(place.offset)
        traced.columns = [
            (places[j].array, column[1]) if j < len(places) else column for j, column in enumerate(traced.columns)
        ]

    def _feed(
        self, places: list[Place], name: str, link: int, first: int, stride: int, entries: Sequence[Any], skip: int = 0
    ) -> None:
        """Where a kernel writes a part of a link's rows, and what it need not write."""
        room = self.feeds.rooms[name]
        places.append(Place(room.array, room.offset + getattr(self.closed.plan.links[link].feed, name).start + first))
        for k, x in enumerate(entries):
            at = first + stride * k + skip
            self.feeds.exact[link][name][at] = x

    def _finish(self, first: int) -> list[Rows]:
        """Add the runs, and say which numbers they load."""
        made = []
        for traced in self.kinds.values():
            count = len(traced.constraints)
            made.append(Rows(traced.setup, tuple(traced.constraints), first, frames=True))
            columns = list(traced.columns)
            if traced.numbers is not None:
                offsets = first + len(traced.setup.outputs) * np.arange(count)
                columns[traced.numbers] = (self.builder.place("numbers").array, offsets.tolist())
            first = made[-1].end
            if self.builder.kernels[traced.kernel].stores:
                self.builder.run(traced.kernel, *columns)
        return made


def row_kind(constraint: Constraint) -> Hashable:
    """What makes the rows of two constraints the same expressions."""
    if isinstance(constraint, FunctionConstraint):
        return constraint.function
    if isinstance(constraint, Loop):
        closing = constraint.closing
        return Loop, closing.shifts, closing.turns, closing.slides, closing.cross
    return id(constraint)
