"""Bodies in world axes: Jacobians, their rates, velocities and forces there and back."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from anyjoint.mechanism import gallery
from dynamics.support import bumped, close

KINDS = ("revolute", "fixed", "spherical", "prismatic", "free-quaternion", "on-surface")
H = 1e-5


@pytest.fixture(scope="module")
def tree():
    kinds = gallery.every_kind()
    mech = gallery.random_tree(4, n=8, kinds={name: kinds[name] for name in KINDS})
    return mech, mech.compile(), *mech.start


def test_velocities_are_rates_of_positions(tree):
    """[LJ eq. 28-31, 49-51, 57, 58, 60] [RM eq. 4]"""
    mech, model, q, v = tree
    linear, omega = model.cartesian(q).velocities(v)

    def centres(at):
        poses = model.body_poses(at)
        return np.stack([T[:3, :3] @ b.inertia.com + T[:3, 3] for T, b in zip(poses, mech.bodies, strict=True)])

    ends = [bumped(mech, q, v, h) for h in (H, -H)]
    assert close(linear, (centres(ends[0]) - centres(ends[1])) / (2 * H), 1e-8)
    R, Rdot = model.cartesian(q).rotations, np.subtract(*(model.body_poses(e)[:, :3, :3] for e in ends)) / (2 * H)
    spin = Rdot @ np.swapaxes(R, 1, 2)
    assert close(omega, np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), 1e-8)


def test_rates_are_slopes_of_the_jacobians(tree):
    mech, model, q, v = tree
    ahead, behind = (model.cartesian(bumped(mech, q, v, h)) for h in (H, -H))
    rate_v, rate_w = model.cartesian(q).jacobian_rates(v)
    assert close(rate_v, (ahead.J_v - behind.J_v) / (2 * H), 1e-7)
    assert close(rate_w, (ahead.J_w - behind.J_w) / (2 * H), 1e-7)


def test_velocities_come_back(tree):
    """[LJ eq. 61]"""
    _, model, q, v = tree
    at = model.cartesian(q)
    found, miss = at.generalized_velocities(*at.velocities(v))
    assert close(found, v, 1e-9)
    assert miss < 1e-10


def test_forces_do_the_same_work_and_come_back(tree):
    """[LJ eq. 67, 70]"""
    mech, model, q, v = tree
    rng = np.random.default_rng(0)
    at = model.cartesian(q, points=rng.normal(size=(mech.nb, 3)))
    f, tau = rng.normal(size=(2, mech.nb, 3))
    linear, omega = at.velocities(v)
    assert close(at.generalized_forces(f, tau) @ v, np.sum(f * linear) + np.sum(tau * omega), 1e-11)
    Q = rng.normal(size=mech.nv)
    assert close(at.generalized_forces(*at.forces(Q)), Q, 1e-9)


def test_wrong_shapes_are_refused(tree):
    mech, model, q, _ = tree
    with pytest.raises(InputError, match=r"q of shape"):
        model.cartesian(q[:-1])
    with pytest.raises(InputError, match=r"points of shape"):
        model.cartesian(q, points=[0, 0, 0])
    with pytest.raises(InputError, match=r"forces of shape"):
        model.cartesian(q).generalized_forces(np.zeros(3), np.zeros((mech.nb, 3)))
    with pytest.raises(InputError, match=r"finite"):
        model.cartesian(q).velocities(np.full(mech.nv, np.nan))


# -- equations of motion, one body in several parametrisations, and joint by joint (Liu & Jain) ------------------------

TURNING = ("revolute", "universal", "spherical", "euler-angles", "fixed")


@pytest.fixture(scope="module")
def arms():
    """A tree of joints that only turn."""
    kinds = gallery.every_kind()
    mech = gallery.random_tree(5, n=8, kinds={name: kinds[name] for name in TURNING})
    return mech, mech.compile(), *mech.start


def without_weight(model, q, v):
    """What the motion alone asks for."""
    return model.bias_forces(q, v) - model.gravity_forces(q)


def test_mass_matrix_and_coriolis_forces_are_sums_over_bodies(tree):
    """[LJ eq. 48, 59], in whatever coordinates joints have, and wherever points are. [LJ eq. 32]"""
    mech, model, q, v = tree
    at = model.cartesian(q, points=np.random.default_rng(1).normal(size=(mech.nb, 3)))
    assert close(at.mass_matrix(), model.mass_matrix(q), 1e-12)
    assert close(at.coriolis(v), without_weight(model, q, v), 1e-11)


BALLS = {
    "rotation vector": joints.Spherical(),
    "Euler angles xyz": joints.EulerAngles("xyz"),
    "Euler angles zxz": joints.EulerAngles("zxz"),
    "quaternion": joints.SphericalQuaternion(),
}


@pytest.mark.parametrize("name", BALLS)
def test_one_body_in_several_parametrisations(name):
    """The same motion: T and the torque in the world do not depend on coordinates, though M and C do [LJ eq. 45-48]."""
    mech = aj.Mechanism("body", gravity=(0, 0, 0))
    tensor = np.array([[0.3, 0.02, 0.01], [0.02, 0.4, -0.03], [0.01, -0.03, 0.2]])
    body = mech.add_body("body", joint=BALLS[name], inertia=aj.Inertia(2.0, (0.1, -0.2, 0.3), tensor))
    model = mech.compile()
    q = np.array([0.3, 1.1, -0.4]) if model.nq == 3 else np.array([0.8, 0.3, -0.4, np.sqrt(1 - 0.89)])
    pose = model.body_poses(q)[0]
    omega, alpha = np.array([0.7, -0.3, 0.5]), np.array([-0.2, 0.9, 0.4])  # in world axes
    at = model.cartesian(q)
    J, rate = at.J_w[0], None
    v = np.linalg.solve(J, omega)
    rate = at.jacobian_rates(v)[1][0]
    a = np.linalg.solve(J, alpha - rate @ v)
    R, c = pose[:3, :3], pose[:3, :3] @ np.array(body.inertia.com)
    I_o = R @ tensor @ R.T + 2.0 * (c @ c * np.eye(3) - np.outer(c, c))  # about the ball's middle
    assert close(0.5 * v @ at.mass_matrix() @ v, 0.5 * omega @ I_o @ omega, 1e-12)
    torque = I_o @ alpha + np.cross(omega, I_o @ omega)  # Euler's equation
    assert close(at.mass_matrix() @ a + at.coriolis(v), J.T @ torque, 1e-11)
    if model.nq == model.nv:
        assert close(at.lagrange(v), at.coriolis(v), 1e-11)


def test_lagranges_equation_gives_the_same_forces(arms):
    """d/dt dT/dv - dT/dq = M a + Mdot v - 1/2 d(v^T M v)/dq [LJ eq. 13, 17]."""
    _, model, q, v = arms
    assert close(model.cartesian(q).lagrange(v), without_weight(model, q, v), 1e-11)


def test_lagranges_equation_wants_rates_of_coordinates(tree):
    _, model, q, v = tree
    with pytest.raises(InputError, match="no rates of coordinates"):
        model.cartesian(q).lagrange(v)


def test_joint_by_joint_is_the_same_as_all_at_once(arms):
    """[LJ eq. 65, 66, 68, 69, 71]: small pseudo-inverses instead of a large one. [LJ eq. 62-64]"""
    mech, model, q, v = arms
    rng, at = np.random.default_rng(3), model.cartesian(q)
    assert close(at.joint_velocities(at.velocities(v)[1]), v, 1e-11)
    torques, forces = rng.normal(size=(2, mech.nb, 3))
    together = at.generalized_forces(forces, at.body_torques(torques))
    assert close(at.generalized_from_joints(forces, torques), together, 1e-12)
    Q = rng.normal(size=mech.nv)
    found = at.joint_torques(Q)
    assert close(at.generalized_from_joints(np.zeros((mech.nb, 3)), found), Q, 1e-11)
    others = found + np.stack([np.eye(3) - np.linalg.pinv(J.T) @ J.T for J in at.J_hat]) @ np.ones(3)
    assert close(at.generalized_from_joints(np.zeros((mech.nb, 3)), others), Q, 1e-11)
    assert (np.linalg.norm(found, axis=1) <= np.linalg.norm(others, axis=1) + 1e-12).all()


def test_whole_twists_serve_all_joints_one_by_one(tree):
    """[LJ eq. 66] with linear velocities as well, at whatever points."""
    mech, model, q, v = tree
    at = model.cartesian(q, points=np.random.default_rng(5).normal(size=(mech.nb, 3)))
    linear, omega = at.velocities(v)
    assert close(at.joint_velocities(omega, linear), v, 1e-10)


def test_joints_that_follow_are_not_solved_one_by_one():
    mech = aj.Mechanism("gears")
    mech.add_body("a", joint=joints.Revolute(), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.add_body("b", "a", joints.Coupled(joints.Revolute(), 2.0, "a"), inertia=aj.Inertia.sphere(1.0, 0.1))
    model = mech.compile()
    at = model.cartesian([0.3])
    with pytest.raises(InputError, match="follows another"):
        at.joint_velocities(np.zeros((2, 3)), np.zeros((2, 3)))
    torques = np.random.default_rng(0).normal(size=(2, 3))  # what acts at the follower works along its leader
    assert close(at.generalized_from_joints(np.zeros((2, 3)), torques), torques[:, 2] @ [1.0, 2.0], 1e-12)


def test_joint_by_joint_wants_joints_that_turn(tree):
    mech, model, q, _ = tree
    with pytest.raises(InputError, match="omegas, velocities"):
        model.cartesian(q).joint_velocities(np.zeros((mech.nb, 3)))
    with pytest.raises(InputError, match="forces"):
        model.cartesian(q).joint_torques(np.zeros(mech.nv))
