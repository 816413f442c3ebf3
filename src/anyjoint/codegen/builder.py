"""Schedules put together from pieces: straight code, kernels over links or coordinates, the runs of other schedules.

Everything that becomes machine code is composed here: the sweeps of an algorithm over a tree, a straight program, and a
step of an integrator, which is the runs of the dynamics, again for each stage, with small kernels between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anyjoint.codegen.kernel import Again, Array, Column, Ending, Kernel, Kind, Place, Run, Schedule, Store
from anyjoint.codegen.passes import over_schedule
from anyjoint.scalar import Scalar
from anyjoint.symbolic import Graph, Node

WORK = Array("work", "lane")
BLOCK = 32  # coordinates that one call of a pointwise kernel handles

Values = Mapping[str, Node]


@dataclass
class Builder:
    """Collects kernels and runs over arrays of the caller's and a work array behind them."""

    given: tuple[Array, ...]
    kernels: list[Kernel] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    work: int = 0

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All arrays, the work array last."""
        return (*self.given, WORK)

    @property
    def work_array(self) -> int:
        """The number of the work array."""
        return len(self.given)

    def place(self, name: str, offset: int = 0) -> Place:
        """An entry of one of the caller's arrays."""
        return Place([array.name for array in self.given].index(name), offset)

    def kind(self, place: Place) -> Kind:
        """The kind of the array that a place is in."""
        return self.arrays[place.array].kind

    def room(self, n: int, multiple: int = 1) -> Place:
        """Room for n numbers in the work array, from a multiple of some number on."""
        self.work += -self.work % multiple + n
        return Place(self.work_array, self.work - n)

    def kernel(self, kernel: Kernel) -> int:
        """Add a kernel; its number."""
        self.kernels.append(kernel)
        return len(self.kernels) - 1

    def run(self, kernel: int, *columns: Column) -> None:
        """Call a kernel again and again; for each argument the array and its offset in each call."""
        self.runs.append(Run.over(kernel, *columns))

    def straight(
        self, graph: Graph, loads: Mapping[int, Place], stores: Sequence[tuple[Place, Scalar]], **how: bool
    ) -> None:
        """Run a straight-line program once, on whole arrays; nothing at all where it would write nothing."""
        if not stores:
            return
        used = sorted({array for array, _ in (*loads.values(), *(place for place, _ in stores))})
        at = {array: k for k, array in enumerate(used)}
        made = tuple(Store(graph.as_node(x), at[array], offset, **how) for (array, offset), x in stores)
        inside = {node: (at[array], offset) for node, (array, offset) in loads.items()}
        number = self.kernel(Kernel(graph, tuple(self.arrays[array] for array in used), inside, made))
        self.run(number, *((array, (0,)) for array in used))

    def pointwise(
        self,
        n: int,
        inputs: Mapping[str, Place],
        scalars: Mapping[str, Place],
        outputs: Mapping[str, Place],
        function: Callable[[Values], Mapping[str, Scalar]],
        accumulate: bool = False,
    ) -> None:
        """Run a function over n coordinates; inputs and outputs are vectors, scalars are one number for all."""
        whole, rest = divmod(n, BLOCK)
        for size, count, skip in ((BLOCK, whole, 0), (rest, 1, whole * BLOCK)):
            if size and count:
                self._block(size, count, skip, inputs, scalars, outputs, function, accumulate)

    def copy(self, n: int, source: Place, target: Place) -> None:
        """Copy n numbers from one place to another."""
        self.pointwise(n, {"x": source}, {}, {"y": target}, lambda x: {"y": x["x"]})

    def clear(self, n: int, *places: Place) -> None:
        """Set n numbers to zero, at one place or at several."""
        outputs = {str(k): place for k, place in enumerate(places)}
        self.pointwise(n, {}, {}, outputs, lambda _: dict.fromkeys(outputs, 0.0))

    def _block(
        self, size: int, count: int, skip: int, inputs: Mapping[str, Place], scalars: Mapping[str, Place],
        outputs: Mapping[str, Place], function: Callable[[Values], Mapping[str, Scalar]], accumulate: bool,
    ) -> None:  # fmt: skip
        graph = Graph()
        fixed = set(outputs) if accumulate else set()  # sums are scalars, too
        moving = [*inputs.values(), *(p for name, p in outputs.items() if name not in fixed)]
        places = list(dict.fromkeys([*moving, *scalars.values(), *(outputs[name] for name in fixed)]))
        loads: dict[int, tuple[int, int]] = {}
        common = {name: graph.variable(name) for name in scalars}
        loads |= {node.id: (places.index(scalars[name]), 0) for name, node in common.items()}
        stores: list[Store] = []
        sums: dict[str, Scalar] = {}
        for k in range(size):
            values = {name: graph.variable(name) for name in inputs}
            loads |= {node.id: (places.index(inputs[name]), k) for name, node in values.items()}
            for name, result in function(values | common).items():
                if accumulate:
                    sums[name] = sums[name] + result if name in sums else result
                else:
                    stores.append(Store(graph.as_node(result), places.index(outputs[name]), k))
        stores += [Store(graph.as_node(x), places.index(outputs[name]), 0, True) for name, x in sums.items()]
        number = self.kernel(Kernel(graph, tuple(self.arrays[array] for array, _ in places), loads, tuple(stores)))
        columns = []
        for place in places:
            by = size if place in moving else 0
            columns.append((place.array, place.offset + (skip if by else 0) + by * np.arange(count)))
        self.run(number, *columns)

    def repeat(self, begin: int, flag: Place, kind: Ending = "rest", most: int = 0) -> None:
        """Repeat all runs from the one of that number on, while the flag, in the work array, is positive."""
        self.runs[-1] = self.runs[-1]._replace(again=Again(len(self.runs) - begin, flag.offset, kind, most))

    def schedule(self) -> Schedule:
        """All that was collected, after the passes over schedules."""
        arrays = self.arrays if self.work else self.given
        return over_schedule(Schedule(arrays, tuple(self.kernels), tuple(self.runs), self.work))


