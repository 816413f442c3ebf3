"""Where what a push does lands: parts of the rows that implicit sweeps load, and the entries that go there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anyjoint.codegen import Place
from anyjoint.codegen.builder import Builder
from anyjoint.frozen import frozen
from anyjoint.scalar import Scalar
from anyjoint.tree.closures import ClosedPlan, Felt
from anyjoint.tree.pile import EMPTY, Pile

from .body_trace import entries_of
from .feeds import Feeds
from .pushes import CROSS, Shares, Spot
from .sketch import Sketch

ADDED_TO = ("lack", "give", "pull", "grip")  # rows that several pushes add to
COUPLES = "cross"  # blocks of a pile, to which they add, too


@frozen
class Landing:
    """Where some entries of a push go: a row, the link (closure, block of a pile) that has it, places in its part."""

    row: str
    link: int
    at: tuple[int, ...]


def destinations(landings: Sequence[Landing]) -> list[tuple[str, int]]:
    """Parts of rows that are written, each once."""
    return list(dict.fromkeys((landing.row, landing.link) for landing in landings))


def alike(landings: Sequence[Landing]) -> tuple[tuple[str, tuple[int, ...], int], ...]:
    """What two pushes have in common that one kernel serves."""
    parts = destinations(landings)
    return tuple((x.row, x.at, parts.index((x.row, x.link))) for x in landings)


def landings_of(closed: ClosedPlan, felt: Felt, spot: Spot, block: int, pile: Pile = EMPTY) -> Iterator[Landing]:
    """Where the entries of `entries_at` go, in the same order; `block` is that of a spot that is spread."""
    at = closed.at
    for link in spot.links:
        if link in felt.lack:
            yield Landing("lack", at[link], tuple(range(6)))
        if link in felt.give:
            yield Landing("give", at[link], tuple(range(21)))
    widths = [closed.plan.links[at[link]].joint.nv for link, _ in spot.joints]
    for n, (link, index) in zip(widths, spot.joints if not spot.spread else (), strict=False):
        yield Landing("pull", at[link], (index,))
        if spot.stiff:
            yield Landing("grip", at[link], tuple(n * index + other for _, other in spot.joints))
    if spot.piled:
        number, upright = pile.block(*spot.links)
        entries = ((i, j) for i in range(6) for j in range(6))
        yield Landing(COUPLES, number, tuple(6 * i + j if upright else 6 * j + i for i, j in entries))
    if not spot.spread:
        return
    closure = closed.where[block]
    for link in spot.links:
        place = closure if at[link] == closed.hubs[block] else at[link]
        column = 6 * closed.starts[place].index((block, 0))
        yield Landing("K", place, tuple(range(column, column + 6 * spot.rows)))
    for n, (link, index) in zip(widths, spot.joints, strict=True):
        column = n * closed.joints[at[link]].index((block, 0)) + index
        yield Landing("N", at[link], tuple(column + n * row for row in range(spot.rows)))
    for name in ("gamma", "weight"):
        yield Landing(name, closure, tuple(range(spot.rows)))


def entries_at(felt: Felt, spot: Spot, share: Shares) -> Iterator[Sequence[Scalar]]:
    """What a push adds, landing by landing."""
    for k, link in enumerate(spot.links):
        if link in felt.lack:
            yield list(share.lack[k])
        if link in felt.give:
            yield list(share.give[k])
    for k, _ in enumerate(spot.joints if not spot.spread else ()):
        yield [share.pull[k]]
        if share.grip is not None:
            yield list(share.grip[k])
    if share.cross is not None:
        yield list(share.cross.ravel())
    if spot.spread:
        yield from (list(K.T.ravel()) for K in share.K)
        yield from (list(N) for N in share.N)
        yield from (list(share.gamma), list(share.weight))


def land(sketch: Sketch, landings: Sequence[Landing], entries: Sequence[Sequence[Scalar]]) -> list[list[bool]]:
    """Add entries where they land; of each landing, which are not exactly zero, and so are written."""
    sums: dict[tuple[str, int], dict[int, Scalar]] = {part: {} for part in destinations(landings)}
    nonzero = []
    for landing, values in zip(landings, entries, strict=True):
        total = sums[landing.row, landing.link]
        nonzero.append([x != 0 for x in entries_of(values)])
        for at, x, moves in zip(landing.at, values, nonzero[-1], strict=True):
            if moves:
                total[at] = total[at] + x if at in total else x
    for (row, _), total in sums.items():
        argument = sketch.argument(row, "lane")
        for at, x in total.items():
            sketch.store(argument, at, x, row in ADDED_TO or row == COUPLES)
    return nonzero


def mark(feeds: Feeds, landings: Sequence[Landing], nonzero: Sequence[Sequence[bool]]) -> None:
    """Sweeps load what is written; all else that links get is exactly zero."""
    for landing, moving in zip(landings, nonzero, strict=True):
        if landing.row == COUPLES:
            continue
        entries = feeds.exact[landing.link][landing.row]
        for at, moves in zip(landing.at, moving, strict=True):
            entries[at] = None if moves else entries[at]


def places_of(builder: Builder, closed: ClosedPlan, feeds: Feeds, landings: Sequence[Landing]) -> list[Place]:
    """Where the parts of rows that are written begin."""
    work, made = builder.work_array, []
    for row, link in destinations(landings):
        start = CROSS * link if row == COUPLES else getattr(closed.plan.links[link].feed, row).start
        made.append(Place(work, feeds.rooms[row].offset + start))
    return made
