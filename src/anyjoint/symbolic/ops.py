"""The operations of the expression graph, and what is known about each as tables keyed by operation."""

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any


class Op(IntEnum):
    """One operation. CONST, VAR and GATHER carry an index into a list of the graph, the rest only operands."""

    CONST = 0
    VAR = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    NEG = 6
    SQRT = 7
    SIN = 8
    COS = 9
    TAN = 10
    ASIN = 11
    ACOS = 12
    ATAN2 = 13
    EXP = 14
    LOG = 15
    POW = 16
    ABS = 17
    MIN = 18
    MAX = 19
    FLOOR = 20
    LT = 21
    LE = 22
    EQ = 23
    SELECT = 24
    GATHER = 25
    REM = 26


# How many operands are nodes. GATHER has one (the index); its second slot names a table.
ARITY: dict[Op, int] = {
    Op.CONST: 0,
    Op.VAR: 0,
    Op.ADD: 2,
    Op.SUB: 2,
    Op.MUL: 2,
    Op.DIV: 2,
    Op.NEG: 1,
    Op.SQRT: 1,
    Op.SIN: 1,
    Op.COS: 1,
    Op.TAN: 1,
    Op.ASIN: 1,
    Op.ACOS: 1,
    Op.ATAN2: 2,
    Op.EXP: 1,
    Op.LOG: 1,
    Op.POW: 2,
    Op.ABS: 1,
    Op.MIN: 2,
    Op.MAX: 2,
    Op.FLOOR: 1,
    Op.LT: 2,
    Op.LE: 2,
    Op.EQ: 2,
    Op.SELECT: 3,
    Op.GATHER: 1,
    Op.REM: 2,
}

COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ})
CONDITIONS = frozenset({Op.LT, Op.LE, Op.EQ})

# The name that text printing and error messages use; infix operations print as their sign.
PRINTED: dict[Op, str] = {
    Op.CONST: "constant",
    Op.VAR: "variable",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.DIV: "/",
    Op.NEG: "-",
    Op.SQRT: "sqrt",
    Op.SIN: "sin",
    Op.COS: "cos",
    Op.TAN: "tan",
    Op.ASIN: "asin",
    Op.ACOS: "acos",
    Op.ATAN2: "atan2",
    Op.EXP: "exp",
    Op.LOG: "log",
    Op.POW: "pow",
    Op.ABS: "abs",
    Op.MIN: "min",
    Op.MAX: "max",
    Op.FLOOR: "floor",
    Op.LT: "<",
    Op.LE: "<=",
    Op.EQ: "==",
    Op.SELECT: "select",
    Op.GATHER: "gather",
    Op.REM: "rem",
}


def clamp_index(index: float, length: int) -> int:
    """The table entry that a real-valued index means: rounded down and clamped to the table (NaN means the first)."""
    if not index > 0.0:
        return 0
    return length - 1 if index >= length else int(index)


# The value of an operation on floats; leaves and GATHER need the graph and are evaluated there.
FLOAT_RULES: dict[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b,
    Op.NEG: lambda a: -a,
    Op.SQRT: math.sqrt,
    Op.SIN: math.sin,
    Op.COS: math.cos,
    Op.TAN: math.tan,
    Op.ASIN: math.asin,
    Op.ACOS: math.acos,
    Op.ATAN2: math.atan2,
    Op.EXP: math.exp,
    Op.LOG: math.log,
    Op.POW: math.pow,
    Op.ABS: abs,
    Op.MIN: lambda a, b: a if a < b else b,
    Op.MAX: lambda a, b: b if a < b else a,
    Op.FLOOR: lambda a: float(math.floor(a)),
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.EQ: lambda a, b: a == b,
    Op.SELECT: lambda condition, a, b: a if condition else b,
    Op.REM: math.fmod,
}
