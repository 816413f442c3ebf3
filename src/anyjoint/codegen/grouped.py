"""Columns of a kernel taken together where lanes are states: what they store beside each other then goes to rows of the
caller's as whole vectors, after a transposition in registers, instead of number by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from anyjoint.codegen.ir import LEAVES, Code, Program, Statement
from anyjoint.codegen.target import Target

SIZES = (4, 2)  # columns that are taken together
FEW = 24  # operations for each number stored: with more, stores do not matter


def pays(program: Program) -> bool:
    """Whether columns are worth taking together."""
    rows = sum(s.op == Code.STORE and program.arrays[s.data[0]].kind == "row" for s in program.statements)
    return bool(sum(s.op not in LEAVES for s in program.statements) <= FEW * rows)


def shares(columns: int) -> Iterable[tuple[int, int, int]]:
    """(first column, columns taken together, how often) until none is left."""
    first = 0
    for size in (*SIZES, 1):
        count = (columns - first) // size
        if count:
            yield first, size, count
        first += size * count


def grouped(program: Program, count: int) -> Program:
    """A program of one column as that of several beside each other; what they have in common is loaded once."""
    values: list[dict[int, int]] = [{} for _ in range(count)]
    statements: list[Statement] = []
    total = 0
    for statement in program.statements:
        array = statement.data[0] if statement.op in (Code.LOAD, Code.STORE) else None
        moves = array is not None and program.arrays[array].wide
        shared = statement.op in LEAVES and not moves
        for column, own in enumerate(values):
            if shared and column:
                own[statement.result] = values[0][statement.result]
                continue
            data = (array, statement.data[1] + column, *statement.data[2:]) if moves else statement.data
            args = tuple(own[x] for x in statement.args)
            statements.append(Statement(statement.op, args, data, total))
            if statement.op != Code.STORE:
                own[statement.result] = total
                total += 1
    return replace(program, statements=tuple(statements), values=total)


def beside(statements: Sequence[Statement], begin: int, program: Program) -> int:
    """How many stores from one on go to places of a row beside each other, at once."""
    array, offset, accumulate = statements[begin].data
    if accumulate or program.arrays[array].kind != "row":
        return 1
    for size in SIZES:
        wanted = [(Code.STORE, (array, offset + k, False)) for k in range(size)]
        if [(s.op, s.data) for s in statements[begin : begin + size]] == wanted:
            return size
    return 1


def transposed(name: str, values: Sequence[str], target: Target) -> Iterable[str]:
    """Define %name_row<lane>, of each value what a lane has, for all lanes."""
    T, width = target.type, target.width
    for part in range(len(values) // 2):
        for odd in (0, 1):
            mask = ", ".join(f"i32 {k + odd}, i32 {width + k + odd}" for k in range(0, width, 2))
            pair = f"{T} {values[2 * part]}, {T} {values[2 * part + 1]}"
            yield f"%{name}p{part}{odd} = shufflevector {pair}, <{width} x i32> <{mask}>"
    for lane in range(width):
        odd, k = lane % 2, lane - lane % 2
        places = [k, k + 1, *((width + k, width + k + 1) if len(values) == 4 else ())]
        mask = ", ".join(f"i32 {x}" for x in places)
        other = f"%{name}p1{odd}" if len(values) == 4 else "poison"
        pair = f"{T} %{name}p0{odd}, {T} {other}"
        yield f"%{name}_row{lane} = shufflevector {pair}, <{len(places)} x i32> <{mask}>"
