"""Method II of Si & Guenter by kernels: symbolic ones for recursions 1-3, then two numeric ones for recursions 4-6.

The numeric kernels are the recursions themselves on matrices of which nothing is known, one pair of kernels for all
links with as many velocities; sums of children are kept where the first half has put their first terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from anyjoint.codegen import Kernel, Schedule, Store
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Kind
from anyjoint.dynamics.algorithm import Parent
from anyjoint.dynamics.recursive import recursion_4, recursion_5, recursion_6
from anyjoint.scalar import Scalar
from anyjoint.spatial import BlockInertia, Pose, Translation, Turn, vector
from anyjoint.tree.plan import Link
from anyjoint.tree.record import Record, ground

from .classes import Tracer
from .draft import Draft
from .flatten import flatten
from .layout import Layout, tree_builder
from .setup import Rows

# How many numbers of each there are; of wide ones, for each velocity.
GIVEN = {"R": 9, "p": 3, "S": 6, "tau_bar": 1, "own": 1, "J_bar": 21, "z": 6}
MADE = {"P": 6, "c_bar": 1, "eta": 6}
WIDE = ("S", "tau_bar", "own", "P", "c_bar")


def mixed_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """Accelerations, for the algorithm RECURSIVE_MIXED."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    Numeric(builder, tracer.plan.links, layout.results).add()
    return builder.schedule(), layout.rows


class Numeric:
    """Adds the runs of recursions 4-6; `places` says where the matrices of links begin in the work array."""

    def __init__(self, builder: Builder, links: Sequence[Link], places: Mapping[str, Sequence[int]]) -> None:
        self.builder, self.links = builder, links
        self.places = dict(places)
        for name, size in MADE.items():
            sizes = [size * (link.joint.nv if name in WIDE else 1) for link in links]
            self.places[name] = (builder.room(sum(sizes)).offset + np.cumsum([0, *sizes[:-1]])).tolist()

    def add(self) -> None:
        """Inward with both inertias and innovations, outward with accelerations."""
        count = len(self.links)
        self._runs(range(count - 1, -1, -1), inward_kernel)
        self._runs(range(count), outward_kernel)

    def _runs(self, order: Sequence[int], make: Callable[[int, bool], Kernel]) -> None:
        made: dict[tuple[int, bool], int] = {}
        for kind, links in groupby(order, lambda i: (self.links[i].joint.nv, self.links[i].parent >= 0)):
            if kind not in made:
                made[kind] = self.builder.kernel(make(*kind))
            calls = list(links)
            names = [array.name for array in self.builder.kernels[made[kind]].arrays]
            self.builder.run(made[kind], *(self._column(name, calls) for name in names))

    def _column(self, name: str, calls: Sequence[int]) -> tuple[int, Any]:
        """An argument of a kernel: its array, and where it begins for each link."""
        if name == "result":
            place = self.builder.place("result")
            return place.array, [place.offset + self.links[i].v.start for i in calls]
        of = [self.links[i].parent for i in calls] if name.startswith("parent ") else calls
        return self.builder.work_array, [self.places[name.removeprefix("parent ")][i] for i in of]


class Matrices(Draft):
    """A kernel over the matrices of a link with so many velocities."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.stores: list[Store] = []

    def given(self, name: str, of: str = "") -> Any:
        """A matrix or vector of the link, or of its parent."""
        count = (GIVEN | MADE)[name] * (self.width if name in WIDE else 1)
        array = self.argument(of + name)
        entries = vector(*(self.entry(array, k) for k in range(count)))
        return entries.reshape(6, self.width) if name in ("S", "P") else entries

    def keep(self, value: Scalar, name: str, kind: Kind = "lane", accumulate: bool = False) -> None:
        """Store a value, or add it to what is there."""
        array = self.argument(name, kind)
        for k, x in enumerate(flatten(value)[0]):
            self.stores.append(Store(self.graph.as_node(x), array, k, accumulate))

    def link(self) -> Record:
        """The record of a link whose pose, axes and inertia are just numbers."""
        R, p, S = self.given("R").reshape(3, 3), self.given("p"), self.given("S")
        return Record(G=Pose([Translation(tuple(p)), Turn(R)]), S=S)


def inward_kernel(width: int, has_parent: bool) -> Kernel:
    """Recursions 4 and 5 of one link: equations 27 to 33."""
    made, parent = Matrices(width), Record()
    k = made.link()
    k.J, k.armature = BlockInertia.from_entries(list(made.given("J_bar"))), made.given("own")
    k.tau_bar = made.given("tau_bar")
    k.add("z", made.given("z"))
    for recursion in (recursion_4, recursion_5):
        recursion(k, Parent(parent, set()))
    made.keep(k.P, "P")
    made.keep(k.c_bar, "c_bar")
    for name in ("J_bar", "z") if has_parent else ():
        made.keep(parent.handed(name), f"parent {name}", accumulate=True)
    return made.kernel(made.stores)


def outward_kernel(width: int, has_parent: bool) -> Kernel:
    """Recursion 6 of one link: equations 34 and 35."""
    made = Matrices(width)
    k = made.link()
    k.P, k.c_bar = made.given("P"), made.given("c_bar")
    parent = Record(eta=made.given("eta", "parent ")) if has_parent else ground(vector(0, 0, 0))
    recursion_6(k, Parent(parent, set()))
    made.keep(k.qdd, "result", "row")
    made.keep(k.eta, "eta")
    return made.kernel(made.stores)
