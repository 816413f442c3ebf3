"""Columns of forward dynamics by kernels: how accelerations go outward from joint to joint, and wrenches inward.

With the results of dynamics/forward_derivatives.py each column begins at its own joint. Outward over links beyond it
L^T y = -Z^T alpha - K Psi', alpha += J' L^T y; unit forces have no Psi', and on their way -pi . alpha are their rows of
the other columns. Where a tree branches, wrenches of unit forces go inward, pi -= Z J'^T pi, and alpha = -Lambda pi
goes on into all other branches. Links have kept -Z, -K and -pi, so that nothing here is turned round. Columns of a
block of links are handled side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from anyjoint.codegen import Kernel, Place
from anyjoint.codegen.builder import Builder
from anyjoint.frozen import frozen
from anyjoint.tree.plan import Link, Plan

from .messages import Messages
from .pair_layout import LINE, MOST, PART, By, Part, Target, blocks, column, grouped, owners, width
from .yield_kernels import (
    WIDEST,
    Answer,
    Sizes,
    Sort,
    climb_inside_kernel,
    climb_kernel,
    follow_kernel,
    own_kernel,
    turn_kernel,
    unit_kernel,
)


@frozen
class YieldCall:
    """A kernel on a part, and places of its arguments by name; the others are results of the part's links."""

    kernel: int
    part: int
    places: Mapping[str, Place]


@frozen
class Columns:
    """Columns of links of a block from the first one on, and where accelerations that come to a part are."""

    block: int
    columns: int
    at: Place


UNIT = Part("Au"), Part("Pu")


def spread_parts(by: By | None) -> list[Part]:
    """Results that are kept row by row over all links."""
    if by is None:
        return list(UNIT)
    moved = [Part("Psi1", 3, by), *(Part(name, by=by) for name in ("Pq", "Aq"))]
    return [*UNIT, *moved, Part("Phi1", 3), Part("Pv"), Part("Av")]


