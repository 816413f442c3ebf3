"""Inverse kinematics: what was reached is where it should be, and what was not is the best there is."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.model.rotation_vector import rate_of_rotation_vector, rotation_vector


def arm(limits=(-2.5, 2.5)):
    """Six hinges, a hand."""
    mech = aj.Mechanism("arm")
    rod = aj.Inertia(1.0, (0, 0, 0.2), np.diag([0.02, 0.02, 0.01]))
    axes = [(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    parent = None
    for k, axis in enumerate(axes):
        place = aj.Pose.translation(0, 0, 0.4 if k else 0.0)
        parent = mech.add_body(f"link{k}", parent, joints.Revolute(axis, limits), place, rod)
    mech.add_frame("hand", parent, aj.Pose.translation(0, 0, 0.1))
    return mech


MECH = arm()
MODEL = MECH.compile()
BENT = np.array([0.3, 0.5, 0.7, 0.2, 0.6, 0.1])


def random_states(count):
    return np.random.default_rng(1).uniform(-1, 1, (count, 6))


def test_poses_are_reached():
    wanted = BENT + 0.3 * random_states(1)[0]
    T = MODEL.frame_pose(wanted, "hand")
    found = MODEL.inverse_kinematics({"hand": aj.Pose.from_matrix(T)}, BENT)
    assert found
    assert found.reached is True
    assert str(found).startswith("reached after")
    assert np.abs(MODEL.frame_pose(found.q, "hand") - T).max() < 1e-8
    assert found.errors["hand"].max() < 1e-9


def test_batches_go_together():
    wanted = BENT + 0.4 * random_states(50)
    T = MODEL.frame_pose(wanted, "hand")
    found = MODEL.inverse_kinematics({"hand": T}, BENT)
    assert found.q.shape == (50, 6)
    assert found.reached.mean() > 0.9
    assert np.abs(MODEL.frame_pose(found.q[found.reached], "hand") - T[found.reached]).max() < 1e-8
    again = MODEL.inverse_kinematics({"hand": T}, BENT, tries=10, seed=3)
    assert again
    alone = MODEL.inverse_kinematics({"hand": T[7]}, BENT)
    assert np.abs(alone.q - found.q[7]).max() < 1e-9, "a state does not feel the others of its batch"


def test_positions_alone_leave_the_rest_near_the_start():
    found = MODEL.inverse_kinematics({"hand": (0.5, 0.3, 1.0)}, BENT)
    assert found
    assert np.abs(MODEL.frame_pose(found.q, "hand")[:3, 3] - [0.5, 0.3, 1.0]).max() < 1e-9


def test_what_is_out_of_reach_is_said_and_nearest():
    found = MODEL.inverse_kinematics({"hand": (5.0, 0.0, 0.4)}, BENT, iterations=500)
    assert not found
    assert "not reached after" in str(found)
    assert "hand is off by" in str(found)
    assert "tries=20 begins at other coordinates" in str(found)
    J = MODEL.point_jacobian(found.q, "hand")
    error = MODEL.frame_pose(found.q, "hand")[:3, 3] - [5.0, 0.0, 0.4]
    assert np.abs(J.T @ error).max() < 1e-4, "no small motion brings it nearer"


def test_limits_hold_and_are_named():
    mech = arm(limits=(-0.4, 0.4))
    model = mech.compile()
    found = model.inverse_kinematics({"hand": (0.9, 0.0, 0.9)}, np.full(6, 0.1))
    assert not found
    assert np.abs(found.q).max() <= 0.4
    assert "at their limits: " in str(found)
    free = model.inverse_kinematics({"hand": (0.9, 0.0, 0.9)}, np.full(6, 0.1), limits=False)
    assert free


def test_limits_that_change_nothing_are_not_named():
    """A finger at its end, and one that could only go away from its target, are not why it is out of reach."""
    mech = aj.Mechanism("rails")
    for name, axis in (("held", (1, 0, 0)), ("beside", (1, 0, 0))):
        mech.add_body(name, joint=joints.Prismatic(axis, (0, 1)), inertia=aj.Inertia.sphere(1.0, 0.1))
    model = mech.compile()
    assert model.inverse_kinematics({"held": (2, 0, 0)}, [0.5, 1.0]).limited == ("held/distance",)
    assert model.inverse_kinematics({"held": (0.5, 1, 0)}, [1.0, 1.0]).limited == ()


def test_held_coordinates_stay():
    found = MODEL.inverse_kinematics({"hand": (0.5, 0.3, 1.0)}, BENT, hold=["link0", "link3/angle"])
    assert found.q[0] == BENT[0]
    assert found.q[3] == BENT[3]


def test_held_coordinates_stay_whatever_is_tried():
    """Where it begins anew, and beyond limits."""
    out_of_reach, beyond = aj.Pose.translation(0.5, 0.3, 1.0) @ aj.Pose.rotation_x(2.0), [0.3, 0.5, 0.7, 2.7, 0.6, 0.1]
    for q0 in (BENT, beyond):
        found = MODEL.inverse_kinematics({"hand": out_of_reach}, q0, hold=["link0", "link3"], tries=5)
        assert not found
        assert found.q[[0, 3]].tolist() == [q0[0], q0[3]]


def test_targets_of_one_frame_are_told_apart():
    """The first of them was lost, and the sentence said that it was met."""
    turned = aj.Target(orientation=np.eye(3))
    found = MODEL.inverse_kinematics([("hand", (9, 0, 0)), ("hand", turned), (("hand", (0, 0, 1)), (0, 9, 0))], BENT)
    assert list(found.errors) == ["hand", "hand 2", "hand 3"]
    assert "hand is off by" in str(found)


def test_several_frames_and_weights():
    """Two points pull a hand apart: the heavier one wins in proportion, as in a balance of springs."""
    mech = aj.Mechanism("rail")
    mech.add_body("cart", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.sphere(1.0, 0.1))
    model = mech.compile()
    targets = [("cart", aj.Target((1, 0, 0), position_weight=3.0)), (("cart", (0, 0, 0)), (0, 0, 0))]
    found = model.inverse_kinematics(targets, [0.2])
    assert found.q[0] == pytest.approx(0.75, abs=1e-9)
    assert not found


def test_only_axes_with_weight_count():
    found = MODEL.inverse_kinematics({"hand": aj.Target((9.0, 9.0, 1.1), position_weight=(0, 0, 1))}, BENT)
    assert found
    assert MODEL.frame_pose(found.q, "hand")[2, 3] == pytest.approx(1.1, abs=1e-9)
    turned = MODEL.inverse_kinematics({"hand": aj.Target(orientation=aj.Pose.rotation_x(0.9))}, BENT)
    assert turned
    assert np.abs(MODEL.frame_pose(turned.q, "hand")[:3, :3] - aj.Pose.rotation_x(0.9).R.astype(float)).max() < 1e-8


def test_quaternions_and_half_turns():
    mech = aj.Mechanism("ball")
    mech.add_body("b", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1))
    model = mech.compile()
    target = aj.Pose.translation(1, 2, 3) @ aj.Pose.rotation((1, 2, 3), 3.1)
    found = model.inverse_kinematics({"b": target})
    assert found
    assert np.abs(model.frame_pose(found.q, "b") - target.matrix.astype(float)).max() < 1e-8
    assert np.linalg.norm(found.q[:4]) == pytest.approx(1, abs=1e-12)


def test_loops_stay_closed():
    mech = gallery.four_bar()
    model = mech.compile()
    tip = ("coupler", (0.2, 0.0, 0.0))
    q, _ = model.assemble()
    elsewhere, _ = model.assemble(q + 0.3)
    goal = model.frame_pose(elsewhere, tip)[:3, 3]
    found = model.inverse_kinematics([(tip, goal)], q)
    assert found
    errors = model.constraint_residual(found.q)
    assert max(np.abs(e.position).max() for e in errors.values()) < 1e-10


def test_any_joint_will_do():
    """A bead on a wire finds the point of the wire that is nearest."""
    wire = aj.curves.curve(lambda s: (aj.cos(s), aj.sin(s), 0.2 * s))
    mech = aj.Mechanism("wire")
    mech.add_body("bead", joint=joints.OnCurve(wire), inertia=aj.Inertia.sphere(1.0, 0.1))
    found = mech.compile().inverse_kinematics({"bead": (2.0, 0.5, 0.3)}, [0.5])
    s = np.linspace(-1, 2, 300001)
    points = np.stack([np.cos(s), np.sin(s), 0.2 * s], axis=1)
    nearest = s[np.argmin(np.linalg.norm(points - [2.0, 0.5, 0.3], axis=1))]
    assert not found
    assert found.q[0] == pytest.approx(nearest, abs=2e-5)


def test_single_precision():
    model = arm().compile(dtype="float32")
    found = model.inverse_kinematics({"hand": (0.5, 0.3, 1.0)}, BENT)
    assert found
    assert found.errors["hand"][0] < 1e-4


def test_rotation_vectors_and_their_rates():
    random = np.random.default_rng(0)
    axis = random.normal(size=(200, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = np.concatenate([random.uniform(0, np.pi, 197), [0.0, 1e-9, np.pi - 1e-9]])
    vectors = axis * angle[:, None]

    def turned(x):
        return np.array([aj.Pose.rotation(tuple(n), a).R.astype(float) for n, a in zip(axis, x, strict=True)])

    R = turned(angle)
    assert np.abs(rotation_vector(R) - vectors).max() < 1e-8
    w, e = random.normal(size=(200, 3)), 1e-6
    spin = [np.array([aj.Pose.rotation(tuple(x / np.linalg.norm(x)), s * e * np.linalg.norm(x)).R.astype(float)
                      for x in w]) for s in (1, -1)]  # fmt: skip
    inner = angle < 3.0
    slope = (rotation_vector(spin[0] @ R) - rotation_vector(spin[1] @ R)) / (2 * e)
    found = np.einsum("bij,bj->bi", rate_of_rotation_vector(vectors), w)
    assert np.abs(slope - found)[inner].max() < 1e-7


@pytest.mark.parametrize(("targets", "options", "words"), [
    ({}, {}, "expected {frame: position"),
    ([1, 2, 3], {}, "expected {frame: position"),
    ({"hnd": (1, 2, 3)}, {}, "did you mean 'hand'"),
    ({"hand": (1, 2)}, {}, "expected a position, a pose"),
    ({"hand": (1, 2, np.nan)}, {}, "expected finite numbers"),
    ({"hand": aj.Target()}, {}, "neither a position nor an orientation"),
    ({"hand": aj.Target(orientation=2 * np.eye(3))}, {}, "no rotation matrix"),
    ({"hand": aj.Target((1, 2, 3), position_weight=-1)}, {}, "not negative"),
    ({"hand": np.zeros((3, 3)), "link2": np.zeros((4, 3))}, {}, r"batches of \[3, 4\]"),
    ({"hand": np.zeros((3, 3))}, {"q0": np.zeros((2, 6))}, "q0 has 2 states and targets are 3"),
    ({"hand": (1, 2, 3)}, {"tries": 0}, "tries=0"),
    ({"hand": (1, 2, 3)}, {"tolerance": -1.0}, "tolerance=-1.0"),
    ({"hand": (1, 2, 3)}, {"iteration": 5}, "did you mean 'iterations'"),
])  # fmt: skip
def test_bad_questions_are_refused(targets, options, words):
    with pytest.raises(aj.InputError, match=words):
        MODEL.inverse_kinematics(targets, **options)
