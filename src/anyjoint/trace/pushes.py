"""Where pushes act in a tree: in a joint's pivot, in a link's inertia, or between links as soft rows that are carried.

A push that touches one joint or one link alone is felt there. One that touches more than that and is stiff has rows
that begin where it touches and end at the closest common ancestor. One that is not stiff is a wrench on each link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.constraints import Push, Resistance
from anyjoint.dynamics.link_rows import LinkFrames, LinkTouched
from anyjoint.frozen import frozen
from anyjoint.mechanism import Mechanism
from anyjoint.scalar import Scalar, absolute, known, less, select
from anyjoint.scalar.array import Floats
from anyjoint.spatial import BlockInertia, Matrix, Vector, vector, zeros
from anyjoint.tree.closures import GROUND, ClosedPlan, Felt, Unknowns, felt_size
from anyjoint.tree.pile import EMPTY, Pile, free_links, make_pile, piled, roots_of
from anyjoint.tree.plan import Plan

from .constrained import FRAME, coordinate_pair, frame_rows, link_coordinate, poses_of
from .numbers import Numbers
from .push_program import Pushed, PushPrograms
from .straight import Straight

if TYPE_CHECKING:
    from anyjoint.tree.record import Record

CROSS = 36  # numbers that couple the twists of two links
NOTHING = 1e-14  # of a pivot beside the largest: a direction in which nothing resists


@frozen
class Spot:
    """A push, the links of its bodies that move, and link and velocity of each of its coordinates.

    Resistances act as pushes do, with another wrench and another slope in each iteration of a step.
    """

    push: Push | Resistance
    links: tuple[int, ...]
    joints: tuple[tuple[int, int], ...]
    stiff: bool
    rows: int
    bent: tuple[bool, ...]  # of each body whether rows turn with it
    piled: bool = False  # whether its links are in a pile

    @cached_property
    def spread(self) -> bool:
        """Whether its rows have to be carried."""
        return self.couples and not self.piled

    @cached_property
    def couples(self) -> bool:
        """Whether it touches more than one link or joint, and is stiff."""
        alone = {*self.links, *(("joint", link) for link, _ in self.joints)}
        return self.stiff and len(alone) > 1


@frozen
class Pushes:
    """The pushes on the links of a plan."""

    spots: tuple[Spot, ...]
    pile: Pile = EMPTY

    @property
    def blocks(self) -> list[Unknowns]:
        """Unknowns that are carried for those that are spread."""
        made = []
        for spot in self.spread:
            links, joints = tuple(dict.fromkeys(spot.links)), tuple(dict.fromkeys(link for link, _ in spot.joints))
            made.append(Unknowns(spot.rows, links, joints, soft=True, alike=tuple(range(spot.rows))))
        return made

    @cached_property
    def spread(self) -> list[Spot]:
        """Those whose rows are carried, in the order of their blocks."""
        return [spot for spot in self.spots if spot.spread]

    @cached_property
    def felt(self) -> Felt:
        """Where links and joints feel them."""
        lack: set[int] = set()
        give: set[int] = set()
        for spot in self.spots:
            here = zip(spot.links, spot.bent, strict=True)
            bent = {link for link, turns in here if turns}
            lack |= bent if spot.spread else set(spot.links)
            give |= bent | (set(spot.links) if spot.stiff and not spot.spread else set())
        alone = [spot for spot in self.spots if not spot.spread]
        pull = {link for spot in alone for link, _ in spot.joints}
        grip = {link for spot in alone if spot.stiff for link, _ in spot.joints}
        return Felt(*map(frozenset, (lack, give, pull, grip)))


def find_pushes(
    pushes: Sequence[Push | Resistance], plan: Plan, mechanism: Mechanism, programs: PushPrograms
) -> Pushes:
    """Where pushes act in a plan; loose ones are wrenches, however stiff they are."""
    spots = []
    for push in pushes:
        links = tuple(plan.link_of(body) for body in push.bodies if body >= 0)
        joints = tuple(link_coordinate(mechanism, plan, place) for place in push.coordinates)
        if isinstance(push, Resistance):
            spots.append(Spot(push, links, joints, True, push.rows, (False,) * len(links)))
            continue
        stiff, rows, bent = programs.nature(push)
        spots.append(Spot(push, links, joints, stiff, rows, bent))
    return in_pile(spots, plan, mechanism)


def in_pile(spots: Sequence[Spot], plan: Plan, mechanism: Mechanism) -> Pushes:
    """Contacts between free bodies by a pile's blocks instead of rows that are carried, where those would be many."""
    free, roots, rows = free_links(plan), roots_of(plan), list[tuple[set[int], int]]()
    for constraint in mechanism.constraints:
        bodies = {body for body in (*constraint.bodies, *(i for i, _ in constraint.coordinates)) if body >= 0}
        rows.append(({GROUND, *(roots[plan.link_of(body)] for body in bodies)}, 0))
    for spot in (spot for spot in spots if spot.couples):
        touched = {*spot.links, *(link for link, _ in spot.joints)}
        plain = isinstance(spot.push, Resistance) and not spot.joints and touched <= free
        rows.append(({roots[link] for link in touched} | (set() if plain else {GROUND}), spot.rows))
    chosen = piled(free, rows)
    made = tuple(replace(spot, piled=spot.couples and bool(spot.links) and {*spot.links} <= chosen) for spot in spots)
    return Pushes(made, make_pile(chosen, [(spot.links[0], spot.links[1]) for spot in made if spot.piled]))


