"""Mistakes in a joint's own function: the message names body, file and line, and says what to write instead."""

import functools
import math
import random
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import BSpline, CubicSpline, make_interp_spline
from scipy.spatial.transform import Rotation

import anyjoint as aj
from anyjoint import curves, joints
from anyjoint.errors import AnyjointError, JointError, ModelError, SingularityError

P = aj.Pose.translation
CUBIC, SPLINE = CubicSpline([-4, 0, 4], [0, 1, 3]), make_interp_spline([-4, -1, 1, 4], [0, 1, 4, 2])
calls = iter(range(10**9))


def mechanism(joint: joints.Joint) -> aj.Mechanism:
    mech = aj.Mechanism("one")
    mech.add_body("odd", joint=joint, inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech


def compiled(function, dof: int = 1, **options) -> aj.Model:
    return mechanism(aj.joint(dof=dof, **options)(function)).compile()


def float_matrix(q):
    T = np.eye(4)
    T[0, 3] = q[0]
    return T


def rotation(q):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("x", q[0]).as_matrix()
    return T


def counted_loop(q):
    total = q[0]
    for k in range(q[0]):
        total = total + k
    return P(total, 0, 0)


def branch(q):
    if q[0] > 0:
        return P(q[0], 0, 0)
    return P(0, q[0], 0)


def equal(q):
    if q[0] == 0.3:
        return P(q[0], 1, 0)
    return P(q[0], 0, 0)


def endless(q):
    x = q[0]
    while x > 1:
        x = x - 1
    return P(x, 0, 0)


# function, what the message must say, on which line after the definition's it fails
MISTAKES = {
    "math": (lambda q: P(math.sin(q[0]), 0, 0), ["`math.sin(q[0])`", "aj.sin or np.sin"], 0),
    "math under another name": (lambda q: P(math.atan(q[0]), 0, 0), ["aj.atan2(x, 1) or np.arctan"], 0),
    "math without a twin": (lambda q: P(math.fmod(q[0], 2), 0, 0), ["np.fmod", "x % y"], 0),
    "np.interp": (lambda q: P(np.interp(q[0], [0, 1], [0, 1]), 0, 0), ["functions.PiecewiseLinear"], 0),
    "CubicSpline": (lambda q: P(CUBIC(q[0]), 0, 0), ["functions.NaturalCubic"], 0),
    "BSpline": (lambda q: P(SPLINE(q[0]), 0, 0), ["functions.NaturalCubic", "curves.BSpline"], 0),
    "BSpline made inside": (
        lambda q: P(BSpline([-9, -5, 0, 5, 9], [1.0, 2, 3], 1)(q[0]), 0, 0),
        ["functions.NaturalCubic"],
        0,
    ),
    "Rotation": (rotation, ["aj.Pose.rotation(axis, angle)", "Rotation.from_euler"], 2),
    "an array of floats": (float_matrix, ["aj.Pose.translation", "np.eye(4, dtype=object)"], 2),
    "if": (branch, ["`q[0] > 0`", "aj.select"], 1),
    "==": (equal, ["`q[0] == 0.3`", "abs(x - y) < tolerance"], 1),
    "!=": (lambda q: P(q[0] if q[0] != 0 else 1.0, 0, 0), ["`q[0] != 0`", "abs(x - y) < tolerance"], 0),
    "== of NumPy's numbers": (lambda q: P(q[0], 2.0 - (q[0] == np.float64(1)), 0), ["abs(x - y) < tolerance"], 0),
    "np.equal": (lambda q: P(q[0], 2.0 - np.equal(np.float64(1), q[0]), 0), ["abs(x - y) < tolerance"], 0),
    "== of all coordinates": (lambda q: P(q[0], sum(q == 0.0), 0), ["abs(x - y) < tolerance"], 0),
    "is among": (lambda q: P(q[0], 1.0 if q[0] in (0.0, 1.0) else 0.0, 0), ["aj.select"], 0),
    "if in one line": (lambda q: P(q[0] if q[0] > 0 else 0, 0, 0), ["aj.select"], 0),
    "while": (endless, ["fixed number of rounds", "aj.select"], 2),
    "chain": (lambda q: P(q[0] if 0 < q[0] < 1 else 0, 0, 0), ["(0 < x) & (x < 1)"], 0),
    "and": (lambda q: P(q[0] if q[0] > 0 and q[0] < 1 else 0, 0, 0), ["&"], 0),
    "or": (lambda q: P(q[0] or 1.0, 0, 0), ["aj.select"], 0),
    "max": (lambda q: P(max(q[0], 0), 0, 0), ["aj.maximum"], 0),
    "min": (lambda q: P(min(q[0], 0), 0, 0), ["aj.minimum"], 0),
    "np.clip": (lambda q: P(np.clip(q[0], -1, 1), 0, 0), ["aj.minimum(aj.maximum"], 0),
    "np.where": (lambda q: P(np.where(q[0] > 0, q[0], 0.0), 0, 0), ["aj.select"], 0),
    "np.sign": (lambda q: P(q[0] * np.sign(q[0]), 0, 0), ["aj.select"], 0),
    "int": (lambda q: P(q[0] + int(q[0]), 0, 0), ["aj.floor(x)"], 0),
    "round": (lambda q: P(q[0] + round(q[0]), 0, 0), ["aj.floor(x + 0.5)"], 0),
    "range": (counted_loop, ["fixed length"], 2),
    "an index": (lambda q: P([1.0, 2.0, 3.0][q[0]], 0, 0), ["aj.gather"], 0),
    "astype": (lambda q: P(*np.array([q[0], 0, 0]).astype(float)), ["dtype=object"], 0),
    "dtype": (lambda q: P(*np.array([q[0], 0, 0], dtype=float)), ["dtype=object"], 0),
    "float": (lambda q: P(float(q[0]), 0, 0), ["leave the conversion to float out"], 0),
    "a function that NumPy knows alone": (lambda q: P(np.cbrt(q[0]), 0, 0), ["np.cbrt", "aj.exp"], 0),
    "random": (lambda q: P(q[0] + random.random(), 0, 0), ["another pose", "random numbers"], 0),
    "a counter": (lambda q: P(q[0] + next(calls), 0, 0), ["another pose", "counters"], 0),
    "a clock": (lambda q: P(q[0] + time.perf_counter(), 0, 0), ["another pose", "clocks"], 0),
    "(p, R)": (lambda q: ((q[0], 0, 0), np.eye(3)), ["(R, p)", "shape (3,), shape (3, 3)"], 0),
    "3x3": (lambda q: np.eye(3), ["aj.Pose", "4x4", "shape (3, 3)"], 0),
    "nothing": (lambda q: None, ["None", "`return` missing"], 0),
    "a number": (lambda q: 3.0, ["a float", "aj.Pose"], 0),
    "a word": (lambda q: "pose", ["a str", "aj.Pose"], 0),
    "ragged": (lambda q: [[1, 0], [0]], ["a list of 2", "aj.Pose"], 0),
    "no rotation": (lambda q: 2 * np.eye(4), ["last row"], 0),
    "all coordinates for one": (lambda q: P(aj.sin(q), 0, 0), ["take one such as q[0]"], 0),
    "a word for a number": (lambda q: P("3", q[0], 0), ["must be a number"], 0),
    "a coordinate too many": (lambda q: P(q[1], 0, 0), ["IndexError", "raise dof"], 0),
    "an argument too many": (lambda x, y: P(x, y, 0), ["def f(q)"], 0),
    "a bug": (lambda q: P({}["x"], 0, 0), ["KeyError: 'x'", '`{}["x"]`'], 0),
    "sqrt": (lambda q: P(aj.sqrt(q[0]), 0, 0), ["math domain error", "domain=[(low, high)]", "q = [-"], 0),
    "np.sqrt": (lambda q: P(np.sqrt(q[0]), 0, 0), ["finite", "domain=[(low, high)]"], 0),
    "a power": (lambda q: P(q[0] ** 0.5, 0, 0), ["finite", "domain=[(low, high)]"], 0),
    "acos": (lambda q: P(aj.acos(2 * q[0]), 0, 0), ["math domain error", "domain="], 0),
    "1 / 0": (lambda q: P(1 / (q[0] - q[0]), 0, 0), ["finite", "domain="], 0),
    "a guard that comes too late": (
        lambda q: P(aj.select(q[0] > 0, aj.sqrt(q[0]), 0.0), 0, 0),
        ["both sides of aj.select"],
        0,
    ),
    "no condition": (lambda q: P(aj.select(q[0], 1.0, 2.0), 0, 0), ["must be a comparison such as x < y"], 0),
    "math of a word": (lambda q: P(q[0] * math.sin("x"), 0, 0), ["TypeError: must be real number, not str"], 0),
    "it asks for the type": (
        lambda q: P(q[0] if isinstance(q[0], float) else 2 * q[0], 0, 0),
        ["which are compiled", "isinstance"],
        0,
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_names_body_file_line_and_remedy(name):
    function, words, after = MISTAKES[name]
    with pytest.raises(ModelError) as caught:
        compiled(function)
    text = str(caught.value)
    for word in (*words, "body 'odd'", f"{Path(__file__).name}:{function.__code__.co_firstlineno + after}"):
        assert word in text
    assert "Dual" not in text


@pytest.mark.parametrize("name", MISTAKES)
def test_check_finds_what_compile_refuses(name):
    mech = mechanism(aj.joint(dof=1)(MISTAKES[name][0]))
    (problem,) = mech.check()
    assert problem.rule == "joint-functions"


@pytest.mark.parametrize("name", ["math", "an array of floats", "if", "a bug", "sqrt", "CubicSpline"])
def test_the_cause_is_kept_down_to_the_line(name):
    with pytest.raises(ModelError) as caught:
        compiled(MISTAKES[name][0])
    cause = caught.value.__cause__
    assert cause is not None
    assert any(frame.filename == __file__ for frame in traceback.extract_tb(cause.__traceback__))


def test_without_a_source_the_names_still_tell():
    function = eval("lambda q: aj.Pose.translation(math.sin(q[0]), 0, 0)", {"aj": aj, "math": math})  # noqa: S307
    with pytest.raises(ModelError, match=r"<string>:1.*aj\.sin or np\.sin"):
        compiled(function)


def helper(x):
    return math.cos(x)


def test_the_line_is_that_of_the_innermost_user_code():
    with pytest.raises(ModelError, match=rf"test_user_code.py:{helper.__code__.co_firstlineno + 1}: `math.cos\(x\)`"):
        compiled(lambda q: P(helper(q[0]), 0, 0))


def test_things_that_can_be_called_are_named_too():
    class Cam:
        def __call__(self, q):
            return P(math.sin(q[0]), 0, 0)

    with pytest.raises(ModelError, match=r"joint function Cam .*test_user_code.py.*aj\.sin"):
        compiled(Cam())
    with pytest.raises(ModelError, match=r"joint function partial .*test_user_code.py.*aj\.cos"):
        compiled(functools.partial(lambda k, q: P(k * math.cos(q[0]), 0, 0), 2.0))


FOREIGN = {
    "a curve": lambda: joints.OnCurve(lambda s: (aj.cos(s), aj.sin(s), s if s > 0 else 2 * s)),
    "a surface": lambda: joints.OnSurface(lambda u, v: (u, v, u if u > 0 else 2 * u)),
    "a term": lambda: joints.FunctionBased(rotations=[((0, 0, 1), lambda x: x if x > 0 else 2 * x)]),
    "a joint inside another": lambda: joints.Composite(
        joints.Revolute(), aj.joint(dof=1)(lambda q: P(q[0] if q[0] > 0 else 0, 0, 0))
    ),
    "a class of one's own": lambda: Mine(),
}


class Mine(joints.Joint):
    coordinates = (joints.Coordinate("x"),)

    def pose(self, q):
        return P(q[0] if q[0] > 0 else 2 * q[0], 0, 0)


@pytest.mark.parametrize("name", FOREIGN)
def test_functions_inside_other_joints_are_named_too(name):
    with pytest.raises(ModelError, match=r"body 'odd': .*test_user_code.py:\d+: `\w[^`]* > 0`.*aj\.select"):
        mechanism(FOREIGN[name]()).compile()


def test_a_coupling_is_named_too():
    mech = mechanism(joints.Revolute())
    follower = joints.Coupled(joints.Revolute(), lambda q: (math.sin(q[0]),), "odd")
    mech.add_body("follower", parent="odd", joint=follower, inertia=aj.Inertia.sphere(1.0, 0.1))
    with pytest.raises(ModelError, match=r"body 'follower': .*test_user_code.py.*aj\.sin"):
        mech.compile()


def test_a_builtin_of_math_is_told_by_its_name():
    with pytest.raises(ModelError, match=r"aj\.sin or np\.sin"):
        mechanism(joints.FunctionBased(rotations=[((0, 0, 1), math.sin)])).compile()


# -- the decorator -------------------------------------------------------------------------------------------------


def test_a_decorator_without_parentheses_is_told_so():
    with pytest.raises(AnyjointError, match=r"@aj\.joint above bead \(.*test_user_code.py:\d+\).*@aj\.joint\(dof=1\)"):

        @aj.joint
        def bead(q):
            return P(q[0], 0, 0)


@pytest.mark.parametrize("thing", [3, None, joints.Revolute(), joints.Revolute])
def test_a_decorator_wants_a_function(thing):
    with pytest.raises(AnyjointError, match="function of coordinates"):
        aj.joint(dof=1)(thing)


# -- what simply works ---------------------------------------------------------------------------------------------


def turn(angle):
    c, s = aj.cos(angle), aj.sin(angle)
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def filled(q):
    T = np.eye(4, dtype=object)
    T[0, 3], T[1, 3] = q
    return T


WORKS = {
    "% and //": lambda q: P(q[0] % 0.3, q[1] // 0.3 + q[1], -3.0 % (q[0] + 9)),
    "a number // a coordinate": lambda q: P(q[0], q[1], 30.0 // (q[0] + 9)),
    "% of arrays": lambda q: P(*(q % 0.3), np.float64(7) % (q[0] + 9)),
    "np.fmod": lambda q: P(np.fmod(q[0], 0.3), q[1] + np.fmod(q[0] - 7, q[1] + 9), 0),
    "np.mod": lambda q: P(np.mod(q[0], 0.3), q[1] + np.floor_divide(q[1], 0.3), np.remainder(q[0], -0.9)),
    "divmod": lambda q: P(*divmod(q[0], 0.3), q[1]),
    "math.floor": lambda q: P(q[0] + math.floor(q[0]), q[1] - math.ceil(q[1]), 0),
    "(R, p)": lambda q: (turn(q[0]), (0, 0, q[1])),
    "[R, p] as arrays": lambda q: [np.array(turn(q[0])), np.array([0, 0, q[1]])],
    "an array of objects": filled,
    "multiples of all coordinates": lambda q: P(*(2 * q), 0),
    "an array of a coordinate": lambda q: P(*(q[0] * np.array([1.0, 2.0, 0]) + np.array([0, 0, q[1]]))),
    "a matrix": lambda q: P(*(np.array([[1.0, 2], [3, 4], [5, 6]]) @ q)),
    "functions of arrays": lambda q: P(*np.sin(q), 0),
    "a norm": lambda q: P(np.linalg.norm(q), q[1], 0),
    "a polynomial": lambda q: P(np.polyval([1, 2, 3], q[0]), np.poly1d([1, -1, 1])(q[1]), 0),
    "an array without axes": lambda q: P(np.squeeze(np.array([q[0]])), q[1], 0),
    "hyperbolic": lambda q: P(np.tanh(q[0]), np.sinh(q[1]), np.cosh(q[0])),
    "inverse": lambda q: P(np.arctan(q[0]), np.arctan2(q[1], q[0] + 9), np.hypot(q[0], q[1])),
    "degrees": lambda q: P(np.deg2rad(q[0]), np.degrees(q[1]), np.square(q[0])),
    "logarithms": lambda q: P(np.log2(q[0] + 9), np.log10(q[1] + 9), np.log(q[0] + 9)),
    "not": lambda q: P(aj.select(~(q[0] > 0), q[0], 2 * q[0]), q[1], 0),
    "a guarded branch": lambda q: P(aj.select((q[0] > -1) & (q[1] < 1), q[0], q[1]), q[1], q[0]),
    "a branch with a guard": lambda q: P(aj.select(q[0] > 0, aj.sqrt(aj.maximum(q[0], 0.01)), 0.0), q[0], q[1]),
}
PLACES = [(0.37, -0.81), (-1.23, 2.9), (2.8, 0.05)]


@pytest.mark.parametrize("name", WORKS)
def test_compiled_code_is_what_python_computes(name):
    """Poses to rounding; derivatives by a complex-free oracle, central differences of the floats (good to 1e-9)."""
    model = compiled(WORKS[name], dof=2)
    mech = model.mechanism
    for q in PLACES:
        T = mech.poses(list(q))[0].matrix
        np.testing.assert_allclose(model.body_poses(q)[0], T, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(
            model.body_jacobian(q, "odd"), np.asarray(mech["odd"].joint.jacobian(list(q)), dtype=float), atol=1e-13
        )
        for k in range(2):
            h = np.zeros(2)
            h[k] = 1e-6
            change = (mech.poses(list(q + h))[0].matrix - mech.poses(list(q - h))[0].matrix) / 2e-6
            np.testing.assert_allclose(T[:3, :3] @ model.body_jacobian(q, "odd")[3:, k], change[:3, 3], atol=1e-8)


@pytest.mark.parametrize("y", [0.1, -0.1, 0.3, -0.3, 2.0, -7.5, math.pi, -math.pi])
def test_remainders_are_those_of_python_also_at_their_jumps(y):
    """Bit for bit: next to whole multiples the exact remainder decides, not a rounded quotient."""
    a, b = aj.variables("a", 2)
    both, left, right = (
        aj.compile_function([[a, b]], [a // b, a % b]),
        aj.compile_function([[a]], [a // y, a % y]),
        lambda x: aj.compile_function([[b]], [x // b, x % b])([y]),
    )
    near = [k * y for k in range(-12, 13)]
    near += [math.nextafter(x, side) for x in near for side in (-math.inf, math.inf)]
    for x in [-5.3, -1e-20, 1e-20, 0.0, 0.1, 1.0, 4.9, 123.4, *near]:
        expected = [x // y, x % y]
        assert both([x, y]).tolist() == expected, x
        assert left([x]).tolist() == expected, x
    for x in (1.0, -1.0, 3 * y, -1e-20):
        assert right(x).tolist() == [x // y, x % y]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_joint_with_a_remainder_is_compiled_as_it_is_called(sign):
    function = lambda q: P(q[0] % (sign * 0.1), q[0] // 0.1, q[0])  # noqa: E731
    model = compiled(function)
    for k in range(-30, 31):
        for q in (k * 0.1, k / 10):
            expected = np.array([q % (sign * 0.1), q // 0.1, q])
            np.testing.assert_array_equal(model.body_poses([q])[0][:3, 3], expected)
            np.testing.assert_array_equal(model.mechanism.poses([q])[0].p.astype(float), expected)


# -- at a state ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [-0.5, 0.0])
def test_a_state_where_the_function_is_undefined_is_a_singularity(q):
    model = compiled(lambda q: P(aj.sqrt(q[0]), 0, 0), domain=[(0.1, 1.0)])
    with pytest.raises(SingularityError, match=rf"'odd' at q = \[{q}\].*test_user_code.py:\d+: `aj.sqrt\(q\[0\]\)`"):
        model.forward_dynamics([q], [0.0])


def test_poses_of_numbers_raise_no_errors_of_python():
    joint = aj.joint(dof=1)(lambda q: P(aj.log(q[0]), 0, 0))
    with pytest.raises(SingularityError, match="domain="):
        joint.pose([-1.0])
    with pytest.raises(SingularityError, match="domain="):
        joint.pose([0.0])


def test_a_bug_is_not_a_singularity():
    joint = aj.joint(dof=1)(lambda q: P(undefined_name, 0, 0))  # noqa: F821
    with pytest.raises(JointError, match="NameError"):
        joint.pose([0.3])


def test_a_frame_that_breaks_down_keeps_its_own_words():
    wire = curves.curve(lambda s: (s, s**3, 0 * s))
    joint = aj.joint(dof=1)(lambda q: wire.frenet(q[0]))
    with pytest.raises(SingularityError, match=r"test_user_code.py:\d+.*curvature"):
        joint.pose([0.0])
