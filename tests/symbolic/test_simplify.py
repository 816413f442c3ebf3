"""Identity merging finds what is equal, and never what is not."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyjoint.symbolic import Graph, Node, Op, select, variables
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.interpret import evaluate, evaluate_ids
from anyjoint.symbolic.ranges import intervals
from anyjoint.symbolic.rewrite import reachable
from anyjoint.symbolic.simplify import merge_identities

sin, cos, sqrt = np.sin, np.cos, np.sqrt


def constant_of(node: Node) -> float | None:
    """The number that a merged expression is, if it is one."""
    merged = merge_identities(node)
    return float(merged) if merged.op == Op.CONST else None


def operations(outputs: Any) -> list[Op]:
    """All operations below some outputs."""
    nodes = np.ravel(np.array(outputs, dtype=object)).tolist()
    g = nodes[0].graph
    return [Op(g.op[i]) for i in reachable(g, [x.id for x in nodes])]


ZEROS: dict[str, Callable[[Any, Any], Any]] = {
    "pythagoras": lambda x, y: sin(x) ** 2 + cos(x) ** 2 - 1,
    "pythagoras of an expression": lambda x, y: y * sin(x * y + 1) ** 2 - y * (1 - cos(x * y + 1) ** 2),
    "double angle": lambda x, y: sin(2 * x) - 2 * sin(x) * cos(x),
    "sum of angles": lambda x, y: cos(x + y) - cos(x) * cos(y) + sin(x) * sin(y),
    "tangent": lambda x, y: np.tan(x) * cos(x) - sin(x),
    "binomial": lambda x, y: (x + y) ** 3 - x**3 - 3 * x * x * y - 3 * x * y * y - y**3,
    "difference of squares": lambda x, y: (x * x - y * y) / (x - y) - x - y,
    "exponential": lambda x, y: np.exp(x + y) - np.exp(x) * np.exp(y),
    "root of a positive number": lambda x, y: sqrt(x * x + 1) * sqrt(y * y + 2) - sqrt((x * x + 1) * (y * y + 2)),
    "square of a root": lambda x, y: sqrt(x * x) ** 2 - x * x,
    "absolute value": lambda x, y: abs(x) - sqrt(x * x),
    "absolute value squared": lambda x, y: abs(x + y) ** 2 - (x + y) ** 2,
    "cosine of an inverse cosine": lambda x, y: cos(np.arccos(x / 3)) - x / 3,
    "sine of an inverse sine": lambda x, y: sin(np.arcsin(x / 3)) - x / 3,
    "logarithm of a positive number": lambda x, y: np.log(np.exp(x) * (y * y + 1)) - x - np.log(y * y + 1),
    "both sides of a select": lambda x, y: select(x < y, x + y, y) - select(x < y, x, 0.0) - y,
    "equal branches": lambda x, y: select(x < y, (x + y) ** 2, x * x + 2 * x * y + y * y) - (x + y) ** 2,
    "unit vector": lambda x, y: (x / sqrt(x * x + y * y)) ** 2 + (y / sqrt(x * x + y * y)) ** 2 - 1,
}


@pytest.mark.parametrize("name", ZEROS)
def test_zeros_are_found(name: str) -> None:
    x, y = variables("x", 2)
    assert constant_of(ZEROS[name](x, y)) == 0.0


NOT_ZEROS: dict[str, Callable[[Any, Any], Any]] = {
    "root of a square": lambda x, y: sqrt(x * x) - x,
    "root of a square that is rarely negative": lambda x, y: sqrt((x + 1.99) ** 2) - (x + 1.99),
    "root times its negative": lambda x, y: sqrt((x + 1.99) ** 2) * (x + 1.99) - (x + 1.99) ** 2,
    "absolute value": lambda x, y: abs(x + 1.999) - (x + 1.999),
    "logarithm of a square": lambda x, y: np.log((x + 1.99) ** 2) - 2 * np.log(x + 1.99),
    "rare branch": lambda x, y: select(x < 1.999, x, x + 1) - x,
    "rare maximum": lambda x, y: np.maximum(x, y - 3.99) - x,
    "rare minimum": lambda x, y: np.minimum(x, y + 3.99) - x,
    "floor of a fraction": lambda x, y: np.floor(x * 1e-3 + 0.5),
    "floor": lambda x, y: np.floor(x / 2 + 0.999) - np.floor(x / 2 + 0.998),
    "table": lambda x, y: (x + 2).gather([1.0] * 20 + [2.0]) - 1.0,
    "inverse cosine": lambda x, y: np.arccos(cos(x)) - x,
    "inverse sine": lambda x, y: np.arcsin(sin((x + 2) / 2.6)) - (x + 2) / 2.6,
    "inverse tangent": lambda x, y: np.arctan2(sin(x * 1.58), cos(x * 1.58)) - x * 1.58,
    "root of an absolute value": lambda x, y: sqrt(abs(x + 1.99)) ** 2 - (x + 1.99),
    "root of a root": lambda x, y: sqrt(sqrt((x + 1.99) ** 2)) * sqrt(abs(x + 1.99)) - (x + 1.99),
    "power": lambda x, y: ((x + 1.99) ** 2) ** 0.25 - sqrt(x + 1.99),
    "near miss in a sum": lambda x, y: sin(x) ** 2 + cos(x) ** 2 - 1 + 1e-9 * y,
    "near miss in a factor": lambda x, y: (1 + 1e-9) * x * y - y * x,
    "near miss in an angle": lambda x, y: sin(x + 1e-9) - sin(x),
    "near miss at one side": lambda x, y: 1e-9 * np.exp(20 * x) + y - y * 1.0,
    "a small number": lambda x, y: x * 1e-14 * y,
}


@pytest.mark.parametrize("name", NOT_ZEROS)
def test_others_are_left_alone(name: str) -> None:
    x, y = variables("x", 2)
    f = NOT_ZEROS[name](x, y)
    assert constant_of(f) is None
    grid = {x: np.linspace(-2.0, 2.0, 4001), y: np.linspace(1.9, -1.9, 4001)}
    before, after = (np.broadcast_to(evaluate(e, grid), 4001) for e in (f, merge_identities(f)))
    defined = np.isfinite(before)
    assert after[defined] == pytest.approx(before[defined], rel=1e-9, abs=1e-14)


def test_bounds_decide_and_a_domain_does_not() -> None:
    """sqrt(x^2) is x where x is kept positive, -x where kept negative, and neither where it is only meant to be."""
    g = Graph()
    q = g.variable("q", (0.5, 3.0))
    assert merge_identities(sqrt(q * q)) not in (q, -q)
    assert merge_identities(abs(q)) == abs(q)
    p, n = g.variable("p", (0.5, 3.0), (0.0, math.inf)), g.variable("n", (-3.0, -0.5), (-3.0, 0.0))
    assert merge_identities(sqrt(p * p)) == p
    assert merge_identities(sqrt(n * n)) == -n
    assert merge_identities(abs(p * n)) == -(p * n)
    assert constant_of(sqrt(p * p * n * n) + p * n) == 0.0


def torus(u: Any, v: Any, R: Any, r: Any) -> list[Any]:
    """A point of a torus."""
    return [(R + r * cos(v)) * cos(u), (R + r * cos(v)) * sin(u), r * sin(v)]


def cross(a: Any, b: Any) -> list[Any]:
    """Vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def torus_frame() -> tuple[Any, ...]:
    """Variables, tangent lengths and unit vectors of a torus with R > r > 0."""
    g = Graph()
    u, v = g.variable("u", (-4.0, 4.0)), g.variable("v", (-4.0, 4.0))
    R, r = (g.variable(name, bounds, bounds) for name, bounds in (("R", (1.0, 2.0)), ("r", (0.1, 0.9))))
    slopes = jacobian(torus(u, v, R, r), [u, v], method="forward")
    fu, fv = slopes[:, 0], slopes[:, 1]
    normal = cross(fu, fv)
    length, width, area = (sqrt(sum(x * x for x in vector)) for vector in (fu, fv, normal))
    frame = [[x / length for x in fu], [x / width for x in fv], [x / area for x in normal]]
    return u, v, R, r, length, width, frame


