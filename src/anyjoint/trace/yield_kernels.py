"""Kernels that hand accelerations and wrenches on from link to link: see yield_layout.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from anyjoint.codegen import Kernel, Store
from anyjoint.codegen.kernel import Kind
from anyjoint.dynamics.forward_derivatives import FACTORS
from anyjoint.dynamics.small_matrix import LDL
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.spatial import BlockInertia, Matrix, Vector, dot, plus_dot, vector, zeros

from .draft import Draft
from .pair_layout import By, Spread, Target

WIDEST = 16  # columns of a block: a rolling joint and quaternions have more coordinates than velocities
NUMBERS = 21  # of Lambda

Sizes = tuple[tuple[int, int], ...]  # velocities and columns of links behind each other


@frozen
class Sort:
    """Columns of one sort: the accelerations that they begin with, Psi', wrenches, own rows, and where they go."""

    shown: str
    psi: str
    wrench: str
    own: str
    by: By
    to: Target


@frozen
class Answer:
    """What is asked for: M^-1 and other columns, and how results of links are kept."""

    inverse: Target
    sorts: tuple[Sort, ...]
    spread: Mapping[str, Spread]
    kind: Kind

    @property
    def targets(self) -> list[tuple[By, Target]]:
        """What columns belong to, and where they go: those of unit forces, then those of each sort."""
        return [("v", self.inverse), *((sort.by, sort.to) for sort in self.sorts)]


class Factors(NamedTuple):
    """J', -Z and L of a link."""

    J: Matrix
    Z: Matrix
    L: LDL


class _LinkDraft(Draft):
    """A kernel over links of so many velocities behind each other."""

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes = sizes
        self.begins = [sum(sizes[:k]) for k in range(len(sizes))]

    def factors(self) -> list[Factors]:
        """The factors of each link."""
        J, Z = (self.matrices(name, [(6, n) for n in self.sizes]) for name in FACTORS[:2])
        lower = self.matrices(FACTORS[2], [(n, n) for n in self.sizes])
        for L in lower:
            for i in range(len(L)):
                L[i, i:] = [1 if i == j else 0 for j in range(i, len(L))]
        return [Factors(J_i, Z_i, LDL(L_i, zeros(len(L_i)))) for J_i, Z_i, L_i in zip(J, Z, lower, strict=True)]

    def rows3(self) -> list[Matrix]:
        """-K of each link."""
        return self.matrices("K_left", [(n, 3) for n in self.sizes])

    def matrices(self, name: str, shapes: Sequence[tuple[int, int]]) -> list[Matrix]:
        """Matrices that lie behind each other in an argument."""
        array, at, made = self.argument(name), 0, []
        for rows, columns in shapes:
            entries = [self.entry(array, at + k) for k in range(rows * columns)]
            made.append(vector(*entries).reshape(rows, columns))
            at += rows * columns
        return made

    def wide(self, array: int, rows: int, stride: int, first: int = 0) -> Vector:
        """Rows of an argument in a column, or in all of them."""
        return vector(*(self.entry(array, row * stride + first) for row in range(rows)))


def _after(x: Vector, J: Matrix, y: Vector) -> Vector:
    """x + J y."""
    return vector(*(x[k] + dot(J[k], y) for k in range(6)))


def _times(X: Matrix, alpha: Vector, start: Vector | None = None) -> Vector:
    """start + X^T alpha; both halves of the sum at the same time, since the next link waits for it."""
    halves = zip(zeros(X.shape[1]) if start is None else start, X.T, strict=True)
    return vector(*(plus_dot(x, y[:3], alpha[:3]) + dot(y[3:], alpha[3:]) for x, y in halves))


def climb_kernel(sizes: Sizes, count: int, stride: int) -> Kernel:
    """Wrenches on the last of some links as those on the parent of the first."""
    made = _LinkDraft([n for n, _ in sizes])
    array = made.argument("pi", wide=True)
    pi = made.wide(array, 6, stride)
    for J, Z, _ in reversed(made.factors()):
        pi = _after(pi, Z, _times(J, pi))
    return made.kernel([Store(pi[k], array, k * stride) for k in range(6)], count)


