"""Every operation alone, in every back end, against 40-digit arithmetic; and completeness of the tables."""

import mpmath
import numpy as np
import pytest

from anyjoint.codegen import llvm
from anyjoint.codegen.ir import LEAVES, SIGNATURES, Code
from anyjoint.symbolic import Graph, Op, equal, ops, select, variables
from codegen import support

PRINTED_BY_HAND = {*LEAVES, Op.VAR, Op.SIN, Op.COS, Op.GATHER, Code.STORE}
TABLE = (0.5, -1.25, 3.0, 7.75)

# name: (expression of nodes, the same of mpmath numbers, sampler of two numbers)
WIDE = lambda rng: rng.normal(size=2) * 10.0 ** rng.integers(-8, 8, 2)  # noqa: E731
UNIT = lambda rng: rng.uniform(-1, 1, 2)  # noqa: E731
POSITIVE = lambda rng: 10.0 ** rng.uniform(-8, 8, 2)  # noqa: E731
POWERS = lambda rng: np.array([10.0 ** rng.uniform(-3, 3), rng.uniform(-8, 8)])  # noqa: E731
SMALL = lambda rng: rng.normal(size=2) * 20  # noqa: E731
OPERATIONS = {
    "add": (lambda x, y: x + y, lambda x, y: x + y, WIDE),
    "sub": (lambda x, y: x - y, lambda x, y: x - y, WIDE),
    "mul": (lambda x, y: x * y, lambda x, y: x * y, WIDE),
    "div": (lambda x, y: x / y, lambda x, y: x / y, WIDE),
    "neg": (lambda x, y: -x, lambda x, y: -x, WIDE),
    "sqrt": (lambda x, y: x.sqrt(), lambda x, y: mpmath.sqrt(x), POSITIVE),
    "sin": (lambda x, y: x.sin(), lambda x, y: mpmath.sin(x), SMALL),
    "cos": (lambda x, y: x.cos(), lambda x, y: mpmath.cos(x), SMALL),
    "tan": (lambda x, y: x.tan(), lambda x, y: mpmath.tan(x), SMALL),
    "asin": (lambda x, y: x.arcsin(), lambda x, y: mpmath.asin(x), UNIT),
    "acos": (lambda x, y: x.arccos(), lambda x, y: mpmath.acos(x), UNIT),
    "atan2": (lambda x, y: x.arctan2(y), mpmath.atan2, WIDE),
    "exp": (lambda x, y: x.exp(), lambda x, y: mpmath.exp(x), SMALL),
    "log": (lambda x, y: x.log(), lambda x, y: mpmath.log(x), POSITIVE),
    "pow": (lambda x, y: x**y, mpmath.power, POWERS),
    "abs": (lambda x, y: abs(x), lambda x, y: abs(x), WIDE),
    "min": (lambda x, y: x.minimum(y), min, WIDE),
    "max": (lambda x, y: x.maximum(y), max, WIDE),
    "rem": (lambda x, y: x.fmod(y), lambda x, y: mpmath.sign(x) * (abs(x) % abs(y)), SMALL),
    "floor": (lambda x, y: x.floor(), lambda x, y: mpmath.floor(x), WIDE),
    "lt": (lambda x, y: select(x < y, x, 2 * y), lambda x, y: x if x < y else 2 * y, WIDE),
    "le": (lambda x, y: select(x <= y, x, 2 * y), lambda x, y: x if x <= y else 2 * y, WIDE),
    "eq": (lambda x, y: select(equal(x, x + 0 * y), x, 2 * y), lambda x, y: x, WIDE),
    "gather": (
        lambda x, y: (x * 4).gather(TABLE),
        lambda x, y: mpmath.mpf(TABLE[max(0, min(3, int(mpmath.floor(x * 4))))]),
        UNIT,
    ),
}


def table_of_points(name, count=64):
    rng = np.random.default_rng(7)
    return np.array([OPERATIONS[name][2](rng) for _ in range(count)])


@pytest.fixture(scope="module")
def everything():
    """All operations at once: variables, outputs, points and exact values, one column pair per operation."""
    graph = Graph()
    names = list(OPERATIONS)
    x = variables("x", 2 * len(names), graph=graph)
    outputs = [OPERATIONS[name][0](x[2 * i], x[2 * i + 1]) for i, name in enumerate(names)]
    points = np.concatenate([table_of_points(name) for name in names], axis=1)
    with mpmath.workdps(40):
        exact = [
            [OPERATIONS[name][1](mpmath.mpf(row[2 * i]), mpmath.mpf(row[2 * i + 1])) for i, name in enumerate(names)]
            for row in points
        ]
    return names, x, outputs, points, exact


