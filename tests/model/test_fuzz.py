"""Compiled is Python, everywhere: user functions that tempt a compiler, inside their domain and far outside.

A joint's function runs on floats as it stands; that is what compiled code has to give, or an AnyjointError.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anyjoint as aj
from anyjoint import curves, joints, surfaces
from anyjoint.errors import AnyjointError

SOLID = aj.Inertia(1.3, (0.1, -0.2, 0.3), [[0.3, 0.02, 0.01], [0.02, 0.4, 0.03], [0.01, 0.03, 0.5]])
UNDEFINED = (AnyjointError, ArithmeticError, ValueError)  # what a function of floats raises where it has no value
EVERYWHERE = (0.0, 0.3, 0.5, 0.503, 0.7, 1.0, -0.4, -1.0, 2.0, -2.5, 4.2, 7.0, 12.0, 12.3, -12.0, 40.0, -300.0, 1e4)


def along_x(f: Callable[[Any], Any], **options: Any) -> Any:
    """A joint that shifts by f(q), beside q itself, which keeps it regular."""
    return aj.joint(dof=1, **options)(lambda q: aj.Pose.translation(f(q[0]), q[0], 0.0))


def turning(f: Callable[[Any], Any], **options: Any) -> Any:
    """A slide along x that also turns by f(q)."""
    return aj.joint(dof=1, **options)(lambda q: aj.Pose.translation(q[0], 0, 0) @ aj.Pose.rotation_x(f(q[0])))


JOINTS = {
    "far bump on a curve": joints.OnCurve(
        curves.curve(lambda s: (s, 0 * s, 2 + aj.exp(-((s - 12) ** 2)))), frame="fixed-up", up=(0, 1, 0)
    ),
    "narrow bump": along_x(lambda q: 1 + 0.1 * aj.exp(-(((q - 0.5) / 0.01) ** 2))),
    "absolute value on a positive domain": along_x(abs, domain=[(0.1, 1.0)]),
    "root of a square on a positive domain": along_x(lambda q: aj.sqrt(q * q), domain=[(0.1, 1.0)]),
    "inverse cosine of a cosine": along_x(lambda q: aj.acos(aj.cos(q)), domain=[(0.1, 1.0)]),
    "inverse sine of a sine": along_x(lambda q: aj.asin(aj.sin(q)), domain=[(0.1, 1.0)]),
    "arc tangent": along_x(lambda q: aj.atan2(aj.sin(q), aj.cos(q)), domain=[(0.1, 1.0)]),
    "rare branch": along_x(lambda q: aj.select(q < 5.0, 0.5 * q, q * q)),
    "clamp": along_x(lambda q: aj.minimum(aj.maximum(q, -2.0), 3.0), domain=[(-1.0, 1.0)]),
    "floor": along_x(lambda q: aj.floor(0.1 * q + 0.05), domain=[(-1.0, 1.0)]),
    "turn in steps": turning(lambda q: q // 2.5),
    "turn in one of two places": turning(lambda q: aj.select(q > 0.6, 1.0, 2.0)),
    "turn beyond a point": turning(lambda q: aj.select(q > 5.0, q, 0.0)),
    "turn that is held": turning(lambda q: aj.maximum(q, 4.0)),
    "turn by a step of no size": turning(lambda q: aj.sqrt(aj.floor(q) ** 2)),
    "turn from a table": turning(lambda q: aj.gather([0.0, 1.0, 0.5, 2.0], q), domain=[(0.2, 0.8)]),
    "tiny slope": along_x(lambda q: 1 + 1e-9 * q),
    "saturation": along_x(lambda q: 1 / (1 + aj.exp(-20 * (q - 4.2)))),
    "flat power": along_x(lambda q: 1 + (q / 20) ** 16),
}


def python_poses(mech: aj.Mechanism, q: np.ndarray) -> np.ndarray | None:
    """World poses from the functions as they stand, or None where they have no value."""
    try:
        poses = np.array([np.array(pose.matrix, dtype=float) for pose in mech.poses([float(x) for x in q])])
    except UNDEFINED:
        return None
    return poses if np.isfinite(poses).all() else None


def compiled_poses(model: aj.Model, q: np.ndarray) -> np.ndarray | None:
    """World poses from machine code, or None where it says that it cannot."""
    try:
        return model.body_poses(q)
    except AnyjointError:
        return None


@pytest.mark.parametrize("name", JOINTS)
def test_compiled_poses_are_those_of_the_function_everywhere(name: str) -> None:
    mech = aj.Mechanism("one")
    mech.add_body("body", joint=JOINTS[name], inertia=SOLID)
    model = mech.compile()
    for x in EVERYWHERE:
        python = python_poses(mech, np.array([x]))
        if python is not None:
            assert model.body_poses([x]) == pytest.approx(python, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("name", JOINTS)
def test_kinetic_energy_is_that_of_the_poses_rate(name: str) -> None:
    """Velocities follow the same function as poses do."""
    mech = aj.Mechanism("one")
    mech.add_body("body", joint=JOINTS[name], inertia=aj.Inertia.point(2.0))
    model = mech.compile()
    for x in (0.31, 0.507, 0.69, -0.43, 2.1, -2.4, 4.27, 7.2, 12.1, -11.0):
        try:
            kinetic, _ = model.energy([x], [1.7])
        except AnyjointError:
            continue
        h = 1e-6
        ends = [mech.poses([x + step])[0].p for step in (-h, h)]
        rate = 1.7 * np.array(ends[1] - ends[0], dtype=float) / (2 * h)
        assert kinetic == pytest.approx(rate @ rate, rel=1e-6)  # 1/2 m v^2 with m = 2; central differences


# Random mechanisms with random functions


TREES: list[Callable[[Any, Any, float], Any]] = [
    lambda a, b, c: a + b,
    lambda a, b, c: a - c * b,
    lambda a, b, c: a * b,
    lambda a, b, c: a / (1 + b * b),
    lambda a, b, c: a / b,
    lambda a, b, c: c * a,
    lambda a, b, c: aj.sin(a + b),
    lambda a, b, c: aj.cos(a) * b,
    lambda a, b, c: abs(a),
    lambda a, b, c: a + abs(a - c),
    lambda a, b, c: aj.sqrt(a * a),
    lambda a, b, c: aj.sqrt(a * b),
    lambda a, b, c: aj.sqrt(a * a + b * b),
    lambda a, b, c: aj.select(a < b, a, c * b),
    lambda a, b, c: aj.select(a < 5 * c, b, a),
    lambda a, b, c: aj.maximum(a, b + 3 * c),
    lambda a, b, c: aj.floor(a + 0.31) + b,
    lambda a, b, c: aj.exp(-(((a - 3 * c) / 0.05) ** 2)) + b,
    lambda a, b, c: b + 1 / (1 + aj.exp(-aj.minimum(aj.maximum(30 * (a - c), -300.0), 300.0))),
    lambda a, b, c: aj.acos(aj.cos(a)) + b,
    lambda a, b, c: aj.atan2(a, b),
    lambda a, b, c: b + 1e-9 * a,
    lambda a, b, c: a * aj.sin(b) ** 2 + a * aj.cos(b) ** 2,
]
CONSTANTS = (0.5, 1.0, 2.0, 0.35, 1.7, 3.0, -0.8, math.pi / 3, math.sqrt(2), 1 / 3)
Steps = list[tuple[int, int, int, int]]
STEPS = st.lists(
    st.tuples(
        st.integers(0, len(TREES) - 1), st.integers(0, 20), st.integers(0, 20), st.integers(0, len(CONSTANTS) - 1)
    ),
    min_size=1,
    max_size=7,
)


def tree(steps: Steps) -> Callable[[list[Any]], Any]:
    """A function of coordinates from a list of operations on earlier results."""

    def f(q: list[Any]) -> Any:
        pool = list(q)
        for kind, i, j, k in steps:
            pool.append(TREES[kind](pool[-1 - i % len(pool)], pool[-1 - j % len(pool)], CONSTANTS[k]))
        return pool[-1]

    return f


def user_joint(shift: Steps, turn: Steps, dof: int, low: float, width: float) -> Any:
    """A joint whose coordinates move it in any case, by more than its random functions do."""
    slide, angle = tree(shift), tree(turn)

    def pose(q: list[Any]) -> Any:
        moved = aj.Pose.translation(3 * q[0], 2 * q[-1] + 0.1 * slide(q), slide(q))
        return moved @ aj.Pose.rotation_x(angle(q)) @ aj.Pose.rotation_z(q[-1])

    return aj.joint(dof=dof, domain=[(low, low + width)] * dof)(pose)


PARAMETER = st.floats(0.1, 3.0).map(lambda x: round(x, 3))
USERS = st.builds(user_joint, STEPS, STEPS, st.integers(1, 2), st.sampled_from((-2.0, 0.1, 1.0)), PARAMETER)
LIBRARY = st.one_of(
    st.builds(lambda a, b: joints.OnSurface(surfaces.Torus(a + b, b)), PARAMETER, PARAMETER),
    st.builds(lambda a, b, c: joints.OnSurface(surfaces.Ellipsoid(a, b, c)), PARAMETER, PARAMETER, PARAMETER),
    st.builds(lambda a, b: joints.OnCurve(curves.Helix(a, b)), PARAMETER, PARAMETER),
    st.builds(lambda a: joints.Helical((1, 2, 2), pitch=a), PARAMETER),
    st.builds(lambda k: joints.Revolute(((1, 0, 0), (1, 2, 3), (0, 0.6, 0.8))[k]), st.integers(0, 2)),
)
JOINT_LISTS = st.tuples(USERS, st.lists(st.one_of(USERS, LIBRARY), max_size=1)).map(lambda pair: [pair[0], *pair[1]])


def is_smooth(mech: aj.Mechanism, q: np.ndarray, poses: np.ndarray) -> bool:
    """Whether coordinates moved in their last digits give almost the same: else rounding may decide anything."""
    moved = [python_poses(mech, q * (1 + step) + step) for step in (3e-12, -3e-12)]
    return all(x is not None and np.allclose(x, poses, rtol=1e-9, atol=1e-9) for x in moved)


def check_mechanism(chain: list[Any], seed: int) -> None:
    """Compiled poses and energies against Python at points in and out of all domains."""
    mech = aj.Mechanism("random")
    for k, joint in enumerate(chain):
        mech.add_body(f"b{k}", f"b{k - 1}" if k else None, joint, inertia=SOLID)
    try:
        model = mech.compile()
    except AnyjointError:
        return  # not regular, or not defined in its domain: said so
    random = np.random.default_rng(seed)
    n = model.nq
    points = [random.normal(size=n) * scale for scale in (0.5, 1.0, 3.0, 10.0, 1e-3)]
    points += [np.full(n, x) for x in (0.0, 1.0, -1.0, 1.5, 5.1)] + [random.uniform(0.2, 1.8, n) for _ in range(3)]
    for q in points:
        python = python_poses(mech, q)
        if python is not None and is_smooth(mech, q, python):
            compiled = compiled_poses(model, q)
            assert compiled is None or np.allclose(compiled, python, rtol=1e-8, atol=1e-8 * np.abs(python).max()), q


@settings(max_examples=30)
@given(JOINT_LISTS, st.integers(0, 1000))
def test_random_mechanisms_are_compiled_right_or_refused(chain: list[Any], seed: int) -> None:
    check_mechanism(chain, seed)


@pytest.mark.slow
@settings(max_examples=1500)
@given(JOINT_LISTS, st.integers(0, 10**6))
def test_random_mechanisms_are_compiled_right_or_refused_at_length(chain: list[Any], seed: int) -> None:
    check_mechanism(chain, seed)
