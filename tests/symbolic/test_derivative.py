"""Every derivative equals 50-digit differences, whichever way it is computed."""

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest

from anyjoint.errors import AnyjointError, InputError
from anyjoint.scalar import derivative, jet
from anyjoint.symbolic.derivative import METHODS, hessian, jacobian, jvp, sparsity, time_derivative, vjp
from anyjoint.symbolic.graph import Graph
from anyjoint.symbolic.interpret import evaluate
from anyjoint.symbolic.node import Node, variables
from anyjoint.symbolic.partials import count_operations
from tests.symbolic.random_graph import RandomGraph, random_graph

TOLERANCE = mpmath.mpf("1e-12")
STEP = mpmath.mpf("1e-16")
ALL = (*METHODS, "auto")


def values(outputs: Any, x: Any, point: Any) -> list[Any]:
    """The outputs at a point, in 50 digits."""
    return evaluate(list(outputs), {v: mpmath.mpf(p) for v, p in zip(x, point, strict=True)})


def differences(case: RandomGraph, outputs: Any, j: int) -> list[Any]:
    """Central differences in 50 digits along coordinate j."""
    ends = []
    for sign in (1, -1):
        point = [mpmath.mpf(p) + (sign * STEP if k == j else 0) for k, p in enumerate(case.point)]
        ends.append(values(outputs, case.x, point))
    return [(a - b) / (2 * STEP) for a, b in zip(*ends, strict=True)]


def close(a: Any, b: Any) -> bool:
    """Equal to 1e-12 relative (absolute below one)."""
    return bool(abs(a - b) <= TOLERANCE * max(1, abs(b)))


def assert_equal(a: Any, b: Any) -> None:
    """All entries equal to 1e-12 relative."""
    for left, right in zip(a, b, strict=True):
        assert close(left, right), f"{mpmath.nstr(left, 20)} is not {mpmath.nstr(right, 20)}"


