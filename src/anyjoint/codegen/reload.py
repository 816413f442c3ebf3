"""Rows of products one after the other: what they have in common is loaded again for each of them.

Sums of one row fill few registers, and what they are made of can stay in memory until it is multiplied. Loaded once for
all rows, LLVM computes all rows at once and spills what does not fit, for 1.6 times the instructions. A fence, which is
no instruction, keeps loads behind it apart from those before.
"""

from __future__ import annotations

from dataclasses import replace

from anyjoint.codegen.ir import LEAVES, Code, Listing, Statement

FENCE = Statement(Code.FENCE, (), (), -1)


def reloaded(listing: Listing) -> Listing:
    """Loads repeated behind the stores of each row; unchanged where rows share more than what they load."""
    rows = _rows(listing)
    written = {s.data[0] for row in rows for s in row if s.op == Code.STORE}
    loads = {s.result: s for row in rows for s in row if s.op == Code.LOAD}
    if not _apart(rows) or not written.isdisjoint(s.data[0] for s in loads.values()):
        return listing
    statements: list[Statement] = []
    total = listing.values
    for row in rows:
        fresh: dict[int, int] = {}  # loaded before -> loaded for this row
        statements += [FENCE] if statements else []
        own = {s.result for s in row}
        for statement in row:
            for value in statement.args:
                if value in loads and value not in own and value not in fresh:
                    fresh[value] = total
                    statements.append(loads[value]._replace(result=total))
                    total += 1
            statements.append(statement._replace(args=tuple(fresh.get(x, x) for x in statement.args)))
    return replace(listing, statements=tuple(statements), values=total) if total > listing.values else listing


def _rows(listing: Listing) -> list[list[Statement]]:
    """Statements up to and with the stores of each row."""
    rows: list[list[Statement]] = [[]]
    for statement in listing.statements:
        if statement.op != Code.STORE and rows[-1] and rows[-1][-1].op == Code.STORE:
            rows.append([])
        rows[-1].append(statement)
    return rows


def _apart(rows: list[list[Statement]]) -> bool:
    """Whether none computes with what another one has computed."""
    leaves = {s.result for row in rows for s in row if s.op in LEAVES}
    for row in rows:
        known = leaves | {s.result for s in row}
        if any(value not in known for s in row if s.op != Code.STORE for value in s.args):
            return False
    return True
