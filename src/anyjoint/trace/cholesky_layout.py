"""M^-1 r for a mass matrix in the work array by kernels: Cholesky's method without roots, block by block.

Blocks are those of pair_layout: a few links behind each other. Eliminated from the leaves to the root, a block K
touches only blocks between it and the root, so that branches stay apart: X = M_KK^-1 M_KI, then M_IJ -= M_KI^T X_KJ and
r_I -= M_KI^T M_KK^-1 r_K; and on the way back x_K = M_KK^-1 r_K - X x_I.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from anyjoint.codegen import Kernel, Place, Schedule, Store
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.small_matrix import LDL, ldl
from anyjoint.frozen import frozen
from anyjoint.spatial import dot, vector, zeros
from anyjoint.tree.plan import Plan

from .classes import Tracer
from .draft import Draft
from .layout import Layout, tree_builder
from .mass_layout import F, S
from .pair_layout import MOST, Entries, Pairs, Target, blocks, spread
from .setup import Rows

LOWER = Entries(own="D_world", lower=((F, S),))  # of M, all that is read


def solved_schedule(tracer: Tracer) -> tuple[Schedule, list[Rows]]:
    """Accelerations, for an algorithm with the columns of M and a right side among its results."""
    builder = tree_builder(tracer)
    matrix, right, rows = add_equations(builder, tracer)
    x = Cholesky(builder, tracer.plan, matrix).solve(right)
    builder.copy(matrix.stride, x, builder.place("result"))
    return builder.schedule(), rows


def add_equations(builder: Builder, tracer: Tracer) -> tuple[Target, Place, list[Rows]]:
    """M, its lower triangle, and the right side in the work array, and the rows of numbers that their kernels load."""
    layout = Layout(tracer, builder, results_in_work=True, spread=spread(tracer.plan, LOWER))
    layout.add_runs()
    nv = tracer.plan.links[-1].v.stop
    matrix = Target(builder.room(nv * nv), nv)
    Pairs(builder, tracer.plan, layout.results).add(LOWER, matrix)
    return matrix, Place(builder.work_array, layout.results["right"][0]), layout.rows


@frozen
class BlockRow:
    """A block of velocities, and the blocks between it and the root, nearest first."""

    start: int
    width: int
    above: tuple[int, ...]


def block_rows(plan: Plan) -> list[BlockRow]:
    """All blocks that have velocities; their links have places behind each other."""
    found: list[BlockRow] = []
    ends: dict[int, tuple[int, ...]] = {-1: ()}  # the last link of a block -> the block and those above it
    index = {link.body: i for i, link in enumerate(plan.links)}
    for block in blocks(plan, MOST):
        above, width = ends[block[0].parent], block[-1].v.stop - block[0].v.start
        if width:
            found.append(BlockRow(block[0].v.start, width, above))
            above = (len(found) - 1, *above)
        ends[index[block[-1].body]] = above
    return found


class Cholesky:
    """Adds the runs that factor a matrix in the work array, of which they leave nothing, and solve with it."""

    def __init__(self, builder: Builder, plan: Plan, matrix: Target) -> None:
        self.builder, self.matrix, self.stride = builder, matrix, matrix.stride
        self.parts = block_rows(plan)
        self.scaled = builder.room(self.stride * self.stride)  # X, where M_KI stands in M
        self.factors = [builder.room(part.width * (part.width + 1)) for part in self.parts]
        self._kernels: dict[Hashable, int] = {}

    def solve(self, right: Place) -> Place:
        """Where x stands; the right side is used up."""
        self.right, self.x = right, self.builder.room(self.stride)
        for k in range(len(self.parts) - 1, -1, -1):
            self._eliminate(k)
        for k, part in enumerate(self.parts):
            for i in part.above:
                self._run(back, (k, i), [[self._scaled(k, i), self._row(self.x, i), self._row(self.x, k)]])
        return self.x

    def _eliminate(self, k: int) -> None:
        part, x = self.parts[k], self._row(self.x, k)
        self._run(factor, (k,), [[self._entry(k, k), self._row(self.right, k), self.factors[k], x]])
        for i in part.above:
            rest = [self._entry(k, i), x, self._scaled(k, i), self._row(self.right, i)]
            self._run(panel, (k, i), [[self.factors[k], *rest]])
        pairs = [(i, j) for n, i in enumerate(part.above) for j in part.above[n:]]
        calls: dict[tuple[int, int], list[list[Place]]] = {}
        for i, j in pairs:
            widths = self.parts[i].width, self.parts[j].width
            calls.setdefault(widths, []).append([self._entry(k, i), self._scaled(k, j), self._entry(i, j)])
        for n, (i, j) in {(self.parts[i].width, self.parts[j].width): (i, j) for i, j in pairs}.items():
            self._run(update, (k, i, j), calls[n])

    def _entry(self, i: int, j: int) -> Place:
        return self.matrix.at.at(self.parts[i].start * self.stride + self.parts[j].start)

    def _scaled(self, i: int, j: int) -> Place:
        return self.scaled.at(self.parts[i].start * self.stride + self.parts[j].start)

    def _row(self, at: Place, i: int) -> Place:
        return at.at(self.parts[i].start)

    def _run(self, make: Callable[..., Kernel], of: Sequence[int], calls: Iterable[Sequence[Place]]) -> None:
        """Call the kernel for blocks of these widths, which is made if there is none yet."""
        widths = tuple(self.parts[i].width for i in of)
        if (make, widths) not in self._kernels:
            self._kernels[make, widths] = self.builder.kernel(make(self.stride, *widths))
        columns = [(places[0].array, [place.offset for place in places]) for places in zip(*calls, strict=True)]
        self.builder.run(self._kernels[make, widths], *columns)


def factor(stride: int, n: int) -> Kernel:
    """M_KK = L D L^T, and x_K = M_KK^-1 r_K."""
    made = Draft()
    matrix, right, factors, x = (made.argument(name) for name in ("matrix", "right", "factors", "x"))
    M = zeros(n, n)
    for i in range(n):
        for j in range(i + 1):
            M[i, j] = made.entry(matrix, i * stride + j)
    found = ldl(M)  # [GL section 4]
    solved = found.solve(vector(*(made.entry(right, k) for k in range(n))))
    stores = [Store(found.L[i, j], factors, i * n + j) for i in range(n) for j in range(i)]
    stores += [Store(found.inverse[i], factors, n * n + i) for i in range(n)]
    return made.kernel([*stores, *(Store(solved[k], x, k) for k in range(n))])


def panel(stride: int, n: int, m: int) -> Kernel:
    """X = M_KK^-1 M_KI, and r_I -= M_KI^T x_K."""
    made = Draft()
    factors, matrix, x, scaled, right = (made.argument(name) for name in ("factors", "matrix", "x", "scaled", "right"))
    L, inverse = zeros(n, n), vector(*(made.entry(factors, n * n + i) for i in range(n)))
    for i in range(n):
        for j in range(i):
            L[i, j] = made.entry(factors, i * n + j)
    own, stores = vector(*(made.entry(x, i) for i in range(n))), []
    for k in range(m):
        column = vector(*(made.entry(matrix, i * stride + k) for i in range(n)))
        stores += [Store(y, scaled, i * stride + k) for i, y in enumerate(LDL(L, inverse).solve(column))]
        stores.append(Store(-dot(column, own), right, k, accumulate=True))
    return made.kernel(stores)


def update(stride: int, n: int, rows: int, columns: int) -> Kernel:
    """M_IJ -= M_KI^T X_KJ, its columns side by side."""
    made = Draft()
    narrow, wide, out = made.argument("matrix"), made.argument("scaled", wide=True), made.argument("matrix", wide=True)
    X = [made.entry(wide, i * stride) for i in range(n)]
    stores = []
    for r in range(rows):
        entry = dot([made.entry(narrow, i * stride + r) for i in range(n)], X)
        stores.append(Store(-entry, out, r * stride, accumulate=True))
    return made.kernel(stores, columns)


def back(stride: int, n: int, m: int) -> Kernel:
    """x_K -= X x_I."""
    made = Draft()
    scaled, above, x = (made.argument(name) for name in ("scaled", "above", "x"))
    known = [made.entry(above, k) for k in range(m)]
    rows = [[made.entry(scaled, i * stride + k) for k in range(m)] for i in range(n)]
    return made.kernel([Store(-dot(row, known), x, i, accumulate=True) for i, row in enumerate(rows)])
