"""Resistances traced once per kind: rows at the beginning of a step, and laws with their slopes, by D*."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from anyjoint.constraints import Begun, Resistance, Touched
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, Vector, vector
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.rewrite import Rebuild, import_into
from anyjoint.symbolic.simplify import merge_identities

from .constraint_program import entries, seen_variables
from .flatten import flatten

Scalars = Sequence[Scalar]


@frozen
class _Program:
    variables: list[Node]
    outputs: list[Scalar]
    rebuild: Rebuild

    def at(self, graph: Graph, values: Sequence[Scalar]) -> Scalars:
        found = import_into(graph, self.outputs, dict(zip(self.variables, values, strict=True)))
        made: Scalars = self.rebuild(list(found))
        return made


class ResistancePrograms:
    """Rows and laws, simplified once for each kind."""

    def __init__(self) -> None:
        self._programs: dict[Hashable, _Program] = {}

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

    def _program(self, key: Hashable, make: Callable[[], _Program]) -> _Program:
        if key not in self._programs:
            self._programs[key] = make()
        return self._programs[key]


def _begun(given: Resistance) -> _Program:
    g = Graph()
    moving = [seen_variables(g) for body in given.bodies if body >= 0]
    q, qd = ([g.variable(name) for _ in given.coordinates] for name in ("q", "v"))
    numbers, h = [g.variable("p") for _ in given.numbers], g.variable("h")
    begun = given.begin(moving, q, qd, numbers, h)
    return _program(g, [x for body in moving for x in entries(body)] + [*q, *qd, *numbers, h], begun.parts)


def _law(given: Resistance, count: int, sloping: bool) -> _Program:
    g = Graph()
    u, data = [g.variable("u") for _ in range(given.rows)], [g.variable("d") for _ in range(count)]
    force = _nodes(g, given.law(u, data))
    slope = [-jacobian(force, u)] if sloping else []
    return _program(g, [*u, *data], [vector(*force), *slope])


def _program(g: Graph, variables: list[Node], parts: list[Scalar]) -> _Program:
    flat, rebuild = flatten(parts)
    return _Program(variables, list(merge_identities(_nodes(g, flat))), rebuild)


def _nodes(g: Graph, values: Sequence[Scalar]) -> list[Node]:
    return [x if isinstance(x, Node) else g.constant(float(x)) for x in values]
