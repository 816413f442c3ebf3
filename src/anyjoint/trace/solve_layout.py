"""M^-1 times the columns of a matrix by kernels, from articulated-body factors in a common frame.

With J', Z, L, D of dynamics/derivatives.py: inward t = L^-1 x - J'^T f, f += Z t; outward y = D t - Z^T alpha,
alpha += J' y, and L^-T y is the answer. Several columns are handled at once, so that factors are read once for them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anyjoint.codegen import Array, Kernel, Place, Store
from anyjoint.codegen.builder import Builder
from anyjoint.dynamics.small_matrix import LDL
from anyjoint.spatial import dot, dot_in_pairs, vector
from anyjoint.symbolic import Graph, Node
from anyjoint.tree.plan import Plan

from .messages import Messages
from .pair_layout import Target

CHUNK = 8  # columns at once
FACTORS = {"J_free": 6, "Z": 6, "L": 0, "D": 1}  # rows of each link's matrices; none: as many as velocities


@dataclass
class Solve:
    """Adds runs that solve with the factors of all links; kernels are made once for links of the same kind."""

    builder: Builder
    plan: Plan
    places: Mapping[str, Sequence[int]]
    _kernels: dict[Hashable, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.children: dict[int, list[int]] = {}
        for i, link in enumerate(self.plan.links):
            self.children.setdefault(link.parent, []).append(i)
        parents = self.plan.parents
        self.inward, self.outward = (Messages(parents, 6 * CHUNK, inward) for inward in (True, False))
        self.shared = self.builder.room(max(self.inward.size, self.outward.size))

    def add(self, right: Target, to: Target, columns: int) -> None:
        """-M^-1 X for X in the work array, which is overwritten, to another matrix."""
        for begin in range(0, columns, CHUNK):
            self._chunk(right, to, begin, min(CHUNK, columns - begin))

    def _chunk(self, right: Target, to: Target, begin: int, count: int) -> None:
        links, work = self.plan.links, self.shared.array
        calls: list[tuple[int, list[tuple[int, int]]]] = []
        for i in reversed(range(len(links))):
            row = Place(work, right.at.offset + links[i].v.start * right.stride + begin)
            last = self.children.get(links[i].parent, [i])[-1] == i  # is visited first and begins the sum
            has_children, has_parent = i in self.children, links[i].parent >= 0
            key: tuple[Any, ...] = ("inward", links[i].joint.nv, count, has_children, has_parent, last, right.stride)
            messages = [(i, has_children), (links[i].parent, has_parent)]
            calls.append(self._call(key, i, [row], self.inward, messages))
        for i, link in enumerate(links):
            row = Place(work, right.at.offset + link.v.start * right.stride + begin)
            out = Place(to.at.array, to.at.offset + link.v.start * to.stride + begin)
            key = ("outward", link.joint.nv, count, i in self.children, link.parent >= 0, right.stride, to.stride)
            messages = [(link.parent, link.parent >= 0), (i, i in self.children)]
            calls.append(self._call(key, i, [row, out], self.outward, messages))
        self._run(calls)

    def _call(
        self, key: tuple[Any, ...], i: int, rows: Sequence[Place], room: Messages, messages: Sequence[tuple[int, bool]]
    ) -> tuple[int, list[tuple[int, int]]]:
        """A kernel, and (array, offset) of each of its arguments."""
        if key not in self._kernels:
            make: Callable[..., Kernel] = inward_kernel if key[0] == "inward" else outward_kernel
            kinds = [self.builder.arrays[row.array].kind for row in rows]
            self._kernels[key] = self.builder.kernel(make(*key[1:], kinds[-1]))
        factors = [(self.shared.array, self.places[name][i]) for name in FACTORS]
        passed = [(self.shared.array, self.shared.offset + room.at[k]) for k, used in messages if used]
        return self._kernels[key], [*rows, *factors, *passed]

    def _run(self, calls: Sequence[tuple[int, list[tuple[int, int]]]]) -> None:
        """Calls of one kernel behind each other as one run."""
        begin = 0
        for end in range(1, len(calls) + 1):
            if end == len(calls) or calls[end][0] != calls[begin][0]:
                arguments = zip(*(call for _, call in calls[begin:end]), strict=True)
                columns = [(column[0][0], [offset for _, offset in column]) for column in arguments]
                self.builder.run(calls[begin][0], *columns)
                begin = end


class _Pieces:
    """Arrays and loads of a kernel that is being made."""

    def __init__(self, n: int) -> None:
        self.g, self.n = Graph(), n
        self.arrays: list[Array] = []
        self.loads: dict[int, tuple[int, int]] = {}

    def array(self, name: str, kind: Any = "lane", wide: bool = True) -> int:
        self.arrays.append(Array(name, kind, wide))
        return len(self.arrays) - 1

    def load(self, array: int, offset: int) -> Node:
        node = self.g.variable("x")
        self.loads[node.id] = (array, offset)
        return node

    def factors(self) -> tuple[Any, Any, LDL]:
        """J', Z and L with D."""
        found = []
        for name, rows in FACTORS.items():
            array, count = self.array(name, wide=False), rows or self.n
            entries = [self.load(array, k) for k in range(count * self.n)]
            found.append(vector(*entries).reshape(count, self.n))
        J, Z, L, D = found
        for i in range(self.n):
            L[i, i:] = [1 if i == j else 0 for j in range(i, self.n)]
        return J, Z, LDL(L, D[0])

    def kernel(self, stores: Sequence[Store], columns: int) -> Kernel:
        return Kernel(self.g, tuple(self.arrays), self.loads, tuple(stores), columns)


def inward_kernel(
    n: int, count: int, has_children: bool, has_parent: bool, first: bool, stride: int, kind: str
) -> Kernel:
    """x becomes D (L^-1 x - J'^T f), and the parent gets f + Z t."""
    made = _Pieces(n)
    right = made.array("x")
    J, Z, factors = made.factors()
    mine = made.array("mine") if has_children else None
    parent = made.array("parent") if has_parent else None
    x = vector(*(made.load(right, k * stride) for k in range(n)))
    t = factors.half(-x)
    f = vector(*(made.load(mine, k * CHUNK) if mine is not None else 0 for k in range(6)))
    t = vector(*(t[k] - dot_in_pairs(J[:, k], f) for k in range(n)))
    stores = [Store(t[k] * factors.inverse[k], right, k * stride) for k in range(n)]
    if parent is not None:
        f = vector(*(f[k] + dot(Z[k], t) for k in range(6)))
        stores += [Store(f[k], parent, k * CHUNK, accumulate=not first) for k in range(6)]
    return made.kernel(stores, count)


def outward_kernel(
    n: int, count: int, has_children: bool, has_parent: bool, stride: int, to_stride: int, kind: Any
) -> Kernel:
    """The answer L^-T y with y = D t - Z^T alpha, and alpha + J' y for the children."""
    made = _Pieces(n)
    right, out = made.array("x"), made.array("out", kind)
    J, Z, factors = made.factors()
    parent = made.array("parent") if has_parent else None
    mine = made.array("mine") if has_children else None
    y = vector(*(made.load(right, k * stride) for k in range(n)))
    alpha = vector(*(made.load(parent, k * CHUNK) if parent is not None else 0 for k in range(6)))
    y = vector(*(y[k] - dot_in_pairs(Z[:, k], alpha) for k in range(n)))
    stores = [Store(x, out, k * to_stride) for k, x in enumerate(factors.back(y))]
    if mine is not None:
        stores += [Store(alpha[k] + dot(J[k], y), mine, k * CHUNK) for k in range(6)]
    return made.kernel(stores, count)
