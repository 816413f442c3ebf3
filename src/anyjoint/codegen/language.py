"""What the printers of scalar source text share: a language is a table of expressions and a few phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from anyjoint.codegen.ir import Code, Listing, Statement, defined
from anyjoint.codegen.kernel import Schedule, lane_array, loop_begins
from anyjoint.frozen import frozen
from anyjoint.symbolic.ops import CONDITIONS, Op


class Angle(NamedTuple):
    """An angle whose sine and cosine are wanted, as the sum of two operands."""

    sine: int
    x: str
    y: str

    @property
    def cosine(self) -> int:
        return self.sine + 1


@frozen
class Language:
    """How one language writes expressions ({a} {b} {c}: operands), definitions, literals, loads and table reads."""

    expressions: Mapping[int, str]
    define_real: str  # {r} result, {x} expression
    define_condition: str
    sincos: Callable[[Sequence[Angle]], tuple[Iterable[str], Mapping[int, str]]]  # of several; how values are called
    element: str  # {array} {offset}
    gather: str  # {table} {length} {a}
    literal: Callable[[float], str]


def body(listing: Listing, language: Language, first_table: int) -> Iterable[str]:
    """The statements of a listing; constants stand inside the expressions that use them."""
    named: dict[int, str] = {}  # values that are called otherwise than t and their number

    def operand(value: int) -> str:
        return named.get(value) or f"t{value}"

    for statement, angles in _with_angles(listing.statements):
        if angles:
            lines, names = language.sincos([Angle(s.result, *map(operand, s.args)) for s in angles])
            named.update(names)
            yield from lines
        elif statement.op == Op.CONST:
            named[statement.result] = language.literal(statement.data[0])
        elif statement.op == Code.STORE:
            array, offset, accumulate = statement.data
            place = language.element.format(array=array, offset=_offset(listing, array, offset))
            yield f"{place} {'+=' if accumulate else '='} {operand(statement.args[0])};"
        else:
            define = language.define_condition if statement.op in CONDITIONS else language.define_real
            parts = dict(zip("abc", map(operand, statement.args), strict=False))
            x = _expression(listing, language, first_table, statement, parts)
            yield define.format(r=statement.result, x=x)


def _with_angles(statements: Iterable[Statement]) -> Iterator[tuple[Statement, list[Statement]]]:
    """Statements one by one; sines and cosines that follow each other, and need none of each other, come together."""
    waiting: list[Statement] = []
    for statement in statements:
        needed = {value for one in waiting for value in defined(one)}
        if waiting and (statement.op != Code.SINCOS or not needed.isdisjoint(statement.args)):
            yield waiting[0], waiting
            waiting = []
        if statement.op == Code.SINCOS:
            waiting.append(statement)
        else:
            yield statement, []
    if waiting:
        yield waiting[0], waiting


def _expression(
    listing: Listing, language: Language, first_table: int, statement: Statement, names: dict[str, str]
) -> str:
    if statement.op == Code.LOAD:
        array, offset = statement.data[:2]
        return language.element.format(array=array, offset=_offset(listing, array, offset))
    if statement.op == Op.GATHER:
        table = statement.data[0]
        return language.gather.format(table=first_table + table, length=len(listing.tables[table]), **names)
    return language.expressions[statement.op].format(**names)


def _offset(listing: Listing, array: int, offset: int) -> str:
    """Where an element is: in wide arrays a step further on for each column."""
    of = listing.arrays[array]
    steps = "column" if of.step == 1 else f"{of.step} * column"
    return f"{offset} + {steps}" if of.wide else str(offset)


def calls(schedule: Schedule, argument: str, loop: str) -> Iterable[str]:
    """The runs of a schedule, in loops where some are repeated.

    `argument` is how an element {at} of the array {array} is handed on, `loop` is how the language begins one.
    """
    begins, work = loop_begins(schedule), lane_array(schedule.arrays)
    for i, run in enumerate(schedule.runs):
        places = (f"r{i}[{len(run.arrays)} * i + {j}]" for j in range(len(run.arrays)))
        actual = ", ".join(argument.format(array=x, at=at) for x, at in zip(run.arrays, places, strict=True))
        yield from ["do {"] * begins[i]
        yield f"for ({loop} i = 0; i < {run.times}; i++) k{run.kernel}({actual});"
        yield from [f"}} while (d{work}[{run.again.entry}] > 0);"] if run.again else ()


def in_columns(lines: Iterable[str], columns: int, loop: str) -> Iterable[str]:
    """The statements of a kernel, in a loop where it has several columns; `loop` is how the language begins one."""
    if columns == 1:
        yield from lines
        return
    yield f"for ({loop} column = 0; column < {columns}; column++) {{"
    yield from (f"  {line}" for line in lines)
    yield "}"
