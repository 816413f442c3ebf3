"""What the back ends print: kernels over arrays, and schedules that run kernels over the bodies of a mechanism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from anyjoint.errors import ExpressionError
from anyjoint.frozen import frozen
from anyjoint.symbolic import Graph, Node
from anyjoint.symbolic.rewrite import reachable

Kind = Literal["uniform", "lane", "row"]
AGAIN = -2  # among the runs of a driver: go back if an entry of the work array is positive
EACH = -3  # from here on state by state
Offsets = np.ndarray[Any, np.dtype[np.int32]]
Column = tuple[int, Sequence[int] | np.ndarray[Any, np.dtype[np.integer[Any]]]]  # an array, its offset in each call


class Place(NamedTuple):
    """An entry of one of several arrays, which are known by their numbers."""

    array: int
    offset: int

    def at(self, k: int) -> Place:
        """The entry k numbers further on."""
        return Place(self.array, self.offset + k)


@frozen
class Array:
    """An array argument; the kind says where element i of lane l lies when W states are computed side by side.

    uniform: base[i], one value for all lanes (parameters).
    lane:    base[i*W + l], lanes side by side (work arrays).
    row:     base[l*stride + i], a row-major NumPy array (batch, n); stride 0 repeats one row for all states.

    An argument of a kernel may be `wide`: then it begins `step` elements further on for each of the kernel's columns.
    """

    name: str
    kind: Kind
    wide: bool = False
    step: int = 1


def rows_and_numbers(*rows: str) -> tuple[Array, ...]:
    """Rows of these names, and the numbers of a mechanism behind them."""
    return (*(Array(name, "row") for name in rows), Array("numbers", "uniform"))


@frozen
class Store:
    """One result: the node's value goes to array[offset], or is added to what is there."""

    node: Node
    array: int
    offset: int
    accumulate: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Array and offset."""
        return self.array, self.offset


@frozen(eq=False)
class Kernel:
    """A small function of array arguments: loads, straight-line arithmetic, stores.

    All loads happen before any store to the same array. Different arguments must not overlap where one of them is
    written, so that back ends may reorder freely.

    A kernel of several `columns` runs for all of them: in column c its wide arguments begin c steps further on. It
    stores to wide arguments only, and is made of sums and products, so that one state may compute columns side by side.
    """

    graph: Graph
    arrays: tuple[Array, ...]
    loads: Mapping[int, tuple[int, int]]  # id of a variable node -> its place
    stores: tuple[Store, ...]
    columns: int = 1


Ending = Literal["rest", "passes", "search", "fade"]


class Calls(NamedTuple):
    """Calls of a kernel: in call i its argument j begins at offsets[i, j] of array arrays[j]."""

    kernel: int
    arrays: tuple[int, ...]
    offsets: Offsets


class Again(NamedTuple):
    """While an entry of the work array is positive, of any lane, so many runs are repeated, of which this is the last.

    The kind says what is known of the end. A loop comes to `rest` at values that one more pass leaves as they are,
    wherever it began. One of `passes` takes at most so many, and a lane whose entry is not positive stays as it is. A
    `search` is for how far to go, within a loop that comes to rest. What `fade`s is added up until nothing is left.
    """

    runs: int
    entry: int
    kind: Ending = "rest"
    most: int = 0  # passes


class Run(NamedTuple):
    """A kernel called several times; in call i its argument j begins at offsets[i, j] of array arrays[j].

    `again` says that this and runs before it are repeated.
    """

    kernel: int
    arrays: tuple[int, ...]  # of the schedule, one for each argument of the kernel
    offsets: Offsets
    again: Again | None = None

    @staticmethod
    def over(kernel: int, *columns: Column) -> Run:
        """A run from (array, offset in each call) of each argument."""
        if len({len(offsets) for _, offsets in columns}) > 1:
            lengths = [len(offsets) for _, offsets in columns]
            raise ExpressionError(f"A run of kernel {kernel} has columns of {lengths} offsets; expected equally many.")
        table = np.array([offsets for _, offsets in columns], dtype=np.int32).T
        return Run(kernel, tuple(array for array, _ in columns), np.ascontiguousarray(table))

    @property
    def times(self) -> int:
        """How often the kernel is called."""
        return len(self.offsets)


@frozen(eq=False)
class Schedule:
    """Runs of kernels in order; the one array of kind lane is scratch of `work` elements, made by the driver."""

    arrays: tuple[Array, ...]
    kernels: tuple[Kernel, ...]
    runs: tuple[Run, ...]
    work: int = 0
    name: str = field(default="", init=False)  # of what was stored; other schedules made of this one have none

    @cached_property
    def tables(self) -> list[Calls]:
        """All calls of a kernel on the same arrays in one table."""
        found: dict[tuple[int, tuple[int, ...]], list[Offsets]] = {}
        for run in self.runs:
            found.setdefault((run.kernel, run.arrays), []).append(run.offsets)
        return [
            Calls(kernel, arrays, np.concatenate(parts) if len(parts) > 1 else parts[0])
            for (kernel, arrays), parts in found.items()
        ]

    @cached_property
    def words(self) -> Offsets:
        """The runs as data for the driver: kernel, count, array of each argument, offsets of call after call; -1.

        Runs that are repeated end with AGAIN, the entry that says so, and the number of words to go back.
        """
        words: list[int] = []
        begins: list[int] = []
        for kernel, arrays, offsets, again in self.runs:
            begins.append(len(words))
            words += (kernel, len(offsets), *arrays)
            words += offsets.ravel().tolist()
            if again:
                words += (AGAIN, again.entry, len(words) - begins[len(begins) - again.runs])
        return np.array([*words, -1], dtype=np.int32)

    def known_as(self, name: str) -> Schedule:
        """The same under a name that says all that it does."""
        made = copy(self)  # with the tables that it has
        object.__setattr__(made, "name", name)
        return made


def without_idle(kernel: Kernel) -> tuple[Kernel, list[int]]:
    """The kernel without loads and arguments that nothing needs, and which arguments are left."""
    live = set(reachable(kernel.graph, [store.node.id for store in kernel.stores]))
    loads = {i: place for i, place in kernel.loads.items() if i in live}
    used = sorted({array for array, _ in loads.values()} | {store.array for store in kernel.stores})
    at = {array: k for k, array in enumerate(used)}
    made = Kernel(
        kernel.graph,
        tuple(kernel.arrays[j] for j in used),
        {i: (at[array], offset) for i, (array, offset) in loads.items()},
        tuple(replace(store, array=at[store.array]) for store in kernel.stores),
    )
    return made, used


def check_kernel(kernel: Kernel, name: str = "kernel") -> None:
    """Refuse stores and loads that fall outside the kernel's arrays, and two plain stores to one place."""
    for what, places in (("load", kernel.loads.values()), ("store", [s.place for s in kernel.stores])):
        for array, offset in places:
            if not 0 <= array < len(kernel.arrays) or offset < 0:
                raise ExpressionError(
                    f"{name}: {what} at offset {offset} of array {array}, but there are {len(kernel.arrays)} arrays"
                    " and offsets start at 0; give every load and store an existing array."
                )
    plain = Counter(store.place for store in kernel.stores if not store.accumulate)
    added = {store.place for store in kernel.stores if store.accumulate}
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
    if kernel.columns > 1 and not all(kernel.arrays[store.array].wide for store in kernel.stores):
        raise ExpressionError(f"{name}: {kernel.columns} columns are stored to one place; store to wide arrays only.")


