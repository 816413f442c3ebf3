"""NumPy's functions on nodes that are not in an array of their own: np.sin(x), np.float64(2) * x, np.minimum(x, y)."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anyjoint.scalar import Scalar

from .node import Node


def call(ufunc: Any, inputs: tuple[Scalar, ...]) -> Scalar:
    """The result of a universal function of which at least one input is a node."""
    if any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
        function = np.frompyfunc(PAIR_RULES[ufunc], 2, 1) if ufunc in PAIR_RULES else ufunc
        return function(*(_cell(x) if type(x) is Node else np.asarray(x, dtype=object) for x in inputs))
    plain = [x.item() if isinstance(x, np.generic | np.ndarray) else x for x in inputs]
    rule = PAIR_RULES.get(ufunc) or OPERATORS.get(ufunc)
    return rule(*plain) if rule else ufunc(*(_cell(x) if type(x) is Node else x for x in plain))


def _cell(node: Node) -> np.ndarray[Any, np.dtype[Any]]:
    """A node as an array without axes: NumPy then runs its object loop instead of asking the node again."""
    cell = np.empty((), dtype=object)
    cell[()] = node
    return cell


def _lifted(method: Callable[[Node, Scalar], Node]) -> Callable[[Scalar, Scalar], Scalar]:
    """A method of nodes as a function of two scalars of which either may be a number."""

    def rule(a: Scalar, b: Scalar) -> Scalar:
        if type(a) is Node:
            return method(a, b)
        return method(b.graph.constant(a), b) if type(b) is Node else method(a, b)

    return rule


# What NumPy's object loops would do by comparing (minimum) or only for a node on the left (arctan2).
PAIR_RULES: dict[Any, Callable[[Scalar, Scalar], Scalar]] = {
    np.arctan2: _lifted(Node.arctan2),
    np.hypot: _lifted(Node.hypot),
    np.minimum: _lifted(Node.minimum),
    np.maximum: _lifted(Node.maximum),
    np.fmod: _lifted(Node.fmod),
    np.fmin: _lifted(Node.minimum),
    np.fmax: _lifted(Node.maximum),
}

OPERATORS: dict[Any, Callable[..., Scalar]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.power: operator.pow,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.absolute: operator.abs,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.sqrt: Node.sqrt,
    np.sin: Node.sin,
    np.cos: Node.cos,
    np.tan: Node.tan,
    np.exp: Node.exp,
    np.log: Node.log,
    np.arcsin: Node.arcsin,
    np.arccos: Node.arccos,
    np.arctan: Node.arctan,
    np.floor: Node.floor,
    np.square: Node.square,
}
