"""Expressions that are simplified once, as functions of variables, and put at other values again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import Rebuild, import_into
from anyjoint.symbolic.simplify import merge_identities

from .flatten import flatten


@frozen
class Simplified:
    """Values of any form, in a graph of their own."""

    variables: Sequence[Node]
    outputs: Sequence[Scalar]
    rebuild: Rebuild

    @staticmethod
    def of(graph: Graph, variables: Sequence[Node], value: Any) -> Simplified:
        """A value made of a graph's variables."""
        flat, rebuild = flatten(value)
        return Simplified(variables, list(merge_identities([graph.as_node(x) for x in flat])), rebuild)

    def at(self, graph: Graph, values: Sequence[Scalar]) -> Any:
        """The value in another graph, where these stand for its variables."""
        found = import_into(graph, self.outputs, dict(zip(self.variables, values, strict=True)))
        return self.rebuild(list(found))
