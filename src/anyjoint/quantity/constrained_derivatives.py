"""Derivatives of forward dynamics with constraints: one direction at a time, through the sweeps that carry multipliers.

Accelerations are differentiated along a direction in forward mode, as one straight program. What does not depend on
directions is computed once, the rest for each column: unit directions are windows of a row of zeros around a single
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from anyjoint.codegen import Array, Kernel, Place, Store, rows_and_numbers
from anyjoint.codegen.builder import Builder, Embedded
from anyjoint.codegen.keep import EARLY, in_two
from anyjoint.dynamics.algorithm import Along
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar
from anyjoint.symbolic import Graph
from anyjoint.symbolic.derivative import jvp
from anyjoint.trace.constrained import Constrained
from anyjoint.trace.workshop import Trace, Workshop

from .constraints import ACCELERATIONS
from .quantity import with_time

DIRECTIONS = ("dq", "dv", "dtau")


def constrained_forward(workshop: Workshop, along: Along) -> Trace:
    """da/dq, da/dv and da/dtau of a mechanism with constraints."""
    mechanism, inputs = workshop.mechanism, with_time(workshop, ("q", "v", "tau"))
    lengths = (mechanism.nv if along == "velocities" else mechanism.nq, mechanism.nv, mechanism.nv)
    traced = workshop.constrained(
        f"forward dynamics along a direction of {along}",
        (*inputs, *DIRECTIONS),
        lambda system: change(system, mechanism, along, lengths),
    )
    builder = Builder(rows_and_numbers(*inputs, "result"))
    rows, program = {name: builder.place(name) for name in inputs}, traced.schedule
    if parts := in_two(traced.schedule, DIRECTIONS):
        once, program, size = parts
        rows[EARLY] = builder.room(size)
        Embedded(builder, once, (*DIRECTIONS, "result", EARLY)).call(rows)
    add_columns(builder, Embedded(builder, program, (*DIRECTIONS, "result", EARLY)), rows, lengths, mechanism.nv)
    return replace(traced, schedule=builder.schedule())


def change(system: Constrained, mechanism: Mechanism, along: Along, lengths: Sequence[int]) -> list[Scalar]:
    """How accelerations change along a direction, which is a row of its own for each input."""
    accelerations = system.answer(ACCELERATIONS)
    row = system.tree.variables.row
    given = [row("q", k) for k in range(mechanism.nq)]
    given += [row(name, k) for name in ("v", "tau") for k in range(mechanism.nv)]
    dq, dv, dtau = ([row(name, k) for k in range(n)] for name, n in zip(DIRECTIONS, lengths, strict=True))
    if along == "velocities":
        moving = [body for body in mechanism.bodies if body.joint.nq]
        dq = [x for body in moving for x in system.tree.joint(body.index).rate(given[body.q], dq[body.v])]
    return list(jvp(accelerations, given, [*dq, *dv, *dtau]))


def add_columns(
    builder: Builder, program: Embedded, rows: Mapping[str, Place], lengths: Sequence[int], nv: int
) -> None:
    """Run the program for each unit direction; its answers are columns of the matrices."""
    total = sum(lengths)
    window, column = builder.room(2 * total - 1), builder.room(nv)
    ones = [(window.at(k), 1.0 if k == total - 1 else 0.0) for k in range(2 * total - 1)]
    builder.straight(Graph(), {}, ones)
    first = begin = 0
    for width in lengths:
        copy = builder.kernel(column_kernel(nv, width))
        for k in range(width):
            unit = window.at(total - 1 - begin - k)
            starts = [sum(lengths[:i]) for i in range(3)]
            directions = {name: unit.at(start) for name, start in zip(DIRECTIONS, starts, strict=True)}
            program.call({**rows, **directions} | {"result": column})
            result = builder.place("result", first + k)
            builder.run(copy, (column.array, [column.offset]), (result.array, [result.offset]))
        first, begin = first + nv * width, begin + width


def column_kernel(nv: int, width: int) -> Kernel:
    """Copies a vector to a column of a matrix."""
    g = Graph()
    values = [g.variable("x") for _ in range(nv)]
    stores = tuple(Store(x, 1, k * width) for k, x in enumerate(values))
    loads = {x.id: (0, k) for k, x in enumerate(values)}
    return Kernel(g, (Array("column", "lane"), Array("matrix", "row")), loads, stores)
