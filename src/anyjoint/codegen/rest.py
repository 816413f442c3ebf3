"""Loops that come to rest, as they are differentiated: where one more pass leaves everything as it is.

z = f(z, x) is found by passes of f, wherever they begin. How it was found is not differentiated; the equation is. So
the loop runs as it is, and then comes one more pass, whose tangent or adjoint is repeated in its place:
dz = f_z dz + f_x dx comes to rest as quickly as the loop itself, and so do the passes zbar := f_z^T zbar, of which
each adds its f_x^T zbar to the adjoints of x (Christianson, Reverse accumulation and attractive fixed points, 1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from anyjoint.codegen.activity import Flags
from anyjoint.codegen.builder import Values
from anyjoint.codegen.kernel import Array, Kernel, Place, Run, Schedule, Store, lane_array
from anyjoint.codegen.shadow import Shadows
from anyjoint.errors import InputError
from anyjoint.scalar import less, maximum, select
from anyjoint.symbolic import Graph

MOST = 150  # passes
CLOSE = 1e-15  # beside the largest: what adjoints may be at the end; they fall below any number
SAME = 1e-14  # beside the size of rates: what a pass may still change at the end
ROUND, SLOW = 1e-9, 0.9  # changes so small that hardly shrink any more are rounding
Range = tuple[int, int, int]  # (array, first offset, how many)


@dataclass(frozen=True)
class Loop:
    """A loop: its runs, and those of the one pass behind it, which begins with raising the loop's flag."""

    runs: tuple[Run, ...]
    entry: int  # the flag
    go: int  # what the flag is raised to, in the work array
    begin: int
    end: int


def unrolled(schedule: Schedule) -> tuple[Schedule, list[Loop]]:
    """One pass in place of each loop, and the loops."""
    ends = {i: run.again for i, run in enumerate(schedule.runs) if run.again}
    if not ends:
        return schedule, []
    if not all(again.rests for again in ends.values()):
        raise InputError("second derivatives of steps that solve equations are not known; use an explicit method")
    kernels, work, lane = list(schedule.kernels), schedule.work, lane_array(schedule)
    kernels += [_setter(), _copier()]
    runs: list[Run] = []
    loops = []
    begins = {i + 1 - again.runs: (i, again) for i, again in ends.items()}
    for i, run in enumerate(schedule.runs):
        if i in begins:
            last, again = begins[i]
            own = (*schedule.runs[i:last], replace(schedule.runs[last], again=None))
            runs.append(Run.over(len(kernels) - 2, (lane, (work,))))
            loops.append(Loop(own, again.entry, work, len(runs), len(runs) + 1 + len(own)))
            runs.append(Run.over(len(kernels) - 1, (lane, (work,)), (lane, (again.entry,))))
            work += 1
        runs.append(replace(run, again=None))
    return replace(schedule, kernels=tuple(kernels), runs=tuple(runs), work=work), loops


def _setter() -> Kernel:
    graph = Graph()
    return Kernel(graph, (Array("work", "lane"),), {}, (Store(graph.constant(1.0), 0, 0),))


def _copier() -> Kernel:
    graph = Graph()
    x = graph.variable("x")
    return Kernel(graph, (Array("work", "lane"),) * 2, {x.id: (0, 0)}, (Store(x, 1, 0),))


