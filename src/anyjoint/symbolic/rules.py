"""Simplification at construction: one function per operation that returns the id of the simplified node."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyjoint.errors import ExpressionError
from anyjoint.symbolic.arithmetic import SPECIAL, add, div, folded, mul, neg, power, refuse_conditions, sub
from anyjoint.symbolic.op import clamp_index
from anyjoint.symbolic.ops import ARITY, OPERATIONS, VALUES, Op

if TYPE_CHECKING:
    from anyjoint.symbolic.graph import Graph

_CONST, _ABS, _LT, _LE, _EQ = (int(x) for x in (Op.CONST, Op.ABS, Op.LT, Op.LE, Op.EQ))
_SELECT, _GATHER = int(Op.SELECT), int(Op.GATHER)

# Functions with f(-x) = -f(x) and with f(-x) = f(x).
_ODD = frozenset(int(x) for x in (Op.SIN, Op.TAN, Op.ASIN))
_EVEN = frozenset(int(x) for x in (Op.COS, Op.ABS))
_NEVER_NEGATIVE = frozenset(int(x) for x in (Op.ABS, Op.SQRT, Op.EXP))


def unary(g: "Graph", op: int, a: int) -> int:
    """A function of one operand."""
    oa = g.op[a]
    if SPECIAL[oa]:
        refuse_conditions(g, op, a)
        if oa == _CONST:
            return folded(g, op, a)
        if op in _ODD:
            return neg(g, unary(g, op, g.a[a]))
        if op in _EVEN:
            return unary(g, op, g.a[a])
    if op == _ABS and oa in _NEVER_NEGATIVE:
        return a
    return g.intern(op, a)


def binary(g: "Graph", op: int, a: int, b: int) -> int:
    """A function of two operands without rules of its own (atan2)."""
    refuse_conditions(g, op, a, b)
    if g.op[a] == _CONST and g.op[b] == _CONST:
        return folded(g, op, a, b)
    return g.intern(op, a, b)


def extremum(g: "Graph", op: int, a: int, b: int) -> int:
    """The smaller or the larger of two."""
    if a == b:
        return a
    return binary(g, op, min(a, b), max(a, b))


def compare(g: "Graph", op: int, a: int, b: int) -> int:
    """A condition; one between constants is decided only where a select uses it.

    A condition that was made a number, 1 or 0, and is asked for again is itself.
    """
    refuse_conditions(g, op, a, b)
    choice = op == _LT and g.op[b] == _SELECT and g.op[a] == g.op[g.b[b]] == g.op[g.c[b]] == _CONST
    if choice and g.value(g.c[b]) <= g.value(a) < g.value(g.b[b]):
        return g.a[b]
    if op == _EQ and a > b:
        a, b = b, a
    return g.intern(op, a, b)


def select(g: "Graph", condition: int, a: int, b: int) -> int:
    """a where the condition holds, else b."""
    op = g.op[condition]
    if op not in (_LT, _LE, _EQ):
        raise ExpressionError(
            f"select: the first argument is {OPERATIONS[op].printed!r}, a number; expected a condition such as x < y."
        )
    refuse_conditions(g, _SELECT, a, b)
    if a == b:
        return a
    left, right = g.a[condition], g.b[condition]
    if left == right:
        return b if op == _LT else a
    if g.op[left] == _CONST and g.op[right] == _CONST:
        return a if VALUES[op](g.value(left), g.value(right)) else b
    return g.intern(_SELECT, condition, a, b)


def gather(g: "Graph", index: int, table: int, _c: int = -1) -> int:
    """Entry of a constant table: the index is rounded down and clamped to the table."""
    refuse_conditions(g, _GATHER, index)
    values = g.tables[table]
    if min(values) == max(values):
        return g.constant_id(values[0])
    if g.op[index] == _CONST:
        return g.constant_id(values[clamp_index(g.value(index), len(values))])
    return g.intern(_GATHER, index, table)


def _of_unary(op: Op) -> Callable[["Graph", int, int, int], int]:
    return lambda g, a, _b, _c: unary(g, int(op), a)


def _of_pair(rule: Callable[["Graph", int, int, int], int], op: Op) -> Callable[["Graph", int, int, int], int]:
    return lambda g, a, b, _c: rule(g, int(op), a, b)


def _leaf(_g: "Graph", _a: int, _b: int, _c: int) -> int:
    raise ExpressionError("leaves are made by Graph.variable and Graph.constant, not by Graph.node.")


BUILD: dict[int, Callable[["Graph", int, int, int], int]] = {
    **{op: _of_unary(op) if ARITY[op] == 1 else _of_pair(binary, op) for op in Op},
    Op.CONST: _leaf,
    Op.VAR: _leaf,
    Op.ADD: add,
    Op.SUB: sub,
    Op.MUL: mul,
    Op.DIV: div,
    Op.NEG: neg,
    Op.POW: power,
    Op.MIN: _of_pair(extremum, Op.MIN),
    Op.MAX: _of_pair(extremum, Op.MAX),
    Op.LT: _of_pair(compare, Op.LT),
    Op.LE: _of_pair(compare, Op.LE),
    Op.EQ: _of_pair(compare, Op.EQ),
    Op.SELECT: select,
    Op.GATHER: gather,
}
