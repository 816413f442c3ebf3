"""Rows of products a few at a time, term by term: what they have in common is loaded again for each few of them.

Loaded once for all rows, LLVM computes all rows at once and spills what does not fit, for up to 1.6 times the
instructions; one row at a time, it loads more than it multiplies. Sums of a few rows fill just the registers, and what
they are made of is needed for a moment only. A fence, which is no instruction, keeps loads behind it apart from those
before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from anyjoint.codegen.ir import LEAVES, Code, Listing, Statement

FENCE = Statement(Code.FENCE, (), (), -1)


def reloaded(listing: Listing, together: int) -> Listing:
    """Rows in turn, so many `together`, each with loads of its own; unchanged where rows share more than loads."""
    rows = _rows(listing)
    written = {s.data[0] for row in rows for s in row if s.op == Code.STORE}
    loads = {s.result: s for row in rows for s in row if s.op == Code.LOAD}
    if not _apart(rows) or not written.isdisjoint(s.data[0] for s in loads.values()):
        return listing
    uses = Counter(chain.from_iterable({value for s in row for value in s.args} for row in rows))
    shared = {value for value in loads if uses[value] > 1}
    statements: list[Statement] = []
    total = listing.values
    for begin in range(0, len(rows), together):
        fresh: dict[int, int] = {}  # shared by all rows -> loaded for these
        statements += [FENCE] if statements else []
        own = [[s for s in row if s.result not in shared] for row in rows[begin : begin + together]]
        for statement in _in_turn(own):
            for value in statement.args:
                if value in shared and value not in fresh:
                    fresh[value] = total
                    statements.append(loads[value]._replace(result=total))
                    total += 1
            statements.append(statement._replace(args=tuple(fresh.get(x, x) for x in statement.args)))
    return replace(listing, statements=tuple(statements), values=total) if shared else listing


def _rows(listing: Listing) -> list[list[Statement]]:
    """Statements up to and with the stores of each row."""
    rows: list[list[Statement]] = [[]]
    for statement in listing.statements:
        if statement.op != Code.STORE and rows[-1] and rows[-1][-1].op == Code.STORE:
            rows.append([])
        rows[-1].append(statement)
    return rows


def _in_turn(rows: Sequence[Sequence[Statement]]) -> Iterable[Statement]:
    """The first statement of each row, the second of each, ...; then what they store."""
    computed = ([s for s in row if s.op != Code.STORE] for row in rows)
    yield from (s for beside in zip_longest(*computed) for s in beside if s is not None)
    yield from (s for row in rows for s in row if s.op == Code.STORE)


def _apart(rows: list[list[Statement]]) -> bool:
    """Whether none computes with what another one has computed."""
    leaves = {s.result for row in rows for s in row if s.op in LEAVES}
    for row in rows:
        known = leaves | {s.result for s in row}
        if any(value not in known for s in row if s.op != Code.STORE for value in s.args):
            return False
    return True
