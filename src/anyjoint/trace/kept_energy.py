"""Chains of ball joints keep their energy over a step, however they whip about.

The halves of a step of a ball, along velocities before and after, turn about other axes, and do not add up to a turn
about the mean of both. So what forces do in the middle of a step is not quite how its energy changes: the rest falls
with h^3 in each step, but adds up. What it comes to is known, from energies at both ends and the power in the middle,
and is taken out by a force along the inner motion of its tree, as Gonzalez (1996) does along all of it: that changes no
momentum of what flies. It joins the passes that find velocities in the middle of the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder, Embedded, Values
from anyjoint.dynamics.inner_motion import INNER_MOTION, LINK_ENERGY
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, less, maximum, minimum, select
from anyjoint.spatial import dot
from anyjoint.tree.pile import roots_of
from anyjoint.tree.plan import Plan

from .classes import Tracer
from .joints_cache import JointCache
from .layout import Layout, tree_builder
from .numbers import Numbers
from .sketch import Sketch, run_over
from .step_ends import BALLS, StepEnds
from .true_middle import share_of, way

NEAR = 1e-5  # rad or m: what accelerates by less within a step makes nothing
TINY = 1e-30  # J: no inner motion at all
# Of the inner motion, at most in a step. Giving back what a hit loses, more than flight asks for, would make energy.
GIVEN, TAKEN = 0.005, 0.1
SUMS = ("made", "work", "far")  # over a tree: energy out of nothing, u M u, and the square of how far balls accelerate

Results = Mapping[str, Sequence[int]]  # where those of links stand in the work array


def balls_behind(mechanism: Mechanism) -> list[int]:
    """Bodies on balls behind other joints, in trees of which it is known how every joint goes on within a step."""
    roots: list[int] = []
    for body in mechanism.bodies:
        roots.append(roots[body.parent] if body.parent >= 0 else body.index)
    known = dict.fromkeys(roots, True)
    for body in mechanism.bodies:
        known[roots[body.index]] &= body.joint.rates_are_velocities or isinstance(body.joint, BALLS)
    return [
        body.index
        for body in mechanism.bodies
        if body.parent >= 0 and isinstance(body.joint, BALLS) and known[roots[body.index]]
    ]


class _Sweeps:
    """Sweeps over states some rows of which stand in the work array, to be called there."""

    def __init__(self, builder: Builder, tracer: Tracer, in_work: Sequence[str], first: int) -> None:
        own = tree_builder(tracer)
        layout = Layout(tracer, own, first=first)
        layout.add_runs()
        self.builder, self.rows, self.places, self.size = builder, layout.rows, layout.results, layout.result_size
        self.given = {name: builder.place(name) for name in tracer.algorithm.inputs if name not in in_work}
        self.runs = Embedded(builder, own.schedule(), (*in_work, "result"))

    def call(self, state: Mapping[str, Place]) -> Results:
        """Run them; where their results stand in the work array."""
        room = self.builder.room(self.size)
        self.runs.call({**self.given, **state, "result": room})
        return {name: [room.offset + at for at in places] for name, places in self.places.items()}


class KeptEnergy:
    """Adds runs to a step, at its beginning and to each of its passes; sweeps feel the forces at `tau`."""

    def __init__(
        self, builder: Builder, mechanism: Mechanism, plan: Plan, numbers: Numbers, joints: JointCache, seen: Place,
        first: int,
    ) -> None:  # fmt: skip
        """`seen` is where the coordinates stand from which both halves of the step go, numbers begin at `first`."""
        self.builder, self.plan, self.nv, self.work = builder, plan, mechanism.nv, Place(builder.work_array, 0)
        self.h, self.given, self.tau = builder.place("h"), builder.place("tau"), builder.room(mechanism.nv)
        self.balls, roots = balls_behind(mechanism), roots_of(plan)
        chosen = list(dict.fromkeys(roots[i] for i, link in enumerate(plan.links) if link.body in self.balls))
        self.trees = {i: chosen.index(root) for i, root in roots.items() if root in chosen}  # of links, which tree
        self.ends = StepEnds(builder, mechanism, plan, self.trees, seen)
        self.at = {name: builder.room(len(chosen)) for name in (*SUMS, "eased")}
        self.energy = _Sweeps(builder, Tracer(plan, numbers, joints, LINK_ENERGY), ("q", "v"), first)
        end = max((row.end for row in self.energy.rows), default=first)
        self.inner = _Sweeps(builder, Tracer(plan, numbers, joints, INNER_MOTION), ("v", "qdd"), end)
        self.rows = [*self.energy.rows, *self.inner.rows]

    def begin(self) -> None:
        """Energy at the beginning of the step; nothing is taken out yet."""
        self.ends.go_to_begin()
        self.before = self.energy.call(self.ends.state)
        self.builder.copy(self.nv, self.given, self.tau)
        self._clear("eased")

    def add_runs(self, a: Place, turn: Place, going: Place, part: Place) -> None:
        """Energy at the end to which accelerations a lead, and what is taken out in the next pass."""
        self.ends.go_to_end(a, turn)
        after = self.energy.call(self.ends.state)
        inner = self.inner.call({"v": self.ends.middle, "qdd": self.ends.qdd})
        self._clear(*SUMS)
        self._add_up(after, inner, a)
        self._ease(going, part)
        self._push(inner)

    def _clear(self, *names: str) -> None:
        self.builder.clear(len(set(self.trees.values())), *(self.at[name] for name in names))

    def _add_up(self, after: Results, inner: Results, a: Place) -> None:
        """Sums over trees: of energy that no power explains, of u M u, and how far balls accelerate."""

        def book(sketch: Sketch) -> None:
            begun, ended, power, work = (sketch.load(name, "lane", [None])[0] for name in ("b", "e", "p", "w"))
            h = sketch.load("h", self.builder.kind(self.h), [None])[0]
            sketch.store(sketch.argument("made", "lane"), 0, ended - begun - h * power, add=True)
            sketch.store(sketch.argument("work", "lane"), 0, work, add=True)

        links, to = list(self.trees), list(self.trees.values())
        found = (self.before["energy"], after["energy"], inner["power"], inner["work"])
        results = [(self.work, [places[i] for i in links]) for places in found]
        run_over(self.builder, book, *results, (self.h, [0] * len(links)), (self.at["made"], to), (self.at["work"], to))

        def accelerate(sketch: Sketch) -> None:
            x, h = sketch.load("a", "lane", [None] * 3), sketch.load("h", self.builder.kind(self.h), [None])[0]
            sketch.store(sketch.argument("far", "lane"), 0, dot(x, x) * way(h, 1) * way(h, 1), add=True)

        balls = [i for i in links if self.plan.links[i].body in self.balls]
        at, trees = [self.plan.links[i].v.start for i in balls], [self.trees[i] for i in balls]
        run_over(self.builder, accelerate, (a, at), (self.h, [0] * len(at)), (self.at["far"], trees))

    def _ease(self, going: Place, part: Place) -> None:
        """What part of the inner motion is to go, found a part of the way from that of the last pass."""

        def decide(x: Values) -> dict[str, Scalar]:
            wanted = minimum(maximum(x["made"] / maximum(x["work"], TINY), -GIVEN), TAKEN)
            eased = x["eased"] + x["part"] * (share_of(x["far"], NEAR) * wanted - x["eased"])
            return {"eased": select(less(0.0, x["going"]), eased, x["eased"])}

        count = len(set(self.trees.values()))
        self.builder.pointwise(count, self.at, {"going": going, "part": part}, {"eased": self.at["eased"]}, decide)

    def _push(self, inner: Results) -> None:
        """Forces that sweeps feel: those that are given, and one against the inner motion."""
        groups: dict[int, list[int]] = {}
        for i in self.trees:
            if self.plan.links[i].parent >= 0:  # none at the first joint of a tree
                groups.setdefault(self.plan.links[i].joint.nv, []).append(i)
        for n, links in groups.items():
            self._push_together(n, links, inner["inner"])

    def _push_together(self, n: int, links: Sequence[int], inner: Sequence[int]) -> None:
        def trace(sketch: Sketch) -> None:
            given = sketch.load("given", self.builder.kind(self.given), [None] * n)
            momenta, eased = sketch.load("inner", "lane", [None] * n), sketch.load("eased", "lane", [None])[0]
            h, out = sketch.load("h", self.builder.kind(self.h), [None])[0], sketch.argument("tau", "lane")
            for k in range(n):
                sketch.store(out, k, given[k] - eased / h * momenta[k])

        at = [self.plan.links[i].v.start for i in links]
        places = (self.work, [inner[i] for i in links]), (self.at["eased"], [self.trees[i] for i in links])
        run_over(self.builder, trace, (self.given, at), *places, (self.h, [0] * len(at)), (self.tau, at))
