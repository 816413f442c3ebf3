"""What the printers of scalar source text share: a language is a table of expressions and a few phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from anyjoint.codegen.ir import Code, Listing, Statement
from anyjoint.frozen import frozen
from anyjoint.symbolic.ops import CONDITIONS, Op


@frozen
class Language:
    """How one language writes expressions ({a} {b} {c}: operands), definitions, literals, loads and table reads."""

    expressions: Mapping[int, str]
    define_real: str  # {r} result, {x} expression
    define_condition: str
    sincos: str  # {r} sine, {r1} cosine, {a} {b} the argument's two parts
    element: str  # {array} {offset}
    gather: str  # {table} {length} {a}
    literal: Callable[[float], str]


def body(listing: Listing, language: Language, first_table: int) -> Iterable[str]:
    """The statements of a listing; constants stand inside the expressions that use them."""
    literal: dict[int, str] = {}

    def operand(value: int) -> str:
        return literal.get(value) or f"t{value}"

    for statement in listing.statements:
        if statement.op == Op.CONST:
            literal[statement.result] = language.literal(statement.data[0])
        elif statement.op == Code.STORE:
            array, offset, accumulate = statement.data
            place = language.element.format(array=array, offset=_offset(listing, array, offset))
            yield f"{place} {'+=' if accumulate else '='} {operand(statement.args[0])};"
        elif statement.op == Code.SINCOS:
            a, b = map(operand, statement.args)
            yield language.sincos.format(r=statement.result, r1=statement.result + 1, a=a, b=b)
        else:
            define = language.define_condition if statement.op in CONDITIONS else language.define_real
            names = dict(zip("abc", map(operand, statement.args), strict=False))
            x = _expression(listing, language, first_table, statement, names)
            yield define.format(r=statement.result, x=x)


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


def in_columns(lines: Iterable[str], columns: int, loop: str) -> Iterable[str]:
    """The statements of a kernel, in a loop where it has several columns; `loop` is how the language begins one."""
    if columns == 1:
        yield from lines
        return
    yield f"for ({loop} column = 0; column < {columns}; column++) {{"
    yield from (f"  {line}" for line in lines)
    yield "}"
