"""Rows of constraints by kernels: one for each kind of constraint, called for all constraints of that kind."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.constraints import Constraint
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.tree.closures import GROUND, ClosedPlan

from .body_trace import BodyTrace, entries_of
from .classes import Tracer
from .constrained import Question, velocity_place
from .constraint_program import ConstraintPrograms, row_kind
from .feeds import Feeds
from .numbers import Numbers, Pattern
from .row_kind import Known, RowKind, Sight, trace_rows
from .setup import Rows

WORLD, HUB = ("R", "p"), ("R_hub", "p_hub")  # where links are in the world, and seen from the hub below


@frozen
class Attachment:
    """Where a constraint acts: its links, what each is seen through, and (link, first column of its K) or None."""

    links: list[int]
    paths: list[list[int]]
    landings: list[tuple[int, int] | None]


class RowKernels:
    """The kernels of all rows, once links' frames have been traced; their runs are added when frames have places.

    `feeds` are the rows as sweeps load them, `needed` the entries of links' frames that kernels load.
    """

    def __init__(
        self, builder: Builder, mechanism: Mechanism, closed: ClosedPlan, relative: Sequence[bool], numbers: Numbers,
        programs: ConstraintPrograms, frames: Tracer, question: Question,
    ) -> None:  # fmt: skip
        self.builder, self.mechanism, self.closed, self.relative = builder, mechanism, closed, relative
        self.programs, self.frames, self.question = programs, frames, question
        self.still, self.timed = "v" not in frames.algorithm.inputs, mechanism.timed
        self._before = np.cumsum([0, *(constraint.count for constraint in mechanism.constraints)]).tolist()  # rows
        links = closed.plan.links
        self.feeds = Feeds.of(builder, links)
        falls, *self.exact = numbers.patterns[len(links) :]  # of gravity, and of frames
        self.up = tuple(None if g is None else -g for g in falls)
        self.kinds: dict[Hashable, RowKind] = {}
        self.needed: dict[tuple[int, str], set[int]] = {}
        # What is exact in a class's frames.
        self._said: dict[tuple[BodyTrace, tuple[str, ...]], tuple[Scalar, ...]] = {}
        self._columns = [{place: k for k, place in enumerate(row)} for row in closed.starts]
        self._joints = [{place: k for k, place in enumerate(row)} for row in closed.joints]
        self.attachments = [self._attachment(k, constraint) for k, constraint in enumerate(mechanism.constraints)]
        for k, constraint in enumerate(mechanism.constraints):
            self._add(k, constraint)

    # -- one constraint -------------------------------------------------------------------------------------------

    def _attachment(self, k: int, constraint: Constraint) -> Attachment:
        links = [self.closed.plan.link_of(body) for body in constraint.bodies]
        paths = [self._path(link, self.closed.hubs[k]) if self.relative[k] else [link] for link in links]
        return Attachment(links, paths, [None if link == GROUND else self._landing(k, link) for link in links])

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

    def _landing(self, k: int, link: int) -> tuple[int, int]:
        at = self.closed.where[k] if link == self.closed.hubs[k] else link
        return at, self._columns[at][k, 0]

    def _add(self, k: int, constraint: Constraint) -> None:
        """Find or trace the kernel of a constraint, and hand exact entries on."""
        own, names = self.attachments[k], HUB if self.relative[k] else WORLD
        seen = tuple(self._known(link, path, names) for link, path in zip(own.links, own.paths, strict=True))
        lands = tuple(None if landing is None else own.landings.index(landing) for landing in own.landings)
        widths = tuple(self._width(place) for place in constraint.coordinates)
        sight = Sight(seen, lands, widths, self.exact[k], self.up, self.relative[k])
        key = row_kind(constraint), sight
        if key not in self.kinds:
            self.kinds[key] = trace_rows(
                self.builder, self.programs, self.question, constraint, sight, self.timed, self.still
            )
        traced = self.kinds[key]
        traced.constraints.append(k)
        for part, entries in zip(self._parts(k), traced.loaded, strict=False):
            if entries:
                self.needed.setdefault(part, set()).update(entries)
        for (name, link, first, stride), exact in zip(self._fed(k), traced.feeds, strict=False):
            if exact:
                self.feeds.exact[link][name][first : first + stride * len(exact) : stride] = exact

    def _width(self, place: tuple[int, int]) -> tuple[int, int]:
        """How many velocities the link of a coordinate has, and which of them is its rate."""
        link, velocity = velocity_place(self.mechanism, self.closed, place)
        return self.closed.plan.links[link].joint.nv, velocity

    def _known(self, link: int, path: Sequence[int], names: tuple[str, ...]) -> Known | None:
        """What is exact about where a link is, part by part, and how it moves; None for the ground."""
        if link == GROUND:
            return None
        return tuple(self._entries(part, names) for part in path), () if self.still else self._entries(link, ("v",))

    def _entries(self, link: int, names: tuple[str, ...]) -> tuple[Pattern, ...]:
        key = self.frames.traces[-1][link], names
        if key not in self._said:
            self._said[key] = tuple(entries_of(key[0].values[name][0]) for name in names)
        return self._said[key]

    # -- places ---------------------------------------------------------------------------------------------------

    def _parts(self, k: int) -> list[tuple[int, str]]:
        """The parts of frames that a kernel takes, in the order of its arguments."""
        made, names = [], HUB if self.relative[k] else WORLD
        for link, path in zip(self.attachments[k].links, self.attachments[k].paths, strict=True):
            if link != GROUND:
                made += [(part, name) for part in path for name in names]
                made += [] if self.still else [(link, "v")]
        return made

    def _fed(self, k: int) -> list[tuple[str, int, int, int]]:
        """(row, link, first entry, stride) of all that a constraint hands to sweeps."""
        made = [("K", link, 6 * column, 1) for link, column in filter(None, self.attachments[k].landings)]
        for place in self.mechanism.constraints[k].coordinates:
            link, index = velocity_place(self.mechanism, self.closed, place)
            width = self.closed.plan.links[link].joint.nv
            made.append(("N", link, width * self._joints[link][k, 0] + index, width))
        return [*made, *((name, self.closed.where[k], 0, 1) for name in ("gamma", "weight"))]

    def _places(self, k: int, results: Mapping[str, Sequence[int]]) -> list[Place]:
        """Where the arguments of one call begin, in the order in which they were sketched."""
        builder, constraint = self.builder, self.mechanism.constraints[k]
        work = builder.work_array
        places = [Place(work, results[name][link]) for link, name in self._parts(k)]
        for body, index in constraint.coordinates:
            own = self.mechanism.bodies[body]
            places.append(builder.place("q", own.q.start + index))
            if not self.still:
                places.append(builder.place("v", own.v.start + (own.joint.velocity_of(index) or 0)))
        places += [builder.place("t")] if self.timed else []
        places += [builder.place("h")] if self.question.implicit else []
        if self.question.right is None:
            first, total = self._before[k], self._before[-1]
            return places + [builder.place("result", at) for at in (first, total + first)]
        for name, link, first, stride in self._fed(k):
            begin = first - first % stride if name == "N" else first  # which of its velocities is built in
            places.append(Place(work, self.feeds.rooms[name].offset + self._start(name, link) + begin))
        return places

    def _start(self, name: str, link: int) -> int:
        return int(getattr(self.closed.plan.links[link].feed, name).start)

    def add_runs(self, results: Mapping[str, Sequence[int]], first: int) -> list[Rows]:
        """Add the runs, with frames where `results` says, and numbers from `first` on; which numbers they load."""
        made = []
        for traced in self.kinds.values():
            made.append(Rows(traced.setup, tuple(traced.constraints), first, frames=True))
            calls = [self._places(k, results) for k in traced.constraints]
            columns = []
            for j in traced.used:
                if j < len(traced.loaded):
                    columns.append((calls[0][j].array, [places[j].offset for places in calls]))
                else:
                    offsets = first + len(traced.setup.outputs) * np.arange(len(calls))
                    columns.append((self.builder.place("numbers").array, offsets.tolist()))
            first = made[-1].end
            if self.builder.kernels[traced.kernel].stores:
                self.builder.run(traced.kernel, *columns)
        return made
