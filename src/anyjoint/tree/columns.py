"""Which unknowns a link carries besides its own: multipliers of loops that are still open, shared accelerations."""

from __future__ import annotations

from typing import NamedTuple


class Columns(NamedTuple):
    """The unknowns that pass a link, by number: local, so that links of the same kind carry the same.

    `starts` are those whose rows touch the link itself, in the order of the columns of its K; `joints` those whose rows
    touch its coordinates, in the order of N; `driven` those that its own accelerations follow. The first `closes` end
    here, and `lands` are the numbers of the others at the parent, which has `above` of them.
    """

    width: int = 0
    starts: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    driven: tuple[int, ...] = ()
    led: bool = False  # whether all joints between it and the ground follow the same unknowns
    closes: int = 0
    shared: bool = False  # whether those that end here are accelerations, not multipliers
    lands: tuple[int, ...] = ()
    above: int = 0
    on_hub: bool = False  # whether the link stands on the ground or on a hub, where loops are seen from
    soft: bool = False  # whether those that end here are known: what soft rows push with
    at_ground: bool = False  # whether they end at the ground, whose acceleration is known
    to_ground: bool = False  # whether the parent is such a closure
    piled: bool = False  # whether the link is one of a pile, whose twists are found together
    alike: tuple[int, ...] = ()  # groups of those that end here: rows of a group are components of one vector


class Feed(NamedTuple):
    """Where a link's numbers stand in rows that only some links have.

    Of constraints: K has six per column, N one per velocity and column, gamma one per row that ends here, weight one
    per soft one. Of forces: `lack` is a wrench that the link lacks, `give` what joins its inertia, `pull` what is taken
    from its joint's forces, and `grip`, a matrix, what joins its pivot.
    """

    K: slice
    N: slice
    gamma: slice
    weight: slice
    lack: slice
    give: slice
    pull: slice
    grip: slice


NONE, UNFED = Columns(), Feed(*[slice(0, 0)] * 8)
FEEDS = Feed._fields  # rows of constraints and forces, which only some links have
