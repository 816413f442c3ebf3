"""The interpreter agrees with itself on floats, arrays, complex and many-digit numbers."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anyjoint.errors import ExpressionError
from anyjoint.symbolic import Graph, Node, select, variables
from anyjoint.symbolic.interpret import evaluate, evaluate_ids


def everything(x: Node, y: Node) -> list[Node]:
    """An expression for every operation, defined for x, y in (0.1, 0.9)."""
    pairs = [x + y, x - y, x * y, x / y, np.arctan2(x, y), x**y, np.minimum(x, y), np.maximum(x, y)]
    singles = [-x, np.sqrt(x), np.sin(x), np.cos(x), np.tan(x), np.arcsin(x), np.arccos(x), np.exp(x), np.log(x)]
    branches = [abs(x - 0.5), np.floor(9.0 * x), select(x < y, x, 2 * y), select(x <= 0.5, x, y)]
    return [*pairs, *singles, *branches, (5.0 * x).gather([1.0, 4.0, 9.0, 16.0])]


@settings(max_examples=40)
@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_floats_arrays_and_mpmath_agree(a: float, b: float) -> None:
    assume(all(abs(k * a - round(k * a)) > 1e-9 for k in (5.0, 9.0)))  # where floor jumps
    x, y = variables("x", 2)
    nodes = everything(x, y)
    floats = evaluate(nodes, {x: a, y: b})
    arrays = evaluate(nodes, {x: np.array([a, 0.5]), y: np.array([b, 0.25])})
    with mpmath.workdps(40):
        exact = evaluate(nodes, {x: mpmath.mpf(a), y: mpmath.mpf(b)})
        assert [float(v) for v in exact] == pytest.approx(floats, rel=1e-14, abs=1e-15)
    assert [v[0] for v in arrays] == pytest.approx(floats, rel=1e-14)


def test_complex_step() -> None:
    """Each operation is analytic in the interpreter: an imaginary step gives the derivative."""
    x, y = variables("x", 2)
    nodes = everything(x, y)
    a, b, h = 0.37, 0.61, 1e-30
    steps = evaluate(nodes, {x: complex(a, h), y: complex(b, 0.0)})
    for node, step in zip(nodes, steps, strict=True):
        low, high = (evaluate(node, {x: mpmath.mpf(a) + s * mpmath.mpf(1e-7), y: mpmath.mpf(b)}) for s in (-1, 1))
        assert np.imag(step) / h == pytest.approx(float((high - low) / 2e-7), rel=1e-6, abs=1e-6), node


def test_shapes_come_back() -> None:
    x = variables("x", 2)
    point = {x[0]: 2.0, x[1]: 3.0}
    assert evaluate(x[0], point) == 2.0
    assert evaluate([x[0], (x[1], 1.5)], point) == [2.0, (3.0, 1.5)]
    matrix = evaluate(np.outer(x, x), point)
    assert matrix.dtype == float
    assert matrix.tolist() == [[4.0, 6.0], [6.0, 9.0]]
    assert evaluate(x[0] + x[1], {x[0].id: 1.0, x[1].id: 2.0}) == 3.0
    assert evaluate(4.0, {}) == 4.0


def test_undefined_values_are_what_compiled_code_gives() -> None:
    x = variables("x", 1)[0]
    assert math.isnan(evaluate(np.sqrt(x), {x: -1.0}))
    assert evaluate(1 / x, {x: 0.0}) == math.inf
    assert evaluate(np.log(x), {x: 0.0}) == -math.inf
    assert evaluate(np.exp(x), {x: 1000.0}) == math.inf
    assert np.isnan(evaluate(np.sqrt(x), {x: np.array([-1.0, 4.0])})).tolist() == [True, False]


def test_inner_values_can_be_fixed() -> None:
    g = Graph()
    x = g.variable("x")
    s = np.sin(x)
    assert evaluate_ids(g, [(s * 2.0).id], {s.id: 5.0})[(s * 2.0).id] == 10.0


def test_missing_value() -> None:
    x = variables("angle", 1)[0]
    with pytest.raises(ExpressionError, match=r"angle\[0\]"):
        evaluate(x + 1.0, {})
