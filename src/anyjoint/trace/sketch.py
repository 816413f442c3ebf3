"""A kernel over raw numbers as it is being written: loads and stores, and what depends on the numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anyjoint.codegen import Array, Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Kind
from anyjoint.scalar import Scalar
from anyjoint.symbolic import Node

from .draft import Draft
from .setup import Setup, split_parameters


@dataclass
class Sketch(Draft):
    """A draft that collects stores, too. Raw numbers are parameters, whose expressions go into the set-up."""

    stores: list[tuple[Scalar, int, int, bool]] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)

    def load(self, name: str, kind: Kind, known: Sequence[Scalar]) -> list[Scalar]:
        """The entries of an argument: those that are known exactly, and variables for the others."""
        at = self.argument(name, kind)
        return [self.entry(at, k) if x is None else x for k, x in enumerate(known)]

    def raw(self, known: Sequence[Scalar]) -> list[Scalar]:
        """Raw numbers, which only the set-up sees."""
        made: list[Scalar] = []
        for k, x in enumerate(known):
            made.append(self.graph.variable("p") if x is None else x)
            if x is None:
                self.numbers[made[-1].id] = k
        return made

    def store(self, argument: int, offset: int, value: Scalar, add: bool = False) -> None:
        """A value goes to an entry of an argument, or is added to what is there."""
        self.stores.append((value, argument, offset, add))

    def finish(self, builder: Builder) -> tuple[int, Setup]:
        """Add the kernel; its number and the set-up of the numbers that it loads, from its last argument, if any."""
        values = [x.id if isinstance(x, Node) else self.graph.constant_id(float(x)) for x, *_ in self.stores]
        target, new, variables, setup = split_parameters(self.graph, values, self.numbers)
        places = {variables[i]: self.loads[i] for i in variables}
        arrays = list(self.arrays)
        if setup.outputs:
            arrays.append(Array("numbers", "uniform"))
            places |= {k: (len(arrays) - 1, k) for k in range(len(setup.outputs))}
        stores = tuple(Store(Node(target, i), at, k, add) for i, (_, at, k, add) in zip(new, self.stores, strict=True))
        return builder.kernel(Kernel(target, tuple(arrays), places, stores)), setup


def run_over(builder: Builder, trace: Callable[[Sketch], None], *columns: tuple[Place, Sequence[int]]) -> None:
    """Write a kernel that loads no numbers, and call it for each of several entries behind places."""
    sketch = Sketch()
    trace(sketch)
    kernel, _ = sketch.finish(builder)
    builder.run(kernel, *((place.array, [place.offset + x for x in at]) for place, at in columns))
