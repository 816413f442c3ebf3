"""Printed expressions mean what they say, stay linear in size, and survive hostile names."""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anyjoint.symbolic import Graph, Node, select, variables
from anyjoint.symbolic.interpret import evaluate
from anyjoint.symbolic.printing import to_dot, to_latex, to_text

HOSTILE = '"; system("rm") \n*/ \\ } ${x}'


def test_text_of_simple_expressions() -> None:
    g = Graph()
    x, y = g.variable("x"), g.variable("y")
    assert to_text(x * y + 1.0) == "1 + x * y"
    assert to_text((x + y) * 2.0) == "2 * (x + y)"
    assert to_text(x - (y - 0.25)) == "x - (y - 0.25)"
    assert to_text(-(x + y)) == "-(x + y)"
    assert to_text(x / (x * y)) == "x / (x * y)"
    assert to_text(select(x < y, np.sqrt(x), 0.0)) == "select(x < y, sqrt(x), 0)"
    assert to_text(x.gather([1.0, 2.0])) == "gather(table0, x)"
    assert repr(np.sin(x)) == "sin(x)"


def test_shared_parts_are_named() -> None:
    x = variables("x", 1)[0]
    s = np.sin(x)
    assert to_text([s * s, s + 1.0, 2.0]) == "t0 = sin(x[0])\nout[0] = t0 * t0\nout[1] = 1 + t0\nout[2] = 2.0"


FUNCTIONS = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "abs": abs,
    "min": min,
    "max": max,
    "atan2": math.atan2,
    "select": lambda c, a, b: a if c else b,
}
BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def _value(tree: ast.expr, scope: dict[str, float]) -> Any:
    """The value of a parsed line, read as Python reads it."""
    match tree:
        case ast.Constant(value=number):
            return number
        case ast.Name(id=name):
            return scope[name]
        case ast.BinOp(left=a, op=sign, right=b):
            return BINARY[type(sign)](_value(a, scope), _value(b, scope))
        case ast.UnaryOp(operand=a):
            return -_value(a, scope)
        case ast.Compare(left=a, comparators=[b]):
            return _value(a, scope) < _value(b, scope)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_value(a, scope) for a in arguments))  # type: ignore[operator]
    raise AssertionError(ast.dump(tree))


def _run(text: str, scope: dict[str, float]) -> float:
    """The value of the last printed line."""
    value = math.nan
    for statement in ast.parse(text).body:
        assert isinstance(statement, ast.Assign)
        value = _value(statement.value, scope)
        if isinstance(statement.targets[0], ast.Name):
            scope[statement.targets[0].id] = value
    return value


BUILDERS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: b - a * 0.5,
    lambda a, b: np.sin(a) * np.cos(b),
    lambda a, b: a / (1.5 + np.cos(b)),
    lambda a, b: -a,
    lambda a, b: select(a < b, a, b * 0.5),
    lambda a, b: np.sqrt(abs(a)),
    lambda a, b: np.arctan2(a, b - 0.3),
    lambda a, b: np.minimum(a, b) - np.maximum(a, 0.1),
]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=40))
def test_printed_text_has_the_value(steps: list[tuple[int, int, int]]) -> None:
    g = Graph()
    x, y = g.variable("x"), g.variable("y")
    pool: list[Node] = [x, y]
    for kind, i, j in steps:
        a, b = pool[i % len(pool)], pool[j % len(pool)]
        pool.append(BUILDERS[kind](a, b))
    values = {x: 0.7, y: -1.3}
    assert _run(to_text([pool[-1]]), {"x": 0.7, "y": -1.3}) == evaluate(pool[-1], values)


def test_size_is_linear() -> None:
    x, y = variables("x", 2)
    sizes = []
    for n in (500, 1000):
        f = x
        for _ in range(n):
            f = np.sin(f) * f + y
        sizes.append([len(printer([f])) for printer in (to_text, to_latex, to_dot)])
    assert all(large < 2.3 * small for small, large in zip(*sizes, strict=True))


def test_long_chains_do_not_recurse() -> None:
    f = variables("x", 1)[0]
    for _ in range(20_000):
        f = np.sin(f) + 1.0
    assert max(len(line) for line in to_text(f).splitlines()) < 200
    assert repr(f).startswith("<+ node")


def test_hostile_names_stay_inside() -> None:
    h = variables(HOSTILE, 1)[0]
    text = to_text([abs(h)])
    assert len(text.splitlines()) == 1
    dot = to_dot(h)
    label = re.search(r'n\d+ \[label="((?:[^"\\]|\\.)*)"\];', dot)
    assert label
    assert len(dot.splitlines()) == 5
    latex = to_latex(h)
    assert len(latex.splitlines()) == 3
    body = latex.splitlines()[1].replace("\\{", "").replace("\\}", "")
    assert body.count("{") == body.count("}")
    assert "$" not in body.replace("\\$", "")


def test_latex() -> None:
    g = Graph()
    x, theta = g.variable("q[3]"), g.variable("theta")
    lines = to_latex([np.sqrt(x) / theta, (x + 1.0) * 1e-9, x**2.5, select(x < theta, abs(x), np.exp(x))]).splitlines()
    assert lines[1] == r"y_{0} &= \frac{\sqrt{q_{3}}}{\theta} \\"
    assert lines[2] == r"y_{1} &= 1 \cdot 10^{-9} \, \left(1 + q_{3}\right) \\"
    assert lines[3] == r"y_{2} &= {q_{3}}^{2.5} \\"
    assert r"\begin{cases} \left|q_{3}\right| & q_{3} < \theta" in lines[4]


def test_dot_has_every_edge() -> None:
    x, y = variables("x", 2)
    f = x * y + x
    dot = to_dot([f])
    assert dot.count("->") == 2 + 2 + 1
    assert to_dot([1.0]).startswith("digraph")
