"""Matrices of large mechanisms by kernels: dot products of columns that links have kept, block by block.

A block is a few links behind each other in a chain. All links of a block between another one and the root lie between
each of its links and the root, so one kernel computes all entries of two blocks. Columns are kept row by row over all
links, so that those of a block stand side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from anyjoint.codegen import Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Kind
from anyjoint.frozen import frozen
from anyjoint.spatial.inertia import RIGID
from anyjoint.symbolic import Node
from anyjoint.tree.plan import Link, Plan

from .draft import Draft

By = Literal["v", "q", "inertia"]  # what columns belong to: velocities, coordinates, ten numbers of a link's inertia
Block = tuple[Link, ...]  # links behind each other, each the parent of the next
Products = tuple[tuple["Part", "Part"], ...]  # narrow x wide: rows of the matrix, then its columns
MOST, PART = 8, 4  # velocities of a block and of its parts, unless one link has more
LINE = 8  # numbers that a cache brings at once: rows that begin there are loaded in half the time


@frozen
class Part:
    """A factor of products: a result of links with so many rows, and a column for each velocity, coordinate, ..."""

    name: str
    rows: int = 6
    by: By = "v"


@frozen
class Entries:
    """A matrix: entries of a joint in the columns of another one below are sums of products, and the other way round.

    `upper` are above x below, `lower` below x above; without them those entries are left out, unless the upper ones are
    `mirrored`. `own` is the result that has the blocks on the diagonal.
    """

    own: str
    upper: Products = ()
    lower: Products = ()
    mirrored: bool = False

    @property
    def by(self) -> By:
        """What the columns of the matrix belong to."""
        return (*self.upper, *self.lower)[0][1].by

    @property
    def parts(self) -> list[Part]:
        """All factors."""
        return list(dict.fromkeys(part for pair in (*self.upper, *self.lower) for part in pair))


@frozen
class BlockRows:
    """Rows of a block in the columns of another one, and whether they are columns there as well."""

    products: Products
    mirrored: bool

    @property
    def by(self) -> By:
        """What the columns belong to."""
        return self.products[0][1].by


@frozen
class Spread:
    """How a result of links is kept: row by row, each link's columns at its place."""

    rows: int
    starts: tuple[int, ...]
    stride: int


@frozen
class Target:
    """Where a matrix goes: its first entry, and the distance of its rows."""

    at: Place
    stride: int

    def entry(self, row: int, column: int) -> Place:
        """The place of an entry."""
        return self.at.at(row * self.stride + column)


@frozen
class PairCall:
    """A kernel, and where its arguments begin; the last one is the matrix."""

    kernel: int
    offsets: tuple[int, ...]


def spread(plan: Plan, *matrices: Entries) -> dict[str, Spread]:
    """How all factors of some matrices are kept."""
    return spread_of(plan, [part for entries in matrices for part in entries.parts])


def spread_of(plan: Plan, parts: Sequence[Part]) -> dict[str, Spread]:
    """How some factors are kept."""
    found = {}
    for part in parts:
        starts = tuple(column(link, i, part.by) for i, link in enumerate(plan.links))
        length = starts[-1] + width(plan.links[-1], part.by)
        found[part.name] = Spread(part.rows, starts, length + -length % LINE)
    return found


def width(link: Link, by: By) -> int:
    """How many columns a link has."""
    counts: dict[By, int] = {"v": link.joint.nv, "q": link.joint.nq, "inertia": RIGID}
    return counts[by]


def column(link: Link, index: int, by: By) -> int:
    """The first column of a link."""
    starts: dict[By, int] = {"v": link.v.start, "q": link.q.start, "inertia": RIGID * index}
    return starts[by]


