"""M^-1 times the columns of a matrix by kernels, from articulated-body factors in a common frame.

With J', Z, L, D of dynamics/derivatives.py: inward t = L^-1 x - J'^T f, f += Z t; outward y = D t - Z^T alpha,
alpha += J' y, and L^-T y is the answer. The columns of a block of links are handled side by side. Right sides vanish on
branches that do not touch the block, so that inward sweeps leave these out; then y = -Z^T alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anyjoint.codegen import Array, Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.codegen.kernel import Kind
from anyjoint.dynamics.small_matrix import LDL
from anyjoint.spatial import dot, dot_in_pairs, vector, zeros
from anyjoint.symbolic import Graph
from anyjoint.tree.plan import Plan

from .messages import Messages
from .pair_layout import LINE, MOST, PART, Block, By, Target, blocks, column, grouped, matrix, mirror_kernel, owners
from .pieces import Pieces
from .product_layout import clear, lineage

IDLE = -1  # instead of a kernel that would write nothing
WIDEST = 16  # columns of a block: a rolling joint and quaternions have more coordinates than velocities
FACTORS = {"J_free": 6, "Z": 6, "L": 0, "D": 1}  # rows of each link's matrices; none: as many as velocities

Call = tuple[int, list[tuple[int, int]]]  # a kernel, and (array, offset) of its arguments
Sizes = tuple[int, ...]  # velocities of links behind each other


@dataclass(frozen=True)
class Columns:
    """Columns of a block of links, with messages of their own; parts of chains are known by their numbers.

    Right sides are `given` for some parts, sweeps go over those `touched`, and answers are `asked` of others.
    """

    number: int
    begin: int
    count: int
    given: frozenset[int]
    touched: frozenset[int]
    asked: frozenset[int]


@dataclass
class Solve:
    """Adds runs that solve with the factors of all links; kernels are made once for parts of chains of the same kind.

    One kernel takes a few links behind each other, so that messages stay in registers, and all columns before the next
    links, since columns need not wait for each other.
    """

    builder: Builder
    plan: Plan
    places: Mapping[str, Sequence[int]]
    _kernels: dict[Hashable, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = {link.body: i for i, link in enumerate(self.plan.links)}
        everything = blocks(self.plan, MOST)
        self.parts = [part for block in everything for part in grouped(block, PART)]
        ends = {self.index[part[-1].body]: k for k, part in enumerate(self.parts)}
        self.parents = [ends.get(part[0].parent, -1) for part in self.parts]
        self.above = lineage(self.parents)
        self.blocks = [block for block in everything if owners(block, "v")]  # others have no columns
        length = 6 * WIDEST * len(self.blocks)
        self.inward, self.outward = (Messages(self.parents, length, inward) for inward in (True, False))
        self.shared = self.builder.room(max(self.inward.size, self.outward.size), LINE)

    def add(self, right: Target, to: Target, by: By) -> None:
        """-M^-1 X for X in the work array, which is overwritten, to another matrix; zeros of X need not be there."""
        columns = []
        for number, block in enumerate(self.blocks):
            last = self._own(block)[-1]
            touched = frozenset(k for k, above in enumerate(self.above) if last in above or k in self.above[last])
            begin, count = column(block[0], self.index[block[0].body], by), len(owners(block, by))
            columns.append(Columns(number, begin, count, touched, touched, self._rooted(last)))
        self._sweep(columns, right, to)

    def inverse(self) -> Target:
        """M^-1 in the work array: columns down to each block, and their mirror images."""
        right, to = (matrix(self.builder, self.plan.links[-1].v.stop) for _ in range(2))
        if self.parents.count(-1) > 1:
            clear(self.builder, to, self.plan.links[-1].v.stop, to.stride)
        columns = []
        for number, block in enumerate(self.blocks):
            self._give_unit(block, right)
            own = self._own(block)
            asked = frozenset(k for k in self._rooted(own[-1]) if k <= own[-1])
            above = frozenset(self.above[own[-1]])
            columns.append(Columns(number, block[0].v.start, len(owners(block, "v")), frozenset(own), above, asked))
        self._sweep(columns, right, to)
        for block, of in zip(self.blocks, columns, strict=True):
            self._mirror(block, to, [self.parts[k] for k in sorted(of.asked - of.given)])
        return to

    def _own(self, block: Block) -> list[int]:
        """The parts of a block."""
        bodies = {link.body for link in block}
        return [k for k, part in enumerate(self.parts) if part[0].body in bodies]

    def _rooted(self, last: int) -> frozenset[int]:
        """All parts with the same root."""
        return frozenset(k for k, above in enumerate(self.above) if min(above) == min(self.above[last]))

    def _sweep(self, columns: Sequence[Columns], right: Target, to: Target) -> None:
        columns = sorted(columns, key=lambda of: of.count)  # so that calls of one kernel follow each other
        parts = range(len(self.parts))
        calls = [self._inward(k, of, right) for k in reversed(parts) for of in columns if k in of.touched]
        calls += [self._outward(k, of, right, to) for k in parts for of in columns if k in of.asked]
        self._run(calls)

    def _inward(self, k: int, of: Columns, right: Target) -> Call:
        parent, children = self.parents[k], any(self.parents[i] == k for i in of.touched)
        first = max(i for i in of.touched if self.parents[i] == parent) == k  # is visited first and begins the sum
        key = ("inward", self._sizes(k), of.count, k in of.given, children, parent >= 0, first, right.stride)
        return self._call(key, inward_kernel, k, of, [right], self.inward, [(k, children), (parent, parent >= 0)])

    def _outward(self, k: int, of: Columns, right: Target, to: Target) -> Call:
        parent, children = self.parents[k], any(self.parents[i] == k for i in of.asked)
        kind = self.builder.arrays[to.at.array].kind
        key = (
            "outward", self._sizes(k), of.count, k in of.touched, children, parent >= 0, right.stride, to.stride, kind,
        )  # fmt: skip
        return self._call(key, outward_kernel, k, of, [right, to], self.outward, [(parent, parent >= 0), (k, children)])

    def _sizes(self, k: int) -> Sizes:
        return tuple(link.joint.nv for link in self.parts[k])

    def _row(self, target: Target, part: Block, begin: int) -> Place:
        return target.at.at(part[0].v.start * target.stride + begin)

    def _call(
        self, key: tuple[Any, ...], make: Callable[..., Kernel], k: int, of: Columns, matrices: Sequence[Target],
        room: Messages, passed: Sequence[tuple[int, bool]],
    ) -> Call:  # fmt: skip
        if key not in self._kernels:
            made = make(*key[1:])
            self._kernels[key] = self.builder.kernel(made) if made.stores else IDLE
        first = self.index[self.parts[k][0].body]
        rows = [self._row(target, self.parts[k], of.begin) for target in matrices]
        factors = [(self.shared.array, self.places[name][first]) for name in FACTORS]
        begin = self.shared.offset + 6 * WIDEST * of.number
        messages = [(self.shared.array, begin + room.at[i]) for i, used in passed if used]
        return self._kernels[key], [*rows, *factors, *messages]

    def _run(self, calls: Sequence[Call]) -> None:
        """Calls of one kernel behind each other as one run."""
        calls, begin = [call for call in calls if call[0] != IDLE], 0
        for end in range(1, len(calls) + 1):
            if end == len(calls) or calls[end][0] != calls[begin][0]:
                arguments = zip(*(call for _, call in calls[begin:end]), strict=True)
                columns = [(argument[0][0], [offset for _, offset in argument]) for argument in arguments]
                self.builder.run(calls[begin][0], *columns)
                begin = end

    def _give_unit(self, block: Block, right: Target) -> None:
        """Minus the identity in the rows and columns of a block."""
        n = len(owners(block, "v"))
        key = ("unit", n, right.stride)
        if key not in self._kernels:
            g = Graph()
            entries = [(r, c, g.constant(-1.0 if r == c else 0.0)) for r in range(n) for c in range(n)]
            stores = tuple(Store(x, 0, r * right.stride + c) for r, c, x in entries)
            self._kernels[key] = self.builder.kernel(Kernel(g, (Array("unit", "lane"),), {}, stores))
        at = self._row(right, block, block[0].v.start)
        self.builder.run(self._kernels[key], (at.array, [at.offset]))

    def _mirror(self, block: Block, to: Target, above: Sequence[Block]) -> None:
        """Rows of a block in the columns of parts before it: what was found the other way round."""
        n, begin = len(owners(block, "v")), block[0].v.start
        calls: list[Call] = []
        for part in (part for part in above if owners(part, "v")):
            key = ("mirror", len(owners(part, "v")), n, to.stride)
            if key not in self._kernels:
                self._kernels[key] = self.builder.kernel(mirror_kernel(*key[1:]))
            at = to.at.at(begin * to.stride + part[0].v.start)
            calls.append((self._kernels[key], [self._row(to, part, begin), at]))
        self._run(calls)


class _Pieces(Pieces):
    """A kernel of the sweeps, for links of so many velocities behind each other."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.begins = [sum(sizes[:k]) for k in range(len(sizes))]

    def message(self, name: str, used: bool) -> Any:
        """What an argument that goes from link to link has; zeros where there is none."""
        if not used:
            return zeros(6)
        array = self.array(name, wide=True)
        return vector(*(self.load(array, k * WIDEST) for k in range(6)))

    def rows(self, array: int, stride: int, given: bool) -> list[Any]:
        """Rows of a matrix, link by link; zeros where none are given."""
        places = [[(begin + k) * stride for k in range(n)] for begin, n in zip(self.begins, self.sizes, strict=True)]
        return [vector(*(self.load(array, at) for at in own)) if given else zeros(len(own)) for own in places]

    def factors(self) -> list[tuple[Any, Any, LDL]]:
        """J', Z and L with D of each link."""
        arrays = {name: self.array(name) for name in FACTORS}
        at = dict.fromkeys(FACTORS, 0)
        return [self._factors(arrays, at, n) for n in self.sizes]

    def _factors(self, arrays: Mapping[str, int], at: dict[str, int], n: int) -> tuple[Any, Any, LDL]:
        found = []
        for name, rows in FACTORS.items():
            count = rows or n
            entries = [self.load(arrays[name], at[name] + k) for k in range(count * n)]
            found.append(vector(*entries).reshape(count, n))
            at[name] += count * n
        J, Z, L, D = found
        for i in range(n):
            L[i, i:] = [1 if i == j else 0 for j in range(i, n)]
        return J, Z, LDL(L, D[0])


