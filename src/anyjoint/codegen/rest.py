"""Loops that come to rest, as they are differentiated: where one more pass leaves everything as it is.

z = f(z, x) is found by passes of f, wherever they begin. How it was found is not differentiated; the equation is. So
the loop runs as it is, and then comes one more pass, whose tangent or adjoint is repeated in its place:
dz = f_z dz + f_x dx comes to rest as quickly as the loop itself, and so do the passes zbar := f_z^T zbar, of which
each adds its f_x^T zbar to the adjoints of x (Christianson, Reverse accumulation and attractive fixed points, 1994).
Those passes are linear in zbar and end at nothing: their own tangent is that of each pass, and needs no rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen.activity import Flags
from anyjoint.codegen.builder import Values
from anyjoint.codegen.kernel import Place, Run, lane_array
from anyjoint.codegen.shadow import Shadows
from anyjoint.codegen.unroll import Loop
from anyjoint.scalar import Scalar, less, maximum, select

MOST = 150  # passes
CLOSE = 1e-15  # beside the largest: what adjoints may be at the end; they fall below any number
FARTHER, PASSES = 1e-5, 2  # where their rates count, too, which fall a little later: how much closer, for how long
SAME = 1e-14  # beside the size of rates: what a pass may still change at the end
ROUND, SLOW = 1e-9, 0.9  # changes so small that hardly shrink any more are rounding
EARLY, NOISE = 10, 0.1  # passes, and the share of their largest change that the last one has where all is rounding
Range = tuple[int, int, int]  # (array, first offset, how many)


class Rest:
    """Adds loops and what is repeated in their place to a schedule in the making."""

    def __init__(self, made: Shadows, alive: Sequence[Flags], loops: Sequence[Loop], twice: bool = False) -> None:
        """`twice`: what is made will be differentiated again."""
        self.made, self.alive, self.twice = made, alive, twice
        self.begins = {loop.begin: loop for loop in loops}
        self.ends = {loop.end - 1: loop for loop in loops}
        self.plain: dict[int, int] = {}  # kernels as they are

    def enter(self, i: int) -> None:
        """Before run i: the loop itself, if it is there, which is not differentiated."""
        if i not in self.begins:
            return
        loop, builder, schedule = self.begins[i], self.made.builder, self.made.schedule
        begin = len(builder.runs)
        for run in loop.runs:
            if run.kernel not in self.plain:
                self.plain[run.kernel] = builder.kernel(schedule.kernels[run.kernel])
            columns = self.made.columns(run, range(len(run.arrays)))
            builder.runs.append(Run(self.plain[run.kernel], *columns, run.again))
        builder.repeat(begin, self._work(loop.entry))
        values = [part for part in self.carried(loop) if part[0] == lane_array(schedule.arrays)]
        self.values = [(self._work(k), n, builder.room(n)) for _, k, n in values]
        for place, n, kept in self.values:
            builder.copy(n, place, kept)

    def leave(self, i: int) -> None:
        """Behind run i, if a pass ends there: values are as the loop left them.

        So all passes for rates are the same linear map, and none is counted: the loop may take too many for failure.
        """
        if i in self.ends:
            for place, n, kept in self.values:
                self.made.builder.copy(n, kept, place)

    def _work(self, entry: int) -> Place:
        """An entry of the work array."""
        return Place(self.made.builder.work_array, entry)

    def carried(self, loop: Loop, alive: bool = False) -> list[Range]:
        """Places that a pass reads before it writes them, in ranges; `alive`: those with derivatives."""
        schedule, seen, written = self.made.schedule, set[Place](), set[Place]()
        for run in schedule.runs[loop.begin : loop.end]:
            kernel = schedule.kernels[run.kernel]
            stored = [store.place for store in kernel.stores]
            read = [*kernel.loads.values(), *(store.place for store in kernel.stores if store.accumulate)]
            for offsets in run.offsets.tolist():
                seen |= {Place(run.arrays[j], offsets[j] + k) for j, k in read} - written
                written |= {Place(run.arrays[j], offsets[j] + k) for j, k in stored}
        found = sorted(p for p in seen & written if not alive or self.alive[p.array][p.offset])
        ranges: list[Range] = []
        for array, offset in found:
            if ranges and ranges[-1][0] == array and sum(ranges[-1][1:]) == offset:
                ranges[-1] = (array, ranges[-1][1], ranges[-1][2] + 1)
            else:
                ranges.append((array, offset, 1))
        return ranges

    def _places(self, loop: Loop) -> list[tuple[Place, int]]:
        return [(self.made.place[array].at(offset), n) for array, offset, n in self.carried(loop, True)]

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
        self.numbers = self._set(change=0.0, size=0.0, last=1e300, top=0.0, count=0.0) | {"go": self._work(loop.go)}
        self.first = len(builder.runs)
        for (place, n), old in zip(self.places, self.old, strict=True):
            builder.copy(n, place, old)

    def end_rates(self, i: int) -> None:
        """Behind run i, if a pass ends there: once more, until rates stay as they are."""
        if i not in self.ends:
            return
        self.leave(i)
        builder, numbers, go = self.made.builder, self.numbers, self._work(self.ends[i].go)
        for (place, n), old in zip(self.places, self.old, strict=True):
            moved = lambda x: {"new": select(less(0.0, x["go"]), x["new"], x["old"])}  # noqa: E731
            builder.pointwise(n, {"new": place, "old": old}, {"go": go}, {"new": place}, moved)
            totals = {name: numbers[name] for name in ("change", "size")}
            builder.pointwise(n, {"new": place, "old": old}, {}, totals, _squares, accumulate=True)

        def decide(x: Values) -> dict[str, Scalar]:
            slow = select(less(x["change"], x["last"] * SLOW * SLOW), 1.0, 0.0)
            stuck = select(less(x["change"], ROUND * ROUND * x["size"]), slow, 1.0)
            wanted = select(less(SAME * SAME * x["size"], x["change"]), stuck, 0.0)
            go = select(less(0.0, x["go"]), select(less(x["count"], MOST), wanted, 0.0), 0.0)
            top = select(less(x["count"], EARLY), maximum(x["top"], x["change"]), x["top"])
            count = x["count"] + x["go"]
            return {"go": go, "count": count, "last": x["change"], "top": top, "change": 0.0, "size": 0.0}

        builder.pointwise(1, numbers, {}, numbers, decide)
        builder.repeat(self.first, go)
        for place, n in self.places:
            scalars = {name: numbers[name] for name in ("count", "last", "top")}
            builder.pointwise(n, {"x": place}, scalars, {"x": place}, _unless_wandering)

    # -- adjoints -----------------------------------------------------------------------------------------------

    def begin_adjoints(self, i: int) -> None:
        """Before run i, backwards, if a pass ends there: how large adjoints are."""
        if i not in self.ends:
            return
        builder, passes = self.made.builder, float(PASSES if self.twice else 1)
        self.places = self._places(self.ends[i])
        self.numbers = self._set(on=passes, total=0.0, largest=0.0, count=0.0)
        self.numbers["go"] = self._work(self.ends[i].go)
        self._add_up("largest")
        self.first = len(builder.runs)

    def end_adjoints(self, i: int) -> None:
        """Behind run i, backwards, if a pass begins there: once more, until nothing is left of the adjoints."""
        if i not in self.begins:
            return
        builder, numbers = self.made.builder, self.numbers
        close, passes = (CLOSE * FARTHER, PASSES) if self.twice else (CLOSE, 1)
        self._add_up("total")

        def decide(x: Values) -> dict[str, Scalar]:
            largest = maximum(x["largest"], x["total"])
            left = select(less(close * close * largest, x["total"]), float(passes), x["on"] - 1.0)
            on = select(less(0.0, x["go"]), select(less(0.0, x["on"]), left, 0.0), 0.0)
            count = x["count"] + select(less(0.0, x["on"]), 1.0, 0.0)
            return {"on": on, "count": count, "largest": largest, "total": 0.0}

        def left(x: Values) -> dict[str, Scalar]:
            more = select(less(0.0, x["on"]), _unless_lost(x)["x"], 0.0)  # a last pass hands on what is lost
            return {"x": select(less(0.0, x["go"]), more, x["x"])}

        outputs = {name: place for name, place in numbers.items() if name != "go"}
        builder.pointwise(1, numbers, {}, outputs, decide)
        for place, n in self.places:
            scalars = {name: numbers[name] for name in ("on", "count", "go")}
            builder.pointwise(n, {"x": place}, scalars, {"x": place}, left)
        builder.repeat(self.first, numbers["on"], "fade")

    def _add_up(self, name: str) -> None:
        for place, n in self.places:
            self.made.builder.pointwise(
                n, {"x": place}, {}, {"y": self.numbers[name]}, lambda x: {"y": x["x"] * x["x"]}, accumulate=True
            )


def _squares(x: Values) -> dict[str, Scalar]:
    change = x["new"] - x["old"]
    return {"change": change * change, "size": x["new"] * x["new"]}


def _unless_wandering(x: Values) -> dict[str, Scalar]:
    """What has not come to rest is not a number, unless its changes are what they were at first.

    The loop itself has come to rest, so that rates shrink as it did: those that do not are nothing but rounding.
    """
    faint = select(less(x["last"], NOISE * NOISE * x["top"]), 0.0, 1.0)
    noise = select(less(x["top"], NOISE * NOISE * x["last"]), 0.0, faint)
    return {"x": x["x"] / select(less(x["count"], MOST + 0.5), 1.0, noise)}


def _unless_lost(x: Values) -> dict[str, Scalar]:
    """What has not come to rest is not a number."""
    return {"x": x["x"] / select(less(x["count"], MOST + 0.5), 1.0, 0.0)}