@dataclass
class Pairs:
    """Adds the runs of matrices over all pairs of blocks of a plan; `places` says where results of links begin."""

    builder: Builder
    plan: Plan
    places: Mapping[str, Sequence[int]]

    def __post_init__(self) -> None:
        self.index = {link.body: i for i, link in enumerate(self.plan.links)}
        self.strides: dict[str, int] = {}
        self._kernels: dict[Hashable, int] = {}

    def add(self, entries: Entries, to: Target) -> None:
        """Add the runs of a matrix; entries between branches are left out (see zeros.py)."""
        self.strides |= {name: x.stride for name, x in spread(self.plan, entries).items()}
        calls: list[PairCall] = []
        for block, other in pairs(self.plan):
            if block is other:
                offsets = self._own_offsets(entries, to, block)
                calls.append(PairCall(self._number(self._own_kernel, entries, to, block), offsets))
                continue
            for products, rows, columns in ((entries.upper, other, block), (entries.lower, block, other)):
                if products:
                    part = BlockRows(products, entries.mirrored)
                    offsets = self._offsets(part, to, rows, columns)
                    calls.append(PairCall(self._number(self._kernel, part, to, rows, columns), offsets))
        self._run([call for call in calls if call.kernel >= 0], to)

    def _run(self, calls: Sequence[PairCall], to: Target) -> None:
        """Add the runs of these calls, along the rows of the matrix, which does not fit into a near cache."""

        def order(call: PairCall) -> tuple[int, int, int]:
            return (call.offsets[-1] - to.at.offset) // to.stride, call.kernel, call.offsets[-1]

        for number, group in groupby(sorted(calls, key=order), lambda call: call.kernel):
            work = self.builder.work_array
            kernel, offsets = self.builder.kernels[number], [call.offsets for call in group]
            arrays = [to.at.array if array.name == "matrix" else work for array in kernel.arrays]
            self.builder.run(number, *zip(arrays, zip(*offsets, strict=True), strict=True))

    def _number(self, make: Callable[..., Kernel], what: Hashable, to: Target, *of: Block) -> int:
        """The kernel for these blocks, which is made if there is none for others like them; -1 if it has no work."""
        key = (what, to.stride, to.at.array, *map(widths, of))
        if key not in self._kernels:
            kernel = make(what, to, *of)
            self._kernels[key] = self.builder.kernel(kernel) if kernel.stores else -1
        return self._kernels[key]

    def _own_offsets(self, entries: Entries, to: Target, block: Block) -> tuple[int, ...]:
        """Where the arguments of the kernel of one block begin: factors, own entries, the matrix."""
        names = [*(part.name for part in entries.parts), entries.own]
        lanes = [self.places[name][self._at(block)] for name in names]
        return (*lanes, self._entry(to, block, column(block[0], self._at(block), entries.by)))

    def _offsets(self, of: BlockRows, to: Target, rows: Block, columns: Block) -> tuple[int, ...]:
        """Where the arguments of a kernel begin: factors of rows, factors of columns, the matrix."""
        lanes = [self.places[x.name][self._at(rows)] for x, _ in of.products]
        lanes += [self.places[y.name][self._at(columns)] for _, y in of.products]
        lanes += [self._entry(to, columns, rows[0].v.start)] if of.mirrored else []
        return (*lanes, self._entry(to, rows, column(columns[0], self._at(columns), of.by)))

    def _entry(self, to: Target, rows: Block, first: int) -> int:
        """The place in a matrix of the first row of a block, in a column."""
        return to.entry(rows[0].v.start, first).offset

    def _at(self, block: Block) -> int:
        return self.index[block[0].body]

    def _kernel(self, of: BlockRows, to: Target, rows: Block, columns: Block) -> Kernel:
        """Entries of all rows of a block in all columns of another one, side by side."""
        made = Draft()
        narrow = [part_columns(made, x, len(owners(rows, x.by)), self.strides[x.name]) for x, _ in of.products]
        wide = [part_columns(made, y, 1, self.strides[y.name], wide=True) for _, y in of.products]
        mirror = made.argument("matrix", self._kind(to), wide=True, step=to.stride) if of.mirrored else None
        out = made.argument("matrix", self._kind(to), wide=True)
        stores = []
        for r in range(len(narrow[0])):
            entry = _sum((x[r], y[0]) for x, y in zip(narrow, wide, strict=True))
            stores.append(Store(entry, out, r * to.stride))
            stores += [Store(entry, mirror, r)] if mirror is not None else []
        return made.kernel(stores, len(owners(columns, of.by)))

    def _own_kernel(self, entries: Entries, to: Target, block: Block) -> Kernel:
        """All entries of a block with itself."""
        made = Draft()
        values = {
            part: part_columns(made, part, len(owners(block, part.by)), self.strides[part.name])
            for part in entries.parts
        }
        own = made.argument(entries.own)
        out = made.argument("matrix", self._kind(to))
        stores = []
        by_row, by_column = owners(block, "v"), owners(block, entries.by)
        for r, row in enumerate(by_row):
            for k, of in enumerate(by_column):
                products = entries.upper if row < of else entries.lower
                if products and row != of:
                    entry = _sum((values[x][r], values[y][k]) for x, y in products)
                    stores.append(Store(entry, out, r * to.stride + k))
                    stores += [Store(entry, out, k * to.stride + r)] if entries.mirrored else []
        for number, (r, k) in enumerate(_diagonal(block, entries.by)):
            stores.append(Store(made.entry(own, number), out, r * to.stride + k))
        return made.kernel(stores)

    def _kind(self, to: Target) -> Kind:
        return self.builder.kind(to.at)


