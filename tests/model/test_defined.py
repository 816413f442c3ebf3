"""Outside of where a joint is defined every quantity raises, and says whose coordinate it is."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints
from anyjoint.errors import InputError, ModelError, SingularityError

TRACK = [(0, 0, 0), (1, 0, 1), (2, 2, 0), (3, 1, 1), (4, 0, 0)]
RIDE = joints.OnCurve(curves.BSpline(TRACK), frame="fixed-up")  # s from 0 to 2
WORDS = r"body 'bead': coordinate 's' = {} is outside \[0, 2\]"


def tree(ride=RIDE):
    mech = aj.Mechanism("tree")
    arm = mech.add_body("arm", joint=joints.Revolute("y"), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.add_body("bead", arm, ride, inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech


@pytest.fixture(scope="module")
def model():
    return tree().compile()


CALLS = {
    "forward_dynamics": lambda m, q: m.forward_dynamics(q, np.zeros(2)),
    "inverse_dynamics": lambda m, q: m.inverse_dynamics(q, np.zeros(2), np.zeros(2)),
    "mass_matrix": lambda m, q: m.mass_matrix(q),
    "bias_forces": lambda m, q: m.bias_forces(q, np.zeros(2)),
    "gravity_forces": lambda m, q: m.gravity_forces(q),
    "body_poses": lambda m, q: m.body_poses(q),
    "body_jacobian": lambda m, q: m.body_jacobian(q, "bead"),
    "energy": lambda m, q: m.energy(q, np.zeros(2)),
    "momentum": lambda m, q: m.momentum(q, np.zeros(2)),
    "body_twists": lambda m, q: m.body_twists(q, np.zeros(2)),
    "hybrid_dynamics": lambda m, q: m.hybrid_dynamics(q, np.zeros(2), np.zeros(2), np.zeros(2), ["arm"]),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_quantity_raises_outside(model, name):
    CALLS[name](model, np.array([0.3, 2.0]))  # the end itself belongs to the curve
    for given, value in (([0.3, 2.1], "2.1"), (np.array([0.3, -1e-9]), "-1e-09")):
        with pytest.raises(SingularityError, match=WORDS.format(value)):
            CALLS[name](model, given)


@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix", "body_poses"])
def test_a_batch_says_which_state(model, name):
    q = np.array([[0.3, 1.0], [0.4, 0.5], [0.1, 7.0], [0.1, 9.0]])
    assert np.isfinite(CALLS[name](model, q[:2])).all()
    with pytest.raises(SingularityError, match="state 2, " + WORDS.format(7)):
        CALLS[name](model, q)


@pytest.mark.parametrize("algorithm", ["augmented", "redmax"])
def test_numeric_formulations_raise_too(algorithm):
    with pytest.raises(SingularityError, match="forward_dynamics: " + WORDS.format(2.5)):
        tree().compile(algorithm).forward_dynamics([0.0, 2.5], [0.0, 0.0])


def test_poses_in_python_raise_too():
    with pytest.raises(SingularityError, match=WORDS.format(2.5)):
        tree().poses([0.0, 2.5])


def test_other_mistakes_keep_their_messages(model):
    for q, words in (([0.0], "shape"), ([0.0, math.nan], "not finite"), ("ab", "real numbers"), ([[1], [1, 2]], "rag")):
        with pytest.raises(InputError, match=words):
            model.forward_dynamics(q, [0.0, 0.0])


def test_a_follower_has_an_end_too():
    mech = aj.Mechanism("pair")
    mech.add_body("lead", joint=joints.Revolute("y"), inertia=aj.Inertia.sphere(1.0, 0.1))
    follow = joints.Coupled(RIDE, lambda q: 1 + q[0] ** 2, "lead")
    mech.add_body("bead", joint=follow, inertia=aj.Inertia.sphere(1.0, 0.1))
    model = mech.compile()
    assert np.isfinite(model.forward_dynamics([[0.9], [-0.9]], [0.0])).all()
    with pytest.raises(SingularityError, match="state 1, " + WORDS.format(2.21)):
        model.forward_dynamics([[0.9], [-1.1]], [0.0])


def test_a_domain_alone_forbids_nothing():
    ride = aj.joint(dof=1, domain=[(0.1, 1.0)])(lambda q: aj.Pose.translation(2 * q[0], 0, 0))
    poses = tree(ride).compile().body_poses([0.0, -0.5])
    assert poses[1, 0, 3] == pytest.approx(-1.0, abs=1e-15)


def test_a_neutral_value_outside_is_a_problem_of_the_model():
    ride = aj.joint(dof=1, domain=[(0.1, 1.0)], defined=[(0.0, 1.0)], neutral=[2.0])(
        lambda q: aj.Pose.translation(q[0], 0, 0)
    )
    with pytest.raises(ModelError, match=r"neutral value 2.0 is outside"):
        tree(ride).compile()
