"""What runs have made for a model is made again where numbers that it has built in have changed."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.simulate.guard import guard_of


def two_hinges(aside):
    mech = aj.Mechanism("two hinges")
    upper = mech.add_body("upper", joint=joints.Revolute((1, 0, 0)), inertia=aj.Inertia.box(1.0, 0.1, 0.2, 0.3))
    place, inertia = aj.Pose.translation(0.0, aside, -1.0), aj.Inertia(2.0, (0.1, 0.0, -0.5), np.diag([0.1, 0.2, 0.15]))
    mech.add_body("lower", upper, joints.Revolute((0, 1, 0)), placement=place, inertia=inertia)
    return mech.compile()


def gradient(model):
    traj = model.simulate([0.3, 0.4], [0.1, -0.2], duration=0.2, dt=0.02, gradient=True)
    at_end = np.zeros_like(traj.q)
    at_end[-1] = 1.0, 2.0
    return traj.gradient(dq=at_end, wrt=("q0", "lower/mass"))


def test_gradients_follow_a_number_that_was_built_in():
    model = two_hinges(0.0)
    gradient(model)
    with pytest.warns(UserWarning, match="built in"):
        model.parameters["lower/placement"] = aj.Pose.translation(0.0, 0.3, -1.0)
    found, expected = gradient(model), gradient(two_hinges(0.3))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-12)


def test_what_joints_decide_is_made_again_for_other_joints_only():
    mech = aj.Mechanism("bead")
    circle = joints.OnCurve(aj.curves.Ellipse(2.0, 1.0), frame="frenet")
    mech.add_body("bead", joint=circle, inertia=aj.Inertia.sphere(0.5, 0.2))
    model = mech.compile()
    places, guard = model.places, guard_of(model)
    assert guard
    model.parameters["bead/mass"] = 0.7
    assert model.places is places
    assert guard_of(model) is guard
    model.parameters["bead/joint/curve.a"] = 3.0
    assert guard_of(model) is not guard
