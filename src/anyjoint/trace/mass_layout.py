"""The mass matrix of large mechanisms by kernels: S and F of all links in the world, then dot products, block by block.

A block is a few links behind each other in a chain. All links of a block between another one and the root lie between
each of its links and the root, so one kernel computes all entries of two blocks, and reads each S and F once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anyjoint.codegen import Array, Kernel, Schedule, Store
from anyjoint.spatial import dot
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.plan import Plan

from .classes import Tracer
from .layout import Layout, tree_builder
from .setup import Rows

MOST = 6  # velocities of a block, unless one link has more


@dataclass(frozen=True)
class Block:
    """Links first to last, each the parent of the next; `widths` are their numbers of velocities."""

    first: int
    last: int
    widths: tuple[int, ...]


def mass_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """M by rows, for the algorithm COMPOSITE_WORLD; entries between branches are not written."""
    builder = tree_builder(tracer)
    layout = Layout(tracer, builder, results_in_work=True)
    layout.add_runs()
    links, nv = tracer.plan.links, tracer.plan.links[-1].v.stop
    work, result = builder.room(0).array, builder.place("result").array
    calls: dict[tuple[tuple[int, ...], tuple[int, ...], bool], list[tuple[int, ...]]] = {}
    for block, other in _pairs(tracer.plan):
        row, column = links[block.first].v.start, links[other.first].v.start
        places = (layout.results["F_world"][block.first], layout.results["S_world"][other.first])
        mirrored = () if block is other else (column * nv + row,)
        key = (block.widths, other.widths, block is other)
        calls.setdefault(key, []).append((*places, row * nv + column, *mirrored))
    for key, offsets in calls.items():
        kernel = builder.kernel(block_kernel(*key, nv))
        builder.run(kernel, *zip((work, work, result, result), zip(*offsets, strict=True), strict=False))
    for width, (made, wanted) in _rotors(tracer.plan, layout.results["D_world"]).items():
        builder.run(builder.kernel(diagonal_kernel(width, nv)), (work, made), (result, wanted))
    return builder.schedule(), layout.rows


def _rotors(plan: Plan, places: Sequence[int]) -> dict[int, tuple[list[int], list[int]]]:
    """By the number of a joint's velocities: where the blocks of M of joints with armature come from and belong."""
    nv = plan.links[-1].v.stop
    found: dict[int, tuple[list[int], list[int]]] = {}
    for link, at in zip(plan.links, places, strict=True):
        if link.spring and any(link.spring.armature):
            made, wanted = found.setdefault(link.joint.nv, ([], []))
            made.append(at)
            wanted.append(link.v.start * (nv + 1))
    return found


def diagonal_kernel(width: int, nv: int) -> Kernel:
    """A block on the diagonal of M, copied."""
    g = Graph()
    D = [g.variable("D") for _ in range(width * width)]
    stores = [Store(x, 1, k // width * nv + k % width) for k, x in enumerate(D)]
    arrays = (Array("D", "lane"), Array("block", "row"))
    return Kernel(g, arrays, {x.id: (0, k) for k, x in enumerate(D)}, tuple(stores))


def _blocks(plan: Plan) -> list[Block]:
    """All links in blocks; branches begin only behind the last link of a block."""
    children = [0] * len(plan.links)
    for link in plan.links:
        if link.parent >= 0:
            children[link.parent] += 1
    blocks: list[Block] = []
    for i, link in enumerate(plan.links):
        width, before = link.joint.nv, blocks[-1] if blocks else None
        follows = before is not None and link.parent == i - 1 == before.last and children[i - 1] == 1
        if before is not None and follows and sum(before.widths) + width <= MOST:
            blocks[-1] = Block(before.first, i, (*before.widths, width))
        else:
            blocks.append(Block(i, i, (width,)))
    return blocks


def _pairs(plan: Plan) -> Iterator[tuple[Block, Block]]:
    """Every block with itself and with all blocks between it and the root."""
    blocks = _blocks(plan)
    ends_with = {block.last: block for block in blocks}
    for block in blocks:
        other: Block | None = block
        while other is not None:
            yield block, other
            other = ends_with.get(plan.links[other.first].parent)


def block_kernel(widths: Sequence[int], others: Sequence[int], same: bool, nv: int) -> Kernel:
    """M_ij = S_j . F_i for all velocities i of a block and j of another, and its mirror image; the diagonal once."""
    g = Graph()
    loads: dict[int, tuple[int, int]] = {}
    F, S = (_columns(g, array, counts, loads) for array, counts in enumerate((widths, others)))
    stores = []
    for a, f in enumerate(F):
        for b, s in enumerate(S[: a + 1] if same else S):
            entry = dot(s, f)
            stores.append(Store(entry, 2, a * nv + b))
            if not same:
                stores.append(Store(entry, 3, b * nv + a))
            elif a != b:
                stores.append(Store(entry, 2, b * nv + a))
    arrays = [Array("F", "lane"), Array("S", "lane"), Array("upper", "row"), Array("lower", "row")]
    return Kernel(g, tuple(arrays[:3] if same else arrays), loads, tuple(stores))


def _columns(g: Graph, array: int, widths: Sequence[int], loads: dict[int, tuple[int, int]]) -> list[list[Node]]:
    """The columns of the links' 6 x width matrices, which stand one behind the other, row by row."""
    columns, at = [], 0
    for width in widths:
        entries = [g.variable("x") for _ in range(6 * width)]
        loads |= {x.id: (array, at + k) for k, x in enumerate(entries)}
        columns += [list(entries[k::width]) for k in range(width)]
        at += 6 * width
    return columns
