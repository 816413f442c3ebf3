"""Cut a long listing into pieces of some thousand statements, so that compile time per statement stays flat."""

from __future__ import annotations

from anyjoint.codegen.ir import LEAVES, Code, Listing, Statement, defined
from anyjoint.codegen.kernel import Array
from anyjoint.symbolic.ops import CONDITIONS

# Statements that are not cut: one function of so many is 3 to 12 % faster. The mass matrix of twenty hinges, 7,100
# statements, takes 750 ns in pieces of 2,500, 900 and 840 ns in those of 1,000 and 3,000, 1,000 ns as one function.
WHOLE = 6_000
WITH_LIMBS = 16_000  # the same where limbs that are alike become lanes of vectors, which pieces would tear apart
PIECE = 2_500


def cut(listing: Listing, limit: int = PIECE, whole: int = WHOLE) -> tuple[tuple[Listing, ...], int]:
    """Pieces to run one after the other, and the number of scratch values that the last array of each must hold.

    Values that cross a border travel through scratch slots, which are used again once their last reader has run.
    Constants, loads and conditions do not travel: each piece computes its own (a condition has no place in an array).
    Stores do not count, so stores that had to wait for all loads stay together in the last piece.
    """
    if length(listing) <= max(limit, whole):
        return (listing,), 0
    borders = _borders(listing, limit)
    maker = {value: statement for statement in listing.statements for value in defined(statement)}
    pieces = [_without_idle(listing.statements[begin:end]) for begin, end in borders]
    imports = [_imports(piece, maker) for piece in pieces]
    slots, scratch = _slots(pieces, imports)
    arrays = (*listing.arrays, Array("scratch", "lane"))
    last = len(listing.arrays)
    cut_pieces = []
    for piece, needed in zip(pieces, imports, strict=True):
        body = [
            maker[value] if _is_local(maker[value]) else Statement(Code.LOAD, (), (last, slots[value]), value)
            for value in needed
        ]
        for statement in piece:
            body.append(statement)
            body += [
                Statement(Code.STORE, (value,), (last, slots[value], False), -1)
                for value in defined(statement)
                if value in slots
            ]
        cut_pieces.append(Listing(arrays, listing.tables, tuple(body), listing.values))
    return tuple(cut_pieces), scratch


def length(listing: Listing) -> int:
    """How many statements count."""
    return sum(map(_counts, listing.statements))


def _counts(statement: Statement) -> bool:
    return statement.op not in LEAVES and statement.op != Code.STORE


def _borders(listing: Listing, limit: int) -> list[tuple[int, int]]:
    begin, size, borders = 0, 0, []
    for position, statement in enumerate(listing.statements):
        if _counts(statement):
            if size == limit:
                borders.append((begin, position))
                begin, size = position, 0
            size += 1
    return [*borders, (begin, len(listing.statements))]


def _without_idle(piece: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """A piece without constants, loads and conditions that only other pieces use."""
    kept, used = [], set[int]()
    for statement in reversed(piece):
        if statement.result in used or not _is_local(statement):
            kept.append(statement)
            used.update(statement.args)
    return tuple(reversed(kept))


def _is_local(statement: Statement) -> bool:
    return statement.op in LEAVES or statement.op in CONDITIONS


def _imports(piece: tuple[Statement, ...], maker: dict[int, Statement]) -> list[int]:
    """Values that a piece needs from outside, operands before their conditions, in order of first use."""
    here = {value for statement in piece for value in defined(statement)}
    needed: dict[int, None] = {}
    for statement in piece:
        for value in statement.args:
            if value in here or value in needed:
                continue
            if maker[value].op in CONDITIONS:
                needed.update(dict.fromkeys(arg for arg in maker[value].args if arg not in here))
            needed[value] = None
    return list(needed)


def _slots(pieces: list[tuple[Statement, ...]], imports: list[list[int]]) -> tuple[dict[int, int], int]:
    """A scratch slot for every value that crosses a border; a piece reads its imports before it writes any slot."""
    last_use = {value: number for number, needed in enumerate(imports) for value in needed}
    slots: dict[int, int] = {}
    free: list[int] = []
    count = 0
    for number, piece in enumerate(pieces):
        free += [slots[value] for value in imports[number] if value in slots and last_use[value] == number]
        for statement in piece:
            for value in defined(statement):
                if _is_local(statement) or last_use.get(value, -1) <= number:
                    continue
                if not free:
                    free.append(count)
                    count += 1
                slots[value] = free.pop()
    return slots, count