def climb_inside_kernel(sizes: Sizes, stride: int) -> Kernel:
    """Wrenches of unit forces at some links, each as that on the parent of the first."""
    made = _LinkDraft([n for n, _ in sizes])
    array, stores = made.argument("Pu"), []
    links = made.factors()
    for link, n in enumerate(made.sizes):
        for k in range(made.begins[link], made.begins[link] + n) if link else ():
            pi = made.wide(array, 6, stride, k)
            for J, Z, _ in reversed(links[:link]):
                pi = _after(pi, Z, _times(J, pi))
            stores += [Store(pi[row], array, row * stride + k) for row in range(6)]
    return made.kernel(stores)


def turn_kernel(count: int, stride: int) -> Kernel:
    """Lambda times what is left of wrenches."""
    made = _LinkDraft([])
    pi = made.wide(made.argument("pi", wide=True), 6, stride)
    array, out = made.argument("Lambda"), made.argument("alpha", wide=True)
    Lambda = BlockInertia.from_entries([made.entry(array, k) for k in range(NUMBERS)])
    alpha = Lambda @ pi
    return made.kernel([Store(alpha[k], out, k * WIDEST) for k in range(6)], count)


def unit_kernel(of: Answer, sizes: Sizes, count: int, stored: bool, children: bool) -> Kernel:
    """Accelerations under unit forces, handed on: entries of M^-1, and their rows of the columns of some links."""
    made = _LinkDraft([n for n, _ in sizes])
    alpha = made.wide(made.argument("alpha", wide=True), 6, WIDEST)
    factors, outs, wrenches = made.factors(), [], []
    for sort in of.sorts:
        array, stride = made.argument(sort.wrench), of.spread[sort.wrench].stride
        counts = [n if sort.by == "v" else m for n, m in sizes]
        ends = [sum(counts[: i + 1]) for i in range(len(counts))]
        places = [range(end - n, end) for n, end in zip(counts, ends, strict=True)]
        wrenches.append([[(k, made.wide(array, 6, stride, k)) for k in of_link] for of_link in places])
        outs.append(made.argument(f"rows_{sort.own}", of.kind, wide=True, step=sort.to.stride))
    stores: list[Store] = []
    inverse: list[Scalar] = []
    for link, own in enumerate(factors):
        for out, columns in zip(outs, wrenches, strict=True):
            stores += [Store(dot(pi, alpha), out, k) for k, pi in columns[link]]
        y = _times(own.Z, alpha)
        inverse += list(own.L.back(y))
        alpha = _after(alpha, own.J, y)
    if stored:
        stride = of.inverse.stride
        rows = made.argument("inverse", of.kind, wide=True)
        mirror = made.argument("mirror", of.kind, wide=True, step=stride)
        stores += [Store(x, rows, k * stride) for k, x in enumerate(inverse)]
        stores += [Store(x, mirror, k) for k, x in enumerate(inverse)]
    if children:
        mine = made.argument("mine", wide=True)
        stores += [Store(alpha[k], mine, k * WIDEST) for k in range(6)]
    return made.kernel(stores, count)


def follow_kernel(of: Answer, sizes: Sizes, count: int, children: bool, sort: Sort) -> Kernel:
    """Rows of links in columns of others above them."""
    made = _LinkDraft([n for n, _ in sizes])
    alpha = made.wide(made.argument("alpha", wide=True), 6, WIDEST)
    psi = made.wide(made.argument("psi", wide=True), 3, of.spread[sort.psi].stride)
    factors, K = made.factors(), made.rows3()
    out = made.argument("rows", of.kind, wide=True)
    stores: list[Store] = []
    for own, turning in zip(factors, K, strict=True):
        y = _times(own.Z, alpha, turning @ psi)
        stores += [Store(x, out, (len(stores) + k) * sort.to.stride) for k, x in enumerate(own.L.back(y))]
        alpha = _after(alpha, own.J, y)
    if children:
        mine = made.argument("mine", wide=True)
        stores += [Store(alpha[k], mine, k * WIDEST) for k in range(6)]
    return made.kernel(stores, count)


