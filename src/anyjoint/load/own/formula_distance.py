"""A signed distance written as a formula of x, y and z, and plain functions of a point turned into such formulas."""

from __future__ import annotations

from dataclasses import dataclass

from anyjoint.errors import InputError
from anyjoint.geometry.distances import Distance
from anyjoint.geometry.distances.distance import FunctionDistance
from anyjoint.options import nearest
from anyjoint.scalar import Scalar
from anyjoint.spatial import Vector, vector
from anyjoint.symbolic import Graph, Node, Op
from anyjoint.symbolic.ops import OPERATIONS, TIGHTEST
from anyjoint.symbolic.rewrite import reachable

from .expression import CONSTANTS, FUNCTIONS, LONGEST, Expression
from .formula_joint import Named

POINT = ("x", "y", "z")
POWER = TIGHTEST - 1  # how tightly a power holds together
Piece = tuple[str, int]  # a text, and how tightly it holds together


@dataclass(frozen=True)
class FormulaDistance(Distance):
    """The value of a formula at a point; `numbers` are what it calls by name beside x, y and z."""

    formula: Expression
    numbers: tuple[Named, ...] = ()

    def __post_init__(self) -> None:
        given = {number.name for number in self.numbers}
        for name in sorted(given):
            if name in CONSTANTS or name in FUNCTIONS or name in POINT:
                raise InputError(f"{name!r} means something in formulas of a point already; choose another name")
        known = [*POINT, *sorted(given)]
        for name in sorted(self.formula.names() - set(known)):
            raise InputError(f"a point has no {name!r}, and there is no such parameter{nearest(name, known)}")

    def __call__(self, p: Vector) -> Scalar:
        own = {number.name: number.value for number in self.numbers}
        return self.formula.value({**own, **dict(zip(POINT, p, strict=True))})


def formula_of(distance: FunctionDistance) -> FormulaDistance:
    """The formula that a plain function computes; what formulas cannot say is refused."""
    graph = Graph()
    found = distance(vector(*(graph.variable(name) for name in POINT)))
    try:
        return FormulaDistance(Expression(_text(graph, found) if isinstance(found, Node) else repr(float(found))))
    except InputError as error:
        raise InputError(f"the {distance.name} cannot be saved, since {error}; write it as a formula") from None


def _text(graph: Graph, node: Node) -> str:
    """A node as one formula; in brackets such that it is computed in the same order, to the last bit."""
    done: dict[int, Piece] = {}
    for i in reachable(graph, [node.id]):
        done[i] = _piece(graph, i, [done[x] for x in graph.operands(i)])
        if len(done[i][0]) > LONGEST:
            raise InputError(f"as a formula it has more than {LONGEST} characters")
    return done[node.id][0]


def _piece(graph: Graph, i: int, operands: list[Piece]) -> Piece:
    op = Op(graph.op[i])
    sign, level = OPERATIONS[op].printed, OPERATIONS[op].binding
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