@pytest.mark.parametrize("block", range(10))
def test_every_method_equals_differences_on_random_graphs(block: int) -> None:
    with mpmath.workdps(50):
        for seed in range(block * 60, block * 60 + 60):
            case = random_graph(seed, n=1 + seed % 4, m=1 + seed // 4 % 4, size=10 + seed % 23)
            ways = [jacobian(case.outputs, case.x, method) for method in ALL]
            found = values([node for way in ways for node in way.flat], case.x, case.point)
            size = len(case.outputs) * len(case.x)
            columns = [differences(case, case.outputs, j) for j in range(len(case.x))]
            expected = [columns[j][i] for i in range(len(case.outputs)) for j in range(len(case.x))]
            for k in range(len(ways)):
                assert_equal(found[k * size : (k + 1) * size], expected)


@pytest.mark.parametrize("seed", range(40))
def test_products_rates_and_hessian_equal_differences(seed: int) -> None:
    case = random_graph(1000 + seed, n=3, m=2, size=18)
    direction, weights = [0.5, -1.25, 2.0], [1.5, -0.75]
    with mpmath.workdps(50):
        columns = [differences(case, case.outputs, j) for j in range(3)]
        along = [sum(columns[j][i] * direction[j] for j in range(3)) for i in range(2)]
        assert_equal(values(jvp(case.outputs, case.x, direction), case.x, case.point), along)
        assert_equal(values(time_derivative(case.outputs, case.x, direction), case.x, case.point), along)
        across = [sum(columns[j][i] * weights[i] for i in range(2)) for j in range(3)]
        assert_equal(values(vjp(case.outputs, case.x, weights), case.x, case.point), across)
        f = case.outputs[0]
        gradient = list(jacobian(f, case.x, "forward")[0])
        second = [differences(case, gradient, j) for j in range(3)]
        for method in ALL:
            h = hessian(f, case.x, method)
            assert all(h[i, j] == h[j, i] for i in range(3) for j in range(3))
            assert_equal(values(h.flat, case.x, case.point), [second[j][i] for i in range(3) for j in range(3)])


@pytest.mark.parametrize("seed", range(60))
def test_the_automatic_choice_is_the_cheapest_and_structure_covers_it(seed: int) -> None:
    case = random_graph(2000 + seed, n=4, m=4, size=40)
    cost = {}
    for method in ALL:
        j = jacobian(case.outputs, case.x, method)
        cost[method] = count_operations(case.x[0].graph, [node.id for node in (*case.outputs, *j.flat)])
        assert all(
            structural or entry.known == 0.0
            for structural, entry in zip(sparsity(case.outputs, case.x).flat, j.flat, strict=True)
        )
    assert cost["auto"] <= min(cost[method] for method in METHODS)


# Hostile and small cases


@pytest.mark.parametrize("method", ALL)
def test_outputs_may_be_variables_constants_repeated_or_without_x(method: str) -> None:
    g = Graph()
    x, y, z = (g.variable(name) for name in "xyz")
    f = x * y
    j = jacobian([x, f, f, 3.0, g.constant(2.0), z, f + x, x], [x, y], method)
    assert j.shape == (8, 2)
    got = np.array([[float(evaluate(e, {x: 2.0, y: 5.0, z: 7.0})) for e in row] for row in j])
    assert np.array_equal(got, [[1, 0], [5, 2], [5, 2], [0, 0], [0, 0], [0, 0], [6, 2], [1, 0]])
    assert j[3, 0].known == 0.0
    assert j[5, 1].known == 0.0


@pytest.mark.parametrize("method", ALL)
def test_shapes(method: str) -> None:
    x = variables("x", 2)
    assert jacobian(x[0] * x[1], x, method).shape == (1, 2)
    assert jacobian([[x[0], 1.0], [x[1], x[0]]], x, method).shape == (4, 2)
    assert jacobian(np.array([[x[0] * x[1]]]), x[0], method).shape == (1, 1)
    assert jacobian([], x, method).shape == (0, 2)
    assert jacobian([x[0]], [], method).shape == (1, 0)
    assert hessian(3.0, x, method).shape == (2, 2)


@pytest.mark.parametrize("method", ALL)
def test_the_side_not_taken_never_spoils_a_derivative(method: str) -> None:
    """sin(r)/r with r = sqrt(x^2 + y^2) guarded near zero: the guarded side is infinite there, the result is not."""
    x, y = variables("x", 2)
    square = x * x + y * y
    r = square.sqrt()
    f = (square < 1e-8).select(1.0 - square / 6.0, r.sin() / r)
    outputs = [f, f * f + x, f.exp() * y]
    j = jacobian(outputs, [x, y], method)
    h = hessian(f, [x, y], method)
    at_zero = evaluate([*j.flat, *h.flat, *vjp(outputs, [x, y], [1.0, 2.0, 3.0])], {x: 0.0, y: 0.0})
    assert at_zero == pytest.approx([0, 0, 1, 0, 0, math.e, -1 / 3, 0, 0, -1 / 3, 2, 3 * math.e], abs=1e-15)
    with mpmath.workdps(50):
        case = RandomGraph([x, y], [0.3, -0.4], outputs)
        columns = [differences(case, outputs, k) for k in range(2)]
        assert_equal(values(j.flat, [x, y], case.point), [columns[k][i] for i in range(3) for k in range(2)])


@pytest.mark.parametrize("method", ALL)
def test_nested_guards(method: str) -> None:
    x, y = variables("x", 2)
    inner = (x < 0.0).select(y * y, x.sqrt() * y)
    outer = (y < 0.0).select(inner * x, inner / y)
    j = jacobian([outer, inner.minimum(outer), inner], [x, y], method)
    found = evaluate(list(j.flat), {x: -0.5, y: 0.0})
    assert all(math.isfinite(value) for value in found[-2:])
    assert evaluate(list(j.flat), {x: -0.5, y: -2.0}) == pytest.approx([4, 2, 4, 2, 0, -4])


@pytest.mark.parametrize("method", ALL)
def test_steps_and_tables_are_flat(method: str) -> None:
    (x,) = variables("x", 1)
    f = x.floor() * x + x.gather([1.0, 4.0, 9.0]) * x * x
    assert float(evaluate(jacobian(f, [x], method)[0, 0], {x: 1.5})) == 1 + 4 * 3.0


def test_many_paths_do_not_multiply() -> None:
    """A chain of 200 diamonds has 2^200 paths and linear-size derivatives."""
    (x,) = variables("x", 1)
    f = x
    for _ in range(200):
        f = f.sin() * f.cos() + f
    for method in ALL:
        j = jacobian(f, [x], method)
        assert count_operations(x.graph, [f.id, j[0, 0].id]) < 3000
    ways = [jacobian(f, [x], method)[0, 0] for method in ALL]
    found = evaluate(ways, {x: 0.3})
    assert found == pytest.approx([found[0]] * len(ALL), rel=1e-10)


def test_large_graphs_are_differentiated_without_recursion() -> None:
    x = variables("x", 8)
    f = list(x)
    for k in range(4000):
        f[k % 8] = f[k % 8] * f[(k + 3) % 8] * 0.5 + f[(k + 1) % 8].sin()
    j = jacobian(sum(f), x)
    assert j.shape == (1, 8)
    assert jvp(f, x, np.ones(8)).shape == (8,)


# The scalar layer's hooks


def test_derivative_at_an_expression_sees_only_the_argument() -> None:
    (x,) = variables("x", 1)
    at = x * x
    slope = derivative(lambda s: [s * x, [s.sin(), 3.0]], at)
    found = evaluate([slope[0], *slope[1]], {x: 0.5})
    assert found == pytest.approx([0.5, math.cos(0.25), 0.0], rel=1e-15)


def test_derivatives_nest() -> None:
    (x,) = variables("x", 1)
    third = derivative(lambda a: derivative(lambda b: derivative(lambda c: c.sin() * a * b, b), a), x)
    f = lambda t: derivative(lambda a: derivative(lambda b: derivative(lambda c: _sin(c) * a * b, b), a), t)  # noqa: E731
    assert evaluate(third, {x: 0.7}) == pytest.approx(f(0.7), rel=1e-14)


def _sin(x: Any) -> Any:
    return x.sin() if hasattr(x, "sin") else math.sin(x)


def test_jet_on_nodes_equals_jet_on_floats() -> None:
    q = variables("q", 2)
    v = variables("v", 2, graph=q[0].graph)

    def f(q: Any) -> list[Any]:
        return [_sin(q[0]) * q[1] * q[1], q[0] / q[1], 2.0, q[1]]

    point = {q[0]: 0.4, q[1]: 1.5, v[0]: -0.3, v[1]: 2.0}
    value, first, second = jet(f, [*q], [*v])
    expected = jet(f, [0.4, 1.5], [-0.3, 2.0])
    for got, want in zip((value, *first, second), (expected[0], *expected[1], expected[2]), strict=True):
        assert [float(evaluate(node, point)) for node in got] == pytest.approx(list(want), rel=1e-14)


def test_jet_mixes_nodes_and_numbers() -> None:
    (v,) = variables("v", 1)
    value, first, second = jet(lambda q: [q[0] * q[0] * q[1]], [2.0, 3.0], [v, 0.0])
    assert [float(evaluate(e, {v: 5.0})) for e in (value[0], first[0][0], first[1][0], second[0])] == [12, 12, 4, 150]


# Errors


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: jacobian(x[0], x, "magic"), "magic"),
        (lambda x: jacobian(x[0], [x[0] * 2]), "variable is expected"),
        (lambda x: jacobian(x[0], [1.5]), "variable is expected"),
        (lambda x: jacobian(x[0], [x[0], x[0]]), "twice"),
        (lambda x: jacobian(["spam"], x), "spam"),
        (lambda x: hessian(x, x), "one expression"),
        (lambda x: jvp(x, x, [1.0]), "1 direction"),
        (lambda x: vjp(x, x, [1.0, 2.0, 3.0]), "3 weights"),
        (lambda x: time_derivative(x, x, []), "0 rates"),
    ],
)
def test_mistakes_are_explained(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(variables("x", 2))


def test_two_graphs_are_refused() -> None:
    with pytest.raises(AnyjointError, match="graph"):
        jacobian(variables("x", 1), variables("y", 1))


def test_the_same_graph_gives_the_same_derivative_every_time() -> None:
    def ids() -> list[int]:
        case = random_graph(7, n=4, m=5, size=60)
        return [node.id for method in ALL for node in jacobian(case.outputs, case.x, method).flat]

    assert all(ids() == again for again in itertools.repeat(ids(), 2))
    assert isinstance(jacobian(*_pair())[0, 0], Node)


def _pair() -> tuple[Any, Any]:
    x = variables("x", 1)
    return x[0].exp(), x