def own_kernel(of: Answer, sizes: Sizes, children: bool) -> Kernel:
    """All entries of links behind each other with themselves, and what they show beyond them."""
    made = _Own(of, sizes, children)
    made.units()
    for sort in of.sorts:
        made.follow(sort)
    return made.kernel(made.stores)


class _Own(_LinkDraft):
    """The kernel of a part by itself, number by number."""

    def __init__(self, of: Answer, sizes: Sizes, children: bool) -> None:
        super().__init__([n for n, _ in sizes])
        self.of, self.counts, self.children = of, {"v": self.sizes, "q": [m for _, m in sizes]}, children
        self.links = self.factors()
        self.args = {name: self.argument(name) for name in ("Au", "Yu")}
        self.K = self.rows3() if of.sorts else []
        for sort in of.sorts:
            self.args |= {name: self.argument(name) for name in (sort.shown, sort.psi, sort.wrench, sort.own)}
        self.outs: dict[int, int] = {}
        self.mine: dict[int, int] = {}
        for room in range(len(of.targets)):
            self.outs[room] = self.argument(f"matrix_{room}", of.kind)
            if children:
                self.mine[room] = self.argument(f"mine_{room}")
        self.stores: list[Store] = []

    def columns(self, name: str, by: str, rows: int = 6) -> list[tuple[int, Vector]]:
        """The link of each column, and the column."""
        stride = self.of.spread[name].stride
        places = [link for link, n in enumerate(self.counts[by]) for _ in range(n)]
        return [(link, self.wide(self.args[name], rows, stride, k)) for k, link in enumerate(places)]

    def diagonal(self, name: str, by: str, room: int, stride: int) -> None:
        """Entries of links with themselves."""
        at = first = 0
        for link, n in enumerate(self.sizes):
            for row in range(n):
                for k in range(self.counts[by][link]):
                    entry = self.entry(self.args[name], at)
                    self.stores.append(Store(entry, self.outs[room], (self.begins[link] + row) * stride + first + k))
                    at += 1
            first += self.counts[by][link]

    def show(self, room: int, shown: Sequence[Vector]) -> None:
        """Hand accelerations on."""
        if self.children:
            self.stores += [Store(alpha[row], self.mine[room], row * WIDEST + k)
                            for k, alpha in enumerate(shown) for row in range(6)]  # fmt: skip

    def units(self) -> None:
        """Columns of unit forces, and their rows of other columns."""
        to, shown = self.of.inverse, []
        self.diagonal("Yu", "v", 0, to.stride)
        wrenches = [(room, sort, self.columns(sort.wrench, sort.by)) for room, sort in enumerate(self.of.sorts, 1)]
        for r, (of, alpha) in enumerate(self.columns("Au", "v")):
            for link in range(of + 1, len(self.sizes)):
                for room, sort, columns in wrenches:
                    self.stores += [Store(dot(pi, alpha), self.outs[room], r * sort.to.stride + k)
                                    for k, (owner, pi) in enumerate(columns) if owner == link]  # fmt: skip
                y = _times(self.links[link].Z, alpha)
                for k, x in enumerate(self.links[link].L.back(y), self.begins[link]):
                    self.stores += [Store(x, self.outs[0], place) for place in (r * to.stride + k, k * to.stride + r)]
                alpha = _after(alpha, self.links[link].J, y)
            shown.append(alpha)
        self.show(0, shown)

    def follow(self, sort: Sort) -> None:
        """Rows of links in columns of those before them."""
        room = 1 + self.of.sorts.index(sort)
        self.diagonal(sort.own, sort.by, room, sort.to.stride)
        shown, psis = [], self.columns(sort.psi, sort.by, 3)
        for c, (of, alpha) in enumerate(self.columns(sort.shown, sort.by)):
            for link in range(of + 1, len(self.sizes)):
                y = _times(self.links[link].Z, alpha, self.K[link] @ psis[c][1])
                self.stores += [Store(x, self.outs[room], k * sort.to.stride + c)
                                for k, x in enumerate(self.links[link].L.back(y), self.begins[link])]  # fmt: skip
                alpha = _after(alpha, self.links[link].J, y)
            shown.append(alpha)
        self.show(room, shown)
