"""Products by parameters as exports take them: a row for each parameter in place of the raw numbers of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anyjoint.codegen import Array, Place
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.codegen.word import word
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.quantity import Quantity, Row
from anyjoint.quantity.product import NUMBERS, change_of, gradient_of
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node
from anyjoint.trace.workshop import Trace

from .raw_gradient import RawGradient


@frozen
class Parameters:
    """The rows of parameters, and how they are tied to raw numbers, by the numbers at hand."""

    names: Mapping[str, str]  # of their rows in code
    raw: RawGradient

    def rows(self, row: Row) -> Iterator[Row]:
        """Rows of the parameters in the place of one of raw numbers."""
        for name, code in self.names.items():
            size = self.raw.blocks[name][1].shape[1]
            yield Row(row.name.replace(NUMBERS, code), "whole", (size,), "of this parameter")


def in_parameters(
    product: Quantity, trace: Trace, mechanism: Mechanism, numbers: RawGradient
) -> tuple[Quantity, Trace]:
    """A product by raw numbers as one by parameters: changes of these come in, and gradients by them go out."""
    taken = [row.name for row in (*product.inputs, *product.outputs)]
    tied = Parameters(_names_in_code(numbers.blocks, taken), numbers)
    raw = {change_of(NUMBERS), gradient_of(NUMBERS), change_of(gradient_of(NUMBERS))}

    def rows(given: Sequence[Row]) -> tuple[Row, ...]:
        return tuple(made for row in given for made in (tied.rows(row) if row.name in raw else (row,)))

    record = replace(product, inputs=rows(product.inputs), outputs=rows(product.outputs))
    names = [row.name for row in record.inputs]
    builder = Builder((*(Array(name, "row") for name in (*names, "result")), Array(NUMBERS, "uniform")))
    places = {row.name: builder.place(row.name) for row in product.inputs if row.name not in raw}
    for row in product.inputs:
        if row.name in raw:
            places[row.name] = builder.room(row.size(mechanism))
            _push(builder, tied, row, places[row.name], row.size(mechanism))
    result = builder.room(sum(row.size(mechanism) for row in product.outputs))
    places |= {"result": result, NUMBERS: builder.place(NUMBERS)}
    builder.clear(sum(row.size(mechanism) for row in product.outputs), result)  # programs leave out what is always 0
    in_work = [name for name, place in places.items() if place.array == builder.work_array]
    Embedded(builder, trace.schedule, in_work).call(places)
    target = builder.place("result")
    bars = None
    for row in product.outputs:
        if row.name in raw:
            target = _pull(builder, tied, result, target, bars)
            bars = result
        else:
            builder.copy(row.size(mechanism), result, target)
            target = target.at(row.size(mechanism))
        result = result.at(row.size(mechanism))
    return record, replace(trace, schedule=builder.schedule())


def _names_in_code(names: Iterable[str], taken: Sequence[str]) -> dict[str, str]:
    """Parameters as words of code, none of them twice."""
    made: dict[str, str] = {}
    for name in names:
        code = word(name, "parameter")
        used = {*taken, *made.values()}
        while {code, change_of(code), gradient_of(code)} & used:
            code += "_"
        made[name] = code
    return made


def _push(builder: Builder, tied: Parameters, row: Row, place: Place, size: int) -> None:
    """Changes of raw numbers for changes of parameters."""
    graph = Graph()
    loads: dict[int, Place] = {}
    sums: list[Node] = [graph.constant(0.0)] * size
    for (begin, slopes), own in zip(tied.raw.blocks.values(), tied.rows(row), strict=True):
        changes = _loaded(graph, loads, builder.place(own.name), slopes.shape[1])
        for j, slope in enumerate(slopes):
            sums[begin + j] = sums[begin + j] + _dot(graph, slope, changes)
    builder.straight(graph, loads, [(place.at(k), x) for k, x in enumerate(sums)])


def _pull(builder: Builder, tied: Parameters, source: Place, target: Place, bars: Place | None) -> Place:
    """Gradients by parameters from those by raw numbers, or rates of them, if `bars` has the gradients.

    The answer is where the next row begins.
    """
    graph = Graph()
    loads: dict[int, Place] = {}
    made = {}
    for name, (begin, slopes) in tied.raw.blocks.items():
        given = _loaded(graph, loads, source.at(begin), len(slopes))
        made[name] = [_dot(graph, column, given) for column in slopes.T]
    for one, two, begin, bend in tied.raw.bends:
        if bars is None:  # gradients themselves are linear in those by raw numbers
            break
        given = _loaded(graph, loads, bars.at(begin), len(bend))
        way = _loaded(graph, loads, builder.place(change_of(tied.names[two])), bend.shape[2])
        for i, j in np.ndindex(bend.shape[1:]):
            made[one][i] = made[one][i] + _dot(graph, bend[:, i, j], given) * way[j]
    values = [x for row in made.values() for x in row]
    builder.straight(graph, loads, [(target.at(k), x) for k, x in enumerate(values)])
    return target.at(len(values))


def _loaded(graph: Graph, loads: dict[int, Place], place: Place, n: int) -> list[Node]:
    nodes = [graph.variable("x") for _ in range(n)]
    loads |= {node.id: place.at(k) for k, node in enumerate(nodes)}
    return nodes


def _dot(graph: Graph, numbers: Floats, nodes: Sequence[Node]) -> Node:
    total = graph.constant(0.0)
    for number, node in zip(numbers, nodes, strict=True):
        if number:
            total = total + float(number) * node
    return total
