"""A kernel that is being made: its graph, its arguments and what is loaded from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from anyjoint.codegen import Array, Kernel, Store
from anyjoint.codegen.kernel import Kind
from anyjoint.symbolic import Graph, Node


@dataclass
class Draft:
    """Collects arguments and loads."""

    graph: Graph = field(default_factory=Graph, init=False)
    arrays: list[Array] = field(default_factory=list, init=False)
    loads: dict[int, tuple[int, int]] = field(default_factory=dict, init=False)

    def argument(self, name: str, kind: Kind = "lane", wide: bool = False, step: int = 1) -> int:
        """One more array argument; its number."""
        self.arrays.append(Array(name, kind, wide, step))
        return len(self.arrays) - 1

    def entry(self, argument: int, offset: int) -> Node:
        """An entry of an argument, loaded before anything is stored."""
        node = self.graph.variable("x")
        self.loads[node.id] = (argument, offset)
        return node

    def kernel(self, stores: Sequence[Store], columns: int = 1) -> Kernel:
        """The kernel that stores these values."""
        return Kernel(self.graph, tuple(self.arrays), self.loads, tuple(stores), columns)
