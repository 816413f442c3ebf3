"""Sine and cosine: accuracy over the whole range, also next to multiples of pi/2, and beyond it."""

import math

import mpmath
import numpy as np
import pytest

from anyjoint.codegen import sincos
from anyjoint.symbolic import variables
from codegen import support


def hard_points():
    """Small and large arguments, the doubles next to multiples of pi/2, and results just below a power of two."""
    rng = np.random.default_rng(3)
    with mpmath.workdps(40):
        near = [float(mpmath.pi / 2 * int(k)) for k in rng.integers(-636_000, 636_000, 400)]
        near += [float(mpmath.pi / 2 * k) for k in range(-8, 9)]
        edges = [
            float(mpmath.pi / 2 * int(k) + 0.5 + 0.024 * i / 200) for i, k in enumerate(rng.integers(-9000, 9000, 200))
        ]
    spread = [*rng.uniform(-1e6, 1e6, 400), *rng.uniform(-4, 4, 600), *(10.0 ** rng.uniform(-300, 6, 100))]
    return np.array([*near, *edges, *spread, 0.0, 1e6, -1e6, 5e-324])[:, None]


@pytest.fixture(scope="module")
def exact():
    with mpmath.workdps(60):
        return [(mpmath.sin(x), mpmath.cos(x)) for (x,) in hard_points().tolist()]


def worst(values, exact):
    return max(
        support.ulps(float(v), e)
        for row, pair in zip(values, exact, strict=True)
        for v, e in zip(row, pair, strict=True)
    )


def test_the_algorithm_on_floats_is_within_one_and_a_half_ulps(exact):
    assert worst([sincos.sincos(x) for (x,) in hard_points().tolist()], exact) <= 1.5


@pytest.mark.parametrize("contract", [True, False])
def test_machine_code_is_within_one_and_a_half_ulps(exact, contract):
    x = variables("x", 1)
    outputs = [x[0].sin(), x[0].cos()]
    assert worst(support.rows_by_llvm(x, outputs, hard_points(), contract=contract), exact) <= 1.5
    assert worst(support.rows_by_vector(x, outputs, hard_points(), contract=contract), exact) <= 1.5


def test_c_and_javascript_are_within_one_and_a_half_ulps(exact, tmp_path):
    x = variables("x", 1)
    outputs = [x[0].sin(), x[0].cos()]
    assert worst(support.rows_by_c(x, outputs, hard_points(), tmp_path), exact) <= 1.5
    assert worst(support.rows_by_javascript(x, outputs, hard_points(), tmp_path), exact) <= 1.5


def test_c_survives_fast_mathematics(exact, tmp_path):
    x = variables("x", 1)
    points = hard_points()
    ordinary = np.abs(points[:, 0]) > 1e-300  # such flags also flush the smallest numbers to zero
    values = support.rows_by_c(x, [x[0].sin(), x[0].cos()], points, tmp_path, flags=("-O3", "-ffast-math"))
    assert np.abs(values - np.array([[float(s), float(c)] for s, c in exact]))[ordinary].max() < 5e-16


def test_huge_and_special_arguments_are_answered_by_the_library(tmp_path):
    x = variables("x", 1)
    points = np.array([[1e22], [-1e22], [1.0000001e6], [1e300], [np.inf], [-np.inf], [np.nan], [0.5], [-0.0]])
    with np.errstate(invalid="ignore"):
        want = np.concatenate([np.sin(points), np.cos(points)], axis=1)
    outputs = [x[0].sin(), x[0].cos()]
    for values in (
        support.rows_by_llvm(x, outputs, points),
        support.rows_by_vector(x, outputs, points),
        support.rows_by_c(x, outputs, points, tmp_path),
        support.rows_by_javascript(x, outputs, points, tmp_path),
    ):
        np.testing.assert_allclose(values, want, rtol=5e-16)


def test_a_lane_does_not_notice_a_huge_neighbour():
    x = variables("x", 1)
    points = np.random.default_rng(0).normal(size=(64, 1))
    alone = support.rows_by_vector(x, [x[0].sin(), x[0].cos()], points)
    points[::3] = 1e30
    mixed = support.rows_by_vector(x, [x[0].sin(), x[0].cos()], points)
    keep = np.arange(64) % 3 != 0
    assert mixed[keep].tobytes() == alone[keep].tobytes()


def test_single_precision_is_within_one_and_a_half_ulps():
    x = variables("x", 1)
    points = np.random.default_rng(1).uniform(-1e5, 1e5, (4000, 1)).astype(np.float32)
    points[:2000] /= 1e4
    for contract in (True, False):
        values = support.rows_by_vector(x, [x[0].sin(), x[0].cos()], points, dtype="float32", contract=contract)
        wide = points.astype(np.float64)
        exact = np.concatenate([np.sin(wide), np.cos(wide)], axis=1)
        unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
        assert (np.abs(values - exact) / unit).max() <= 1.5


def test_the_polynomials_are_minimax_to_a_tenth_of_an_ulp():
    with mpmath.workdps(40):
        for i in range(1, 400):
            r = mpmath.pi / 4 * i / 400
            z = r * r
            sine = r + r * z * mpmath.polyval(sincos.SIN_DOUBLE, z, asc=True)
            cosine = 1 + z * (-0.5 + z * mpmath.polyval(sincos.COS_DOUBLE, z, asc=True))
            assert abs(sine / mpmath.sin(r) - 1) < 1e-17
            assert abs(cosine / mpmath.cos(r) - 1) < 1e-17


def test_the_parts_of_half_pi_add_up():
    with mpmath.workdps(60):
        for parts, digits in (
            (sincos.HALF_PI_FMA_DOUBLE, 47),
            (sincos.HALF_PI_PLAIN, 46),
            (sincos.HALF_PI_FMA_SINGLE, 21),
        ):
            assert abs(sum(map(mpmath.mpf, parts)) - mpmath.pi / 2) < mpmath.mpf(10) ** -digits
    for part in sincos.HALF_PI_PLAIN[:3]:
        mantissa, _ = math.frexp(part)
        assert (mantissa * 2**33).is_integer()  # so that its product with 20 bits of k is exact
