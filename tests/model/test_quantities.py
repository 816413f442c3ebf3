"""Quantities of a model against direct sums over its bodies, on mechanisms that mix kinds, branches and welds."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.mechanism import gallery
from dynamics.support import bumped, close

pytestmark = pytest.mark.fast_code
KINDS = ("revolute", "prismatic", "fixed", "universal", "spherical", "free-quaternion", "on-curve", "own")


class Case:
    """A model and a state."""

    def __init__(self, seed):
        kinds = gallery.every_kind()
        self.mech = gallery.random_tree(seed, n=9, kinds={name: kinds[name] for name in KINDS})
        self.model = self.mech.compile()
        self.q, self.v = self.mech.start
        self.a = np.random.default_rng(seed).normal(size=self.mech.nv)
        self.poses = [pose.matrix for pose in self.mech.poses(list(self.q))]
        self.twists = self.model.body_twists(self.q, self.v)
        self.moving = [body for body in self.mech.bodies if self.model.plan.placed[body.index][0] >= 0]


@pytest.fixture(scope="module", params=range(2))
def case(request):
    return Case(request.param)


def test_poses_are_the_mechanisms_own(case):
    """[SG eq. 6] [RM eq. 1, 22]"""
    assert close(case.model.body_poses(case.q), np.array(case.poses), 1e-13)


def test_twists_are_rates_of_poses(case):
    h = 1e-6
    ends = [case.model.body_poses(bumped(case.mech, case.q, case.v, s)) for s in (h, -h)]
    slope = (ends[0] - ends[1]) / (2 * h)
    for k, T in enumerate(case.poses):
        w = T[:3, :3].T @ slope[k, :3, :3]
        twist = [w[2, 1], w[0, 2], w[1, 0], *(T[:3, :3].T @ slope[k, :3, 3])]
        assert np.allclose(case.twists[k], twist, atol=1e-7 * (1 + np.abs(twist).max()))


def test_energy_momentum_and_centre_of_mass_are_sums(case):
    kinetic, potential, momentum, moment, mass = 0.0, 0.0, np.zeros(6), np.zeros(3), 0.0
    for body in case.moving:
        T, twist, inertia = case.poses[body.index], case.twists[body.index], body.inertia
        R, c = T[:3, :3], T[:3, :3] @ inertia.com + T[:3, 3]
        velocity = R @ (twist[3:] + np.cross(twist[:3], inertia.com))
        spin = R @ inertia.tensor @ twist[:3]
        kinetic += 0.5 * twist @ inertia.spatial() @ twist
        potential -= inertia.mass * c @ np.array(case.mech.gravity)
        momentum += [*(spin + np.cross(c, inertia.mass * velocity)), *(inertia.mass * velocity)]
        moment += inertia.mass * c
        mass += inertia.mass
    made = case.model.energy(case.q, case.v)
    assert close(made[0], kinetic, 1e-12)
    assert close(made[1], potential, 1e-12)
    assert close(case.model.momentum(case.q, case.v), momentum, 1e-12)
    assert close(case.model.center_of_mass(case.q), moment / mass, 1e-12)


def test_mass_matrix_holds_the_kinetic_energy_and_the_forces(case):
    M = case.model.mass_matrix(case.q)
    assert np.array_equal(M, M.T)
    assert close(0.5 * case.v @ M @ case.v, case.model.energy(case.q, case.v)[0], 1e-12)
    bias = case.model.bias_forces(case.q, case.v)
    assert close(case.model.inverse_dynamics(case.q, case.v, case.a), M @ case.a + bias, 1e-11)
    still = np.zeros(case.mech.nv)
    assert close(case.model.bias_forces(case.q, still), case.model.gravity_forces(case.q), 1e-12)


def test_both_inverse_algorithms_agree(case):
    made = [case.model.inverse_dynamics(case.q, case.v, case.a, algorithm=x) for x in ("newton-euler", "lagrangian")]
    assert close(*made, 1e-10)


def test_gravity_forces_are_the_slope_of_potential_energy(case):
    h = 1e-5
    for k, e in enumerate(np.eye(case.mech.nv)):
        ends = [case.model.energy(bumped(case.mech, case.q, e, s), 0 * e)[1] for s in (h, -h)]
        assert np.isclose(case.model.gravity_forces(case.q)[k], (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-7)


def test_velocity_products_are_accelerations_without_accelerating(case):
    """Jdot v is the slope of J v at constant v."""
    h = 1e-6
    ends = [case.model.body_twists(bumped(case.mech, case.q, case.v, s), case.v) for s in (h, -h)]
    made = case.model.jacobian_rate_times(case.q, case.v, case.v)
    assert np.allclose(made, (ends[0] - ends[1]) / (2 * h), atol=1e-7 * np.abs(made).max())


def test_joint_wrenches_balance_every_body(case):
    """A free body diagram in the world: what a joint gives, minus what the next ones take, changes momentum."""
    model, mech = case.model, case.mech
    wrenches = model.joint_wrenches(case.q, case.v, case.a)
    on_ground = [link.body for link in model.plan.links if link.parent < 0]
    ground = sum(_about_origin(case.poses[k], wrenches[k]) for k in on_ground)
    h = 1e-6
    ends = [model.momentum(bumped(mech, case.q, case.v, s), case.v + s * case.a) for s in (h, -h)]
    mass = sum(body.inertia.mass for body in case.moving)
    weight = mass * np.array(mech.gravity)
    fall = np.concatenate([np.cross(model.center_of_mass(case.q), weight), weight])
    rate = (ends[0] - ends[1]) / (2 * h)
    assert np.allclose(ground + fall, rate, atol=2e-6 * (1 + np.abs(rate).max()))


def _about_origin(T, wrench):
    force = T[:3, :3] @ wrench[3:]
    return np.concatenate([T[:3, :3] @ wrench[:3] + np.cross(T[:3, 3], force), force])


def test_asking_for_counts_does_not_spoil_answers():
    """Joint wrenches need inertias where they are; the operations of their program may be asked for first."""
    case = Case(1)
    wrenches = case.model.joint_wrenches(case.q, case.v, case.a)
    other = case.mech.compile()
    assert other.op_count("joint_wrenches").total > 0
    assert np.array_equal(other.joint_wrenches(case.q, case.v, case.a), wrenches)


def test_a_mechanism_that_does_not_move_answers_too():
    mech = aj.Mechanism("rock")
    mech.add_body("rock", placement=aj.Pose.translation(0, 0, 1), inertia=aj.Inertia.sphere(1.0, 1.0))
    model, none = mech.compile(), np.zeros(0)
    assert model.forward_dynamics(none, none).shape == (0,)
    assert model.mass_matrix(none).shape == (0, 0)
    assert model.body_poses(none)[0, 2, 3] == 1.0
    assert model.body_jacobian(none, "rock").shape == (6, 0)
    assert model.energy(none, none) == (0.0, 0.0)
    assert model.formulation == "none"
    assert np.array_equal(model.center_of_mass(none), [0.0, 0.0, 1.0])


def test_a_star_of_many_arms():
    """Many children of one body, too many coordinates for a straight-line mass matrix, a quaternion at the root."""
    mech = aj.Mechanism("star")
    mech.add_body("hub", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 1.0))
    solid = aj.Inertia.box(1.0, 1.0, 1.0, 1.0).moved(aj.Pose.translation(0.1, 0.2, 0.3))
    for k in range(40):
        place = aj.Pose.translation(0.1 * k, 0.2, 0)
        mech.add_body(f"arm{k}", "hub", joints.Revolute((1, k % 3, 2)), place, solid)
    q = np.concatenate([[1, 0, 0, 0, 0, 0, 0], np.linspace(-1, 1, 40)])
    v = np.linspace(-1, 1, mech.nv)
    model = mech.compile(form="kernels")
    a = model.forward_dynamics(q, v)
    assert close(model.mass_matrix(q) @ a, -model.bias_forces(q, v), 1e-10)
    for algorithm in ("recursive", "redmax", "composite-rigid-body", "lagrangian"):
        assert close(mech.compile(algorithm).forward_dynamics(q, v), a, 1e-11)


@pytest.mark.parametrize(
    "build",
    [lambda: gallery.revolute_chain(50), pytest.param(lambda: gallery.random_tree(5, n=30), marks=pytest.mark.slow)],
)
def test_large_mass_matrix_equals_unit_accelerations(build):
    mech = build()
    model = mech.compile()
    assert model.nv > 40
    q = np.stack([mech.neutral + 0.1, mech.neutral + 0.2])
    M = model.mass_matrix(q)
    for k in range(2):
        zero = np.zeros(model.nv)
        rest = model.inverse_dynamics(q[k], zero, zero)
        columns = np.stack([model.inverse_dynamics(q[k], zero, e) - rest for e in np.eye(model.nv)], axis=1)
        np.testing.assert_allclose(M[k], columns, rtol=0, atol=1e-11 * np.abs(columns).max())
        np.testing.assert_array_equal(M[k], M[k].T)
        assert np.linalg.eigvalsh(M[k]).min() > 0
    np.testing.assert_array_equal(model.mass_matrix(q[0]), M[0])


def test_entries_between_branches_are_zero_in_a_given_matrix_too():
    mech = aj.Mechanism("two branches")
    for side in "ab":
        parent = mech.ground
        for k in range(25):
            ball = aj.Inertia.sphere(1, 1)
            parent = mech.add_body(f"{side}{k}", parent=parent, joint=joints.Revolute(), inertia=ball)
    model = mech.compile()
    q, out = np.zeros(50), np.full((50, 50), 7.0)
    assert model.mass_matrix(q, out=out) is out
    assert not out[:25, 25:].any()
    np.testing.assert_array_equal(out, model.mass_matrix(q))
    batch = model.mass_matrix(np.zeros((3, 50)), out=np.full((3, 50, 50), 7.0), threads=2)
    np.testing.assert_array_equal(batch, [out] * 3)
