"""Products of M^-1 with the columns of a matrix by kernels: for mechanisms that are not too large less than solving.

The columns of a block of links vanish but for rows of links that it touches: those between it and the root, and behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from anyjoint.codegen import Array, Kernel, Store
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Kind
from anyjoint.scalar import Scalar
from anyjoint.symbolic import Graph
from anyjoint.tree.plan import Plan

from .pair_layout import MOST, By, Target, blocks, column, owners
from .pieces import Pieces

ROWS, COLUMNS = 4, 8  # of the answer that one kernel computes, or copies


def add_product(builder: Builder, plan: Plan, inverse: Target, right: Target, to: Target, by: By) -> None:
    """-M^-1 X for M^-1 and X in the work array; zeros of X need not be there."""
    above = lineage(plan.parents)
    calls: dict[tuple[int, int, tuple[int, ...]], list[tuple[int, ...]]] = {}
    for block in blocks(plan, MOST):
        first, last = (plan.links.index(link) for link in (block[0], block[-1]))
        touched = [i for i, x in enumerate(above) if last in x or i in above[last]]
        rooted = [i for i, x in enumerate(above) if min(x) == min(above[last])]
        begin, count = column(block[0], first, by), len(owners(block, by))
        for start, rows in groups(velocities(plan, rooted)) if count else ():
            offsets = (inverse.at.offset + start * inverse.stride, right.at.offset + begin)
            key = (rows, count, tuple(velocities(plan, touched)))
            calls.setdefault(key, []).append((*offsets, to.at.offset + start * to.stride + begin))
    kind, strides = builder.arrays[to.at.array].kind, (inverse.stride, right.stride, to.stride)
    for (rows, count, terms), table in calls.items():
        number = builder.kernel(product_kernel(rows, count, terms, strides, kind))
        arrays = (inverse.at.array, right.at.array, to.at.array)
        builder.run(number, *zip(arrays, zip(*table, strict=True), strict=True))


def lineage(parents: Sequence[int]) -> list[set[int]]:
    """Each of those that have parents, and all between it and the root."""
    above = [{i} for i in range(len(parents))]
    for i, parent in enumerate(parents):
        above[i] |= above[parent] if parent >= 0 else set()
    return above


def velocities(plan: Plan, links: Sequence[int]) -> list[int]:
    """The velocities of some links."""
    return [k for i in links for k in range(plan.links[i].v.start, plan.links[i].v.stop)]


def groups(rows: Sequence[int]) -> list[tuple[int, int]]:
    """(first, count) of rows that follow each other, a few at a time."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and row == sum(found[-1]) and found[-1][1] < ROWS:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((row, 1))
    return found


def product_kernel(
    rows: int, columns: int, terms: tuple[int, ...], strides: tuple[int, int, int], kind: Kind
) -> Kernel:
    """Some rows of minus a product, term by term, so that each factor is read once."""
    made = Pieces()
    inverse, right = made.array("inverse"), made.array("x", wide=True)
    out = made.array("out", kind, wide=True)
    sums: list[Scalar] = [0] * rows
    for k in terms:
        x = made.load(right, k * strides[1])
        for r in range(rows):
            sums[r] = sums[r] - made.load(inverse, r * strides[0] + k) * x
    return made.kernel([Store(total, out, r * strides[2]) for r, total in enumerate(sums)], columns)


def add_copy(builder: Builder, source: Target, to: Target, rows: int, columns: int) -> None:
    """A matrix of the work array, copied."""
    kind = builder.arrays[to.at.array].kind
    for count, firsts in _strips(columns):
        g = Graph()
        x = g.variable("x")
        arrays = (Array("x", "lane", wide=True), Array("out", kind, wide=True))
        number = builder.kernel(Kernel(g, arrays, {x.id: (0, 0)}, (Store(x, 1, 0),), count))
        builder.run(number, *((target.at.array, _offsets(target, rows, firsts)) for target in (source, to)))


def clear(builder: Builder, to: Target, rows: int, columns: int) -> None:
    """A matrix of zeros in the work array."""
    for count, firsts in _strips(columns):
        g = Graph()
        kernel = Kernel(g, (Array("out", "lane", wide=True),), {}, (Store(g.constant(0.0), 0, 0),), count)
        builder.run(builder.kernel(kernel), (to.at.array, _offsets(to, rows, firsts)))


def _offsets(target: Target, rows: int, firsts: Sequence[int]) -> list[int]:
    """Where strips of a matrix begin, row by row."""
    return [target.at.offset + row * target.stride + first for row in range(rows) for first in firsts]


def _strips(columns: int) -> list[tuple[int, list[int]]]:
    """Columns in strips: how many, and where such strips begin."""
    whole, rest = divmod(columns, COLUMNS)
    found = [(COLUMNS, [COLUMNS * k for k in range(whole)]), (rest, [COLUMNS * whole])]
    return [(count, firsts) for count, firsts in found if count and firsts]
