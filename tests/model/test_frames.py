"""Frames: poses, velocities and Jacobians in all axes against Pinocchio and against differences; names and errors."""

import numpy as np
import pinocchio as pin
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.load.oracle.pin import Oracle
from load.robots import ZOO_FOR_PINOCCHIO


def tree():
    """Hinges, a slider, a ball and a free body, with frames on some."""
    mech = aj.Mechanism("tree")
    solid = aj.Inertia(1.0, (0.1, 0.2, 0.3), np.diag([0.2, 0.3, 0.4]))
    mech.add_body("base", joint=joints.FreeQuaternion(), inertia=solid)
    mech.add_body("arm", "base", joints.Revolute((0.6, 0, 0.8)), aj.Pose.translation(0.1, 0.2, 0.3), solid)
    mech.add_body("slide", "arm", joints.Prismatic((0, 1, 0)), aj.Pose.rotation_x(0.4), solid)
    mech.add_body("ball", "slide", joints.SphericalQuaternion(), aj.Pose.translation(0, 0, 0.5), solid)
    mech.add_frame("tip", "ball", aj.Pose.translation(0.3, -0.1, 0.2) @ aj.Pose.rotation_y(0.7))
    mech.add_frame("mark", mech.ground, aj.Pose.translation(1, 2, 3))
    return mech


MECH = tree()
MODEL = MECH.compile()


def states(count=3, seed=0):
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, MODEL.nq))
    for at in (slice(0, 4), slice(9, 13)):
        q[:, at] /= np.linalg.norm(q[:, at], axis=1, keepdims=True)
    return q, random.normal(size=(count, MODEL.nv))


def test_poses_are_the_mechanisms():
    q, _ = states()
    found = MODEL.frame_pose(q, "tip")
    for row, pose in zip(q, found, strict=True):
        wanted = MECH.poses(row.tolist())[MECH["ball"].index] @ MECH["ball"].frames["tip"]
        assert np.abs(pose - wanted.matrix.astype(float)).max() < 1e-14
    assert np.array_equal(MODEL.frame_pose(q[0], "ball"), MODEL.body_poses(q[0])[MECH["ball"].index])
    assert MODEL.frame_pose(q, "mark").shape == (3, 4, 4)
    assert np.array_equal(MODEL.frame_pose(q[1], ("ground", (1, 2, 3)))[:3, 3], [1, 2, 3])


@pytest.mark.parametrize("axes", ["local", "world-aligned", "world"])
def test_velocities_are_rates_of_poses(axes):
    q, v = states()
    T, e = MODEL.frame_pose(q, "tip"), 1e-6
    rates = np.asarray(MODEL.coordinate_rates(q, v))
    rate = (MODEL.frame_pose(q + e * rates, "tip") - MODEL.frame_pose(q - e * rates, "tip")) / (2 * e)
    R, p = T[:, :3, :3], T[:, :3, 3]
    left = rate[:, :3, :3] @ np.swapaxes(R, 1, 2)
    w = np.stack([left[:, 2, 1], left[:, 0, 2], left[:, 1, 0]], axis=1)
    u = rate[:, :3, 3] if axes != "world" else rate[:, :3, 3] + np.cross(p, w)
    if axes == "local":
        w, u = (np.einsum("bji,bj->bi", R, x) for x in (w, u))
    found = MODEL.frame_velocity(q, v, "tip", axes)
    assert np.abs(found - np.concatenate([w, u], axis=1)).max() < 1e-8  # central differences
    J = MODEL.frame_jacobian(q, "tip", axes)
    assert np.abs(np.einsum("bij,bj->bi", J, v) - found).max() < 1e-13


