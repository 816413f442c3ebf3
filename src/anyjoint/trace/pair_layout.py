"""Matrices of large mechanisms by kernels: dot products of columns that links have kept, block by block.

A block is a few links behind each other in a chain. All links of a block between another one and the root lie between
each of its links and the root, so one kernel computes all entries of two blocks, and reads each column once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anyjoint.codegen import Array, Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.spatial import dot
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.plan import Link, Plan

By = Literal["v", "q", "inertia"]  # what columns belong to: velocities, coordinates, ten numbers of a link's inertia
Places = Mapping[str, Sequence[int]]  # where each link's part of a result begins in the work array
Columns = list[list[Node]]
INERTIA = 10  # numbers of a rigid inertia


@dataclass(frozen=True)
class Part:
    """A factor of products: a result of links with so many rows, and a column for each velocity, coordinate, ..."""

    name: str
    rows: int = 6  # none: as many as velocities
    by: By = "v"


@dataclass(frozen=True)
class Entries:
    """A matrix: entries of a joint above, and of one below in its columns, are sums of products above x below.

    `lower` are the products below x above for the other way round; without them the matrix is `symmetric`, or those
    entries are not written. `own` are the blocks on the diagonal.
    """

    own: Part
    upper: tuple[tuple[Part, Part], ...]
    lower: tuple[tuple[Part, Part], ...] = ()
    symmetric: bool = False

    @property
    def by(self) -> By:
        """What the columns belong to."""
        return self.own.by

    def arguments(self, same: bool) -> list[tuple[Part, bool]]:
        """What kernels load: parts, and whether of the block above."""
        pairs = [((x, True), (y, False)) for x, y in self.upper] + [((x, False), (y, True)) for x, y in self.lower]
        found = dict.fromkeys((part, above and not same) for pair in pairs for part, above in pair)
        return [*found, (self.own, False)] if same else list(found)


@dataclass(frozen=True)
class Target:
    """Where a matrix goes: its first entry, and the distance of its rows."""

    at: Place
    stride: int


Block = tuple[Link, ...]  # links behind each other, each the parent of the next


def add_entries(builder: Builder, plan: Plan, places: Places, entries: Entries, to: Target, most: int) -> None:
    """Add the runs that compute a matrix, in blocks of so many velocities; entries between branches are not written."""
    calls: dict[Any, list[tuple[int, ...]]] = {}
    kernels: dict[Any, tuple[Block, Block]] = {}
    index = {link.body: i for i, link in enumerate(plan.links)}
    for block, other in pairs(plan, most):
        key = (widths(block), widths(other), block is other)
        kernels.setdefault(key, (block, other))
        lanes = [places[p.name][index[(other if up else block)[0].body]] for p, up in entries.arguments(block is other)]
        both = block is not other and (entries.lower or entries.symmetric)
        ends = [(other, block), (block, other)] if both else [(other, block)]
        first = {link.body: column(link, index[link.body], entries.by) for link in (block[0], other[0])}
        stores = [to.at.offset + x[0].v.start * to.stride + first[y[0].body] for x, y in ends]
        calls.setdefault(key, []).append((*lanes, *stores))
    work = builder.room(0).array
    for key, (block, other) in kernels.items():
        kernel = block_kernel(entries, block, other, to.stride, builder.arrays[to.at.array].kind)
        if not kernel.stores:
            continue
        arrays = [work if array.name.startswith("part") else to.at.array for array in kernel.arrays]
        builder.run(builder.kernel(kernel), *zip(arrays, zip(*calls[key], strict=True), strict=True))


def pairs(plan: Plan, most: int) -> Iterator[tuple[Block, Block]]:
    """Every block with itself and with all blocks between it and the root."""
    found = blocks(plan, most)
    ends_with = {block[-1].body: block for block in found}
    for block in found:
        other: Block | None = block
        while other is not None:
            yield block, other
            parent = other[0].parent
            other = ends_with[plan.links[parent].body] if parent >= 0 else None


def blocks(plan: Plan, most: int) -> list[Block]:
    """All links in blocks; branches begin only behind the last link of a block."""
    children = [0] * len(plan.links)
    for link in plan.links:
        if link.parent >= 0:
            children[link.parent] += 1
    found: list[Block] = []
    for i, link in enumerate(plan.links):
        follows = i > 0 and link.parent == i - 1 and children[i - 1] == 1
        if follows and sum(x.joint.nv for x in found[-1]) + link.joint.nv <= most:
            found[-1] = (*found[-1], link)
        else:
            found.append((link,))
    return found


def widths(block: Block) -> tuple[tuple[int, int], ...]:
    """Numbers of velocities and coordinates of the links of a block."""
    return tuple((link.joint.nv, link.joint.nq) for link in block)


def width(link: Link, by: By) -> int:
    """How many columns a link has."""
    counts: dict[By, int] = {"v": link.joint.nv, "q": link.joint.nq, "inertia": INERTIA}
    return counts[by]


def column(link: Link, index: int, by: By) -> int:
    """The first column of a link."""
    starts: dict[By, int] = {"v": link.v.start, "q": link.q.start, "inertia": INERTIA * index}
    return starts[by]


def owners(block: Block, by: By) -> list[int]:
    """For each column of a block the link that it belongs to."""
    return [i for i, link in enumerate(block) for _ in range(width(link, by))]


def block_kernel(entries: Entries, block: Block, other: Block, stride: int, kind: Any) -> Kernel:
    """All entries between the velocities of a block and those of another one above it, or of a block with itself."""
    g, same, by = Graph(), block is other, entries.by
    loads: dict[int, tuple[int, int]] = {}
    arguments = entries.arguments(same)
    columns = {
        argument: _columns(g, array, argument[0], other if argument[1] else block, loads)
        for array, argument in enumerate(arguments)
    }
    out, stores = len(arguments), []
    for r, above in enumerate(owners(other, "v")):
        for k, below in enumerate(owners(block, by)):
            if not same or above < below:
                entry = _sum((columns[x, not same][r], columns[y, False][k]) for x, y in entries.upper)
                stores.append(Store(entry, out, r * stride + k))
                if entries.symmetric:
                    stores.append(Store(entry, out if same else out + 1, k * stride + r))
    for k, below in enumerate(owners(block, "v") if entries.lower else ()):
        for r, above in enumerate(owners(other, by)):
            if not same or above < below:
                entry = _sum((columns[x, False][k], columns[y, not same][r]) for x, y in entries.lower)
                stores.append(Store(entry, out if same else out + 1, k * stride + r))
    if same:
        stores += [Store(x, out, at) for x, at in _own(entries, block, columns[entries.own, False], stride)]
    arrays = [Array(f"part {k}", "lane") for k in range(out)]
    both = not same and (entries.lower or entries.symmetric)
    arrays += [Array(name, kind) for name in (("upper", "lower") if both else ("upper",))]
    return Kernel(g, tuple(arrays), loads, tuple(stores))


def _own(entries: Entries, block: Block, columns: Columns, stride: int) -> Iterator[tuple[Node, int]]:
    """The blocks on the diagonal, which are n x m matrices one behind the other; and where they go."""
    starts = [sum(link.joint.nv for link in block[:i]) for i in range(len(block))]
    for k, of in enumerate(owners(block, entries.by)):
        for row, x in enumerate(columns[k]):
            yield x, (starts[of] + row) * stride + k


def _columns(g: Graph, array: int, part: Part, block: Block, loads: dict[int, tuple[int, int]]) -> Columns:
    """The columns of the links' matrices, which stand one behind the other, row by row."""
    columns: Columns = []
    at = 0
    for link in block:
        count, rows = width(link, part.by), part.rows or link.joint.nv
        entries = [g.variable("x") for _ in range(rows * count)]
        loads |= {x.id: (array, at + k) for k, x in enumerate(entries)}
        columns += [list(entries[k::count]) for k in range(count)]
        at += rows * count
    return columns


def _sum(factors: Any) -> Node:
    """The sum of dot products; the shorter factor decides how many terms they have."""
    total: Any = None
    for x, y in factors:
        n = min(len(x), len(y))
        product = dot(x[:n], y[:n])
        total = product if total is None else total + product
    assert isinstance(total, Node)
    return total
