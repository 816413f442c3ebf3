"""Sines and cosines of one state computed side by side: the same numbers, whatever stands between them."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint.codegen.hoist import hoisted
from anyjoint.codegen.ir import Code, lower
from anyjoint.codegen.kernel import Array, Kernel, Store


def nested(x):
    """Sines of sums, of products, of sines, and of each other."""
    first = [aj.sin(x[k] + 0.5 * x[k - 1]) for k in range(len(x))]
    second = [aj.cos(s) * aj.sin(2 * x[0]) for s in first]
    return [*first, *second, aj.sin(aj.sin(aj.cos(x[1]))), aj.cos(x[2] / (2 + x[0] * x[0]))]


@pytest.mark.parametrize("n", [3, 8, 13])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_side_by_side_equals_numpy(n, dtype):
    x = aj.variables("x", n)
    f = aj.compile_function([x], nested(x), dtype=dtype)
    q = np.random.default_rng(n).uniform(-3, 3, (9, n))
    rows = np.array([f(row) for row in q])
    with np.errstate(all="ignore"):
        want = np.array([[float(np.asarray(y)) for y in nested(list(row))] for row in q])
    np.testing.assert_allclose(rows, want, atol=4e-15 if dtype == "float64" else 3e-6)
    np.testing.assert_array_equal(rows, f(q))


def test_huge_angles_do_not_disturb_their_neighbours():
    x = aj.variables("x", 6)
    f = aj.compile_function([x], [aj.sin(y) for y in x])
    q = np.array([0.3, 1e22, -2.0, np.inf, 1e7, 3.0])
    made = f(q)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(made, np.sin(q), rtol=4e-16, equal_nan=True)


def test_hoisting_moves_simple_ones_to_the_front():
    x = aj.variables("x", 4)
    graph = x[0].graph
    stores = tuple(Store(node, 1, k) for k, node in enumerate(nested(x)))
    loads = {node.id: (0, k) for k, node in enumerate(x)}
    program = lower(Kernel(graph, (Array("x", "row"), Array("y", "row")), loads, stores))
    moved = hoisted(program)
    assert sorted(map(str, moved.statements)) == sorted(map(str, program.statements))
    kinds = [s.op == Code.SINCOS for s in moved.statements]
    first = kinds.index(True)
    assert all(kinds[first : first + 6])  # four sums, one multiple, one plain
