"""Resistances traced once per kind: rows at the beginning of a step, and laws with their slopes, by D*."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from anyjoint.constraints import Begun, Resistance, Touched
from anyjoint.constraints.push import Scalars
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Vector, vector
from anyjoint.symbolic import Graph
from anyjoint.symbolic.derivative import jacobian

from .constraint_program import entries, seen_variables
from .simplified import Simplified


class ResistancePrograms:
    """Rows and laws, simplified once for each kind."""

    def __init__(self) -> None:
        self._programs: dict[Hashable, Simplified] = {}

    def begin(
        self, graph: Graph, given: Resistance, bodies: Sequence[Touched], q: Scalars, qd: Scalars, numbers: Scalars,
        h: Scalar,
    ) -> Begun:  # fmt: skip
        """The rows of a resistance in a graph; `bodies` are those that move."""
        values = [x for body in bodies for x in entries(body)] + [*q, *qd, *numbers, h]
        return Begun.of(self._program(("begin", given.kind), lambda: _begun(given)).at(graph, values))

    def law(self, graph: Graph, given: Resistance, u: Scalars, data: Scalars) -> Vector:
        """The forces along the rows at rates u."""
        made: Vector = self._program(("law", given.kind, len(data)), lambda: _law(given, len(data), False)).at(
            graph, [*u, *data]
        )[0]
        return made

    def slopes(self, graph: Graph, given: Resistance, u: Scalars, data: Scalars) -> tuple[Vector, Matrix]:
        """The forces along the rows at rates u, and how they fall with them."""
        found = self._program(("slopes", given.kind, len(data)), lambda: _law(given, len(data), True))
        force, slope = found.at(graph, [*u, *data])
        return force, slope

    def _program(self, key: Hashable, make: Callable[[], Simplified]) -> Simplified:
        if key not in self._programs:
            self._programs[key] = make()
        return self._programs[key]


def _begun(given: Resistance) -> Simplified:
    g = Graph()
    moving = [seen_variables(g) for body in given.bodies if body >= 0]
    q, qd = ([g.variable(name) for _ in given.coordinates] for name in ("q", "v"))
    numbers, h = [g.variable("p") for _ in given.numbers], g.variable("h")
    begun = given.begin(moving, q, qd, numbers, h)
    return Simplified.of(g, [x for body in moving for x in entries(body)] + [*q, *qd, *numbers, h], begun.parts)


def _law(given: Resistance, count: int, sloping: bool) -> Simplified:
    g = Graph()
    u, data = [g.variable("u") for _ in range(given.rows)], [g.variable("d") for _ in range(count)]
    force = [g.as_node(x) for x in given.law(u, data)]
    slope = [-jacobian(force, u)] if sloping else []
    return Simplified.of(g, [*u, *data], [vector(*force), *slope])