class Rest:
    """Adds loops and what is repeated in their place to a schedule in the making."""

    def __init__(self, made: Shadows, alive: Sequence[Flags], loops: Sequence[Loop]) -> None:
        self.made, self.alive = made, alive
        self.before = {loop.begin - 1: loop for loop in loops}  # the run that a loop comes before
        self.begins = {loop.begin: loop for loop in loops}
        self.ends = {loop.end - 1: loop for loop in loops}
        self.plain: dict[int, int] = {}  # kernels as they are

    def enter(self, i: int) -> None:
        """Before run i: the loop itself, if it is there, which is not differentiated."""
        if i not in self.before:
            return
        loop, builder, schedule = self.before[i], self.made.builder, self.made.schedule
        begin = len(builder.runs)
        for run in loop.runs:
            if run.kernel not in self.plain:
                self.plain[run.kernel] = builder.kernel(schedule.kernels[run.kernel])
            builder.runs.append(Run(self.plain[run.kernel], *self.made.columns(run, range(len(run.arrays)))))
        builder.repeat(begin, self._flag(loop.entry))

    def _flag(self, entry: int) -> Place:
        return Place(len(self.made.builder.given), entry)

    def carried(self, loop: Loop) -> list[Range]:
        """Shadows of places that a pass reads before it writes them, in ranges."""
        schedule, seen, written = self.made.schedule, set[Place](), set[Place]()
        for run in schedule.runs[loop.begin : loop.end]:
            kernel = schedule.kernels[run.kernel]
            stored = [(s.array, s.offset) for s in kernel.stores]
            read = [*kernel.loads.values(), *((s.array, s.offset) for s in kernel.stores if s.accumulate)]
            for offsets in run.offsets.tolist():
                seen |= {Place(run.arrays[j], offsets[j] + k) for j, k in read} - written
                written |= {Place(run.arrays[j], offsets[j] + k) for j, k in stored}
        found = sorted(p for p in seen & written if self.alive[p.array][p.offset])
        ranges: list[Range] = []
        for array, offset in found:
            if ranges and ranges[-1][0] == array and sum(ranges[-1][1:]) == offset:
                ranges[-1] = (array, ranges[-1][1], ranges[-1][2] + 1)
            else:
                ranges.append((array, offset, 1))
        return ranges

    def _places(self, loop: Loop) -> list[tuple[Place, int]]:
        return [(self.made.place[array].at(offset), n) for array, offset, n in self.carried(loop)]

    def _set(self, **values: float) -> dict[str, Place]:
        """New numbers in the work array, with what they begin at."""
        builder = self.made.builder
        places = {name: builder.room(1) for name in values}
        builder.pointwise(1, {}, {}, places, lambda _: dict(values))
        return places

    # -- rates ------------------------------------------------------------------------------------------------

    def begin_rates(self, i: int) -> None:
        """Before run i, if a pass begins there: what is needed to know when rates come to rest."""
        if i not in self.begins:
            return
        loop, builder = self.begins[i], self.made.builder
        self.places = self._places(loop)
        self.old = [builder.room(n) for _, n in self.places]
        self.numbers = self._set(change=0.0, size=0.0, last=1e300, count=0.0) | {"go": self._flag(loop.go)}
        self.first = len(builder.runs)
        for (place, n), old in zip(self.places, self.old, strict=True):
            builder.pointwise(n, {"x": place}, {}, {"y": old}, lambda x: {"y": x["x"]})

    def end_rates(self, i: int) -> None:
        """Behind run i, if a pass ends there: once more, until rates stay as they are."""
        if i not in self.ends:
            return
        builder, numbers, go = self.made.builder, self.numbers, self._flag(self.ends[i].go)
        for (place, n), old in zip(self.places, self.old, strict=True):
            moved = lambda x: {"new": select(less(0.0, x["go"]), x["new"], x["old"])}  # noqa: E731
            builder.pointwise(n, {"new": place, "old": old}, {"go": go}, {"new": place}, moved)
            totals = {name: numbers[name] for name in ("change", "size")}
            builder.pointwise(n, {"new": place, "old": old}, {}, totals, _squares, accumulate=True)

        def decide(x: Values) -> dict[str, Any]:
            slow = select(less(x["change"], x["last"] * SLOW * SLOW), 1.0, 0.0)
            stuck = select(less(x["change"], ROUND * ROUND * x["size"]), slow, 1.0)
            wanted = select(less(SAME * SAME * x["size"], x["change"]), stuck, 0.0)
            go = select(less(0.0, x["go"]), select(less(x["count"], MOST), wanted, 0.0), 0.0)
            return {"go": go, "count": x["count"] + x["go"], "last": x["change"], "change": 0.0, "size": 0.0}

        builder.pointwise(1, numbers, {}, numbers, decide)
        builder.repeat(self.first, go)
        for place, n in self.places:
            builder.pointwise(n, {"x": place}, {"count": numbers["count"]}, {"x": place}, _unless_lost)

    # -- adjoints -----------------------------------------------------------------------------------------------

    def begin_adjoints(self, i: int) -> None:
        """Before run i, backwards, if a pass ends there: how large adjoints are."""
        if i not in self.ends:
            return
        builder = self.made.builder
        self.places = self._places(self.ends[i])
        self.numbers = self._set(on=1.0, total=0.0, largest=0.0, count=0.0)
        self._add_up("largest")
        self.first = len(builder.runs)

    def end_adjoints(self, i: int) -> None:
        """Behind run i, backwards, if a pass begins there: once more, until nothing is left of the adjoints."""
        if i not in self.begins:
            return
        builder, numbers = self.made.builder, self.numbers
        self._add_up("total")

        def decide(x: Values) -> dict[str, Any]:
            largest = maximum(x["largest"], x["total"])
            wanted = select(less(CLOSE * CLOSE * largest, x["total"]), 1.0, 0.0)
            on = select(less(0.0, x["on"]), wanted, 0.0)
            return {"on": on, "count": x["count"] + x["on"], "largest": largest, "total": 0.0}

        def left(x: Values) -> dict[str, Any]:
            return {"x": select(less(0.0, x["on"]), _unless_lost(x)["x"], 0.0)}  # a last pass hands on what is lost

        builder.pointwise(1, numbers, {}, numbers, decide)
        for place, n in self.places:
            scalars = {name: numbers[name] for name in ("on", "count")}
            builder.pointwise(n, {"x": place}, scalars, {"x": place}, left)
        builder.repeat(self.first, numbers["on"], rests=False)

    def _add_up(self, name: str) -> None:
        for place, n in self.places:
            self.made.builder.pointwise(
                n, {"x": place}, {}, {"y": self.numbers[name]}, lambda x: {"y": x["x"] * x["x"]}, accumulate=True
            )


def _squares(x: Values) -> dict[str, Any]:
    change = x["new"] - x["old"]
    return {"change": change * change, "size": x["new"] * x["new"]}


def _unless_lost(x: Values) -> dict[str, Any]:
    """What has not come to rest is not a number."""
    return {"x": x["x"] / select(less(x["count"], MOST + 0.5), 1.0, 0.0)}
