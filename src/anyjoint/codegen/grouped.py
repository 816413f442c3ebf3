"""Columns of a kernel taken together where lanes are states: what they store beside each other then goes to rows of the
caller's as whole vectors, after a transposition in registers, instead of number by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from anyjoint.codegen.ir import LEAVES, Code, Listing, Statement

SIZES = (4, 2)  # columns that are taken together
AT_ONCE = 8  # values of columns of one state that are transposed at once
FEW = 24  # operations for each number stored: with more, stores do not matter


def pays(listing: Listing) -> bool:
    """Whether columns are worth taking together."""
    rows = sum(s.op == Code.STORE and listing.arrays[s.data[0]].kind == "row" for s in listing.statements)
    return bool(sum(s.op not in LEAVES for s in listing.statements) <= FEW * rows)


def moves_rows(listing: Listing) -> bool:
    """Whether a listing only moves numbers within rows."""
    moves = all(s.op in (Code.LOAD, Code.STORE) for s in listing.statements)
    return moves and all(array.kind == "row" for array in listing.arrays)


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
            statements.append(Statement(statement.op, args, data, total))
            if statement.op != Code.STORE:
                own[statement.result] = total
                total += 1
    return replace(listing, statements=tuple(statements), values=total)


def gathered(listing: Listing, most: int) -> Listing:
    """Stores to arrays whose columns lie apart, brought together: several go beside each other in each column."""
    statements: list[Statement] = []
    waiting: dict[tuple[int, int], list[Statement]] = {}  # (array, place behind the last) -> stores
    for statement in listing.statements:
        if statement.op != Code.STORE or listing.arrays[statement.data[0]].step == 1:
            statements.append(statement)
            continue
        array, offset, _ = statement.data
        line = [*waiting.pop((array, offset), ()), statement]
        if len(line) == most:
            statements += line
        else:
            waiting[array, offset + 1] = line
    return replace(listing, statements=(*statements, *(s for line in waiting.values() for s in line)))


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
