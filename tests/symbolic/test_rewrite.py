"""substitute, import_into and coefficient against evaluation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyjoint.errors import ExpressionError
from anyjoint.symbolic import Graph, Op, select, variables
from anyjoint.symbolic.interpret import evaluate
from anyjoint.symbolic.rewrite import coefficient, dependencies, flatten, import_into, reachable, substitute

NUMBERS = st.floats(-2.0, 2.0, allow_nan=False)


def test_flatten_restores_shape() -> None:
    x = variables("x", 4)
    outputs = [x[0], (x[1], [x[2]]), x[2:].reshape(2, 1), 3.0]
    flat, rebuild = flatten(outputs)
    assert len(flat) == 6
    back = rebuild(flat)
    assert back[:2] == [x[0], (x[1], [x[2]])]
    assert back[2].shape == (2, 1)


def test_reachable_and_dependencies() -> None:
    x = variables("x", 3)
    y = np.sin(x[0]) * x[2]
    _ = x[1] + 1.0
    assert reachable(y.graph, [y.id]) == sorted({x[0].id, x[2].id, np.sin(x[0]).id, y.id})
    assert dependencies([y, 2.0]) == [x[0], x[2]]
    assert dependencies(1.0) == []


@given(NUMBERS, NUMBERS, NUMBERS)
def test_substitute_is_evaluation_elsewhere(a: float, b: float, c: float) -> None:
    x, y, z = variables("x", 3)
    f = [x * y + np.cos(x + z), select(x < z, x, y), (3.0 * x).gather([1.0, 2.0, 5.0])]
    g = substitute(f, {x: y * z + 1.0})
    expected = evaluate(f, {x: b * c + 1.0, y: b, z: c})
    assert evaluate(g, {x: a, y: b, z: c}) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_substitute_all_at_once() -> None:
    x, y = variables("x", 2)
    assert substitute([x - 2 * y, x], {x: y, y: x}) == [y - 2 * x, y]
    assert substitute(x * y + x, {x: 0.0}) == x.graph.constant(0.0)
    assert substitute(np.sin(x + y) * 2.0, {x + y: x}) == np.sin(x) * 2.0
    assert substitute(x, {}) == x
    with pytest.raises(ExpressionError, match="graph"):
        substitute(x, {x: variables("z", 1)[0]})


def test_substitute_may_decide_a_select() -> None:
    """The branch that is not taken may be undefined there."""
    x = variables("x", 1)[0]
    assert float(substitute(select(x > 0.0, 1.0 / x, 7.0), {x: 0.0})) == 7.0


def test_import_into() -> None:
    x, y = variables("x", 2, domain=(0.5, 1.5))
    f = [np.sqrt(x * y) + 0.5, x.gather([1.0, 2.0, 3.0]), np.minimum(x, y)]
    g = Graph()
    u = g.variable("u")
    copies = import_into(g, f, {x: u * u})
    inputs = dependencies(copies)
    assert [g.variables[g.a[v.id]].name for v in inputs] == ["u", "x[1]"]
    assert g.variables[1].domain == (0.5, 1.5)
    assert evaluate(copies, {inputs[0]: 1.2, inputs[1]: 0.7}) == evaluate(f, {x: 1.2 * 1.2, y: 0.7})
    with pytest.raises(ExpressionError, match="does not belong"):
        import_into(g, f, {u: u})
    with pytest.raises(ExpressionError, match="another graph"):
        import_into(g, f, {x: x})


@given(st.lists(st.sampled_from(["add", "sub", "mul", "div", "neg", "twice", "from"]), max_size=10), NUMBERS)
def test_coefficient_of_linear_expressions(steps: list[str], point: float) -> None:
    """f = coefficient * x + (f at x = 0), for anything built linearly from x. [GL Algorithm 1]"""
    x, y = variables("x", 2)
    factor = 1.5 + np.sin(y)
    build = {
        "add": lambda f: f + np.cos(y),
        "sub": lambda f: f - factor * x,
        "mul": lambda f: factor * f,
        "div": lambda f: f / factor,
        "neg": lambda f: -f,
        "twice": lambda f: f + y * f,
        "from": lambda f: 3.0 - f,
    }
    f = x
    for step in steps:
        f = build[step](f)
    c, rest = coefficient(f, x), substitute(f, {x: 0.0})
    assert x not in dependencies([c, rest])
    values = {x: 0.7, y: point}
    expected = evaluate(f, values)
    assert evaluate(c * x + rest, values) == pytest.approx(expected, rel=1e-10, abs=1e-10 * (1 + abs(expected)))


def test_coefficient_of_a_mass_matrix() -> None:
    """M and c of a small system come apart as in the Lagrangian paper. [GL eq. 14]"""
    q, qdd = variables("q", 2), variables("a", 2)
    g = q[0].graph
    qdd = variables("a", 2, graph=g)
    f = [(2 + np.cos(q[1])) * qdd[0] + qdd[1] * np.sin(q[0]) - q[0], np.sin(q[0]) * qdd[0] + 3 * qdd[1]]
    mass = [[coefficient(row, a) for a in qdd] for row in f]
    assert mass == [[2 + np.cos(q[1]), np.sin(q[0])], [np.sin(q[0]), g.constant(3.0)]]
    assert substitute(f, {qdd[0]: 0.0, qdd[1]: 0.0}) == [-q[0], g.constant(0.0)]


def test_coefficient_of_absent_node() -> None:
    x, y = variables("x", 2)
    assert coefficient(np.sin(y), x) == x.graph.constant(0.0)
    assert coefficient(x, x) == x.graph.constant(1.0)
    assert coefficient(x * y * 2.0, x * y) == x.graph.constant(2.0)


def test_coefficient_errors() -> None:
    x, y = variables("x", 2)
    for f, where in ((np.sin(x) * y, "sin"), (x * (x + y), "product"), (y / x, "denominator"), (abs(x), "abs")):
        with pytest.raises(ExpressionError, match=where):
            coefficient(f, x)


def test_long_chains_do_not_recurse() -> None:
    x, y = variables("x", 2)
    f = x
    for _ in range(20_000):
        f = f * 0.5 + y
    assert f.op == Op.ADD
    assert coefficient(f, x).op == Op.CONST
    assert substitute(f, {y: 0.0}).graph is x.graph
