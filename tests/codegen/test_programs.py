"""Random programs of all operations: within their rounding-error bound, and bit-identical to the interpreter."""

import mpmath
import numpy as np
import pytest

from anyjoint.codegen import compile_function, sincos
from anyjoint.symbolic import Graph, Op, interpret, variables
from anyjoint.symbolic.interpret import evaluate
from codegen import programs, rounding, support

SEEDS = range(12)


def merged(seeds, operations):
    """Several random programs as one function (one compilation instead of many): variables, outputs."""
    graph = Graph()
    x = variables("x", 6, graph=graph, domain=(-1.0, 1.0))
    return x, [node for seed in seeds for node in programs.random_outputs(seed, x, operations)]


@pytest.fixture
def same_sine(monkeypatch):
    """The interpreter with our sine and cosine in place of the C library's."""
    monkeypatch.setitem(interpret.FLOAT_RULES, Op.SIN, lambda a: sincos.sincos(a)[0])
    monkeypatch.setitem(interpret.FLOAT_RULES, Op.COS, lambda a: sincos.sincos(a)[1])


def test_programs_stay_within_their_rounding_error_bound(tmp_path):
    x, outputs = merged(SEEDS, 40)
    points = programs.random_points(1, 9)
    results = [
        support.rows_by_llvm(x, outputs, points),
        support.rows_by_vector(x, outputs, points),
        support.rows_by_llvm(x, outputs, points, contract=False),
        support.rows_by_c(x, outputs, points, tmp_path),
        support.rows_by_c(x, outputs, points, tmp_path, flags=("-O3", "-march=native", "-ffp-contract=fast")),
        support.rows_by_javascript(x, outputs, points, tmp_path),
    ]
    for i, point in enumerate(points):
        exact, bound = rounding.bounds(outputs, x, point)
        for result in results:
            for value, target, limit in zip(result[i], exact, bound, strict=True):
                assert abs(mpmath.mpf(float(value)) - target) <= limit


def test_without_contraction_programs_equal_the_interpreter_bit_for_bit(same_sine, tmp_path):
    x, outputs = merged(SEEDS, 60)
    points = programs.random_points(2, 17)
    want = np.array([evaluate(outputs, dict(zip(x, map(float, row), strict=True))) for row in points], dtype=float)
    assert programs.same_bits(support.rows_by_llvm(x, outputs, points, contract=False), want)
    for width in (2, support.WIDTH, 2 * support.WIDTH):
        assert programs.same_bits(support.rows_by_vector(x, outputs, points, contract=False, width=width), want)
    assert programs.same_bits(support.rows_by_c(x, outputs, points, tmp_path), want)


def test_a_state_gets_the_same_bits_wherever_it_stands_in_a_batch():
    x, outputs = merged(SEEDS, 60)
    f = compile_function([x], outputs)
    points = programs.random_points(3, 4 * support.WIDTH + 3)
    whole = f(points)
    for begin in range(3):
        for end in (begin + 1, begin + support.WIDTH + 1, len(points)):
            assert f(points[begin:end]).tobytes() == whole[begin:end].tobytes()
    assert np.array([f(point) for point in points]).tobytes() == whole.tobytes()


@pytest.mark.slow
def test_long_programs_cut_into_pieces_give_the_same_bits(same_sine, tmp_path):
    x, outputs = merged(range(180), 60)  # beyond what stays one function
    f = compile_function([x], outputs, contract=False)
    assert f.source("c").count("void ") > 4  # every piece is a function, and there is the whole one
    points = programs.random_points(4, support.WIDTH + 1)
    want = np.array([evaluate(outputs, dict(zip(x, map(float, row), strict=True))) for row in points], dtype=float)
    assert programs.same_bits(f(points), want)
    assert programs.same_bits([f(row) for row in points], want)
    assert programs.same_bits(support.rows_by_c(x, outputs, points, tmp_path, flags=("-O1", "-ffp-contract=off")), want)
    np.testing.assert_allclose(support.rows_by_javascript(x, outputs, points, tmp_path), want, rtol=1e-11, atol=1e-13)