def rolling():
    mech = aj.Mechanism("rolling")
    roll = joints.Rolling(aj.surfaces.Ellipsoid(2.0, 1.5, 1.0), aj.surfaces.Sphere(0.3))
    ball = mech.add_body("ball", joint=roll, inertia=aj.Inertia.sphere(1.0, 0.3))
    mech.add_body("arm", ball, joints.Revolute((1, 0, 0)), inertia=aj.Inertia.sphere(0.5, 0.1))
    mech.set_start([0.3, 1.0, 0.5, 0.45, 0.2, 0.4])
    return mech


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize(
    "make", [tree, rolling, lambda: gallery.torus_chain(3), gallery.tongs_with_fish, lambda: gallery.revolute_chain(20)]
)
def test_jacobians_are_transposes_of_what_wrenches_do(make, form):
    """Column by column, J^T of unit wrenches on the body; and poses are those of all bodies."""
    mech = make()
    model, q = mech.compile(form=form), np.array(mech.start[0] if mech.start else mech.neutral)
    place = aj.Pose.translation(0.1, 0.2, 0.3) @ aj.Pose.rpy(0.1, 0.4, -0.3)
    for body in (mech.bodies[-1], mech.bodies[len(mech.bodies) // 2]):
        wrenches = np.zeros((6, mech.nb, 6))
        wrenches[:, body.index] = np.eye(6)
        J = model.body_jacobian(q, body)
        assert np.abs(J - model.generalized_forces(q, wrenches)).max() < 1e-14 * max(1.0, np.abs(J).max())
        on, frame = np.eye(mech.nb)[body.index], place.matrix[:3].ravel()
        own, pose = model.frame_motion(q, on, frame)
        assert np.abs(pose - model.frame_pose(q, (body, place))).max() < 1e-14
        assert np.array_equal(own.T, model.frame_jacobian(q, (body, place)))


def test_a_frame_far_away_has_a_jacobian_as_good_as_near():
    """Levers are those of the mechanism; how far it is from the world's origin does not matter."""
    q = states(1)[0][0]
    far = q.copy()
    far[4:7] += 1e9
    assert np.abs(MODEL.frame_jacobian(far, "tip") - MODEL.frame_jacobian(q, "tip")).max() < 1e-14


def test_jacobians_take_linear_time():
    """Operations, which are the same everywhere."""
    counts = [gallery.revolute_chain(n).compile(form="kernels").op_count("frame_motion").total for n in (10, 20, 30)]
    assert counts[2] - counts[1] == pytest.approx(counts[1] - counts[0], rel=0.02)
    assert counts[2] <= 190 * 30


def test_jacobians_are_pinocchios(tmp_path):
    (tmp_path / "zoo.urdf").write_text(ZOO_FOR_PINOCCHIO)
    mech = aj.load(tmp_path / "zoo.urdf")
    model, oracle = mech.compile(), Oracle(ZOO_FOR_PINOCCHIO, mech)
    q, v, _ = oracle.state(np.random.default_rng(1))
    kinds = {"local": pin.LOCAL, "world": pin.WORLD, "world-aligned": pin.LOCAL_WORLD_ALIGNED}
    for name in ("finger2", "tool", "ball"):
        frame = oracle.model.getFrameId(name)
        for axes, kind in kinds.items():
            J = pin.computeFrameJacobian(oracle.model, oracle.data, oracle.q, frame, kind) @ oracle.S.T
            assert np.abs(model.frame_jacobian(q, name, axes) - J[[3, 4, 5, 0, 1, 2]]).max() < 1e-13
            pin.forwardKinematics(oracle.model, oracle.data, oracle.q, oracle.S.T @ v)
            pin.updateFramePlacements(oracle.model, oracle.data)
            twist = pin.getFrameVelocity(oracle.model, oracle.data, frame, kind)
            wanted = [*twist.angular, *twist.linear]
            assert np.abs(model.frame_velocity(q, v, name, axes) - wanted).max() < 1e-12


def test_points_of_bodies_move_as_their_jacobians_say():
    q, v = states(1)
    J = MODEL.point_jacobian(q[0], "slide", (0.1, 0.2, 0.3))
    e, rates = 1e-6, np.asarray(MODEL.coordinate_rates(q[0], v[0]))
    ahead, behind = (MODEL.frame_pose(q[0] + s * e * rates, ("slide", (0.1, 0.2, 0.3)))[:3, 3] for s in (1, -1))
    assert np.abs(J @ v[0] - (ahead - behind) / (2 * e)).max() < 1e-8
    assert np.array_equal(MODEL.point_jacobian(q[0], None, (1, 2, 3)), np.zeros((3, MODEL.nv)))


def test_frames_are_found_by_name_body_and_both():
    mech = gallery.revolute_chain(3)
    a, b = mech.bodies[0], mech.bodies[1]
    for body in (a, b):
        body.frames["same"] = aj.Pose.translation(1, 0, 0)
    model = mech.compile()
    q = np.full(3, 0.3)
    with pytest.raises(aj.InputError, match="several bodies have a frame 'same'; say which one"):
        model.frame_pose(q, "same")
    assert np.array_equal(model.frame_pose(q, f"{b.name}/same"), model.frame_pose(q, (b, (1, 0, 0))))
    mech.add_frame("late", a)
    assert np.array_equal(model.frame_pose(q, "late"), model.frame_pose(q, a))


@pytest.mark.parametrize(("ask", "words"), [
    (lambda m, q: m.frame_pose(q, "tpi"), "no frame or body 'tpi'; did you mean 'tip'"),
    (lambda m, q: m.frame_pose(q, 3.5), "3.5 is no frame"),
    (lambda m, q: m.frame_pose(q, ("ball", (1, 2))), "no place on a body"),
    (lambda m, q: m.frame_jacobian(q, "tip", axes="word"), "axes='word' is unknown; did you mean 'world'"),
    (lambda m, q: m.frame_velocity(q, np.zeros(m.nv), "tip", "word"), "frame_velocity: axes='word' is unknown"),
    (lambda m, q: m.frame_velocity(q, np.zeros(2), "tip"), "frame_velocity: v has shape"),
])  # fmt: skip
def test_what_is_no_frame_is_said(ask, words):
    with pytest.raises(aj.InputError, match=words):
        ask(MODEL, states(1)[0][0])


def test_a_frame_of_another_mechanism_is_refused():
    """Its body is known by a number, which another body has here."""
    mech, other = tree(), aj.Mechanism("other")
    other.add_body("first", joint=joints.Revolute(), inertia=aj.Inertia.point(1.0, (0, 0, 1)))
    q, tool = states(1)[0][0], mech.add_frame("tool", "ball", aj.Pose.translation(1, 2, 3))
    assert np.array_equal(mech.compile().frame_pose(q, tool), MODEL.frame_pose(q, ("ball", (1, 2, 3))))
    for body in ("first", other.ground):
        foreign = other.add_frame(f"{body} tool", body, aj.Pose.translation(1, 2, 3))
        with pytest.raises(aj.InputError, match="tool' is one of another mechanism than 'tree'"):
            MODEL.frame_pose(q, foreign)


@pytest.mark.parametrize(("name", "body", "pose", "words"), [
    ("", "ball", None, "non-empty text"),
    ("tip", "ball", None, "already a frame or body 'tip'"),
    ("arm", "ball", None, "already a frame or body 'arm'"),
    ("new", "ball", (1, 2, 3), "pose must be an aj.Pose"),
    ("new", aj.Mechanism().ground, None, "no body of 'tree'"),
])  # fmt: skip
def test_bad_frames_are_refused(name, body, pose, words):
    with pytest.raises(aj.ModelError, match=words):
        MECH.add_frame(name, body, pose)