def push_numbers(plan: Plan, pushes: Sequence[Push | Resistance]) -> list[list[float]]:
    """Per push the frames of its bodies that move, in the frames of their links, and its own numbers."""
    made = []
    for push in pushes:
        frames = [plan.placed[body].frame for body in push.bodies if body >= 0]
        made.append([*(x for frame in frames for x in frame_rows(frame[None])[0]), *push.numbers])
    return made


def push_places(numbers: Numbers, pushes: Sequence[Push | Resistance]) -> list[Floats]:
    """Per push, where its own numbers stand among all: frames of pushes are the last ones, and these behind each."""
    lengths = [len(row) for row in numbers.frames]
    ends = numbers.starts()[-1] + 3 + np.cumsum(lengths, dtype=int)[len(lengths) - len(pushes) :]
    return [end - len(push.numbers) + np.arange(len(push.numbers)) for push, end in zip(pushes, ends, strict=True)]


def split_numbers(row: Sequence[Scalar], push: Push | Resistance) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    """The numbers of frames, and those of the push itself."""
    at = FRAME * sum(body >= 0 for body in push.bodies)
    return row[:at], row[at:]


# -- what a push does to the links that it touches -----------------------------------------------------------------


@dataclass
class Shares:
    """What is added where a push touches; lists are by body that moves, or by coordinate.

    `lack` (6) is a wrench that a link lacks, `give` (21) what joins its inertia; `pull` is taken from a joint's force,
    and `grip` (its coordinates' rows and columns) joins its pivot. K, N, gamma and weight are those of rows that are
    carried.
    """

    lack: list[Vector] = field(default_factory=list)
    give: list[Vector] = field(default_factory=list)
    pull: list[Scalar] = field(default_factory=list)
    grip: Matrix | None = None
    K: list[Matrix] = field(default_factory=list)
    N: list[Vector] = field(default_factory=list)
    gamma: Vector = field(default_factory=lambda: zeros(0))
    weight: Vector = field(default_factory=lambda: zeros(0))
    cross: Matrix | None = None  # what couples the twists of two links of a pile


def shares(spot: Spot, pushed: Pushed) -> Shares:
    """What a push does where it touches."""
    if spot.spread:
        L, weight = factor(pushed.W, spot.push.exact)
        carried = [K @ L for K in pushed.K], [L.T @ N for N in pushed.N], lower_solve(L, pushed.y), weight
        return Shares(pushed.turn, [upper(b) for b in pushed.bend], [0 for _ in pushed.N], None, *carried)
    lack = [K @ pushed.y + turn for K, turn in zip(pushed.K, pushed.turn, strict=True)]
    give = [upper(b) for b in pushed.bend]
    if spot.piled:
        first, second = pushed.K
        give = [upper(K @ pushed.W @ K.T) for K in pushed.K]
        return Shares(lack, give, cross=first @ pushed.W @ second.T)
    if pushed.K and spot.stiff:  # bodies on one link feel it together
        K: Matrix = sum(pushed.K[1:], pushed.K[0])
        give[0] = give[0] + upper(K @ pushed.W @ K.T)
    N = np.array([list(row) for row in pushed.N], dtype=object).reshape(len(pushed.N), len(pushed.y))
    return Shares(lack, give, list(N @ pushed.y), N @ pushed.W @ N.T if spot.stiff else None)


def upper(matrix: Matrix) -> Vector:
    """A symmetric (6, 6) matrix as the 21 numbers of an inertia."""
    return vector(*BlockInertia(matrix[:3, :3], matrix[:3, 3:], matrix[3:, 3:]).entries())