def part_columns(made: Draft, part: Part, count: int, stride: int, wide: bool = False) -> list[list[Node]]:
    """The columns of a factor, as a new argument; a wide one stands for all of them."""
    array = made.argument(part.name, wide=wide)
    return [[made.entry(array, row * stride + k) for row in range(part.rows)] for k in range(1 if wide else count)]


def pairs(plan: Plan) -> Iterator[tuple[Block, Block]]:
    """Every block with all blocks between it and the root; parts of it with each other, and with themselves."""
    found = blocks(plan, MOST)
    ends_with = {block[-1].body: block for block in found}
    for block in found:
        parts = grouped(block, PART)
        for i, part in enumerate(parts):
            yield from ((part, other) for other in parts[: i + 1])
        parent = block[0].parent
        while parent >= 0:
            other = ends_with[plan.links[parent].body]
            yield block, other
            parent = other[0].parent


def grouped(links: Sequence[Link], most: int) -> list[Block]:
    """Links in blocks of at most so many velocities."""
    found: list[Block] = []
    for link in links:
        if found and sum(x.joint.nv for x in found[-1]) + link.joint.nv <= most:
            found[-1] = (*found[-1], link)
        else:
            found.append((link,))
    return found


def blocks(plan: Plan, most: int) -> list[Block]:
    """All links in blocks; branches begin only behind the last link of a block."""
    children = [0] * len(plan.links)
    for link in plan.links:
        if link.parent >= 0:
            children[link.parent] += 1
    chains: list[list[Link]] = []
    for i, link in enumerate(plan.links):
        if i > 0 and link.parent == i - 1 and children[i - 1] == 1:
            chains[-1].append(link)
        else:
            chains.append([link])
    return [block for chain in chains for block in grouped(chain, most)]


def widths(block: Block) -> tuple[tuple[int, int], ...]:
    """Numbers of velocities and coordinates of the links of a block."""
    return tuple((link.joint.nv, link.joint.nq) for link in block)


def owners(block: Block, by: By) -> list[int]:
    """For each column of a block the link that it belongs to."""
    return [i for i, link in enumerate(block) for _ in range(width(link, by))]


def _diagonal(block: Block, by: By) -> Iterator[tuple[int, int]]:
    """(row, column) of the links' own entries, link by link and row by row, as they are kept."""
    row = first = 0
    for link in block:
        for r in range(link.joint.nv):
            yield from ((row + r, first + k) for k in range(width(link, by)))
        row, first = row + link.joint.nv, first + width(link, by)


def _sum(factors: Iterable[tuple[Sequence[Node], Sequence[Node]]]) -> Node:
    """The sum of dot products, term by term, so that each is fused; the shorter factor decides how many there are."""
    first, *others = (x * y for pair in factors for x, y in zip(*pair, strict=False))
    return sum(others, first)
