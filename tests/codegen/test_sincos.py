"""Sine and cosine: accuracy over the whole range, also next to multiples of pi/2, and beyond it."""

import ctypes
import math

import mpmath
import numpy as np
import pytest

from anyjoint.codegen import Array, CompiledSchedule, Kernel, Run, Schedule, Store, compile_function, sincos
from anyjoint.codegen.ir import lower
from anyjoint.scalar import sincos_of_sum
from anyjoint.symbolic import Graph, Op, variables
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


COUNT = 11  # more than are computed side by side


def shifted(dtype="float64", contract=True):
    """Sines and cosines of COUNT coordinates, each with a parameter added."""
    g = Graph()
    x, y = ([g.variable(name) for _ in range(COUNT)] for name in "xy")
    arrays = (Array("x", "row"), Array("y", "uniform"), Array("out", "row"))
    loads = {node.id: (array, k) for array, nodes in enumerate((x, y)) for k, node in enumerate(nodes)}
    angles = [b + a if k % 2 else a + b for k, (a, b) in enumerate(zip(x, y, strict=True))]
    stores = [
        Store(f, 2, 2 * k + j) for k, angle in enumerate(angles) for j, f in enumerate((angle.sin(), angle.cos()))
    ]
    kernel = Kernel(g, arrays, loads, tuple(stores))
    run = Run.over(0, *((i, (0,)) for i in range(3)))
    return CompiledSchedule(Schedule(arrays, (kernel,), (run,)), dtype=dtype, contract=contract)


def shifted_by(way, x, y, tmp_path):
    """Rows of results by one back end."""
    out = np.empty((len(x), 2 * COUNT))
    if way == "floats":
        return np.array([[f for pair in zip(row, y, strict=True) for f in sincos_of_sum(*pair)] for row in x.tolist()])
    if way == "plain":
        return np.array([[f for pair in zip(row, y, strict=True) for f in sincos.sincos(*pair)] for row in x.tolist()])
    compiled = shifted(contract=way != "unfused")
    if way in ("batch", "unfused"):
        compiled(x, y, out)
    elif way == "single":
        for row, result in zip(x, out, strict=True):
            compiled(row, y, result)
    elif way == "c":
        run = support.c_function(compiled.source("c"), "run", tmp_path)
        for row, result in zip(x, out, strict=True):
            run(*(ctypes.c_void_p(a.ctypes.data) for a in (row, y, result)))
    else:
        out[...] = support.javascript_rows(compiled.source("js"), "run", x, [y], 2 * COUNT, tmp_path)
    return out


@pytest.mark.parametrize("way", ["floats", "plain", "single", "batch", "unfused", "c", "javascript"])
def test_a_parameter_added_to_a_huge_angle_costs_no_digits(way, tmp_path):
    rng = np.random.default_rng(5)
    sizes = np.array([0.1, 1.0, 3.0, 1e2, 1e5, 999_999.0, 1_000_001.0, 1e8, 1e12, 1e15])
    x = sizes[:, None] * rng.choice([-1, 1], (len(sizes), COUNT)) * rng.uniform(0.5, 1, (len(sizes), COUNT))
    x[:, 0] = sizes
    y = rng.uniform(-np.pi, np.pi, COUNT)
    y[:4] = np.pi / 2, -np.pi, 1e-9, 0.0
    with mpmath.workdps(40):
        angles = [mpmath.mpf(a) + mpmath.mpf(b) for row in x.tolist() for a, b in zip(row, y.tolist(), strict=True)]
        want = np.array([float(f(a)) for a in angles for f in (mpmath.sin, mpmath.cos)]).reshape(len(sizes), -1)
    # The sum of numbers up to pi is rounded at 4e-16, whichever way it is taken.
    assert np.abs(shifted_by(way, x, y, tmp_path) - want).max() < 8e-16


def test_sums_that_are_angles_only_are_not_computed_apart():
    program = lower(shifted().schedule.kernels[0])
    assert Op.ADD not in [statement.op for statement in program.statements]
    assert shifted().op_count().add == COUNT


def test_a_sum_that_is_also_wanted_itself_is_computed_too():
    g = Graph()
    x, y = g.variable("x"), g.variable("y")
    arrays = (Array("x", "row"), Array("y", "uniform"), Array("out", "row"))
    kernel = Kernel(g, arrays, {x.id: (0, 0), y.id: (1, 0)}, (Store((x + y).sin(), 2, 0), Store(x + y, 2, 1)))
    compiled = CompiledSchedule(Schedule(arrays, (kernel,), (Run.over(0, (0, (0,)), (1, (0,)), (2, (0,))),)))
    out = np.empty(2)
    compiled(np.array([0.25]), np.array([0.5]), out)
    assert out.tolist() == pytest.approx([math.sin(0.75), 0.75], rel=1e-15)


def test_single_precision_adds_a_parameter_without_loss(tmp_path):
    rng = np.random.default_rng(6)
    x = rng.uniform(-3e3, 3e3, (50, COUNT)).astype(np.float32)
    y = rng.uniform(-3, 3, COUNT).astype(np.float32)
    wide = x.astype(float) + y
    want = np.stack([np.sin(wide), np.cos(wide)], axis=-1).reshape(len(x), -1)
    compiled, out = shifted("float32"), np.empty((len(x), 2 * COUNT), np.float32)
    compiled(x, y, out)
    assert np.abs(out - want).max() < 4e-7
    run = support.c_function(compiled.source("c"), "run", tmp_path)
    for row, result in zip(x, out, strict=True):
        run(*(ctypes.c_void_p(a.ctypes.data) for a in (row, y, result)))
    assert np.abs(out - want).max() < 4e-7


def test_negative_constants_in_single_precision_are_good_c(tmp_path):
    x = variables("x", 1)
    text = compile_function([x], [x[0] * -0.5], dtype="float32").source("c")
    run, given, out = support.c_function(text, "f", tmp_path), np.array([3], np.float32), np.empty(1, np.float32)
    run(ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(out.ctypes.data))
    assert out[0] == -1.5