def check_schedule(schedule: Schedule) -> None:
    """Refuse runs that name missing kernels or arrays, tables of the wrong length, and arrays of the wrong kind."""
    for i, kernel in enumerate(schedule.kernels):
        check_kernel(kernel, f"kernel {i}")
    if sum(array.kind == "lane" for array in schedule.arrays) > 1:
        raise ExpressionError("A schedule has one work array (kind lane); put all scratch values into it.")
    for i, run in enumerate(schedule.runs):
        if not 0 <= run.kernel < len(schedule.kernels):
            raise ExpressionError(f"Run {i} calls kernel {run.kernel}; there are {len(schedule.kernels)} kernels.")
        if not run.times:
            raise ExpressionError(f"Run {i} of kernel {run.kernel} has a count of 0; leave it out.")
    for number, arrays, offsets in schedule.tables:
        _check_table(schedule, number, arrays, offsets)
    for array, extent in zip(schedule.arrays, extents(schedule), strict=True):
        if array.kind == "lane" and extent > schedule.work:
            raise ExpressionError(f"The runs use {extent} elements of work, but work is {schedule.work}; raise it.")


def _check_table(schedule: Schedule, kernel: int, arrays: tuple[int, ...], offsets: Offsets) -> None:
    arguments = schedule.kernels[kernel].arrays
    if not len(arrays) == len(arguments) == offsets.shape[1]:
        raise ExpressionError(
            f"A run of kernel {kernel} names {len(arrays)} arrays and has {offsets.shape[1]} columns of offsets;"
            f" the kernel has {len(arguments)} arguments."
        )
    for argument, array in zip(arguments, arrays, strict=True):
        if not 0 <= array < len(schedule.arrays) or schedule.arrays[array].kind != argument.kind:
            raise ExpressionError(f"A run of kernel {kernel}: array {array} is missing or not of kind {argument.kind}.")
    if offsets.size and offsets.min() < 0:
        raise ExpressionError(f"A run of kernel {kernel} has an offset of {offsets.min()}; expected none below 0.")


