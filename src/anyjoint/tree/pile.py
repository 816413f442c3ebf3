"""Which free bodies form a pile, and in which order their twists are eliminated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from anyjoint.frozen import frozen
from anyjoint.joints import FreeQuaternion

from .plan import Plan

GROUND = -1


@frozen
class Pile:
    """Links in the order of elimination, those that each is coupled to when its turn comes, in that order, too, and
    the numbers of the blocks that couple (later, earlier) ones."""

    order: tuple[int, ...] = ()
    beside: dict[int, tuple[int, ...]] = field(default_factory=dict)
    blocks: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def links(self) -> frozenset[int]:
        """All of them."""
        return frozenset(self.order)

    def block(self, a: int, b: int) -> tuple[int, bool]:
        """The block of two links, and whether its rows are those of the first."""
        return (self.blocks[a, b], True) if (a, b) in self.blocks else (self.blocks[b, a], False)


EMPTY = Pile()


def free_links(plan: Plan) -> set[int]:
    """Links that stand on the ground and whose velocities are their twists."""
    return {i for i, x in enumerate(plan.links) if x.parent == GROUND and isinstance(x.joint, FreeQuaternion)}


def roots_of(plan: Plan) -> dict[int, int]:
    """Of each link the one on the ground below which it hangs; of the ground itself."""
    roots = {GROUND: GROUND}
    for i, link in enumerate(plan.links):  # parents first
        roots[i] = i if link.parent == GROUND else roots[link.parent]
    return roots


def piled(free: set[int], rows: Iterable[tuple[set[int], int]]) -> set[int]:
    """The free links that rows couple with each other alone, if by more rows than they have velocities.

    `rows` are the links that carried rows touch, with the ground where they have to stay what they are, and how many.
    """
    chosen, given = set(free), list(rows)
    while spoiled := {link for links, _ in given if not links <= chosen for link in links & chosen}:
        chosen -= spoiled
    touched = {link for links, _ in given for link in links & chosen}
    return touched if sum(count for links, count in given if links <= touched) > 6 * len(touched) else set()


def make_pile(links: Iterable[int], pairs: Iterable[tuple[int, int]]) -> Pile:
    """Eliminate by minimum degree."""
    near: dict[int, set[int]] = {link: set() for link in links}
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    order, met = [], dict[int, set[int]]()
    while near:
        link = min(near, key=lambda x: (len(near[x]), x))
        met[link] = near.pop(link)
        order.append(link)
        for other in met[link]:
            near[other] = (near[other] | met[link]) - {link, other}
    rank = {link: k for k, link in enumerate(order)}
    beside = {link: tuple(sorted(met[link], key=rank.__getitem__)) for link in order}
    blocks = {(other, link): k for k, (link, other) in enumerate((x, y) for x in order for y in beside[x])}
    return Pile(tuple(order), beside, blocks)
