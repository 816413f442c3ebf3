"""The working graph of D*: edges that know which roots and which leaves they serve, as bit sets.

An edge belongs to the derivative of root i by leaf j if bit i is in its roots and bit j in its leaves. Everything
here keeps one invariant: for every pair (i, j) the sum over its paths of the products of edge values is unchanged.
"""

from collections.abc import Iterable

from anyjoint.symbolic.ops import Op
from anyjoint.symbolic.partials import DerivativeGraph


class Web:
    """Vertices are numbered so that an edge leads from a larger to a smaller number; roots own a vertex each."""

    def __init__(self, d: DerivativeGraph, eager: bool) -> None:
        """`eager`: use every derivative that is known for free, not only where it replaces several ways."""
        self.graph = d.graph
        vertices = [*d.leaves, *d.order]
        rank = {i: k for k, i in enumerate(vertices)}
        self.leaf = [rank[i] for i in d.leaves]
        self.root = [len(vertices) + r for r in range(len(d.roots))]
        self.top: list[int] = []
        self.bottom: list[int] = []
        self.value: list[int] = []
        self.roots: list[int] = []
        self.leaves: list[int] = []
        size = len(vertices) + len(d.roots)
        self.up: list[list[int]] = [[] for _ in range(size)]  # edges that enter a vertex from above
        self.down: list[list[int]] = [[] for _ in range(size)]  # edges that leave it downwards
        self.fixed = {*self.leaf, *self.root}
        self.touched: list[int] = []
        self._fill(d, rank, 1 if eager else 2)

    def _fill(self, d: DerivativeGraph, rank: dict[int, int], fewest: int) -> None:
        """Roots first, so that an edge gets only what arrives from above and can leave below."""
        one = self.graph.constant_id(1.0)
        roots, wanted = dict.fromkeys(rank, 0), dict.fromkeys(rank, 0)
        for r, root in enumerate(d.roots):
            if root in d.reach:
                self.connect(self.root[r], rank[root], one, 1 << r, d.reach[root])
                roots[root] |= 1 << r
                wanted[root] |= d.reach[root]
        for i in reversed(d.order):
            shortcuts = _shortcuts(d, i, wanted[i], fewest)
            for j, value in shortcuts.items():
                self.connect(rank[i], self.leaf[j], value, roots[i], 1 << j)
                wanted[i] &= ~(1 << j)
                roots[d.leaves[j]] |= roots[i]
            for operand, partial in d.edges[i]:
                leaves = wanted[i] & d.reach.get(operand, 0)
                if leaves:
                    self.connect(rank[i], rank[operand], partial, roots[i], leaves)
                    roots[operand] |= roots[i]
                    wanted[operand] |= leaves
        self.touched = list(range(len(self.up)))
        self.contract()

    def connect(self, top: int, bottom: int, value: int, roots: int, leaves: int) -> None:
        """Add an edge, or add to the edge that already serves the same pairs between the same vertices."""
        for e in self.down[top]:
            if self.bottom[e] != bottom:
                continue
            if self.roots[e] == roots and self.leaves[e] == leaves:
                self.value[e] = self.graph.node(Op.ADD, self.value[e], value)
                return
            if self.value[e] == value and self.leaves[e] == leaves and not self.roots[e] & roots:
                self.roots[e] |= roots
                return
            if self.value[e] == value and self.roots[e] == roots and not self.leaves[e] & leaves:
                self.leaves[e] |= leaves
                return
        e = len(self.top)
        self.top.append(top)
        self.bottom.append(bottom)
        self.value.append(value)
        self.roots.append(roots)
        self.leaves.append(leaves)
        self.up[bottom].append(e)
        self.down[top].append(e)
        self.touched += (top, bottom)

    def delete(self, e: int) -> None:
        """Remove an edge."""
        self.up[self.bottom[e]].remove(e)
        self.down[self.top[e]].remove(e)
        self.roots[e] = self.leaves[e] = 0
        self.touched += (self.top[e], self.bottom[e])

    def subtract(self, e: int, roots: int, leaves: int) -> None:
        """Take the pairs roots x leaves away from an edge; what is left may need two edges."""
        mine, below = self.roots[e], self.leaves[e]
        if not mine & roots or not below & leaves:
            return
        if not mine & ~roots and not below & ~leaves:
            self.delete(e)
        elif not mine & ~roots:
            self.leaves[e] = below & ~leaves
        else:
            self.roots[e] = mine & ~roots
            if below & ~leaves:
                self.connect(self.top[e], self.bottom[e], self.value[e], mine & roots, below & ~leaves)

    def contract(self) -> None:
        """Drop loose vertices and replace every vertex with one edge in and one edge out by their product."""
        while self.touched:
            v = self.touched.pop()
            if v in self.fixed:
                continue
            up, down = self.up[v], self.down[v]
            if not up or not down:
                for e in (*up, *down):
                    self.delete(e)
            elif len(up) == 1 and len(down) == 1:
                self._join(up[0], down[0])

    def _join(self, e: int, f: int) -> None:
        top, bottom = self.top[e], self.bottom[f]
        roots, leaves = self.roots[e] & self.roots[f], self.leaves[e] & self.leaves[f]
        product = self.graph.node(Op.MUL, self.value[e], self.value[f])
        self.delete(e)
        self.delete(f)
        if roots and leaves:
            self.connect(top, bottom, product, roots, leaves)

    def replace(self, top: int, bottom: int, value: int, roots: int, leaves: int, entering: bool) -> None:
        """Let one edge stand for all paths top -> bottom of the pairs roots x leaves.

        `entering`: the paths are unhooked where they enter the bottom (which the top dominates), otherwise where
        they leave the top (which the bottom postdominates); then edges that have become loose follow.
        """
        hooks = self.up[bottom] if entering else self.down[top]
        ends = set()
        for e in list(hooks):
            if self.roots[e] & roots and self.leaves[e] & leaves:
                ends.add(self.top[e] if entering else self.bottom[e])
                self.subtract(e, roots, leaves)
        self.connect(top, bottom, value, roots, leaves)
        if entering:
            self._prune_upwards(ends - {top}, roots, leaves)
        else:
            self._prune_downwards(ends - {bottom}, roots, leaves)
        self.contract()

    def _prune_upwards(self, ends: Iterable[int], roots: int, leaves: int) -> None:
        stack = [(v, leaves) for v in ends]
        while stack:
            v, gone = stack.pop()
            for e in self.down[v]:
                if self.roots[e] & roots:
                    gone &= ~self.leaves[e]
            if gone and v not in self.fixed:
                for e in list(self.up[v]):
                    if self.roots[e] & roots and self.leaves[e] & gone:
                        stack.append((self.top[e], self.leaves[e] & gone))
                        self.subtract(e, roots, gone)

    def _prune_downwards(self, ends: Iterable[int], roots: int, leaves: int) -> None:
        stack = [(v, roots) for v in ends]
        while stack:
            v, gone = stack.pop()
            for e in self.up[v]:
                if self.leaves[e] & leaves:
                    gone &= ~self.roots[e]
            if gone and v not in self.fixed:
                for e in list(self.down[v]):
                    if self.leaves[e] & leaves and self.roots[e] & gone:
                        stack.append((self.bottom[e], self.roots[e] & gone))
                        self.subtract(e, gone, leaves)


def _shortcuts(d: DerivativeGraph, i: int, wanted: int, fewest: int) -> dict[int, int]:
    """Leaves that a vertex reaches in enough ways, and whose derivative is known to be an existing node."""
    found = {}
    for j, value in d.known.get(i, {}).items():
        ways = sum(d.reach.get(operand, 0) >> j & 1 for operand, _ in d.edges[i])
        if wanted >> j & 1 and ways >= fewest:
            found[j] = value
    return found
