"""A step under resistances: Newton's method over sweeps, within one schedule.

Every state stops by itself and then stays as it is, so that none depends on its neighbours. Far from the end, Newton's
step may be too long: then the way to its end is searched for the least, which for a convex function is where its slope
along the way is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anyjoint.codegen import Place, Schedule, rows_and_numbers
from anyjoint.codegen.builder import Builder, Values
from anyjoint.dynamics.contact import CONTACT
from anyjoint.dynamics.link_rows import MOVING_FRAMES
from anyjoint.joints import FreeQuaternion
from anyjoint.scalar import Scalar, absolute, less, maximum, minimum, select

from .classes import Tracer
from .constrained import Question
from .free_bodies import FreeBodies
from .kept_energy import KeptEnergy, balls_behind
from .landings import ADDED_TO, COUPLES
from .layout import Layout
from .pile_kernels import PileKernels
from .push_kernels import PushKernels
from .resistance_kernels import ResistanceKernels
from .row_kernels import HUB, RowKernels
from .setup import Rows
from .true_middle import GAPS_SEEN, GOES_FROM, from_true_middle, goes_on

if TYPE_CHECKING:
    from .workshop import Workshop

MOST = 60  # iterations
CLOSE = 1e-8  # beside all forces: what forces may lack at the end
ROUGH, SLOW = 1e-3, 0.5  # what is so small and hardly shrinks any more is rounding, of short numbers
TRIES = 30  # places along a way
PASSES = 32  # over the velocities in the middle of a step: with few, fast spins would gain energy
SHRINKS, SHORTEST = 0.25, 0.05  # where less of what is off (squared) is gone after a pass, go half as far, at least so
STILL, NEAR = 1e-5, 1e-6  # rad/s or m/s, and of all speeds: changes of velocities in the middle that do not matter
PASSED = 1e-3  # of the slope at the beginning of the way: so little behind the least place the end is good enough
LEAST = 1e-2  # the same on both sides of it, for places in between


def contact_kernels(workshop: Workshop, question: Question, inputs: Sequence[str]) -> tuple[Schedule, list[Rows]]:
    """Accelerations over a step under the workshop's resistances, then what contacts show."""
    if not goes_on(workshop.mechanism):
        return _once(workshop, question, inputs)
    more = (GAPS_SEEN, GOES_FROM) if balls_behind(workshop.mechanism) else (GAPS_SEEN,)
    once, rows = _once(workshop, question, (*inputs, *more))
    return from_true_middle(workshop.mechanism, once, inputs), rows


def _once(workshop: Workshop, question: Question, inputs: Sequence[str]) -> tuple[Schedule, list[Rows]]:
    """The same where a step is seen from coordinates that are given."""
    mechanism, closed = workshop.mechanism, workshop.closed("regrouped")
    plan, numbers = closed.plan, workshop.numbers("regrouped", True, True)
    builder = Builder(rows_and_numbers(*inputs, "result"))
    unused = () if any(workshop.relative) else HUB
    wanted = replace(MOVING_FRAMES, results=tuple(x for x in MOVING_FRAMES.results if x not in unused))
    frames = Layout(Tracer(plan, numbers, workshop.joints, wanted), builder, results_in_work=True)
    frames.add_runs()
    rows = RowKernels(
        builder, mechanism, closed, workshop.relative, numbers, workshop.row_programs, frames.tracer, question
    )
    made = [*frames.rows, *rows.add_runs(frames.results, _end(frames.rows))]
    made += PushKernels(
        builder, mechanism, closed, workshop.found(), numbers, workshop.push_programs, frames, rows.feeds,
        _end(made), question,
    ).rows  # fmt: skip
    pile = PileKernels(builder, closed, workshop.found())
    rows.feeds.rooms |= {name: room for name, room in pile.rooms.items() if name == COUPLES}
    kept = builder.place(GAPS_SEEN) if GAPS_SEEN in inputs else None
    resisting = ResistanceKernels(
        builder, mechanism, closed, workshop.found(), numbers, frames, rows.feeds, _end(made), kept
    )
    made += resisting.numbers
    own = {name: builder.room(mechanism.nv) for name in ("v", "drift", "turn", "found")}
    free = FreeBodies(builder, [body.v.start for body in mechanism.bodies if isinstance(body.joint, FreeQuaternion)])
    fed = zip(rows.feeds.patterns(), plan.links, strict=True)
    patterns = [{**feed, "turn": free.pattern(link)} for feed, link in fed]
    tracer = Tracer(plan, numbers, workshop.joints, CONTACT, patterns)
    keeps = None
    if balls_behind(mechanism):
        seen = builder.place(GOES_FROM if GOES_FROM in inputs else "q")
        keeps = KeptEnergy(builder, mechanism, plan, numbers, workshop.joints, seen, _end(made))
        made, own = made + keeps.rows, {**own, "tau": keeps.tau}
    sweeps = Layout(tracer, builder, True, _end(made), {**rows.feeds.rooms, **own})
    solve = Solve(builder, resisting, sweeps, mechanism.nv, free, pile, keeps)
    solve.add_runs()
    return builder.schedule(), made + sweeps.rows


