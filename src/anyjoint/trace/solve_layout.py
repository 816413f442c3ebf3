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
from .pair_layout import MOST, Block, By, Target, blocks, column, mirror_kernel, owners
from .pieces import Pieces
from .product_layout import clear, lineage

IDLE = -1  # instead of a kernel that would write nothing
WIDEST = 12  # columns of a block: a rolling joint and quaternions have more coordinates than velocities
FACTORS = {"J_free": 6, "Z": 6, "L": 0, "D": 1}  # rows of each link's matrices; none: as many as velocities

Call = tuple[int, list[tuple[int, int]]]  # a kernel, and (array, offset) of its arguments


@dataclass
class Solve:
    """Adds runs that solve with the factors of all links; kernels are made once for links of the same kind."""

    builder: Builder
    plan: Plan
    places: Mapping[str, Sequence[int]]
    _kernels: dict[Hashable, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.index = {link.body: i for i, link in enumerate(self.plan.links)}
        parents = self.plan.parents
        self.inward, self.outward = (Messages(parents, 6 * WIDEST, inward) for inward in (True, False))
        self.shared = self.builder.room(max(self.inward.size, self.outward.size))
        self.above = lineage(self.plan)

    def add(self, right: Target, to: Target, by: By) -> None:
        """-M^-1 X for X in the work array, which is overwritten, to another matrix; zeros of X need not be there."""
        for block in blocks(self.plan, MOST):
            last = self._index(block[-1])
            touched = [i for i, above in enumerate(self.above) if last in above or i in self.above[last]]
            rooted = [i for i, above in enumerate(self.above) if min(above) == min(self.above[last])]
            self._columns(block, by, right, to, touched, touched, rooted)

    def inverse(self) -> Target:
        """M^-1 in the work array: columns down to each block, and their mirror images."""
        nv = self.plan.links[-1].v.stop
        right, to = (Target(self.builder.room(nv * nv), nv) for _ in range(2))
        if self.plan.parents.count(-1) > 1:
            clear(self.builder, to, nv, nv)
        for block in blocks(self.plan, MOST):
            self._give_unit(block, right)
            own, last = [self._index(link) for link in block], self._index(block[-1])
            rooted = [i for i in range(last + 1) if min(self.above[i]) == min(self.above[last])]
            self._columns(block, "v", right, to, own, sorted(self.above[last]), rooted)
            self._mirror(block, to, [i for i in rooted if i < own[0]])
        return to

    def _index(self, link: Any) -> int:
        return self.index[link.body]

    def _columns(
        self, block: Block, by: By, right: Target, to: Target, given: Sequence[int], touched: Sequence[int],
        asked: Sequence[int],
    ) -> None:  # fmt: skip
        """The columns of a block: right sides of links `given`, sweeps over those `touched`, answers of those asked."""
        count, begin = len(owners(block, by)), column(block[0], self._index(block[0]), by)
        if not count:  # welds
            return
        calls = [self._inward(i, begin, count, right, i in given, set(touched)) for i in reversed(touched)]
        calls += [self._outward(i, begin, count, (right, to), i in touched, set(asked)) for i in asked]
        self._run(calls)

    def _inward(self, i: int, begin: int, count: int, right: Target, given: bool, touched: set[int]) -> Call:
        link = self.plan.links[i]
        row = self._row(right, i, begin)
        children = [k for k in touched if self.plan.links[k].parent == i]
        siblings = [k for k in touched if self.plan.links[k].parent == link.parent]
        first = max(siblings) == i  # is visited first and begins the sum
        key = ("inward", link.joint.nv, count, given, bool(children), link.parent >= 0, first, right.stride)
        passed = [(i, bool(children)), (link.parent, link.parent >= 0)]
        return self._call(key, inward_kernel, i, [row], self.inward, passed)

    def _outward(
        self, i: int, begin: int, count: int, targets: tuple[Target, Target], given: bool, asked: set[int]
    ) -> Call:
        link, (right, to) = self.plan.links[i], targets
        has_children = any(self.plan.links[k].parent == i for k in asked)
        kind = self.builder.arrays[to.at.array].kind
        key = ("outward", link.joint.nv, count, given, has_children, link.parent >= 0, right.stride, to.stride, kind)
        passed = [(link.parent, link.parent >= 0), (i, has_children)]
        rows = [self._row(right, i, begin), self._row(to, i, begin)]
        return self._call(key, outward_kernel, i, rows, self.outward, passed)

    def _row(self, target: Target, i: int, begin: int) -> Place:
        return target.at.at(self.plan.links[i].v.start * target.stride + begin)

    def _call(
        self, key: tuple[Any, ...], make: Callable[..., Kernel], i: int, rows: Sequence[Place], room: Messages,
        passed: Sequence[tuple[int, bool]],
    ) -> Call:  # fmt: skip
        if key not in self._kernels:
            made = make(*key[1:])
            self._kernels[key] = self.builder.kernel(made) if made.stores else IDLE
        factors = [(self.shared.array, self.places[name][i]) for name in FACTORS]
        messages = [(self.shared.array, self.shared.offset + room.at[k]) for k, used in passed if used]
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
        if not n:
            return
        key = ("unit", n, right.stride)
        if key not in self._kernels:
            g = Graph()
            entries = [(r, c, g.constant(-1.0 if r == c else 0.0)) for r in range(n) for c in range(n)]
            stores = tuple(Store(x, 0, r * right.stride + c) for r, c, x in entries)
            self._kernels[key] = self.builder.kernel(Kernel(g, (Array("unit", "lane"),), {}, stores))
        at = self._row(right, self._index(block[0]), block[0].v.start)
        self.builder.run(self._kernels[key], (at.array, [at.offset]))

    def _mirror(self, block: Block, to: Target, above: Sequence[int]) -> None:
        """Rows of a block in the columns of links before it: what was found the other way round."""
        n, begin = len(owners(block, "v")), block[0].v.start
        calls: list[Call] = []
        for i in (i for i in above if n and self.plan.links[i].joint.nv):
            key = ("mirror", self.plan.links[i].joint.nv, n, to.stride)
            if key not in self._kernels:
                self._kernels[key] = self.builder.kernel(mirror_kernel(*key[1:]))
            at = to.at.at(begin * to.stride + self.plan.links[i].v.start)
            calls.append((self._kernels[key], [self._row(to, i, begin), at]))
        self._run(calls)


class _Pieces(Pieces):
    """A kernel of the sweeps, for a link of n velocities."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n

    def message(self, name: str, used: bool) -> tuple[int, Any]:
        """An argument that is read or written from link to link, and its values; zeros where there is none."""
        if not used:
            return -1, zeros(6)
        array = self.array(name, wide=True)
        return array, vector(*(self.load(array, k * WIDEST) for k in range(6)))

    def factors(self) -> tuple[Any, Any, LDL]:
        """J', Z and L with D."""
        found = []
        for name, rows in FACTORS.items():
            array, count = self.array(name), rows or self.n
            entries = [self.load(array, k) for k in range(count * self.n)]
            found.append(vector(*entries).reshape(count, self.n))
        J, Z, L, D = found
        for i in range(self.n):
            L[i, i:] = [1 if i == j else 0 for j in range(i, self.n)]
        return J, Z, LDL(L, D[0])


def inward_kernel(
    n: int, count: int, given: bool, has_children: bool, has_parent: bool, first: bool, stride: int
) -> Kernel:
    """x becomes D t with t = -L^-1 x - J'^T f, and the parent gets f + Z t; x is zero where none is given."""
    made = _Pieces(n)
    right = made.array("x", wide=True)
    J, Z, factors = made.factors()
    _, f = made.message("mine", has_children)
    parent = made.array("parent", wide=True) if has_parent else -1
    x = vector(*(made.load(right, k * stride) for k in range(n))) if given else zeros(n)
    t = factors.half(-x)
    t = vector(*(t[k] - dot_in_pairs(J[:, k], f) for k in range(n)))
    stores = [Store(t[k] * factors.inverse[k], right, k * stride) for k in range(n)]
    if has_parent:
        f = vector(*(f[k] + dot(Z[k], t) for k in range(6)))
        stores += [Store(f[k], parent, k * WIDEST, accumulate=not first) for k in range(6)]
    return made.kernel(stores, count)


def outward_kernel(
    n: int, count: int, given: bool, has_children: bool, has_parent: bool, stride: int, to_stride: int, kind: Kind
) -> Kernel:
    """The answer L^-T y with y = D t - Z^T alpha, and alpha + J' y for the children."""
    made = _Pieces(n)
    right, out = made.array("x", wide=True), made.array("out", kind, wide=True)
    J, Z, factors = made.factors()
    _, alpha = made.message("parent", has_parent)
    mine = made.array("mine", wide=True) if has_children else -1
    y = vector(*(made.load(right, k * stride) for k in range(n))) if given else zeros(n)
    y = vector(*(y[k] - dot_in_pairs(Z[:, k], alpha) for k in range(n)))
    stores = [Store(x, out, k * to_stride) for k, x in enumerate(factors.back(y))]
    if has_children:
        stores += [Store(alpha[k] + dot(J[k], y), mine, k * WIDEST) for k in range(6)]
    return made.kernel(stores, count)