def test_torus() -> None:
    u, v, R, r, length, width, frame = torus_frame()
    assert merge_identities(length) == R + r * cos(v)
    assert merge_identities(width) == r
    merged = merge_identities(frame)
    assert not {Op.DIV, Op.SQRT} & set(operations(merged))
    assert merged[0] == [-sin(u), cos(u), u.graph.constant(0.0)]
    values = {u: 0.3, v: 2.0, R: 1.5, r: 0.4}
    assert np.array(evaluate(merged, values)) == pytest.approx(np.array(evaluate(frame, values)), abs=1e-15)


def test_zeros_of_a_joint_jacobian() -> None:
    """R^T dR is skew, and of the 36 entries for a universal joint's S only the right ones are left."""
    q = variables("q", 2, domain=(-3.0, 3.0))
    c0, s0, c1, s1 = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
    R = np.array([[1, 0, 0], [0, c0, -s0], [0, s0, c0]]) @ np.array([[c1, 0, s1], [0, 1, 0], [-s1, 0, c1]])
    slopes = jacobian(R.ravel() * q[0].graph.constant(1.0), q).reshape(3, 3, 2)
    twists = [merge_identities((R.T @ slopes[:, :, k]).tolist()) for k in range(2)]
    g = q[0].graph
    zero, one = g.constant(0.0), g.constant(1.0)
    for W in twists:
        assert [W[i][i] for i in range(3)] == [zero] * 3
        assert all(W[i][j] == -W[j][i] for i in range(3) for j in range(3))
    S = [[W[2][1], W[0][2], W[1][0]] for W in twists]
    assert S[0] == [c1, zero, s1]
    assert S[1] == [zero, one, zero]