def _end(rows: Sequence[Rows]) -> int:
    return max((row.end for row in rows), default=0)


class Solve:
    """Adds the runs of Newton's method, and passes over them, each with better velocities in the middle of the step."""

    def __init__(
        self, builder: Builder, resisting: ResistanceKernels, sweeps: Layout, nv: int, free: FreeBodies,
        pile: PileKernels, keeps: KeptEnergy | None,
    ) -> None:  # fmt: skip
        self.pile, self.keeps = pile, keeps
        self.builder, self.resisting, self.sweeps, self.nv, self.free = builder, resisting, sweeps, nv, free
        self.v, self.h, self.a = builder.place("v"), builder.place("h"), builder.room(nv)
        names = ("going", "on", "passes", "count", "last", "bad", "before", "alpha", "low", "high", "slope", "lack",
                 "size", "tries", "seek", "moved", "speed", "was", "part")  # fmt: skip
        self.at = {name: builder.room(1) for name in names}
        self.base = {name: builder.room(size) for name, size in self._shared().items()}
        self.loop = 0

    def _shared(self) -> dict[str, int]:
        """Rows that forces and resistances add to, and their lengths."""
        links = self.resisting.closed.plan.links
        sizes = {name: max((getattr(link.feed, name).stop for link in links), default=0) for name in ADDED_TO}
        return {name: size for name, size in sizes.items() if size}

    def add_runs(self) -> None:
        """Passes of the first sweep and of iterations until all states are solved, then the results."""
        self._copy(self.resisting.feeds.rooms, self.base)
        self._set(going=1.0, passes=0.0, bad=0.0, part=1.0, was=1e30)
        self.builder.clear(self.nv, self.a, self.sweeps.fed["drift"])
        self._go_half()
        if self.keeps:
            self.keeps.begin()
        begin = len(self.builder.runs)
        self._set(count=0.0, last=1e30)
        self.free.turn(self.sweeps.fed["v"], self.at["going"], self.sweeps.fed["turn"])
        self.builder.copy(1, self.at["going"], self.at["on"])
        self.sweeps.add_runs(between=self._before)
        self._set(before=0.0, alpha=1.0, low=0.0, high=1.0, tries=0.0)
        self.resisting.meet(self.sweeps.results, self.at["before"])
        self._search()
        self._move()
        self._decide()
        self.builder.repeat(self.loop, self.at["on"])
        self._drift()
        self._pass()
        self._go_half()
        if self.keeps:
            self.keeps.add_runs(self.a, self.sweeps.fed["turn"], self.at["going"], self.at["part"])
        self.builder.repeat(begin, self.at["going"], "passes", PASSES)
        self._finish()

    def _drift(self) -> None:
        """How far velocities in the middle of the step will be from what they were."""
        self._set(moved=0.0, speed=0.0)

        def squares(x: Values) -> dict[str, Scalar]:
            off = 0.5 * x["h"] * x["a"] - x["drift"]
            return {"moved": off * off, "speed": x["v"] * x["v"]}

        given, sums = {"v": self.v, "a": self.a, "drift": self.sweeps.fed["drift"]}, self._places("moved", "speed")
        self.builder.pointwise(self.nv, given, {"h": self.h}, sums, squares, accumulate=True)

    def _go_half(self) -> None:
        """Velocities in the middle of the step, or a part of the way there from those of the last pass."""

        def on(x: Values) -> dict[str, Scalar]:
            drift = x["drift"] + x["part"] * (0.5 * x["h"] * x["a"] - x["drift"])
            return {"middle": x["v"] + drift, "drift": drift}

        made = {"middle": self.sweeps.fed["v"], "drift": self.sweeps.fed["drift"]}
        given = {"v": self.v, "a": self.a, "drift": made["drift"]}
        self.builder.pointwise(self.nv, given, {"h": self.h, **self._places("part")}, made, on)

    def _pass(self) -> None:
        """Once more, if velocities in the middle have changed.

        Gyroscopic forces turn what is off, and of thin bodies that spin fast make it longer: a part of the way then
        comes closer, where the whole way would lead further off each time.
        """

        def decide(x: Values) -> dict[str, Scalar]:
            passes = x["passes"] + 1
            far = less(STILL * STILL + NEAR * NEAR * x["speed"], x["moved"])
            more = select(far, select(less(passes, PASSES), 1.0, 0.0), 0.0)
            slow = select(less(1.5, passes), select(less(SHRINKS * x["was"], x["moved"]), 0.5, 1.0), 1.0)
            going = select(less(0.0, x["going"]), more, 0.0)
            return {"passes": passes, "going": going, "part": maximum(slow * x["part"], SHORTEST), "was": x["moved"]}

        written = self._places("passes", "going", "part", "was")
        self.builder.pointwise(1, written | self._places("moved", "speed"), {}, written, decide)

    def _before(self, level: int) -> None:
        """Before the sweeps that are repeated, what resists loads them anew; before the last one, a pile is solved."""
        if level == 1:
            self.resisting.start_from(self.sweeps.results)
            self.loop = len(self.builder.runs)
            self._copy(self.base, self.resisting.feeds.rooms)
            self.pile.clear()
            self.resisting.load()
        if level == 2:
            self.pile.solve(self.sweeps.results, self.sweeps.fed["found"])

    def _copy(self, given: Mapping[str, Place], wanted: Mapping[str, Place]) -> None:
        for name, size in self._shared().items():
            self.builder.copy(size, given[name], wanted[name])

    def _set(self, **values: float) -> None:
        self.builder.pointwise(1, {}, {}, {name: self.at[name] for name in values}, lambda x: values)

    def _places(self, *names: str) -> dict[str, Place]:
        return {name: self.at[name] for name in names}

    def _search(self) -> None:
        """Along the way to the new place: its end, if the least place is not far before it, else that."""
        begin = len(self.builder.runs)
        self._set(slope=0.0, lack=0.0, size=0.0)
        self.resisting.look(self.at["alpha"], self.at["slope"], self.at["lack"], self.at["size"])

        def seek(x: Values) -> dict[str, Scalar]:
            steep, first = absolute(x["before"]), less(x["tries"], 0.5)
            far = select(first, x["slope"] - PASSED * steep, absolute(x["slope"]) - LEAST * steep)
            more = select(less(0.0, far), select(less(x["tries"], TRIES), 1.0, 0.0), 0.0)
            # The first iteration begins anywhere, and goes to where balance is known.
            go = select(less(0.5, x["count"]), select(less(0.0, x["on"]), more, 0.0), 0.0)
            behind = less(0.0, x["slope"])
            low, high = select(behind, x["low"], x["alpha"]), select(behind, x["alpha"], x["high"])
            line = steep / maximum(steep + x["slope"], 1e-30)  # where the slope would be 0 if it were straight
            next_one = select(first, minimum(maximum(line, 0.01), 0.99), 0.5 * (low + high))
            alpha = select(less(0.0, go), next_one, x["alpha"])
            return {"seek": go, "low": low, "high": high, "alpha": alpha, "tries": x["tries"] + 1}

        read = self._places("slope", "before", "tries", "count", "on", "low", "high", "alpha")
        self.builder.pointwise(1, read, {}, self._places("seek", "low", "high", "alpha", "tries"), seek)
        self.builder.repeat(begin, self.at["seek"], "search")

    def _move(self) -> None:
        """Go as far as the search has found."""
        scalars, resisting = self._places("on", "alpha"), self.resisting

        def moved(x: Values) -> dict[str, Scalar]:
            go = {"u": x["u"] + x["alpha"] * x["w"], "m": x["m"] + x["alpha"] * x["dm"]}
            return {name: select(less(0.0, x["on"]), value, x[name]) for name, value in go.items()}

        rooms = {"u": resisting.u, "m": resisting.m}
        given = {**rooms, "w": resisting.w, "dm": resisting.dm}
        self.builder.pointwise(resisting.count, given, scalars, rooms, moved)
        answer = Place(self.a.array, self.sweeps.results["answer"][0])

        def faster(x: Values) -> dict[str, Scalar]:
            return {"a": select(less(0.0, x["on"]), x["a"] + x["alpha"] * (x["new"] - x["a"]), x["a"])}

        self.builder.pointwise(self.nv, {"a": self.a, "new": answer}, scalars, {"a": self.a}, faster)

    def _decide(self) -> None:
        """Go on while forces lack something, and that is not rounding; what is not solved in time is bad."""

        def decide(x: Values) -> dict[str, Scalar]:
            was, count = less(0.0, x["on"]), x["count"] + 1
            rough = select(less(x["lack"], ROUGH * ROUGH * x["size"]), 1.0, 0.0)
            stuck = select(less(SLOW * SLOW * x["last"], x["lack"]), rough, 0.0)
            more = select(less(CLOSE * CLOSE * x["size"], x["lack"]), 1.0 - stuck, 0.0)
            late = select(less(count, MOST), 0.0, 1.0)
            on = select(was, more * (1.0 - late), 0.0)
            bad = select(was, more * late, x["bad"])
            return {"on": on, "count": count, "bad": bad, "last": select(was, x["lack"], x["last"])}

        read = self._places("on", "count", "lack", "size", "last", "bad")
        self.builder.pointwise(1, read, {}, self._places("on", "count", "bad", "last"), decide)

    def _finish(self) -> None:
        """Accelerations, which are not numbers where they were not found, and forces of contacts."""
        unsolved = lambda x: {"a": x["a"] + 0.0 / (1.0 - x["bad"])}  # noqa: E731
        result = self.builder.place("result")
        self.builder.pointwise(self.nv, {"a": self.a}, self._places("bad"), {"a": result}, unsolved)
        self.free.end(self.sweeps.fed["turn"], result)
        self.resisting.show()