def inward_kernel(
    sizes: Sizes, count: int, given: bool, has_children: bool, has_parent: bool, first: bool, stride: int
) -> Kernel:
    """x becomes D t with t = -L^-1 x - J'^T f, and the parent gets f + Z t; x is zero where none is given."""
    made = _Pieces(sizes)
    right = made.array("x", wide=True)
    links, x = made.factors(), made.rows(right, stride, given)
    f = made.message("mine", has_children)
    stores: list[Store] = []
    for link in reversed(range(len(sizes))):
        J, Z, factors = links[link]
        t = factors.half(-x[link])
        t = vector(*(t[k] - dot_in_pairs(J[:, k], f) for k in range(sizes[link])))
        stores += [Store(t[k] * d, right, (made.begins[link] + k) * stride) for k, d in enumerate(factors.inverse)]
        f = vector(*(f[k] + dot(Z[k], t) for k in range(6)))
    if has_parent:
        parent = made.array("parent", wide=True)
        stores += [Store(f[k], parent, k * WIDEST, accumulate=not first) for k in range(6)]
    return made.kernel(stores, count)


def outward_kernel(
    sizes: Sizes, count: int, given: bool, has_children: bool, has_parent: bool, stride: int, to_stride: int, kind: Kind
) -> Kernel:
    """The answer L^-T y with y = D t - Z^T alpha, and alpha + J' y for the children."""
    made = _Pieces(sizes)
    right, out = made.array("x", wide=True), made.array("out", kind, wide=True)
    links, t = made.factors(), made.rows(right, stride, given)
    alpha = made.message("parent", has_parent)
    stores: list[Store] = []
    for link, (J, Z, factors) in enumerate(links):
        y = vector(*(t[link][k] - dot_in_pairs(Z[:, k], alpha) for k in range(sizes[link])))
        stores += [Store(x, out, (made.begins[link] + k) * to_stride) for k, x in enumerate(factors.back(y))]
        alpha = vector(*(alpha[k] + dot(J[k], y) for k in range(6)))
    if has_children:
        mine = made.array("mine", wide=True)
        stores += [Store(alpha[k], mine, k * WIDEST) for k in range(6)]
    return made.kernel(stores, count)