def test_negatives_and_duplicates_become_one() -> None:
    x, y = variables("x", 2)
    outputs = [(x - y) ** 2, x * x - 2 * x * y + y * y, -(y * y) - x * x + 2 * x * y]
    a, b, c = merge_identities(outputs)
    assert a == b == (x - y) ** 2
    assert c == -a


def test_merging_never_shrinks_the_domain() -> None:
    """An expression that is defined everywhere never turns into one that is not."""
    x, y = variables("x", 2)
    total = x * x * x + x * x * y + x * x + x * x * sin(y) + x * x * cos(x) * sin(y)
    partial = x * x * x * (x * x + x * y + x + x * sin(y) + x * cos(x) * sin(y)) / (x * x)
    outputs = merge_identities([partial, total])
    assert np.isfinite(evaluate(outputs, {x: 0.0, y: 1.0})).all()
    assert merge_identities(x / x) == x.graph.constant(1.0)


def test_tables_and_branches_survive() -> None:
    x, y = variables("x", 2)
    f = [select(x < y, sin(x) ** 2 + cos(x) ** 2, y), x.gather([1.0, 3.0, 2.0]) * (y / y), np.minimum(x, y + y - y)]
    assert merge_identities(f) == [select(x < y, 1.0, y), x.gather([1.0, 3.0, 2.0]), np.minimum(x, y)]


def test_divisions_share_a_reciprocal() -> None:
    x, y = variables("x", 2)
    d = sin(y) + x
    merged = merge_identities([x / d, y / d, 1 / d, x / 3])
    assert operations(merged).count(Op.DIV) == 2  # 1 / d and x / 3
    assert merged[0] == x * (1 / d)


def test_shapes_and_plain_numbers() -> None:
    x = variables("x", 2)
    assert merge_identities(3.0) == 3.0
    merged = merge_identities([np.outer(x, x), (x[0], 2.0)])
    assert merged[0].shape == (2, 2)
    assert merged[1] == (x[0], 2.0)


def test_same_every_time() -> None:
    texts = set()
    for _ in range(2):
        *_, frame = torus_frame()
        merged = merge_identities(frame)
        texts.add(repr([[x.id for x in row] for row in merged]))
    assert len(texts) == 1


# Random graphs with planted identities and near misses.

STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99), st.integers(0, 99)), min_size=4, max_size=30)


def random_pool(steps: list[tuple[int, int, int]], x: list[Node]) -> list[Node]:
    """Expressions over x that stay of moderate size."""
    builders: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b * 0.5,
        lambda a, b: sin(a) + b,
        lambda a, b: cos(a) * b,
        lambda a, b: sqrt(a * a + 0.5),
        lambda a, b: a / (b * b + 1.0),
        lambda a, b: sqrt(abs(a)),
        lambda a, b: select(a < b, sin(a), b),
        lambda a, b: np.maximum(a, sin(b)),
    ]
    pool = list(x)
    for kind, i, j in steps:
        pool.append(builders[kind](pool[-1 - i % len(pool)], pool[-1 - j % len(pool)]))
    return pool


