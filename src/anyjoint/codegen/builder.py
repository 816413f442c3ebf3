"""Schedules put together from pieces: straight code, loops over coordinates, and the runs of other schedules.

So a step of an integrator is the runs of the dynamics, again for each stage, with small kernels between, and the same
code generator serves both: scalar code for one state, vector code for batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anyjoint.codegen.kernel import Array, Kernel, Run, Schedule, Store
from anyjoint.symbolic import Graph, Node

WORK = Array("work", "lane")
BLOCK = 32  # coordinates that one call of a pointwise kernel handles

Place = tuple[int, int]  # array, offset
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

    def place(self, name: str, offset: int = 0) -> Place:
        """An entry of one of the caller's arrays."""
        return [array.name for array in self.given].index(name), offset

    def room(self, n: int) -> Place:
        """Room for n numbers in the work array."""
        self.work += n
        return len(self.given), self.work - n

    def kernel(self, kernel: Kernel) -> int:
        """Add a kernel; its number."""
        self.kernels.append(kernel)
        return len(self.kernels) - 1

    def straight(
        self, graph: Graph, loads: Mapping[int, Place], stores: Sequence[tuple[Place, Any]], **how: bool
    ) -> None:
        """Run a straight-line program once, on whole arrays."""
        arrays = tuple(range(len(self.arrays)))
        made = tuple(Store(_node(graph, x), array, offset, **how) for (array, offset), x in stores)
        number = self.kernel(Kernel(graph, self.arrays, dict(loads), made))
        self.runs.append(Run(number, 1, tuple((array, (0,)) for array in arrays)))

    def pointwise(
        self,
        n: int,
        inputs: Mapping[str, Place],
        scalars: Mapping[str, Place],
        outputs: Mapping[str, Place],
        function: Callable[[Values], Mapping[str, Any]],
        accumulate: bool = False,
    ) -> None:
        """Run a function over n coordinates; inputs and outputs are vectors, scalars are one number for all."""
        whole, rest = divmod(n, BLOCK)
        for size, count, skip in ((BLOCK, whole, 0), (rest, 1, whole * BLOCK)):
            if size and count:
                self._block(size, count, skip, inputs, scalars, outputs, function, accumulate)

    def _block(
        self, size: int, count: int, skip: int, inputs: Mapping[str, Place], scalars: Mapping[str, Place],
        outputs: Mapping[str, Place], function: Callable[[Values], Mapping[str, Any]], accumulate: bool,
    ) -> None:  # fmt: skip
        graph = Graph()
        fixed = set(outputs) if accumulate else set()  # sums are scalars, too
        moving = [*inputs.values(), *(p for name, p in outputs.items() if name not in fixed)]
        places = list(dict.fromkeys([*moving, *scalars.values(), *(outputs[name] for name in fixed)]))
        loads: dict[int, Place] = {}
        common = {name: graph.variable(name) for name in scalars}
        loads |= {node.id: (places.index(scalars[name]), 0) for name, node in common.items()}
        stores: list[Store] = []
        sums: dict[str, Any] = {}
        for k in range(size):
            values = {name: graph.variable(name) for name in inputs}
            loads |= {node.id: (places.index(inputs[name]), k) for name, node in values.items()}
            for name, result in function(values | common).items():
                if accumulate:
                    sums[name] = sums[name] + result if name in sums else result
                else:
                    stores.append(Store(_node(graph, result), places.index(outputs[name]), k))
        stores += [Store(_node(graph, x), places.index(outputs[name]), 0, True) for name, x in sums.items()]
        number = self.kernel(Kernel(graph, tuple(self.arrays[array] for array, _ in places), loads, tuple(stores)))
        tables = []
        for array, offset in places:
            by = size if (array, offset) in moving else 0
            first = offset + (skip if by else 0)
            tables.append((array, tuple(first + by * i for i in range(count))))
        self.runs.append(Run(number, count, tuple(tables)))

    def schedule(self) -> Schedule:
        """All that was collected."""
        return Schedule(self.arrays, tuple(self.kernels), tuple(self.runs), max(self.work, 1))


class Embedded:
    """Another schedule's runs, to be repeated on other places; rows named in `in_work` are taken from there."""

    def __init__(self, builder: Builder, program: Schedule, in_work: Sequence[str]) -> None:
        self.builder, self.program, self.in_work = builder, program, set(in_work)
        self.first = len(builder.kernels)
        self.scratch = builder.room(program.work)
        kinds = self._kinds()
        for kernel, names in zip(program.kernels, kinds, strict=True):
            arrays = tuple(
                Array(a.name, "lane") if n in self.in_work else a for a, n in zip(kernel.arrays, names, strict=True)
            )
            builder.kernel(replace(kernel, arrays=arrays))

    def _kinds(self) -> list[list[str]]:
        """Per kernel the names of the program's arrays that its arguments stand for."""
        names: list[list[str]] = [[] for _ in self.program.kernels]
        for run in self.program.runs:
            names[run.kernel] = [self.program.arrays[base].name for base, _ in run.offsets]
        return names

    def call(self, places: Mapping[str, Place]) -> None:
        """Run the program with its rows at these places."""
        where = {"work": self.scratch, **places}
        if "numbers" not in where:
            where["numbers"] = self.builder.place("numbers")
        for run in self.program.runs:
            tables = []
            for base, table in run.offsets:
                array, offset = where[self.program.arrays[base].name]
                tables.append((array, tuple(offset + x for x in table)))
            self.builder.runs.append(Run(self.first + run.kernel, run.count, tuple(tables)))


def _node(graph: Graph, x: Any) -> Node:
    return x if isinstance(x, Node) else graph.constant(float(x))
