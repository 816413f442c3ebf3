"""Functions in Python as formulas: they are run on expressions, and what they compute is written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from anyjoint.errors import AnyjointError, InputError
from anyjoint.joints.function import function_name
from anyjoint.scalar import Scalar, definition
from anyjoint.symbolic import Graph, Node, Op
from anyjoint.symbolic.ops import CONDITIONS, OPERATIONS, TIGHTEST
from anyjoint.symbolic.rewrite import reachable

from .expression import FUNCTIONS, Expression
from .where import Where

POWER = TIGHTEST - 1  # how tightly a power holds together
LONG = 400  # characters; what is longer gets a name
WORDS = {Op.LT: "less", Op.LE: "at_most", Op.REM: "fmod", Op.POW: "^"}
Piece = tuple[str, int]  # a text, and how tightly it holds together
REMEDY = "write it as formulas (docs: Files), or keep the mechanism as a .py file"


def traced(
    function: Any, names: Sequence[str], call: Callable[[list[Scalar]], Sequence[Scalar]]
) -> tuple[list[Expression], Where]:
    """The formulas of what `call` makes of expressions with these names; what they cannot say is refused."""
    graph = Graph()
    try:
        found = call([graph.variable(name) for name in names])
        return _written(graph, found, set(names))
    except AnyjointError as error:
        reason = str(error)
    except Exception as error:  # a function in Python may raise anything
        reason = f"{type(error).__name__}: {error}"
    place = definition(function)
    where = f" ({place})" if place else ""
    raise InputError(
        f"the function {function_name(function)!r}{where} is Python code that formulas cannot say: {reason}; {REMEDY}"
    )


def _written(graph: Graph, found: Sequence[Scalar], taken: set[str]) -> tuple[list[Expression], Where]:
    """Formulas of these scalars; what is used more than once, and what is long, gets a name.

    Brackets keep the order of operations, so that numbers are the same to the last bit.
    """
    nodes = [x.id for x in found if isinstance(x, Node)]
    order = reachable(graph, nodes)
    uses = Counter(x for i in order for x in graph.operands(i))
    values, tables = list[tuple[str, Expression]](), dict[str, tuple[float, ...]]()
    fresh, done = _fresh(taken), dict[int, Piece]()
    for i in order:
        if graph.op[i] == Op.GATHER:
            table = next((x for x in tables if tables[x] == graph.tables[graph.b[i]]), None) or next(fresh)
            tables[table] = graph.tables[graph.b[i]]
            done[i] = f"gather({table}, {done[graph.a[i]][0]})", TIGHTEST
        else:
            done[i] = _piece(graph, i, [done[x] for x in graph.operands(i)])
        named = uses[i] > 1 and graph.op[i] not in (Op.CONST, Op.VAR)
        if graph.op[i] not in CONDITIONS and (named or len(done[i][0]) > LONG):
            name = next(fresh)
            values.append((name, Expression(done[i][0])))
            done[i] = name, TIGHTEST
    texts = [done[x.id][0] if isinstance(x, Node) else repr(float(x)) for x in found]
    return [Expression(text) for text in texts], Where(tuple(values), tuple(tables.items()))


def _fresh(taken: set[str]) -> Iterator[str]:
    """Names that mean nothing yet."""
    return (name for k in count(1) if (name := f"w{k}") not in taken)


def _piece(graph: Graph, i: int, operands: list[Piece]) -> Piece:
    op = Op(graph.op[i])
    sign, level = WORDS.get(op, OPERATIONS[op].printed), OPERATIONS[op].binding
    if op == Op.CONST:
        value = graph.value(i)
        return repr(float(value)), TIGHTEST if value >= 0 else OPERATIONS[Op.NEG].binding
    if op == Op.VAR:
        return graph.variables[graph.a[i]].name, TIGHTEST
    if op == Op.NEG:
        return f"-{_held(operands[0], POWER)}", level
    if op == Op.POW:
        return f"{_held(operands[0], TIGHTEST)}^{_held(operands[1], TIGHTEST)}", POWER
    if op in (Op.ADD, Op.SUB, Op.MUL, Op.DIV):
        return f"{_held(operands[0], level)} {sign} {_held(operands[1], level + 1)}", level
    if sign not in FUNCTIONS:
        raise InputError(f"formulas have no {sign!r}")
    return f"{sign}({', '.join(text for text, _ in operands)})", TIGHTEST


def _held(piece: Piece, at_least: int) -> str:
    return piece[0] if piece[1] >= at_least else f"({piece[0]})"