DISGUISES: list[Callable[[Any, Any], Any]] = [
    lambda f, h: f * sin(h) ** 2 + f * cos(h) ** 2,
    lambda f, h: (f + h) - h * 1.0,
    lambda f, h: f * (1 + h * h) / (1 + h * h),
    lambda f, h: (f * f - 1) / (f + 1) + 1,
    lambda f, h: f + (h + 1) ** 2 - h * h - 2 * h - 1,
    lambda f, h: f * (sin(h) * cos(h) * 2 + 3) - f * (sin(2 * h) + 2),
]


@settings(max_examples=60)
@given(STEPS, st.integers(0, len(DISGUISES) - 1), st.integers(0, 99))
def test_planted_identities_are_found(steps: list[tuple[int, int, int]], disguise: int, pick: int) -> None:
    x = variables("x", 3)
    pool = random_pool(steps, list(x))
    f, h = x[1] + sin(x[0]), sin(pool[pick % len(pool)])
    planted = DISGUISES[disguise](f, h)
    original, other = merge_identities([f, planted])
    assert original == other == f


@settings(max_examples=60)
@given(STEPS, st.integers(0, len(DISGUISES) - 1), st.sampled_from([1e-9, 1e-6, -1e-9, 1e-3]))
def test_planted_near_misses_are_not(steps: list[tuple[int, int, int]], disguise: int, miss: float) -> None:
    x = variables("x", 3)
    pool = random_pool(steps, list(x))
    f, h = x[1] + sin(x[0]), sin(pool[-1])
    planted = DISGUISES[disguise](f, h) + miss * cos(x[2])
    original, other = merge_identities([f, planted])
    assert original != other
    point = {x[0]: 0.4, x[1]: 0.9, x[2]: 0.1}
    assert evaluate(other, point) - evaluate(original, point) == pytest.approx(miss * np.cos(0.1), rel=1e-5)


@settings(max_examples=80)
@given(STEPS)
def test_values_are_kept(steps: list[tuple[int, int, int]]) -> None:
    """On the whole domain, to forty digits where the merged and the original graph are compared."""
    x = variables("x", 3)
    outputs = random_pool(steps, list(x))[-3:]
    merged = merge_identities(outputs)
    random = np.random.default_rng(7)
    with mpmath.workdps(40):
        for _ in range(3):
            point = {node: mpmath.mpf(float(random.uniform(-2.0, 2.0))) for node in x}
            for a, b in zip(evaluate(outputs, point), evaluate(merged, point), strict=True):
                assert abs(a - b) <= 1e-13 * (1 + abs(a))


@settings(max_examples=40)
@given(STEPS)
def test_intervals_contain_the_values(steps: list[tuple[int, int, int]]) -> None:
    x = variables("x", 3)
    g = x[0].graph
    ids = reachable(g, [node.id for node in random_pool(steps, list(x))])
    places = {i: k for k, i in enumerate(ids)}
    found = intervals(g, ids, [tuple(places[k] for k in g.operands(i)) for i in ids])
    random = np.random.default_rng(5)
    with mpmath.workdps(40):
        for scale in (1.0, 1e3, 1e-3):
            exact = evaluate_ids(g, ids, {v.id: mpmath.mpf(scale * random.normal()) for v in x})
            assert all(low <= exact[i] <= high for i, (low, high) in zip(ids, found, strict=True) if g.op[i] < Op.LT)


PROGRAM = """
import numpy as np
from anyjoint.symbolic import merge_identities, select, to_text, variables
x = variables("x", 3)
s = np.sqrt(x @ x)
n = x / s
f = [n[0], n @ n, select(x[0] < x[1], abs(x[2]), np.sqrt(x[2] * x[2]))]
print(to_text(merge_identities(f)))
"""


def test_hash_seeds_do_not_matter() -> None:
    """Two processes with different hash seeds merge to the same text."""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert "out[1] = 1\n" in outputs[0]
    assert "out[2] = abs(x[2])" in outputs[0]
