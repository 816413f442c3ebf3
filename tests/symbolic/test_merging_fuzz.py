"""Random graphs full of traps, merged, against sixty digits: in the domain, far outside, and at the traps."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyjoint.symbolic import Node, select, simplify, variables
from anyjoint.symbolic.derivative import jacobian
from anyjoint.symbolic.simplify import merge_identities
from tests.symbolic.exact_values import disagreements

sin, cos, exp, sqrt = np.sin, np.cos, np.exp, np.sqrt
TRAP = 12.0  # where bumps and steps are

PLAIN: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a * 0.35 - b * 3,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a / b,
    lambda a, b: sin(a) + b,
    lambda a, b: cos(a - b),
    lambda a, b: sin(2 * a) * cos(b / 3),
    lambda a, b: sin(a + math.pi / 3) - b,
    lambda a, b: exp(-a * a) + b,
]
BRANCHES: list[Callable[[Any, Any], Any]] = [
    lambda a, b: abs(a),
    lambda a, b: a + abs(a),
    lambda a, b: abs(a - b) * b,
    lambda a, b: select(a < b, a, b * b),
    lambda a, b: select(a < 100.0, b, a + b),
    lambda a, b: np.minimum(a, b + 50),
    lambda a, b: np.maximum(a, b),
    lambda a, b: np.floor(a * 0.01 + 0.3) + b,
    lambda a, b: (a + 2).gather([1.0, 3.0, -2.0]) * b,
]
ROOTS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: sqrt(a * a),
    lambda a, b: sqrt(a * b),
    lambda a, b: sqrt(a) * sqrt(b),
    lambda a, b: sqrt(a * a + b * b),
    lambda a, b: sqrt(a * a + 2 * a * b + b * b),
    lambda a, b: sqrt(1 + sqrt(a * a + 1)) * b,
    lambda a, b: sqrt(11 * a * a) - b,
    lambda a, b: sqrt(2 * a * a) + math.sqrt(2) * a,
    lambda a, b: sqrt(a + sqrt(a * a - b * b)) * sqrt(a - sqrt(a * a - b * b)),
    lambda a, b: abs(a) ** 1.5 * b,
    lambda a, b: np.arccos(cos(a)) - b,
    lambda a, b: sin(np.arcsin(a)) * b,
    lambda a, b: cos(np.arctan2(a, b)),
    lambda a, b: np.log(a * a) - b,
    lambda a, b: sqrt(1 - cos(a) ** 2),
]
# Nothing is changed: ways to write a function again.
DISGUISES: list[Callable[[Any, Any], Any]] = [
    lambda f, h: f * sin(h) ** 2 + f * cos(h) ** 2,
    lambda f, h: (f + h) - h * 1.0,
    lambda f, h: f * (1 + h * h) / (1 + h * h),
    lambda f, h: f * h / h,
    lambda f, h: f + (h + 1) ** 2 - h * h - 2 * h - 1,
    lambda f, h: f * (abs(h) + 1) ** 2 / (h * h + 2 * abs(h) + 1),
]
# Almost nothing is: a bump, a step, a plateau, a spike, a tiny term.
PLANTS: list[Callable[[Any, Any], Any]] = [
    lambda f, h: f + 0.1 * exp(-(((h - TRAP) / 0.1) ** 2)),
    lambda f, h: f * (1 + 1e-9 * exp(-((h - TRAP) ** 2))),
    lambda f, h: f + 1 / (1 + exp(-80 * (h - TRAP))),
    lambda f, h: f + 1e-12 / (1e-12 + (h - TRAP) ** 2),
    lambda f, h: f + np.maximum(h - TRAP, 0.0),
    lambda f, h: select(h < TRAP, f, f + 1e-9),
    lambda f, h: f + 1e-9 * h,
    lambda f, h: f + 1e-300 * h,
    lambda f, h: f * (1 + 2.0**-60 * h),
    lambda f, h: f + 1e150 * h - 1e150 * sin(h),
    lambda f, h: f + (h + abs(h)) * (abs(h) - h + 1e-9),
    lambda f, h: f + np.floor(h / (2 * TRAP)),
    lambda f, h: f,
]
STEPS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=14)


def grown(steps: list[tuple[int, int, int]], x: list[Node], builders: list[Callable[[Any, Any], Any]]) -> list[Node]:
    """Expressions over x, each of earlier ones, recent ones preferred."""
    pool = list(x)
    for kind, i, j in steps:
        pool.append(builders[kind % len(builders)](pool[-1 - i % len(pool)], pool[-1 - j % min(3, len(pool))]))
    return pool


def places(x: list[Node], seed: int) -> list[dict[Node, float]]:
    """Points of ordinary, tiny and huge size, at zero, on diagonals and where traps are."""
    random = np.random.default_rng(seed)
    n = len(x)
    rows = [random.normal(size=n) * scale for scale in (1.0, 1.0, 1e-3, 30.0, 1e4)]
    rows += [np.full(n, 0.7), np.zeros(n), np.full(n, TRAP), TRAP + 0.05 * random.normal(size=n)]
    rows += [np.where(np.arange(n) == k, TRAP, random.normal(size=n)) for k in range(n)]
    rows += [-row for row in rows[5:9]] + [random.integers(-3, 4, n).astype(float)]
    return [dict(zip(x, row.tolist(), strict=True)) for row in rows]


def check(steps: list[tuple[int, int, int]], disguise: int, plant: int, pick: int) -> None:
    """Plant a trap, disguise it, differentiate, merge, compare."""
    x = list(variables("x", 3))
    pool = grown(steps, x, PLAIN + BRANCHES + ROOTS)
    f, h = pool[-1], pool[pick % len(pool)]
    planted = PLANTS[plant % len(PLANTS)](f, x[pick % 3])
    hidden = DISGUISES[disguise % len(DISGUISES)](planted, h)
    outputs = [y for y in (f, h, planted, hidden) if isinstance(y, Node)]
    outputs += [y for y in jacobian([planted], x, method="forward").ravel() if isinstance(y, Node)]
    g = x[0].graph
    merged = [Node(g, i) for i in simplify.merged(g, [y.id for y in outputs])]  # without the alarm, which may err
    assert disagreements(outputs, merged, places(x, pick)) == []


@settings(max_examples=60)
@given(STEPS, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 99))
def test_merged_is_unmerged_everywhere(steps: list[tuple[int, int, int]], disguise: int, plant: int, pick: int) -> None:
    check(steps, disguise, plant, pick)


@pytest.mark.slow
@settings(max_examples=4000)
@given(STEPS, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 99))
def test_merged_is_unmerged_everywhere_at_length(
    steps: list[tuple[int, int, int]], disguise: int, plant: int, pick: int
) -> None:
    check(steps, disguise, plant, pick)


@settings(max_examples=60)
@given(STEPS, st.integers(0, 10**6), st.integers(0, len(PLANTS) - 2))
def test_a_plant_is_never_taken_for_nothing(steps: list[tuple[int, int, int]], disguise: int, plant: int) -> None:
    x = list(variables("x", 3))
    pool = grown(steps, x[:2], PLAIN)
    f, h = pool[-1], pool[len(pool) // 2]
    hidden = DISGUISES[disguise % len(DISGUISES)](PLANTS[plant](f, x[2]), h)
    first, second = merge_identities([f, hidden])
    assert first != second


@settings(max_examples=60)
@given(STEPS, st.floats(0.01, 100.0), st.booleans())
def test_the_next_float_is_another_number(steps: list[tuple[int, int, int]], c: float, up: bool) -> None:
    x = list(variables("x", 2))
    f = grown(steps, x, PLAIN)[-1] + x[0]
    near = math.nextafter(c, math.inf if up else 0.0)
    first, second = merge_identities([f * c, f * near])
    assert first != second or f == 0.0
