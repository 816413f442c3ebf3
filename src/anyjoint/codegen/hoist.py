"""Sines and cosines brought to the front, so that one state can compute those of several joints side by side."""

from __future__ import annotations

from dataclasses import replace

from anyjoint.codegen.ir import Code, Listing, Statement
from anyjoint.symbolic.ops import Op

_CHEAP = frozenset((Code.LOAD, Op.CONST, Op.ADD, Op.SUB, Op.MUL, Op.NEG))
ENOUGH = 2  # that many at once pay for bringing them together


def hoisted(listing: Listing) -> Listing:
    """The same listing with all sines and cosines of simple arguments first, one behind the other."""
    made_by = {statement.result: statement for statement in listing.statements if statement.op != Code.STORE}
    simple: dict[int, bool] = {}  # value -> computed from loads and constants by cheap operations alone
    for statement in listing.statements:
        if statement.op in _CHEAP:
            simple[statement.result] = all(simple.get(arg, False) for arg in statement.args)
    early = [s for s in listing.statements if s.op == Code.SINCOS and all(simple.get(arg, False) for arg in s.args)]
    if len(early) < ENOUGH:
        return listing
    front: dict[int, Statement] = {}
    for statement in early:
        for arg in statement.args:
            _with_operands(made_by[arg], made_by, front)
    moved = {*front, *(statement.result for statement in early)}
    rest = [s for s in listing.statements if s.op == Code.STORE or s.result not in moved]
    return replace(listing, statements=(*front.values(), *early, *rest))


def _with_operands(statement: Statement, made_by: dict[int, Statement], front: dict[int, Statement]) -> None:
    """Add a statement to the front, behind everything that it needs."""
    stack = [statement]
    while stack:
        top = stack[-1]
        missing = [arg for arg in top.args if arg not in front]
        if top.result in front or not missing:
            front.setdefault(top.result, top)
            stack.pop()
        else:
            stack += [made_by[arg] for arg in missing]