class Embedded:
    """Another schedule's runs, to be repeated on other places; rows named in `in_work` are taken from there.

    `others` are the kinds of arrays that further rows are taken from.
    """

    def __init__(self, builder: Builder, program: Schedule, in_work: Sequence[str], **others: Kind) -> None:
        self.builder, self.program = builder, program
        self.kinds: dict[str, Kind] = {**dict.fromkeys(in_work, "lane"), **others}
        self.first = len(builder.kernels)
        self.scratch = builder.room(program.work)
        for kernel, names in zip(program.kernels, self._names(), strict=True):
            arrays = (replace(a, kind=self.kinds.get(n, a.kind)) for a, n in zip(kernel.arrays, names, strict=True))
            builder.kernel(replace(kernel, arrays=tuple(arrays)))

    def _names(self) -> list[list[str]]:
        """Per kernel the names of the program's arrays that its arguments stand for."""
        names: list[list[str]] = [[] for _ in self.program.kernels]
        for run in self.program.runs:
            names[run.kernel] = [self.program.arrays[array].name for array in run.arrays]
        return names

    def call(self, places: Mapping[str, Place], runs: slice = slice(None)) -> None:
        """Run the program, or a part of it, with its rows at these places."""
        where = {"work": self.scratch, **places}
        if "numbers" not in where:
            where["numbers"] = self.builder.place("numbers")
        for run in self.program.runs[runs]:
            begins = [where[self.program.arrays[array].name] for array in run.arrays]
            offsets = run.offsets + np.array([place.offset for place in begins], dtype=np.int32)
            arrays, again = tuple(place.array for place in begins), run.again
            again = again._replace(entry=again.entry + self.scratch.offset) if again else None
            self.builder.runs.append(Run(self.first + run.kernel, arrays, offsets, again))
