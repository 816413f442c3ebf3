"""Resistances by kernels: rows at the beginning of a step, and what Newton's iterations ask of each of them.

An iteration is at rates u, where forces fall by G: the sweeps are loaded with the straight lines y + W x in the
accelerations x along the rows. What they answer leads to other rates u + w, for which the mechanism is in balance under
the forces m + dm. Between two such places, rates and forces of balance change linearly, so that a search along the way
needs no sweeps: the slope of what is to be least is the sum of w (m - force).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.constraints import Begun, Resistance
from anyjoint.constraints.touch import SHOWN
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, select
from anyjoint.spatial import Scalars, Vector, dot, vector, zeros
from anyjoint.symbolic import Node
from anyjoint.tree.closures import ClosedPlan

from .body_trace import entries_of
from .feeds import Feeds
from .flatten import flatten
from .landings import Landing, alike, entries_at, land, landings_of, mark, places_of
from .layout import Layout
from .numbers import Numbers, Pattern
from .push_program import Pushed
from .pushes import Pushes, Spot, shares
from .resistance_group import Group, Member, Stash
from .resistance_program import ResistancePrograms
from .seen import Exact, Sights, loaded
from .setup import Rows
from .sketch import Sketch

MOVES = ("shift", "pace")  # results of sweeps: how links accelerate before anything pushes


class ResistanceKernels:
    """Adds kernels and runs to a builder, as each of its methods is called."""

    def __init__(
        self, builder: Builder, mechanism: Mechanism, closed: ClosedPlan, pushes: Pushes, numbers: Numbers,
        frames: Layout, feeds: Feeds, first: int, kept: Place | None = None,
    ) -> None:  # fmt: skip
        """`kept` is where it stands whether gaps are those that were seen before."""
        self.builder, self.mechanism, self.closed, self.pushes = builder, mechanism, closed, pushes
        self.frames, self.feeds, self.programs = frames, feeds, ResistancePrograms()
        falls, *exact = numbers.patterns[len(closed.plan.links) :]  # of gravity, and of frames
        self.up = tuple(None if g is None else -g for g in falls)
        self.exact = exact[len(mechanism.constraints) :]
        self.h, self.kept = builder.place("h"), kept
        chosen = [spot for spot in pushes.spots if isinstance(spot.push, Resistance)]
        self.count = sum(spot.rows for spot in chosen)
        self.u, self.w, self.m, self.dm, self.start = (builder.room(self.count) for _ in range(5))
        self.sights = Sights(builder, mechanism, closed, frames)
        self.groups: dict[Hashable, Group] = {}
        self.nonzero: dict[int, list[list[bool]]] = {}  # of kernels that load sweeps, which entries they write
        row, result, block = 0, mechanism.nv, len(closed.where) - len(pushes.spread)
        for k, spot in enumerate(pushes.spots):
            if isinstance(spot.push, Resistance):
                self._add(k, spot, block, row, result)
                row, result = row + spot.rows, result + (SHOWN if spot.push.bodies else 0)
            block += spot.spread
        self.numbers = self._begin(first)

    # -- the beginning of a step -----------------------------------------------------------------------------------

    def _add(self, k: int, spot: Spot, block: int, row: int, result: int) -> None:
        landings = list(landings_of(self.closed, self.pushes.felt, spot, block, self.pushes.pile))
        seen = self.sights.exact(spot)
        key = spot.push.kind, spot.spread, alike(landings), seen, self.exact[k]
        if key not in self.groups:
            self.groups[key] = self._trace(spot, landings, seen, self.exact[k])
        group = self.groups[key]
        begun, line = self.builder.room(group.begun.size), self.builder.room(group.line.size)
        places = [
            *self.sights.places(spot),
            self.h,
            *([self.kept] if self.kept else []),
            begun,
            self.u.at(row),
            *([self.builder.place("result", result)] * group.shows),
        ]
        group.numbers.append(k)
        group.members.append(Member(spot, begun, line, row, result, landings, places))
        mark(self.feeds, landings, self.nonzero[group.load])

    def _trace(self, spot: Spot, landings: Sequence[Landing], seen: Exact, numbers: Pattern) -> Group:
        assert isinstance(spot.push, Resistance)
        sketch = Sketch()
        bodies, q, qd, own = loaded(sketch, spot, (*numbers, *self.up), seen)
        h = sketch.load("h", "row", [None])[0]
        begun = fallen(self.programs.begin(sketch.graph, spot.push, bodies, q, qd, own[:-3], h), spot, own[-3:], h)
        kept = sketch.load("kept", "row", [None])[0] if self.kept else 0.0
        stash = self._keep(sketch, begun.parts, kept if spot.push.gapped else 0.0)
        rates = sketch.argument("u", "lane")
        for k, x in enumerate(begun.u):
            sketch.store(rates, k, x)
        if spot.push.bodies:
            shown = sketch.argument("result", "row")
            for k, x in enumerate(begun.shown[:6]):
                sketch.store(shown, k, x)
        kernel, setup = sketch.finish(self.builder)
        load, line = self._trace_load(spot, landings, stash)
        return Group(spot, kernel, setup, stash, line, load)

    def _keep(self, sketch: Sketch, parts: Any, kept: Scalar = 0.0) -> Stash:
        """Store values in an argument of their own, but for those that are exact; the first stays if it is `kept`."""
        flat, rebuild = flatten(parts)
        known, argument = entries_of(flat), sketch.argument("stash", "lane")
        if isinstance(kept, Node):
            flat = [select(less(0.0, kept), sketch.entry(argument, 0), flat[0]), *flat[1:]]
        for k, (x, exact) in enumerate(zip(flat, known, strict=True)):
            if exact is None:
                sketch.store(argument, k, x)
        return Stash(known, rebuild)

    def _begin(self, first: int) -> list[Rows]:
        """Add the runs of the beginning; the rows of numbers that they load."""
        made, before = [], len(self.mechanism.constraints)
        for group in self.groups.values():
            made.append(Rows(group.setup, tuple(before + k for k in group.numbers), first, frames=True))
            columns = [list(at) for at in zip(*(member.places for member in group.members), strict=True)]
            if group.setup.outputs:
                step, numbers = len(group.setup.outputs), self.builder.place("numbers", first)
                columns.append([numbers.at(step * i) for i in range(len(group.members))])
            first = made[-1].end
            self._run(group.kernel, columns)
        self.builder.clear(self.count, self.m)
        return made

    def _run(self, kernel: int, columns: Sequence[Sequence[Place]]) -> None:
        self.builder.run(kernel, *((column[0].array, [place.offset for place in column]) for column in columns))

    # -- an iteration ----------------------------------------------------------------------------------------------

    def _trace_load(self, spot: Spot, landings: Sequence[Landing], begun: Stash) -> tuple[int, Stash]:
        """The kernel that loads sweeps with the straight line of a law at u, and keeps that."""
        assert isinstance(spot.push, Resistance)
        sketch = Sketch()
        start = Begun.of(begun.rebuild(sketch.load("stash", "lane", begun.known)))
        u, before = (sketch.load(name, "lane", [None] * spot.rows) for name in ("u", "start"))
        h = sketch.load("h", "row", [None])[0]
        force, slope = self.programs.slopes(sketch.graph, spot.push, u, start.data)
        y = -(force + slope @ (vector(*u) - vector(*before)))
        W = h * slope
        line = self._keep(sketch, [y, W])
        still = [zeros(6, 6) for _ in start.K], [zeros(6) for _ in start.K]
        share = shares(spot, Pushed(list(start.K), list(start.N), y, W, *still))
        nonzero = land(sketch, landings, list(entries_at(self.pushes.felt, spot, share)))
        kernel, _ = sketch.finish(self.builder)
        self.nonzero[kernel] = nonzero
        return kernel, line

    def load(self) -> None:
        """Add what all of them do to sweeps."""
        for group in self.groups.values():
            columns = []
            for x in group.members:
                landed = places_of(self.builder, self.closed, self.feeds, x.landings)
                columns.append([x.begun, self.u.at(x.row), self.start.at(x.row), self.h, x.line, *landed])
            self._run(group.load, [list(column) for column in zip(*columns, strict=True)])

    def start_from(self, results: Mapping[str, Sequence[int]]) -> None:
        """Rates that rows would have at the end if nothing pushed, as laws see them, and what laws ask for.

        Those of the beginning, along axes that stay, and what they change by in half a step.
        """
        work = self.builder.work_array

        def trace(sketch: Sketch, group: Group) -> None:
            assert isinstance(group.spot.push, Resistance)
            begun = Begun.of(group.begun.rebuild(sketch.load("stash", "lane", group.begun.known)))
            h = sketch.load("h", "row", [None])[0]
            start, ahead = vector(*begun.u), vector(*begun.ahead)
            for K in begun.K:
                shift, pace = (vector(*sketch.load(name, "lane", [None] * 6)) for name in MOVES)
                start, ahead = start + h * (K.T @ shift), ahead + 0.5 * h * (K.T @ pace)
            data, more = group.spot.push.knowing(begun, list(ahead))
            for k, (x, was) in enumerate(zip(data, begun.data, strict=True)):  # they are the first of a stash
                if x is not was:
                    sketch.store(0, k, x)
            self._put(sketch, {"start": start + vector(*more)})

        def places(x: Member) -> list[Place]:
            moves = (Place(work, results[name][self.closed.at[link]]) for link in x.spot.links for name in MOVES)
            return [x.begun, self.h, *moves, self.start.at(x.row)]

        self._each(trace, places)

    def meet(self, results: Mapping[str, Sequence[int]], slope: Place) -> None:
        """Find w and dm from what the sweeps have answered, and add up the slope at the beginning of the way."""
        work = self.builder.work_array

        def trace(sketch: Sketch, group: Group) -> None:
            start = Begun.of(group.begun.rebuild(sketch.load("stash", "lane", group.begun.known)))
            y, W = group.line.rebuild(sketch.load("line", "lane", group.line.known))
            h = sketch.load("h", "row", [None])[0]
            u, m, before = (vector(*sketch.load(name, "lane", [None] * group.rows)) for name in ("u", "m", "start"))
            x: Vector = zeros(group.rows)
            for K in start.K:
                x = x + K.T @ vector(*sketch.load("eta", "lane", [None] * 6))
            for N in start.N:
                x = x + N * sketch.load("answer", "lane", [None])[0]
            w = before + h * x - u
            force = -(y + W @ (u - before) / h)
            self._put(sketch, {"w": w, "dm": -(y + W @ x) - m})
            sketch.store(sketch.argument("slope", "lane"), 0, dot(w, m - force), True)

        def places(x: Member) -> list[Place]:
            eta = [Place(work, results["eta"][self.closed.at[link]]) for link in x.spot.links]
            answer = [Place(work, results["answer"][self.closed.at[link]] + i) for link, i in x.spot.joints]
            own = (room.at(x.row) for room in (self.u, self.m, self.start))
            return [x.begun, x.line, self.h, *own, *eta, *answer, self.w.at(x.row), self.dm.at(x.row), slope]

        self._each(trace, places)

    def look(self, alpha: Place, slope: Place, lack: Place, size: Place) -> None:
        """At the part alpha of the way, add up the slope there, and the squares of what forces lack and of forces."""

        def trace(sketch: Sketch, group: Group) -> None:
            assert isinstance(group.spot.push, Resistance)
            start = Begun.of(group.begun.rebuild(sketch.load("stash", "lane", group.begun.known)))
            part = sketch.load("alpha", "lane", [None])[0]
            names = ("u", "w", "m", "dm")
            u, w, m, dm = (vector(*sketch.load(name, "lane", [None] * group.rows)) for name in names)
            force = self.programs.law(sketch.graph, group.spot.push, u + part * w, start.data)
            off = m + part * dm - force
            for name, x in (("slope", dot(w, off)), ("lack", dot(off, off)), ("size", dot(force, force))):
                sketch.store(sketch.argument(name, "lane"), 0, x, True)

        def places(x: Member) -> list[Place]:
            return [x.begun, alpha, *(room.at(x.row) for room in (self.u, self.w, self.m, self.dm)), slope, lack, size]

        self._each(trace, places)

    def show(self) -> None:
        """Forces of contacts in the world, as results: those under which the mechanism is in balance."""

        def trace(sketch: Sketch, group: Group) -> None:
            start = Begun.of(group.begun.rebuild(sketch.load("stash", "lane", group.begun.known)))
            m, out = sketch.load("m", "lane", [None] * 3), sketch.argument("result", "row")
            axes = [vector(*start.shown[k : k + 3]) for k in (3, 6, 9)]
            for k, x in enumerate(m[0] * axes[0] + m[1] * axes[1] + m[2] * axes[2]):
                sketch.store(out, k, x)

        def places(x: Member) -> list[Place]:
            return [x.begun, self.m.at(x.row), self.builder.place("result", x.result + 6)]

        self._each(trace, places, lambda group: group.shows)

    def _each(
        self, trace: Callable[[Sketch, Group], None], places: Callable[[Member], list[Place]],
        chosen: Callable[[Group], bool] = lambda group: True,
    ) -> None:  # fmt: skip
        """Add a kernel for each group, and its run over the members."""
        for group in filter(chosen, self.groups.values()):
            sketch = Sketch()
            trace(sketch, group)
            kernel, _ = sketch.finish(self.builder)
            columns = np.array([[tuple(place) for place in places(x)] for x in group.members], dtype=int)
            arrays = [int(array) for array in columns[0, :, 0]]
            self.builder.run(kernel, *((array, columns[:, k, 1].tolist()) for k, array in enumerate(arrays)))

    @staticmethod
    def _put(sketch: Sketch, values: Mapping[str, Scalars]) -> None:
        for name, entries in values.items():
            argument = sketch.argument(name, "lane")
            for k, x in enumerate(entries):
                sketch.store(argument, k, x)


def fallen(begun: Begun, spot: Spot, up: Scalars, h: Scalar) -> Begun:
    """Rates ahead without what accelerations of links against gravity add to them; between links that is nothing."""
    if all(body >= 0 for body in spot.push.bodies):
        return begun
    axes = [begun.shown[k : k + 3] for k in (3, 6, 9)]
    ahead = [x - 0.5 * h * dot(axis, up) for x, axis in zip(begun.ahead, axes, strict=True)]
    return replace(begun, ahead=ahead)