def assert_within_two_ulps(names, values, exact):
    worst = {
        name: max(support.ulps(float(row[i]), exact_row[i]) for row, exact_row in zip(values, exact, strict=True))
        for i, name in enumerate(names)
    }
    assert {name: error for name, error in worst.items() if error > 2} == {}


@pytest.mark.parametrize("contract", [True, False])
def test_scalar_machine_code_is_within_two_ulps(everything, contract):
    names, x, outputs, points, exact = everything
    assert_within_two_ulps(names, support.rows_by_llvm(x, outputs, points, contract=contract), exact)


@pytest.mark.parametrize("width", sorted({1, 2, support.WIDTH, 2 * support.WIDTH}))
def test_vector_machine_code_is_within_two_ulps(everything, width):
    names, x, outputs, points, exact = everything
    assert_within_two_ulps(names, support.rows_by_vector(x, outputs, points, width=width), exact)


def test_c_is_within_two_ulps(everything, tmp_path):
    names, x, outputs, points, exact = everything
    assert_within_two_ulps(names, support.rows_by_c(x, outputs, points, tmp_path), exact)


def test_javascript_is_within_two_ulps(everything, tmp_path):
    names, x, outputs, points, exact = everything
    assert_within_two_ulps(names, support.rows_by_javascript(x, outputs, points, tmp_path), exact)


@pytest.mark.parametrize("contract", [True, False])
def test_single_precision_agrees_with_double(everything, contract):
    _, x, outputs, points, _ = everything
    narrow = points.astype(np.float32)
    reference = support.rows_by_llvm(x, outputs, narrow.astype(np.float64))
    for values in (
        support.rows_by_llvm(x, outputs, narrow, dtype="float32", contract=contract),
        support.rows_by_vector(x, outputs, narrow, dtype="float32", contract=contract),
    ):
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, reference, rtol=5e-7, atol=1e-37)


def test_scalar_and_vector_code_give_the_same_bits(everything):
    _, x, outputs, points, _ = everything
    one, many = support.rows_by_llvm(x, outputs, points), support.rows_by_vector(x, outputs, points)
    assert one.tobytes() == many.tobytes()


def test_special_values_of_extrema_gather_and_comparison(tmp_path):
    x = variables("x", 1)
    outputs = [x[0].gather(TABLE), x[0].minimum(1.0), x[0].maximum(1.0), select(x[0] < 0, 1.0, 2.0), x[0].floor()]
    points = np.array([[np.nan], [np.inf], [-np.inf], [-0.0], [3.999], [4.0], [1e300]])
    with np.errstate(invalid="ignore"):
        column = points[:, 0]
        entries = np.array([0, 3, 0, 0, 3, 3, 3])
        want = np.stack(
            [
                np.array(TABLE)[entries],
                np.where(column < 1, column, 1.0),
                np.where(column < 1, 1.0, column),
                np.where(column < 0, 1.0, 2.0),
                np.floor(column),
            ],
            axis=1,
        )
    # Which operand comes first decides what an extremum of NaN is; it must be the same everywhere.
    got = support.rows_by_llvm(x, outputs, points)
    np.testing.assert_array_equal(got[1:], want[1:])
    np.testing.assert_array_equal(got[0, [0, 3, 4]], want[0, [0, 3, 4]])
    for other in (
        support.rows_by_vector(x, outputs, points),
        support.rows_by_c(x, outputs, points, tmp_path),
        support.rows_by_javascript(x, outputs, points, tmp_path),
    ):
        np.testing.assert_array_equal(other, got)


def test_every_table_knows_every_operation():
    assert set(SIGNATURES) == {*Op, *Code}
    assert set(llvm.TEXT) == set(SIGNATURES) - PRINTED_BY_HAND
    for op, of in ops.OPERATIONS.items():
        assert bool(of.c) == bool(of.javascript) == bool(of.llvm) == (op not in PRINTED_BY_HAND)


def test_numbers_of_operations_fit_into_the_keys_of_nodes():
    """Another one would have the keys of nodes of an operation that is there: different expressions would be one."""
    assert max(Op) < 32