@dataclass
class Yielding:
    """Adds the runs; kernels are made once for parts of chains of the same kind.

    One kernel takes a few links behind each other, so that accelerations stay in registers, and all columns before the
    next links, since columns need not wait for each other.
    """

    builder: Builder
    plan: Plan
    places: Mapping[str, Sequence[int]]
    answer: Answer
    _kernels: dict[Hashable, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = {link.body: i for i, link in enumerate(self.plan.links)}
        self.blocks = blocks(self.plan, MOST)
        inside = [grouped(block, PART) for block in self.blocks]
        self.parts = [part for parts in inside for part in parts]
        self.block = [b for b, parts in enumerate(inside) for _ in parts]
        ends = {self.index[part[-1].body]: k for k, part in enumerate(self.parts)}
        self.parents = [ends.get(part[0].parent, -1) for part in self.parts]
        self.children = [self.parents.count(k) for k in range(len(self.parts))]
        self.messages = Messages(self.parents, 6 * WIDEST * len(self.blocks), inward=False)
        self.rooms = [self.builder.room(self.messages.size, LINE) for _ in self.answer.targets]
        self.turned: dict[tuple[int, int], Place] = {}  # (block, part above it that branches) -> accelerations there

    def add(self) -> None:
        """Add all runs."""
        self._run(list(self._inward()))
        for k in range(len(self.parts)):
            self._run([self._own(k), *self._outward(k)])

    # -- which columns ----------------------------------------------------------------------------------------------

    def _above(self, k: int) -> list[int]:
        """Parts between a part and the root, the nearest first."""
        found = []
        while (k := self.parents[k]) >= 0:
            found.append(k)
        return found

    def _branching(self, k: int) -> list[int]:
        """Those of them that branch."""
        return [i for i in self._above(k) if self.children[i] > 1]

    def _groups(self, k: int, by: By, room: int) -> list[Columns]:
        """Columns of all links above a part."""
        above = [i for i in self._above(k) if owners(self.parts[i], by)]
        counts: dict[int, int] = {}
        for i in above:
            counts[self.block[i]] = counts.get(self.block[i], 0) + len(owners(self.parts[i], by))
        return [Columns(b, n, self._message(room, self.parents[k]).at(self._column(b))) for b, n in counts.items()]

    def _others(self, k: int) -> Iterator[Columns]:
        """Columns of links in other branches than a part."""
        above = self._above(k)
        for (b, meeting), begin in self.turned.items():
            first = self.block.index(b)
            if meeting in above and self._towards(first, meeting).isdisjoint((k, *above)):
                passed_on = self._message(0, self.parents[k]).at(self._column(b))
                yield Columns(b, len(owners(self.blocks[b], "v")), begin if meeting == self.parents[k] else passed_on)

    def _towards(self, k: int, above: int) -> set[int]:
        """A part and those between it and another one above."""
        return {i for i in (k, *self._above(k)) if i != above and above in self._above(i)}

    def _message(self, room: int, k: int) -> Place:
        return self.rooms[room].at(self.messages.at[k])

    def _column(self, block: int) -> int:
        return 6 * WIDEST * block

    # -- calls ------------------------------------------------------------------------------------------------------

    def _own(self, k: int) -> YieldCall:
        """Entries of links of a part with each other."""
        children, sizes = self.children[k] > 0, self._sizes(k)
        made = lambda: own_kernel(self.answer, sizes, children)  # noqa: E731
        first = self.parts[self.block.index(self.block[k])][0]
        inside = self._column(self.block[k])
        places = {}
        for room, (by, to) in enumerate(self.answer.targets):
            before = self._at(self.parts[k][0], by) - self._at(first, by)
            places[f"matrix_{room}"] = self._entry(to, k, self._at(self.parts[k][0], by))
            if children:
                places[f"mine_{room}"] = self._message(room, k).at(inside + before)
        return YieldCall(self._number(("own", sizes, children), made), k, places)

    def _inward(self) -> Iterator[YieldCall]:
        """Wrenches of unit forces to where the tree branches, and accelerations there."""
        for b, block in enumerate(self.blocks):
            inside = [k for k, of in enumerate(self.block) if of == b]
            count, branching = len(owners(block, "v")), self._branching(inside[0])
            if not count or not branching:
                continue
            pi = self._result("Pu", block[0])
            for n, k in enumerate(inside):  # to the block's first link
                yield self._climb_inside(k)
                at, wide = self._result("Pu", self.parts[k][0]), len(owners(self.parts[k], "v"))
                yield from (self._climb(i, at, wide) for i in reversed(inside[:n]) if wide)
            for i in self._above(inside[0]):
                if i in branching:
                    yield self._turn(b, i, pi, count)
                    branching.remove(i)
                if not branching:
                    break
                yield self._climb(i, pi, count)

    def _climb_inside(self, k: int) -> YieldCall:
        sizes, stride = self._sizes(k), self.answer.spread["Pu"].stride
        number = self._number(("climb inside", sizes), lambda: climb_inside_kernel(sizes, stride))
        return YieldCall(number, k, {})

    def _climb(self, k: int, pi: Place, count: int) -> YieldCall:
        sizes, stride = self._sizes(k), self.answer.spread["Pu"].stride
        number = self._number(("climb", sizes, count), lambda: climb_kernel(sizes, count, stride))
        return YieldCall(number, k, {"pi": pi})

    def _turn(self, b: int, k: int, pi: Place, count: int) -> YieldCall:
        at = self.turned[b, k] = self.builder.room(6 * WIDEST, LINE)
        stride = self.answer.spread["Pu"].stride
        number = self._number(("turn", count), lambda: turn_kernel(count, stride))
        return YieldCall(number, k, {"pi": pi, "Lambda": self._result("Lambda", self.parts[k][-1]), "alpha": at})

    def _outward(self, k: int) -> Iterator[YieldCall]:
        """Rows of a part in all columns that have come to it, and its own columns in their rows."""
        if self.parents[k] < 0:
            return
        units = [self._unit(k, group, stored=True) for group in self._groups(k, "v", 0)]
        units += [self._unit(k, group, stored=group.block < self.block[k]) for group in self._others(k)]
        yield from sorted(units, key=lambda call: call.kernel)
        for room, sort in enumerate(self.answer.sorts, 1):
            calls = [self._follow(k, group, sort, room) for group in self._groups(k, sort.by, room)]
            yield from sorted(calls, key=lambda call: call.kernel)

    def _unit(self, k: int, group: Columns, stored: bool) -> YieldCall:
        """Entries of M^-1 between two branches are found from both sides, and stored once, with their mirror image."""
        children, sizes = self.children[k] > 0, self._sizes(k)
        key = ("unit", sizes, group.columns, stored, children)
        made = lambda: unit_kernel(self.answer, sizes, group.columns, stored, children)  # noqa: E731
        first = self.blocks[group.block][0]
        places = {"alpha": group.at}
        for sort in self.answer.sorts:
            places[f"rows_{sort.own}"] = sort.to.entry(first.v.start, self._at(self.parts[k][0], sort.by))
        if stored:
            places["inverse"] = self._entry(self.answer.inverse, k, first.v.start)
            places["mirror"] = self.answer.inverse.entry(first.v.start, self.parts[k][0].v.start)
        if children:
            places["mine"] = self._message(0, k).at(self._column(group.block))
        return YieldCall(self._number(key, made), k, places)

    def _follow(self, k: int, group: Columns, sort: Sort, room: int) -> YieldCall:
        children, sizes, stride = self.children[k] > 0, self._sizes(k), self.answer.spread[sort.psi].stride
        key = ("follow", tuple(n for n, _ in sizes), group.columns, children, stride, sort.to.stride)
        made = lambda: follow_kernel(self.answer, sizes, group.columns, children, sort)  # noqa: E731
        first = self.blocks[group.block][0]
        places = {"alpha": group.at, "psi": self._result(sort.psi, first)}
        places["rows"] = self._entry(sort.to, k, self._at(first, sort.by))
        if children:
            places["mine"] = self._message(room, k).at(self._column(group.block))
        return YieldCall(self._number(key, made), k, places)

    # -- places -----------------------------------------------------------------------------------------------------

    def _result(self, name: str, link: Link) -> Place:
        """Where a result of a link begins."""
        return Place(self.builder.work_array, self.places[name][self.index[link.body]])

    def _at(self, link: Link, by: By) -> int:
        return column(link, self.index[link.body], by)

    def _sizes(self, k: int) -> Sizes:
        by: By = self.answer.sorts[0].by if self.answer.sorts else "v"
        return tuple((link.joint.nv, width(link, by)) for link in self.parts[k])

    def _entry(self, to: Target, k: int, first: int) -> Place:
        """The place of the first row of a part, in a column of a matrix."""
        return to.entry(self.parts[k][0].v.start, first)

    def _number(self, key: Hashable, make: Callable[[], Kernel]) -> int:
        """The kernel of this kind, which is made if there is none; -1 if it would write nothing."""
        if key not in self._kernels:
            made = make()
            self._kernels[key] = self.builder.kernel(made) if made.stores else -1
        return self._kernels[key]

    def _run(self, calls: Sequence[YieldCall]) -> None:
        """Calls of one kernel behind each other as one run."""
        for number, group in groupby((call for call in calls if call.kernel >= 0), lambda call: call.kernel):
            places = list(zip(*map(self._arguments, group), strict=True))
            self.builder.run(number, *((column[0].array, [at.offset for at in column]) for column in places))

    def _arguments(self, call: YieldCall) -> list[Place]:
        """Where the kernel's arguments begin, in its order."""
        first = self.parts[call.part][0]
        names = (array.name for array in self.builder.kernels[call.kernel].arrays)
        return [call.places[name] if name in call.places else self._result(name, first) for name in names]
