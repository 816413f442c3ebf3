"""Where unknowns that several links share are eliminated: the tree of links with closures between them.

A closure is a link without joint or mass. It stands between a hub, the closest common ancestor of all that a constraint
touches, and those of the hub's children that carry the constraint's multipliers; what they hand in is added up there,
the multipliers are eliminated, and the rest goes on to the hub or to the next closure. Closures at one hub are ordered
by minimum degree: 40 loops that meet at the ground are chains of 40 closures, not one of 40 times the size. Of equal
degrees the one that has waited longest goes first, so that a row of loops is eliminated from both its ends at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from anyjoint.frozen import frozen
from anyjoint.joints import Fixed

from .columns import FEEDS, Columns, Feed
from .plan import FIXED, Link, Plan, Ride

GROUND = -1
BlockRows = tuple[tuple[int, int], ...]


@frozen
class Unknowns:
    """A block of unknowns: the links that its rows touch (-1 for the ground), those whose coordinates they touch, and
    for shared accelerations those that follow them. `grounded` blocks end at the ground whatever they touch, and rows
    of one number in `alike` are components of one vector."""

    count: int
    links: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    driven: tuple[int, ...] = ()
    grounded: bool = False
    soft: bool = False
    alike: tuple[int, ...] = ()


@frozen
class Felt:
    """Links that lack a wrench of forces and that give way to them; joints that are pulled at, and gripped."""

    lack: frozenset[int] = frozenset()
    give: frozenset[int] = frozenset()
    pull: frozenset[int] = frozenset()
    grip: frozenset[int] = frozenset()


UNFELT = Felt()


def felt_size(name: str, velocities: int) -> int:
    """How many numbers a link gets of one kind."""
    return {"lack": 6, "give": 21, "pull": velocities, "grip": velocities * velocities}[name]


@frozen
class ClosedPlan:
    """A plan with closures. Per link: the (block, row) of all its columns, of each column of its K and of its N.

    `at` is where the links of the open plan have gone, `hubs` is where each block ends, and `where` its closure.
    """

    plan: Plan
    at: tuple[int, ...]
    hubs: tuple[int, ...]
    where: tuple[int, ...]
    fronts: tuple[BlockRows, ...] = field(repr=False)
    starts: tuple[BlockRows, ...] = field(repr=False)
    joints: tuple[BlockRows, ...] = field(repr=False)


def close_plan(
    plan: Plan, blocks: Sequence[Unknowns], felt: Felt = UNFELT, piled: frozenset[int] = frozenset()
) -> ClosedPlan:
    """Put closures into a plan, and make room for what links feel of forces; some links are in a pile."""
    return _Closing(plan, blocks, felt, piled).made()


class _Closing:
    """Nodes are links, numbered as in the plan, and behind them closures, one for each block."""

    def __init__(self, plan: Plan, blocks: Sequence[Unknowns], felt: Felt, piled: frozenset[int]) -> None:
        self.piled = piled
        self.plan, self.blocks, self.felt, self.count = plan, blocks, felt, len(plan.links)
        self.above = plan.parents
        self.depth = _depths(self.above)
        self.hubs = self._hubs()
        self.places = set(self.hubs)
        self.fronts: list[set[int]] = [set() for _ in range(self.count + len(blocks))]  # blocks that leave a node
        self.begun: list[set[int]] = [set() for _ in self.fronts]
        for k, block in enumerate(blocks):
            for link in self._touched(block):
                if link == self.hubs[k]:
                    self.begun[self.count + k].add(k)  # the hub itself is touched: at the closure
                while link != self.hubs[k]:
                    self.fronts[link].add(k)
                    link = self.above[link]
        # Blocks whose rows touch a link, or its coordinates, and those that it follows.
        self.on_links, self.on_joints, self.on_driven = (
            _by_link([getattr(block, name) for block in blocks]) for name in ("links", "joints", "driven")
        )
        self.parents = [*self.above, *self.hubs]
        self.rank: dict[int, int] = {}
        self.leads: dict[int, int | None] = dict.fromkeys(felt.give)  # what gives way is no rigid body any more
        self._order()
        # Blocks that leave a node, in the order in which they end.
        self.leaving = [sorted(front, key=self.rank.__getitem__) for front in self.fronts]

    def _touched(self, block: Unknowns) -> Iterable[int]:
        return dict.fromkeys((*block.links, *block.joints, *block.driven))

    def _hubs(self) -> list[int]:
        """Where each block ends. Multipliers of rows on links that follow others end where those do, or above."""
        hubs = []
        for block in self.blocks:
            anchors = [*block.links, *(self.above[i] for i in (*block.joints, *block.driven))]
            hubs.append(GROUND if block.grounded else self._common(anchors))
        leading = {link: k for k, block in enumerate(self.blocks) for link in block.driven}
        changed = bool(leading)
        while changed:
            changed = False
            for k, block in enumerate(self.blocks):
                for link in self._touched(block):
                    while link != hubs[k] and link != GROUND:
                        other = leading.get(link, k)
                        if self.depth[hubs[other]] < self.depth[hubs[k]]:
                            hubs[k], changed = self._common([hubs[k], hubs[other]]), True
                        link = self.above[link]
        return hubs

    def _common(self, links: Sequence[int]) -> int:
        found = links[0]
        for link in links[1:]:
            while found != link:
                if self.depth[found] >= self.depth[link]:
                    found = self.above[found]
                else:
                    link = self.above[link]
        return found

    # -- order -----------------------------------------------------------------------------------------------------

    def _order(self) -> None:
        """Hubs from the leaves to the root; at each of them blocks by minimum degree, shared accelerations first."""
        ending: dict[int, list[int]] = {}
        for k, hub in enumerate(self.hubs):
            ending.setdefault(hub, []).append(k)
        children: dict[int, list[int]] = {}
        for link, parent in enumerate(self.above):
            children.setdefault(parent, []).append(link)
        for hub in sorted(ending, key=lambda h: -self.depth[h]):
            self._order_at(ending[hub], children.get(hub, []))

    def _order_at(self, ending: list[int], children: list[int]) -> None:
        here = set(ending)
        holders: dict[int, set[int]] = {k: set() for k in ending}  # nodes whose front holds the block
        for node in children:
            for k in self.fronts[node] & here:
                holders[k].add(node)
        weight = {k: self._degree(k, holders[k]) for k in ending}
        queue = [(not self.blocks[k].driven, weight[k], 0, k) for k in ending]
        heapq.heapify(queue)
        done: set[int] = set()
        while queue:
            _, degree, _, k = heapq.heappop(queue)
            if k in done or degree != weight[k]:
                continue
            done.add(k)
            self.rank[k] = len(self.rank)
            closure = self.count + k
            left: set[int] = set().union(*(self.fronts[node] for node in holders[k])) - {k}
            self.fronts[closure] = left
            for node in holders[k]:
                self.parents[node] = closure
                for other in self.fronts[node] & here - {k}:
                    holders[other].discard(node)
            for other in left & here:
                holders[other].add(closure)
                weight[other] = self._degree(other, holders[other])
                heapq.heappush(queue, (not self.blocks[other].driven, weight[other], len(self.rank), other))

    def _degree(self, block: int, holders: set[int]) -> int:
        """How many unknowns are coupled to those of a block."""
        coupled: set[int] = set().union(*(self.fronts[node] for node in holders)) - {block}
        return sum(self.blocks[k].count for k in coupled)

    # -- the plan --------------------------------------------------------------------------------------------------

    def made(self) -> ClosedPlan:
        """Parents first; a closure comes just before the first link below it."""
        order = _parents_first(self.parents)
        at = {node: i for i, node in enumerate(order)} | {GROUND: GROUND}
        local = {node: self._numbering(node) for node in order} | {GROUND: {}}
        felt = [[name for name, links in vars(self.felt).items() if node in links] for node in order]
        links = self._fed(order, [self._columns(node, local) for node in order], felt, at)
        placed = tuple(Ride(at[ride.link], ride.frame) for ride in self.plan.placed)
        fronts = tuple(self._rows(local[node]) for node in order)
        starts = tuple(self._rows(self._begun(node)) for node in order)
        joints = tuple(self._rows(self._leaving_of(self.on_joints, node)) for node in order)
        gone = tuple(at[link] for link in range(self.count))
        hubs = tuple(at[hub] for hub in self.hubs)
        where = tuple(at[self.count + k] for k in range(len(self.blocks)))
        return ClosedPlan(Plan(tuple(links), placed), gone, hubs, where, fronts, starts, joints)

    def _rows(self, blocks: Iterable[int]) -> BlockRows:
        return tuple([(k, row) for k in blocks for row in range(self.blocks[k].count)])

    def _numbers(self, blocks: Iterable[int], first: Mapping[int, int]) -> tuple[int, ...]:
        """The columns of blocks, of which the first are known."""
        return tuple([first[k] + row for k in blocks for row in range(self.blocks[k].count)])

    def _begun(self, node: int) -> list[int]:
        """Blocks whose rows touch a link or, at a closure, its hub."""
        if node >= self.count:
            return sorted(self.begun[node])
        return self._leaving_of(self.on_links, node)

    def _leaving_of(self, touching: Mapping[int, set[int]], node: int) -> list[int]:
        """Blocks that leave a node and touch it in some way."""
        return [k for k in self.leaving[node] if k in touching[node]] if node in touching else []

    def _numbering(self, node: int) -> dict[int, int]:
        """The first column of each block that comes to a node: what ends there, then by rank."""
        own = [node - self.count] if node >= self.count else []
        numbers, at = {}, 0
        for k in [*own, *self.leaving[node]]:
            numbers[k] = at
            at += self.blocks[k].count
        return numbers

    def _led(self, node: int) -> int | None:
        """The block that alone moves a link, if all joints between it and the ground follow that block."""
        if node not in self.leads:
            own = next((k for k in self.fronts[node] if k in self.on_driven.get(node, ())), None)
            above = self.above[node]
            self.leads[node] = own if above == GROUND or self._led(above) == own else None
        return self.leads[node]

    def _at_ground(self, node: int) -> bool:
        return node >= self.count and self.hubs[node - self.count] == GROUND

    def _columns(self, node: int, local: Mapping[int, Mapping[int, int]]) -> Columns:
        mine, parent = local[node], self.parents[node]
        theirs = local[parent] if self.fronts[node] else {}
        carried = Columns(
            width=sum([self.blocks[k].count for k in mine]),
            starts=self._numbers(self._begun(node), mine),
            joints=self._numbers(self._leaving_of(self.on_joints, node), mine),
            driven=self._numbers(self._leaving_of(self.on_driven, node), mine),
            lands=self._numbers(self.leaving[node], theirs),
            above=sum([self.blocks[k].count for k in theirs]),
            to_ground=self._at_ground(parent),
            piled=node in self.piled,
        )
        if node < self.count:
            on_hub = self.above[node] == GROUND or self.above[node] in self.places
            return carried._replace(led=self._led(node) is not None, on_hub=on_hub)
        ends = self.blocks[node - self.count]
        return carried._replace(
            closes=ends.count, shared=bool(ends.driven), soft=ends.soft, at_ground=self._at_ground(node),
            alike=ends.alike,
        )  # fmt: skip

    def _fed(
        self, order: Sequence[int], columns: Sequence[Columns], felt: Sequence[Sequence[str]], at: Mapping[int, int]
    ) -> list[Link]:
        """Links with their places in the rows of constraints and forces, one link's behind the other's."""
        made, ends = [], [0] * len(FEEDS)
        for node, own, touched in zip(order, columns, felt, strict=True):
            link = self.plan.links[node] if node < self.count else CLOSURE
            n = link.joint.nv
            sizes = {name: felt_size(name, n) for name in touched}
            sizes["K"], sizes["N"] = 6 * len(own.starts), n * len(own.joints)
            sizes["gamma"] = 0 if own.shared else own.closes
            sizes["weight"] = own.closes if own.soft else 0
            starts, ends = ends, [end + sizes.get(name, 0) for name, end in zip(FEEDS, ends, strict=True)]
            feed = Feed(*map(slice, starts, ends))
            made.append(link._replace(parent=at[self.parents[node]], columns=own, feed=feed))
        return made


# A link that is nothing but a place to eliminate at.
CLOSURE = Link(
    -1, -1, FIXED, Fixed(), (0, 0, 0), 0.0, 0.0, 1.0, (0.0, 0.0, 0.0), 0.0, np.zeros((6, 6)), np.eye(4),
    slice(0, 0), slice(0, 0),
)  # fmt: skip


def _by_link(blocks: Sequence[Iterable[int]]) -> dict[int, set[int]]:
    """The blocks of each link that is in some."""
    found: dict[int, set[int]] = {}
    for k, links in enumerate(blocks):
        for link in links:
            found.setdefault(link, set()).add(k)
    return found


def _depths(parents: Sequence[int]) -> dict[int, int]:
    depth = {GROUND: 0}
    for link, parent in enumerate(parents):
        depth[link] = depth[parent] + 1
    return depth


def _parents_first(parents: Sequence[int]) -> list[int]:
    order: list[int] = []
    seen = {GROUND}
    for node in range(len(parents)):
        waiting = []
        while node not in seen:
            seen.add(node)
            waiting.append(node)
            node = parents[node]
        order += reversed(waiting)
    return order
