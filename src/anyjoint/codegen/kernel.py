"""What the back ends print: kernels over arrays, and schedules that run kernels over the bodies of a mechanism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from anyjoint.errors import ExpressionError
from anyjoint.symbolic import Graph, Node

Kind = Literal["uniform", "lane", "row"]


@dataclass(frozen=True)
class Array:
    """An array argument; the kind says where element i of lane l lies when W states are computed side by side.

    uniform: base[i], one value for all lanes (parameters).
    lane:    base[i*W + l], lanes side by side (work arrays).
    row:     base[l*stride + i], a row-major NumPy array (batch, n); stride 0 repeats one row for all states.
    """

    name: str
    kind: Kind


@dataclass(frozen=True)
class Store:
    """One result: the node's value goes to array[offset], or is added to what is there."""

    node: Node
    array: int
    offset: int
    accumulate: bool = False


@dataclass(frozen=True, eq=False)
class Kernel:
    """A small function of array arguments: loads, straight-line arithmetic, stores.

    All loads happen before any store to the same array. Different arguments must not overlap where one of them is
    written, so that back ends may reorder freely.
    """

    graph: Graph
    arrays: tuple[Array, ...]
    loads: Mapping[int, tuple[int, int]]  # id of a variable node -> (array, offset)
    stores: tuple[Store, ...]


@dataclass(frozen=True)
class Run:
    """A kernel called count times; in iteration i argument j points at base array j + table j [i]."""

    kernel: int
    count: int
    offsets: tuple[tuple[int, tuple[int, ...]], ...]  # per kernel argument: (index of the schedule's array, table)


@dataclass(frozen=True, eq=False)
class Schedule:
    """Runs of kernels in order; the one array of kind lane is scratch of `work` elements, made by the driver."""

    arrays: tuple[Array, ...]
    kernels: tuple[Kernel, ...]
    runs: tuple[Run, ...]
    work: int = 0


def check_kernel(kernel: Kernel, name: str = "kernel") -> None:
    """Refuse stores and loads that fall outside the kernel's arrays, and two plain stores to one place."""
    for what, places in (("load", kernel.loads.values()), ("store", ((s.array, s.offset) for s in kernel.stores))):
        for array, offset in places:
            if not 0 <= array < len(kernel.arrays) or offset < 0:
                raise ExpressionError(
                    f"{name}: {what} at offset {offset} of array {array}, but there are {len(kernel.arrays)} arrays"
                    " and offsets start at 0; give every load and store an existing array."
                )
    plain = Counter((s.array, s.offset) for s in kernel.stores if not s.accumulate)
    added = {(s.array, s.offset) for s in kernel.stores if s.accumulate}
    for place, times in plain.items():
        if times > 1 or place in added:
            raise ExpressionError(
                f"{name}: offset {place[1]} of array {place[0]} is written more than once;"
                " store each place once, or accumulate every contribution."
            )
    for store in kernel.stores:
        if store.array < len(kernel.arrays) and store.accumulate and kernel.arrays[store.array].kind == "uniform":
            raise ExpressionError(f"{name}: cannot accumulate into the uniform array {store.array}; use lane or row.")
        if store.node.graph is not kernel.graph:
            raise ExpressionError(f"{name}: a stored node belongs to another graph; build all outputs in one graph.")


def check_schedule(schedule: Schedule) -> None:
    """Refuse runs that name missing kernels or arrays, tables of the wrong length, and arrays of the wrong kind."""
    for i, kernel in enumerate(schedule.kernels):
        check_kernel(kernel, f"kernel {i}")
    if sum(array.kind == "lane" for array in schedule.arrays) > 1:
        raise ExpressionError("A schedule has one work array (kind lane); put all scratch values into it.")
    for i, run in enumerate(schedule.runs):
        _check_run(schedule, i, run)
    for array, extent in zip(schedule.arrays, extents(schedule), strict=True):
        if array.kind == "lane" and extent > schedule.work:
            raise ExpressionError(f"The runs use {extent} elements of work, but work is {schedule.work}; raise it.")


def _check_run(schedule: Schedule, i: int, run: Run) -> None:
    if not 0 <= run.kernel < len(schedule.kernels):
        raise ExpressionError(f"Run {i} calls kernel {run.kernel}; there are {len(schedule.kernels)} kernels.")
    arguments = schedule.kernels[run.kernel].arrays
    if len(run.offsets) != len(arguments) or run.count < 1:
        raise ExpressionError(
            f"Run {i} of kernel {run.kernel} has {len(run.offsets)} offset tables and count {run.count};"
            f" expected {len(arguments)} tables and a count of at least 1."
        )
    for argument, (base, table) in zip(arguments, run.offsets, strict=True):
        if not 0 <= base < len(schedule.arrays) or schedule.arrays[base].kind != argument.kind:
            raise ExpressionError(f"Run {i}: base array {base} is missing or not of kind {argument.kind}.")
        if len(table) != run.count or min(table) < 0:
            raise ExpressionError(f"Run {i}: a table has {len(table)} offsets, expected {run.count}, none negative.")


def extents(schedule: Schedule) -> list[int]:
    """How many elements of each of the schedule's arrays the runs touch."""
    reach: list[list[int]] = [[0] * len(kernel.arrays) for kernel in schedule.kernels]
    for kernel, needed in zip(schedule.kernels, reach, strict=True):
        for array, offset in (*kernel.loads.values(), *((s.array, s.offset) for s in kernel.stores)):
            needed[array] = max(needed[array], offset + 1)
    result = [0] * len(schedule.arrays)
    for run in schedule.runs:
        for (base, table), needed_here in zip(run.offsets, reach[run.kernel], strict=True):
            result[base] = max(result[base], max(table) + needed_here)
    return result


def written_arrays(schedule: Schedule) -> set[int]:
    """Indices of the schedule's arrays that some run stores to."""
    written = set()
    for run in schedule.runs:
        arguments = {store.array for store in schedule.kernels[run.kernel].stores}
        written |= {base for j, (base, _) in enumerate(run.offsets) if j in arguments}
    return written
