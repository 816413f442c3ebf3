"""Entries of matrices that no run writes, as between branches of a tree: runs that write zeros there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anyjoint.codegen import Run, Store
from anyjoint.codegen.activity import Flags, ranges_of
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import reached
from anyjoint.scalar.array import Ints

from .draft import Draft
from .pair_layout import Target

ROWS, COLUMNS = 8, 32  # that one call writes, at most


def add_zeros(builder: Builder, to: Target, height: int) -> None:
    """Write zeros to what is left of a matrix, before the first run that writes to those rows: then they are near."""
    left, first = _left(builder, to, height)
    kernels: dict[tuple[int, int], int] = {}
    found: dict[tuple[int, int], list[int]] = {}  # where calls begin, by the run that they come before and the kernel
    for row, column, rows, columns in _rectangles(left):
        if (rows, columns) not in kernels:
            made = Draft()
            out, zero = made.argument("matrix", "row", wide=True), made.graph.as_node(0.0)
            stores = [Store(zero, out, r * to.stride) for r in range(rows)]
            kernels[rows, columns] = builder.kernel(made.kernel(stores, columns))
        key = int(first[row : row + rows].min()), kernels[rows, columns]
        found.setdefault(key, []).append(to.at.offset + row * to.stride + column)
    for (before, kernel), offsets in sorted(found.items(), reverse=True):
        builder.runs.insert(before, Run.over(kernel, (to.at.array, offsets)))


def _left(builder: Builder, to: Target, height: int) -> tuple[Flags, Ints]:
    """Which entries no run writes, and for each row the first run that writes to it."""
    left, first = np.ones(height * to.stride, dtype=bool), np.full(height, len(builder.runs))
    for number, run in enumerate(builder.runs):
        kernel = builder.kernels[run.kernel]
        for places in reached(kernel, run, (store.place for store in kernel.stores), to.at.array):
            at = places.ravel() - to.at.offset
            at = at[(at >= 0) & (at < left.size)]
            left[at] = False
            first[at // to.stride] = np.minimum(first[at // to.stride], number)
    return left.reshape(height, to.stride), first


def _rectangles(left: Flags) -> Iterator[tuple[int, int, int, int]]:
    """What is left, as (row, column, rows, columns): rows that are alike together."""
    begin = 0
    for end in range(1, len(left) + 1):
        if end < len(left) and end - begin < ROWS and np.array_equal(left[end], left[begin]):
            continue
        for start, stop in ranges_of(left[begin]):
            for column in range(start, stop, COLUMNS):
                yield begin, column, end - begin, min(COLUMNS, stop - column)
        begin = end
