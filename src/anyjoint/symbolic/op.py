"""The operations of the expression graph."""

from enum import IntEnum


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


def clamp_index(index: float, length: int) -> int:
    """The table entry that a real-valued index means: rounded down and clamped to the table (NaN means the first)."""
    if not index > 0.0:
        return 0
    return length - 1 if index >= length else int(index)
