"""Evaluation of expressions one node at a time: the slow oracle for everything that is compiled.

Works on floats, NumPy arrays (elementwise) and mpmath numbers: the values of the variables decide.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from anyjoint.errors import ExpressionError
from anyjoint.scalar import Scalar
from anyjoint.scalar.differentiate import Nested

from .graph import Graph
from .node import Node
from .op import clamp_index
from .ops import ARITY, OPERATIONS, Op
from .rewrite import flatten, reachable

Rules = Mapping[int, Callable[..., Scalar]]

_CONST, _VAR, _GATHER = int(Op.CONST), int(Op.VAR), int(Op.GATHER)


def evaluate(outputs: Nested, values: Mapping[Any, Any]) -> Nested:
    """The values of `outputs` (a node or nested sequences of nodes) for variables given as {node or id: value}."""
    flat, rebuild = flatten(outputs)
    nodes = [x for x in flat if isinstance(x, Node)]
    if not nodes:
        return outputs
    g = nodes[0].graph
    known = {(key.id if isinstance(key, Node) else int(key)): value for key, value in values.items()}
    computed = evaluate_ids(g, [x.id for x in nodes], known)
    return rebuild([computed[x.id] if isinstance(x, Node) else x for x in flat])


def evaluate_ids(g: Graph, outputs: Iterable[int], values: Mapping[int, Scalar]) -> dict[int, Scalar]:
    """The values of all nodes below `outputs`, by id; `values` may fix any node, not only variables."""
    rules, convert, lookup = _flavour(values.values())
    result: dict[int, Scalar] = {}
    operands = (g.a, g.b, g.c)
    with np.errstate(all="ignore"):
        for i in reachable(g, outputs, values):
            op = g.op[i]
            if i in values:
                result[i] = values[i]
            elif op == _CONST:
                result[i] = convert(g.value(i))
            elif op == _VAR:
                raise _missing(g, i)
            elif op == _GATHER:
                result[i] = lookup(g.tables[g.b[i]], result[g.a[i]])
            else:
                result[i] = rules[op](*[result[operands[k][i]] for k in range(ARITY[op])])
    return result


def _missing(g: Graph, i: int) -> ExpressionError:
    return ExpressionError(
        f"evaluate: variable {g.variables[g.a[i]].name!r} (node {i}) has no value; "
        "expected one for every variable that the outputs depend on."
    )


def _flavour(
    values: Iterable[Scalar],
) -> tuple[Rules, Callable[[float], Scalar], Callable[[tuple[float, ...], Scalar], Scalar]]:
    """Rules, constant conversion and table look-up for the kind of number that the values are."""
    for x in values:
        if isinstance(x, np.ndarray):
            return _ARRAY_RULES, float, _gather_array
        if type(x).__module__.startswith("mpmath"):
            return _mpmath_rules(x.context), x.context.mpf, _gather_scalar
        if isinstance(x, complex):
            return _ARRAY_RULES, float, _gather_scalar
    return FLOAT_RULES, float, _gather_scalar


def _gather_scalar(table: tuple[float, ...], index: Scalar) -> float:
    return table[clamp_index(float(index.real), len(table))]


def _gather_array(table: tuple[float, ...], index: Scalar) -> Any:
    entry = np.clip(np.nan_to_num(np.floor(np.real(index))), 0, len(table) - 1).astype(int)
    return np.asarray(table)[entry]


def _quiet(rule: Callable[..., Scalar], numpy_rule: Callable[..., Scalar]) -> Callable[..., Scalar]:
    """A float rule that gives what compiled code gives (NaN, infinity) where Python's math module raises."""

    def safe(*operands: Scalar) -> Scalar:
        try:
            return rule(*operands)
        except (ValueError, ZeroDivisionError, OverflowError):
            return float(numpy_rule(*(np.float64(x) for x in operands)))

    return safe


_ARRAY_RULES: Rules = {op: of.array for op, of in OPERATIONS.items() if of.array}
FLOAT_RULES: Rules = {op: _quiet(of.value, of.array) for op, of in OPERATIONS.items() if of.value and of.array}


def _mpmath_rules(mp: Any) -> Rules:
    """Rules on mpmath numbers of the context `mp`, at its precision."""
    exact = {op: getattr(mp, of.exact) if of.exact else of.value for op, of in OPERATIONS.items() if of.value}
    return {**exact, Op.REM: lambda a, b: mp.sign(a) * (abs(a) - abs(b) * mp.floor(abs(a) / abs(b)))}
