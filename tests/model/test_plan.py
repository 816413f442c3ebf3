"""Laws of plans: inner frames, welding and regrouped inertia never show in accelerations, forces or poses."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.mechanism import gallery
from anyjoint.tree.denavit import common_normal, rotation_x, screw_z, unshifted
from anyjoint.tree.plan import GENERAL, HINGE, SLIDER, make_plan
from anyjoint.tree.rigid import homogeneous, matrices
from dynamics.support import State, close

AXES = {
    "hinge": joints.Revolute((1, 2, 3)),
    "hinge z": joints.Revolute((0, 0, 1)),
    "hinge -x": joints.Revolute((-1, 0, 0)),
    "slider": joints.Prismatic((0, 1, 1)),
    "slider z": joints.Prismatic((0, 0, 1)),
    "weld": joints.Fixed(),
    "universal": joints.Universal(),
    "own": gallery.every_kind()["own"],
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("branching", [0.0, 0.9])
def test_inner_frames_and_regrouped_inertia_do_not_show(seed, branching):
    mech = gallery.random_tree(seed, n=10, kinds=AXES, branching=branching)
    rng = np.random.default_rng(seed)
    tau, a = rng.normal(size=(2, mech.nv))
    plain = State(mech, canonical=False)
    qdd, forces = plain.row(ARTICULATED_BODY, tau=tau), plain.row(NEWTON_EULER, qdd=a)
    for regroup in (False, True):
        for canonical in (False, True):
            state = State(mech, canonical=canonical, regroup=regroup)
            assert close(state.row(ARTICULATED_BODY, tau=tau), qdd, 1e-11)
            assert close(state.row(NEWTON_EULER, qdd=a), forces, 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_welded_bodies_ride_on_one_link(seed):
    mech = gallery.random_tree(seed, n=12, kinds=AXES)
    plan = make_plan(mech)
    assert len(plan.links) == sum(body.joint.nv > 0 for body in mech.bodies)
    assert len(plan.placed) == mech.nb
    assert all(link.parent < i for i, link in enumerate(plan.links))
    kinds = {joints.Revolute: HINGE, joints.Prismatic: SLIDER}
    for i, link in enumerate(plan.links):
        assert link.kind == kinds.get(type(mech.bodies[link.body].joint), GENERAL)
        assert plan.placed[link.body][0] == i
    mass = sum(link.inertia[3, 3] for link in plan.links)
    moving = [body for body, (link, _) in zip(mech.bodies, plan.placed, strict=True) if link >= 0]
    assert close(mass, sum(body.inertia.mass for body in moving), 1e-13)


def test_one_child_of_a_hinge_is_one_turn_and_a_planar_shift_away():
    """Denavit and Hartenberg's form: no turn about z before the turn about x, no shift along y."""
    plan = make_plan(gallery.revolute_chain(8))
    for link in plan.links[1:]:
        assert abs(np.sin(link.gamma)) < 1e-12
        assert abs(link.p[1]) < 1e-12


def test_a_hinge_feels_seven_inertial_numbers_and_a_slider_one():
    mech = gallery.random_tree(3, n=6, kinds={"hinge": AXES["hinge"], "slider": AXES["slider"]}, branching=0.0)
    for link in make_plan(mech, regroup=True).links:
        J = link.inertia
        if link.kind == HINGE:
            gone = [J[3, 3], J[1, 3], J[1, 1]]  # m, m*c_z, I_yy
        else:
            gone = list(J[:3, :3].ravel())
        assert np.abs(gone).max() < 1e-13


@pytest.mark.parametrize("seed", range(20))
def test_common_normal_gives_back_the_pose(seed):
    rng = np.random.default_rng(seed)
    turn = aj.Pose.rpy(*rng.uniform(-3, 3, 3))
    if seed % 4 == 0:
        turn = aj.Pose.rotation_z(rng.normal()) @ aj.Pose.rotation_x(np.pi * (seed % 8 == 0))  # parallel axes
    K = (aj.Pose.translation(*rng.normal(size=3)) @ turn).matrix
    for n in (common_normal(K), unshifted(K)):
        middle = homogeneous(rotation_x(n.sin_alpha, n.cos_alpha), (0, 0, 0)) @ homogeneous(np.eye(3), n.p)
        assert close(screw_z(n.gamma, n.delta) @ middle @ screw_z(n.theta, 0.0), K, 1e-13)


@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi / 2, -np.pi / 2, np.pi])
def test_parallel_axes_are_a_shift_and_one_turn_apart(turn):
    """Of many common normals, the one to turn to is that by right angles which leaves no turn behind it, or none."""
    for at in ((0.3, 0.4, 0.5), (0.3, 0, 0), (0, 0.3, 0), (0, -0.3, 0), (-0.3, 0, 0), (0, 0, 0)):
        K = (aj.Pose.translation(*at) @ aj.Pose.rotation_z(turn)).matrix
        n = unshifted(K)
        assert n.gamma == 0 or (n.theta == pytest.approx(0, abs=1e-15) and n.p[1] == pytest.approx(0, abs=1e-16))
        assert abs(np.sin(2 * n.gamma)) < 1e-15


def test_matrices_of_many_poses():
    rng = np.random.default_rng(0)
    poses = [aj.Pose.identity(), aj.Pose.translation(1, 2, 3), aj.Pose.rotation_y(0.3)]
    for _ in range(6):
        turned = aj.Pose.translation(*rng.normal(size=3)) @ aj.Pose.rpy(*rng.normal(size=3))
        poses += [turned, turned.inverse() @ aj.Pose.quaternion(*rng.normal(size=4))]
    assert close(matrices(poses), np.array([pose.matrix for pose in poses]), 1e-14)
