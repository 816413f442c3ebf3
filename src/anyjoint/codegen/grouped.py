"""Columns of a kernel taken together where lanes are states: what they store beside each other then goes to rows of the
caller's as whole vectors, after a transposition in registers, instead of number by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from anyjoint.codegen.ir import LEAVES, Code, Listing, Statement, defined

SIZES = (4, 2)  # columns that are taken together
AT_ONCE = 8  # values of columns of one state that are transposed at once
FEW = 24  # operations for each number stored: with more, stores do not matter


def pays(listing: Listing) -> bool:
    """Whether columns are worth taking together."""
    rows = sum(s.op == Code.STORE and listing.arrays[s.data[0]].kind == "row" for s in listing.statements)
    return bool(sum(s.op not in LEAVES for s in listing.statements) <= FEW * rows)


def shares(columns: int) -> Iterable[tuple[int, int, int]]:
    """(first column, columns taken together, how often) until none is left."""
    first = 0
    for size in (*SIZES, 1):
        count = (columns - first) // size
        if count:
            yield first, size, count
        first += size * count


def grouped(listing: Listing, count: int) -> Listing:
    """A listing of one column as that of several beside each other; what they have in common is loaded once."""
    values: list[dict[int, int]] = [{} for _ in range(count)]
    statements: list[Statement] = []
    total = 0
    for statement in listing.statements:
        array = statement.data[0] if statement.op in (Code.LOAD, Code.STORE) else None
        step = listing.arrays[array].step if array is not None and listing.arrays[array].wide else 0
        shared = statement.op in LEAVES and not step
        for column, own in enumerate(values):
            if shared and column:
                own[statement.result] = values[0][statement.result]
                continue
            data = (array, statement.data[1] + column * step, *statement.data[2:]) if step else statement.data
            args = tuple(own[x] for x in statement.args)
            made = defined(statement)
            statements.append(Statement(statement.op, args, data, total if made else -1))
            own |= {value: total + k for k, value in enumerate(made)}
            total += len(made)
    return replace(listing, statements=tuple(statements), values=total)


def gathered(listing: Listing, most: int, states: bool) -> Listing:
    """Stores whose lanes lie apart, brought together when the last of some beside each other is known.

    Lanes are `states`, which are apart in rows, or columns of one state, which may be anywhere.
    """
    line_of = dict(_lines(listing, most, states))
    statements: list[Statement] = []
    waiting: dict[tuple[int, range], list[Statement]] = {}
    for statement in listing.statements:
        line = line_of.get(statement.data) if statement.op == Code.STORE else None
        if line is None:
            statements.append(statement)
            continue
        known = waiting.setdefault((statement.data[0], line), [])
        known.append(statement)
        if len(known) == len(line):
            statements += sorted(known, key=lambda s: s.data)
    return replace(listing, statements=tuple(statements))


def _lines(listing: Listing, most: int, states: bool) -> Iterable[tuple[tuple[int, ...], range]]:
    """The data of each store that may wait for others, and all places beside each other that go with it."""
    far = {i for i, array in enumerate(listing.arrays) if (array.kind == "row" if states else array.step != 1)}
    stores = [s.data for s in listing.statements if s.op == Code.STORE]
    for array in sorted(far):
        places = sorted(place for i, place, accumulate in stores if i == array and not accumulate)
        at = 0
        while at < len(places):
            line = range(places[at], places[at] + most)
            while places[at : at + len(line)] != list(line):
                line = line[:-1]
            yield from (((array, place, False), line) for place in line)
            at += len(line)


def beside(statements: Sequence[Statement], begin: int, most: int) -> int:
    """How many stores from one on go to places beside each other, 1 or a power of two up to the most."""
    array, offset, accumulate = statements[begin].data
    size = 1 if accumulate else most
    while size > 1:
        wanted = [(Code.STORE, (array, offset + k, False)) for k in range(size)]
        if [(s.op, s.data) for s in statements[begin : begin + size]] == wanted:
            break
        size //= 2
    return size
