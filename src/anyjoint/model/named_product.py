"""Products by parameters as exports take them: a row for each parameter in place of the raw numbers of a trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from anyjoint.codegen import Array, Place
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.quantity import Quantity, Row
from anyjoint.quantity.product import NUMBERS, change_of, gradient_of
from anyjoint.scalar.array import Floats
from anyjoint.symbolic import Graph, Node
from anyjoint.trace.workshop import Trace

Blocks = Mapping[str, tuple[int, Floats]]  # where raw numbers begin that a parameter changes, and by how much


@frozen
class Parameters:
    """The rows of parameters, and how they are tied to raw numbers: that is linear, by the numbers at hand."""

    names: Mapping[str, str]  # of their rows in code
    blocks: Blocks

    def rows(self, row: Row) -> Iterator[Row]:
        """Rows of the parameters in the place of one of raw numbers."""
        for name, code in self.names.items():
            yield Row(row.name.replace(NUMBERS, code), "whole", (self.blocks[name][1].shape[1],), "of this parameter")


def in_parameters(product: Quantity, trace: Trace, mechanism: Mechanism, blocks: Blocks) -> tuple[Quantity, Trace]:
    """A product by raw numbers as one by parameters: changes of these come in, and gradients by them go out."""
    tied = Parameters(_names_in_code(blocks, [row.name for row in (*product.inputs, *product.outputs)]), blocks)
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
    _clear(builder, result, sum(row.size(mechanism) for row in product.outputs))
    in_work = [name for name, place in places.items() if place.array == len(builder.given)]
    Embedded(builder, trace.schedule, in_work).call(places)
    target = builder.place("result")
    for row in product.outputs:
        if row.name in raw:
            target = _pull(builder, tied, result, target)
        else:
            _copy(builder, result, target, row.size(mechanism))
            target = target.at(row.size(mechanism))
        result = result.at(row.size(mechanism))
    return record, replace(trace, schedule=builder.schedule())


def _names_in_code(blocks: Blocks, taken: Sequence[str]) -> dict[str, str]:
    """Parameters as words of code, none of them twice."""
    made: dict[str, str] = {}
    for name in blocks:
        code = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "parameter"
        code = code if code[0].isalpha() else f"p_{code}"
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
    for (begin, slopes), own in zip(tied.blocks.values(), tied.rows(row), strict=True):
        changes = _loaded(graph, loads, builder.place(own.name), slopes.shape[1])
        for j, slope in enumerate(slopes):
            sums[begin + j] = sums[begin + j] + _dot(graph, slope, changes)
    builder.straight(graph, loads, [(place.at(k), x) for k, x in enumerate(sums)])


def _pull(builder: Builder, tied: Parameters, source: Place, target: Place) -> Place:
    """Gradients by parameters from those by raw numbers; where the next row begins."""
    graph = Graph()
    loads: dict[int, Place] = {}
    stores: list[tuple[Place, Node]] = []
    for begin, slopes in tied.blocks.values():
        bars = _loaded(graph, loads, source.at(begin), len(slopes))
        for column in slopes.T:
            stores.append((target, _dot(graph, column, bars)))
            target = target.at(1)
    builder.straight(graph, loads, stores)
    return target


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


def _copy(builder: Builder, source: Place, target: Place, n: int) -> None:
    builder.pointwise(n, {"x": source}, {}, {"y": target}, lambda x: {"y": x["x"]})


def _clear(builder: Builder, place: Place, n: int) -> None:
    """Programs leave out what nothing depends on."""
    builder.pointwise(n, {}, {}, {"y": place}, lambda _: {"y": 0.0})
