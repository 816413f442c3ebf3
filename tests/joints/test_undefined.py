"""Where arithmetic has no value a joint has none: a SingularityError, on floats as in compiled code."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints, surfaces
from anyjoint.errors import SingularityError

NOWHERE = {  # a joint, and coordinates at which its function breaks down
    "root of a negative": (
        aj.joint(dof=1, domain=[(0.1, 1)])(lambda q: aj.Pose.translation(aj.sqrt(q[0]), 0, 0)), [-0.5]
    ),
    "arc sine above one": (aj.joint(dof=1, domain=[(-1, 1)])(lambda q: aj.Pose.rotation_z(aj.asin(q[0]))), [1.5]),
    "division by zero": (aj.joint(dof=1, domain=[(0.1, 1)])(lambda q: aj.Pose.translation(1 / q[0], 0, 0)), [0.0]),
    "logarithm of zero": (aj.joint(dof=1, domain=[(0.1, 1)])(lambda q: aj.Pose.translation(aj.log(q[0]), 0, 0)), [0.0]),
    "overflow": (aj.joint(dof=1)(lambda q: aj.Pose.translation(aj.exp(q[0]), 0, 0)), [1000.0]),
    "NumPy's NaN": (
        aj.joint(dof=1, domain=[(0.1, 1)])(lambda q: aj.Pose.translation(np.sqrt(q[0]), 0, 0)), [-0.5]
    ),
    "a curve": (joints.OnCurve(curves.curve(lambda s: (s, aj.sqrt(s), s * s), domain=(0.5, 1))), [-0.5]),
    "a surface": (
        joints.OnSurface(surfaces.surface(lambda u, v: (u, v, aj.log(u)), domain=((0.5, 1), (0, 1)))), [-0.5, 0.5]
    ),
    "a function": (
        joints.FunctionBased(rotations=[((0, 0, 1), aj.sqrt)], domains=((0.1, 1),)), [-0.5]
    ),
    "a linkage": (joints.FourBar(1.0, 0.8, 0.5, 0.6), [3.0]),
    "a stretched linkage": (joints.FourBar(1.0, 1.0, 0.5, 0.5), [math.acos(0.5) + 1e-15]),
    "an inflection": (joints.OnCurve(lambda s: (s, s**3, 0.0 * s)), [0.0]),
    "a cusp": (joints.OnCurve(lambda s: (s**2, s**3, s**2), frame="fixed-up"), [0.0]),
}  # fmt: skip
USERS = [name for name in NOWHERE if name not in ("a linkage", "a stretched linkage", "an inflection", "a cusp")]


def mechanism(joint):
    mech = aj.Mechanism("one")
    mech.add_body("odd", joint=joint, inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", NOWHERE)
def test_poses_and_twists_on_floats_raise(name):
    joint, q = NOWHERE[name]
    for call in (joint.pose, joint.jacobian):
        with pytest.raises(SingularityError, match="|".join(("not defined", "crank", "curvature", "stands still"))):
            call(q)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", NOWHERE)
def test_mechanisms_and_models_name_the_body(name):
    joint, q = NOWHERE[name]
    mech = mechanism(joint)
    model = mech.compile()
    for call in (mech.poses, model.body_poses):
        with pytest.raises(SingularityError, match="'odd'"):
            call(q)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", USERS)
def test_the_message_names_the_domain(name):
    joint, q = NOWHERE[name]
    with pytest.raises(SingularityError, match="domain="):
        mechanism(joint).poses(q)


@pytest.mark.parametrize("function", [math.log, math.sqrt, lambda x: 1 / (x + abs(x))])
def test_checks_find_a_domain_that_reaches_too_far(function):
    joint = aj.joint(dof=1)(lambda q: aj.Pose.translation(0, 0, 1) if q[0] is None else moved(function, q[0]))
    problems = mechanism(joint).check()
    assert len(problems) == 1
    assert "domain=" in str(problems[0])


def moved(function, x):
    value = {math.log: aj.log, math.sqrt: aj.sqrt}.get(function, function)(x)
    return aj.Pose.translation(value, 0, 0)


def test_other_errors_of_a_function_stay_what_they_are():
    def wrong(q):
        raise ValueError("I am a bug")

    with pytest.raises(aj.errors.JointError, match=r"fails at .*I am a bug") as told:
        aj.joint(dof=1)(wrong).pose([0.1])
    assert isinstance(told.value.__cause__, ValueError)


def test_a_joint_that_fails_does_not_hide_other_problems():
    mech = mechanism(aj.joint(dof=1)(lambda q: aj.Pose.translation(1 / (0 * q[0]), 0, 0)))
    mech.add_body("massless", "odd", aj.joint(dof=1)(lambda q: aj.Pose.rotation_z(1 / (0 * q[0]))))
    assert {problem.rule for problem in mech.check()} == {"joint-functions"}