def extents(schedule: Schedule) -> list[int]:
    """How many elements of each of the schedule's arrays the runs touch."""
    reach: list[list[int]] = [[0] * len(kernel.arrays) for kernel in schedule.kernels]
    for kernel, needed in zip(schedule.kernels, reach, strict=True):
        for array, offset in (*kernel.loads.values(), *(store.place for store in kernel.stores)):
            given = kernel.arrays[array]
            last = offset + (given.step * (kernel.columns - 1) if given.wide else 0)
            needed[array] = max(needed[array], last + 1)
    result = [0] * len(schedule.arrays)
    for number, arrays, offsets in schedule.tables:
        for array, last, more in zip(arrays, offsets.max(axis=0).tolist(), reach[number], strict=True):
            result[array] = max(result[array], last + more)
    return result


def reached(
    kernel: Kernel, calls: Calls | Run, places: Iterable[tuple[int, int]], array: int
) -> Iterator[Offsets]:
    """Entries of one of the schedule's arrays that calls of a kernel reach by places of its own: (argument, offset)."""
    for argument, offset in places:
        if calls.arrays[argument] == array:
            given = kernel.arrays[argument]
            columns = given.step * np.arange(kernel.columns if given.wide else 1)
            yield calls.offsets[:, argument, None] + offset + columns


def written_arrays(schedule: Schedule) -> set[int]:
    """Indices of the schedule's arrays that some run stores to."""
    stored = [{store.array for store in kernel.stores} for kernel in schedule.kernels]
    return {run.arrays[j] for run in schedule.runs for j in stored[run.kernel]}


def loop_begins(schedule: Schedule) -> Counter[int]:
    """How many loops begin before each run."""
    return Counter(i + 1 - run.again.runs for i, run in enumerate(schedule.runs) if run.again)


def lane_array(arrays: Sequence[Array]) -> int:
    """Which array is the work array; -1 if there is none."""
    return next((i for i, array in enumerate(arrays) if array.kind == "lane"), -1)


def decode(words: Offsets, arguments: Sequence[int]) -> tuple[Run, ...]:
    """The runs of a schedule in which none is repeated; `arguments` says how many each kernel has."""
    runs, at = [], 0
    while (kernel := int(words[at])) >= 0:
        count, width = int(words[at + 1]), arguments[kernel]
        begin = at + 2 + width
        at = begin + count * width
        arrays = tuple(words[begin - width : begin].tolist())
        runs.append(Run(kernel, arrays, words[begin:at].reshape(count, width)))
    return tuple(runs)
