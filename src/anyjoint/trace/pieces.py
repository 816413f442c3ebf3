"""A kernel that is being made: its graph, its arrays and what is loaded from them."""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen import Array, Kernel, Store
from anyjoint.codegen.kernel import Kind
from anyjoint.symbolic import Graph, Node


class Pieces:
    """Collects arrays and loads."""

    def __init__(self) -> None:
        self.g = Graph()
        self.arrays: list[Array] = []
        self.loads: dict[int, tuple[int, int]] = {}

    def array(self, name: str, kind: Kind = "lane", wide: bool = False, step: int = 1) -> int:
        """A new argument; its number."""
        self.arrays.append(Array(name, kind, wide, step))
        return len(self.arrays) - 1

    def load(self, array: int, offset: int) -> Node:
        """A number of an argument."""
        node = self.g.variable("x")
        self.loads[node.id] = (array, offset)
        return node

    def kernel(self, stores: Sequence[Store], columns: int = 1) -> Kernel:
        """The kernel that stores these values."""
        return Kernel(self.g, tuple(self.arrays), self.loads, tuple(stores), columns)