def factor(W: Matrix, exact: bool) -> tuple[Matrix, Vector]:
    """W = L diag(weight) L^T with unit lower L; directions in which W does nothing, or pushes on, have the weight 0."""
    n = len(W)
    L, weight = zeros(n, n), zeros(n)
    scale = sum((absolute(W[k, k]) for k in range(n)), 0.0)
    for j in range(n):
        L[j, j] = 1
        pivot = W[j, j] - sum((L[j, k] * L[j, k] * weight[k] for k in range(j)), 0)
        resists = less(NOTHING * scale, absolute(pivot) if exact else pivot)
        weight[j] = 0 if known(pivot) == 0 else select(resists, pivot, 0.0)
        inverse = 0 if known(pivot) == 0 or j == n - 1 else select(resists, 1 / pivot, 0.0)
        for i in range(j + 1, n):
            L[i, j] = (W[i, j] - sum((L[i, k] * L[j, k] * weight[k] for k in range(j)), 0)) * inverse
    return L, weight


def lower_solve(L: Matrix, y: Vector) -> Vector:
    """L^-1 y."""
    x = zeros(len(y))
    for i in range(len(y)):
        x[i] = y[i] - sum((L[i, k] * x[k] for k in range(i)), 0)
    return x


# -- on records ----------------------------------------------------------------------------------------------------


def give_shares(pushes: Pushes, found: Sequence[Shares], records: Sequence[Record], at: Callable[[int], int]) -> None:
    """Give links and joints what pushes do to them; `at` is where links of the open plan have gone."""
    felt = pushes.felt
    for name, links in vars(felt).items():
        for link in links:
            setattr(records[at(link)], name, zeros(felt_size(name, len(records[at(link)].qd))))
    for spot, share in zip(pushes.spots, found, strict=True):
        for k, link in enumerate(spot.links):
            record = records[at(link)]
            record.lack = record.lack + share.lack[k] if link in felt.lack else record.lack
            record.give = record.give + share.give[k] if link in felt.give else record.give
        for k, (link, index) in enumerate(spot.joints if not spot.spread else ()):
            record, n = records[at(link)], len(records[at(link)].qd)
            record.pull = added(record.pull, index, share.pull[k])
            for (_, other), x in zip(spot.joints, share.grip[k], strict=True) if share.grip is not None else ():
                record.grip = added(record.grip, n * index + other, x)


def added(row: Vector, part: slice | int, more: Scalar | Vector) -> Vector:
    """A row with something added to a part of it."""
    made = row.copy()
    made[part] = made[part] + more
    return made


def give_push_rows(pushes: Pushes, found: Sequence[Shares], records: Sequence[Record], closed: ClosedPlan) -> None:
    """Give links the rows that are carried, and closures what they push with."""
    first = len(closed.where) - len(pushes.spread)
    chosen = [share for spot, share in zip(pushes.spots, found, strict=True) if spot.spread]
    for block, (spot, share) in enumerate(zip(pushes.spread, chosen, strict=True), first):
        for link, K in zip(spot.links, share.K, strict=True):
            at = closed.where[block] if closed.at[link] == closed.hubs[block] else closed.at[link]
            column = 6 * closed.starts[at].index((block, 0))
            records[at].K = added(records[at].K, slice(column, column + K.size), K.T.ravel())
        for (link, index), N in zip(spot.joints, share.N, strict=True):
            at, n = closed.at[link], len(records[closed.at[link]].qd)
            column = n * closed.joints[at].index((block, 0)) + index
            records[at].N = added(records[at].N, slice(column, column + n * len(N), n), vector(*N))
        records[closed.where[block]].gamma, records[closed.where[block]].weight = share.gamma, share.weight


@dataclass
class PushedTree:
    """Pushes on a traced tree: `begin` gives links what they feel, `carry` the rows that are carried."""

    pushes: Pushes
    closed: ClosedPlan
    programs: PushPrograms
    numbers: Sequence[Sequence[Scalar]]  # of each push, over the variables of the trace
    found: list[Shares] = field(default_factory=list)

    def begin(self, tree: Straight, mechanism: Mechanism, frames: LinkFrames, h: Scalar, ahead: Scalar) -> None:
        """Before joints feel their springs as they will be."""
        at, signal = self.closed.at, count()
        for spot, row in zip(self.pushes.spots, self.numbers, strict=True):
            assert isinstance(spot.push, Push)  # what resists is traced by kernels
            X, own = split_numbers(row, spot.push)
            bodies = [LinkTouched(frames, at[link], GROUND, x) for link, x in zip(spot.links, poses_of(X), strict=True)]
            pairs = [coordinate_pair(tree, mechanism, place) for place in spot.push.coordinates]
            signals = [tree.variables.row("signals", next(signal)) for _ in spot.push.signals]
            q, qd = [q for q, _ in pairs], [v for _, v in pairs]
            pushed = self.programs.at(tree.variables.graph, spot.push, bodies, q, qd, own, signals, h, ahead)
            self.found.append(shares(spot, pushed))
        give_shares(self.pushes, self.found, tree.records, at.__getitem__)

    def carry(self, records: Sequence[Record]) -> None:
        """After links have the rows of constraints."""
        give_push_rows(self.pushes, self.found, records, self.closed)
