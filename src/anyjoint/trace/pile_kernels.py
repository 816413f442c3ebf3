"""A pile: free bodies with more contacts between them than they have velocities, solved for their twists together.

Contacts join the inertias of both bodies, as those with the ground do, and couple their twists by a block of 6 by 6
numbers. The matrix of all twists is factored block by block, bodies in the order of minimum degree, so that the cost
is that of its fill-in. One kernel serves all pivots, one all blocks beside them, and so on: however many bodies and
contacts there are, the code is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.small_matrix import LDL, ldl
from anyjoint.scalar import Scalar
from anyjoint.spatial import Matrix, vector, zeros
from anyjoint.tree.closures import ClosedPlan

from .pushes import CROSS, Pushes
from .sketch import Sketch

N, LOWER = 6, 21  # of a twist, and of half a symmetric matrix
TRIANGLE = [(i, j) for i in range(N) for j in range(i + 1)]
SQUARE = [(i, j) for i in range(N) for j in range(N)]


class PileKernels:
    """Adds kernels and runs to a builder, as its methods are called."""

    def __init__(self, builder: Builder, closed: ClosedPlan, pushes: Pushes) -> None:
        self.builder, self.closed, self.pile = builder, closed, pushes.pile
        count, blocks = len(self.pile.order), max(len(self.pile.blocks), 1)
        sizes = {"diagonal": LOWER * count, "right": N * count, "factor": LOWER * count}
        sizes |= {"cross": CROSS * blocks, "beside": CROSS * blocks}
        self.rooms = {name: builder.room(size) for name, size in sizes.items()} if count else {}
        self.at = {link: k for k, link in enumerate(self.pile.order)}
        self.made: dict[str, int] = {}  # kernels by name, made when they are first run: a stack of two needs few

    def clear(self) -> None:
        """Nothing is coupled yet."""
        if self.pile.blocks:
            self.builder.clear(CROSS * len(self.pile.blocks), self.rooms["cross"])

    def solve(self, results: Mapping[str, Sequence[int]], found: Place) -> None:
        """Find the twists of all bodies, from what sweeps say of each of them."""
        if not self.pile.order:
            return
        self._take(results["pile"])
        for link in self.pile.order:
            self._eliminate(link)
        self._back(found)

    # -- places ----------------------------------------------------------------------------------------------------

    def _of(self, name: str, link: int) -> int:
        size = N if name == "right" else LOWER
        return self.rooms[name].offset + size * self.at[link]

    def _block(self, name: str, later: int, link: int) -> int:
        return self.rooms[name].offset + CROSS * self.pile.blocks[later, link]

    def _run(self, name: str, trace: Callable[[Sketch], None], *columns: Sequence[int]) -> None:
        work = self.builder.work_array
        if not columns[0]:
            return
        if name not in self.made:
            sketch = Sketch()
            trace(sketch)
            self.made[name], _ = sketch.finish(self.builder)
        self.builder.run(self.made[name], *((work, list(column)) for column in columns))

    # -- runs ------------------------------------------------------------------------------------------------------

    def _take(self, given: Sequence[int]) -> None:
        links = self.pile.order
        places = ([self._of(name, link) for link in links] for name in ("diagonal", "right"))
        self._run("take", _take, [given[self.closed.at[link]] for link in links], *places)

    def _eliminate(self, link: int) -> None:
        beside = self.pile.beside[link]
        self._run("pivot", _pivot, [self._of("diagonal", link)], [self._of("factor", link)])
        A, X = ([self._block(name, other, link) for other in beside] for name in ("cross", "beside"))
        same = [[self._of(name, link)] * len(beside) for name in ("factor", "right")]
        self._run("panel", _panel, A, *same, X, [self._of("right", other) for other in beside])
        self._run("own", partial(_update, TRIANGLE), X, A, [self._of("diagonal", other) for other in beside])
        pairs = [(i, j) for i in range(len(beside)) for j in range(i)]
        places = [self._block("cross", beside[i], beside[j]) for i, j in pairs]
        self._run("cross", partial(_update, SQUARE), [X[i] for i, _ in pairs], [A[j] for _, j in pairs], places)

    def _back(self, found: Place) -> None:
        """y_k = A_kk^-1 z_k less X_jk^T y_j, the last body first."""
        links = self.closed.plan.links
        at = {link: found.offset + links[self.closed.at[link]].v.start for link in self.pile.order}
        for link in reversed(self.pile.order):
            beside = self.pile.beside[link]
            self._run("back", _back, [self._of("factor", link)], [self._of("right", link)], [at[link]])
            X = [self._block("beside", other, link) for other in beside]
            self._run("less", _less, X, [at[other] for other in beside], [at[link]] * len(beside))


def _take(sketch: Sketch) -> None:
    """What a body says of itself: half of its matrix, and its right side."""
    values = sketch.load("pile", "lane", [None] * (LOWER + N))
    _put(sketch, "diagonal", values[:LOWER])
    _put(sketch, "right", values[LOWER:])


def _pivot(sketch: Sketch) -> None:
    """A_kk = L D L^T."""
    made = ldl(_symmetric(sketch.load("diagonal", "lane", [None] * LOWER)))
    _put(sketch, "factor", [made.inverse[i] if i == j else made.L[i, j] for i, j in TRIANGLE])


def _panel(sketch: Sketch) -> None:
    """X = A_jk A_kk^-1, and what the right side of k does to that of j."""
    A, factor = _square(sketch.load("cross", "lane", [None] * CROSS)), _factor(sketch)
    z = vector(*sketch.load("right", "lane", [None] * N))
    X = np.array([list(factor.solve(row)) for row in A], dtype=object)
    _put(sketch, "beside", X.ravel())
    _put(sketch, "other", -(X @ z), add=True)


def _update(places: Sequence[tuple[int, int]], sketch: Sketch) -> None:
    """A_ij less X_ik A_jk^T."""
    X, A = (_square(sketch.load(name, "lane", [None] * CROSS)) for name in ("beside", "cross"))
    _put(sketch, "less", [-(X[i] @ A[j]) for i, j in places], add=True)


def _back(sketch: Sketch) -> None:
    """A_kk^-1 z_k."""
    factor, z = _factor(sketch), sketch.load("right", "lane", [None] * N)
    _put(sketch, "found", factor.solve(z))


def _less(sketch: Sketch) -> None:
    """y_k less X_jk^T y_j."""
    X = _square(sketch.load("beside", "lane", [None] * CROSS))
    y = vector(*sketch.load("later", "lane", [None] * N))
    _put(sketch, "found", -(X.T @ y), add=True)


def _put(sketch: Sketch, name: str, values: Iterable[Scalar], add: bool = False) -> None:
    argument = sketch.argument(name, "lane")
    for k, x in enumerate(values):
        sketch.store(argument, k, x, add)


def _square(values: Sequence[Scalar]) -> Matrix:
    return np.array(values, dtype=object).reshape(N, N)


def _symmetric(values: Sequence[Scalar]) -> Matrix:
    made = zeros(N, N)
    for (i, j), x in zip(TRIANGLE, values, strict=True):
        made[i, j] = made[j, i] = x
    return made


def _factor(sketch: Sketch) -> LDL:
    L, inverse = zeros(N, N), zeros(N)
    for (i, j), x in zip(TRIANGLE, sketch.load("factor", "lane", [None] * LOWER), strict=True):
        L[i, j] = 1 if i == j else x
        inverse[i] = x if i == j else inverse[i]
    return LDL(L, inverse)
