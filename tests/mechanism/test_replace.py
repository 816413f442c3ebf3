"""Another joint for a body: the rest of the mechanism stays as it was, and coordinates keep their order."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from load.robots import ZOO

SOLID = aj.Inertia(1.0, (0.1, 0, 0.2), np.diag([0.2, 0.3, 0.25]))


def chain():
    mech = aj.Mechanism("chain")
    for k in range(3):
        parent = mech.bodies[-1] if k else None
        place = aj.Pose.translation(0.1 * k, 0, 0.3)
        mech.add_body(f"b{k}", parent, joints.Revolute("y"), place, SOLID, damping=0.1 * (k + 1), stiffness=float(k))
    mech.set_start([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    return mech


@aj.joint(dof=1)
def gliding(q):
    return aj.Pose.translation(0.02 * aj.sin(q[0]), 0, 0) @ aj.Pose.rotation_y(q[0])


def test_a_function_takes_the_place_of_a_hinge():
    mech = chain()
    made = mech.replace_joint("b1", gliding)
    assert made is mech["b1"] is mech.bodies[1]
    assert (made.damping, made.stiffness) == ((0.2,), (1.0,))
    direct = aj.Mechanism("direct")
    for k, body in enumerate(chain().bodies):
        joint = gliding if k == 1 else body.joint
        options = {"damping": body.damping, "stiffness": body.stiffness}
        direct.add_body(body.name, direct.bodies[-1] if k else None, joint, body.placement, SOLID, **options)
    q, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    assert np.array_equal(mech.compile().forward_dynamics(q, v), direct.compile().forward_dynamics(q, v))


def test_coordinates_are_numbered_again():
    mech = chain()
    mech.replace_joint("b1", joints.Universal(), damping=(0.5, 0.6), stiffness=0.0)
    assert (mech.nq, mech["b1"].q, mech["b2"].q) == (4, slice(1, 3), slice(3, 4))
    assert mech["b1"].damping == (0.5, 0.6)
    assert np.array_equal(mech.start[0], [0.1, 0, 0, 0.3])
    assert np.array_equal(mech.start[1], [1.0, 0, 0, 3.0])
    mech.replace_joint("b1", joints.Fixed(), damping=0.0)
    assert mech.nq == 2
    assert mech.compile().mass_matrix([0.1, 0.2]).shape == (2, 2)
    mech.add_body("more", mech["b1"], joints.Revolute(), inertia=SOLID)
    assert mech.nq == 3


def test_joints_of_files_are_found_by_their_names(tmp_path):
    (tmp_path / "zoo.urdf").write_text(ZOO)
    mech = aj.load(tmp_path / "zoo.urdf")
    body = mech.replace_joint("elbow", gliding, placement=aj.Pose.translation(0, 0, 1))
    assert body.name == "lower"
    assert mech["lower"].joint is gliding
    assert np.isfinite(mech.compile().forward_dynamics(*mech.start or (mech.neutral, np.zeros(mech.nv)))).all()


def test_models_are_not_changed():
    mech = chain()
    model = mech.compile()
    mech.replace_joint("b1", joints.Fixed(), damping=0.0, stiffness=0.0)
    assert model.nq == 3
    assert model.mechanism["b1"].joint.nq == 1


@pytest.mark.parametrize(("change", "words"), [
    (lambda m: m.replace_joint("bx", gliding), "no joint or body 'bx'; choose one of b0"),
    (lambda m: m.replace_joint("b1", "hinge"), "is not a joint"),
    (lambda m: m.replace_joint("b1", joints.Universal()), r"its stiffness is \[1.0\].*give stiffness=..."),
    (lambda m: m.replace_joint("b1", gliding, dampin=1.0), "did you mean 'damping'"),
    (lambda m: (m.prescribe("b1", lambda t: t), m.replace_joint("b1", joints.Fixed(), damping=0.0, stiffness=0.0)),
     "uses coordinate 'b1/angle', which the new joint has not"),
    (lambda m: (m.prescribe("b1", lambda t: t),
                m.replace_joint("b1", joints.SphericalQuaternion(), damping=0.0, stiffness=0.0)),
     "uses coordinate 'b1/angle', which the new joint has not as one that moves alone"),
])  # fmt: skip
def test_what_cannot_be_is_refused(change, words):
    with pytest.raises(aj.AnyjointError, match=words):
        change(chain())


def test_one_coordinate_of_a_joint_follows_time():
    mech = chain()
    mech.replace_joint("b1", joints.Universal(), damping=0.1, stiffness=0.0)
    name = mech["b1"].coordinate_names[1]
    mech.prescribe(name, lambda t: 0.3 * aj.sin(t))
    model = mech.compile()
    q, v = model.assemble(np.zeros(4), np.zeros(4))
    run = model.simulate(q, v, duration=0.3, dt=1e-3)
    assert np.abs(run.q[:, 2] - 0.3 * np.sin(run.t)).max() < 1e-9


def hinges(a, b, c, d=None):
    mech = aj.Mechanism("hinges")
    for name, joint in (("a", a), ("b", b), ("c", c), ("d", d)):
        if joint:
            mech.add_body(name, None, joint, inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech


def test_what_follows_the_joint_goes_on_to_follow_it():
    """Also those that follow one that follows it; and so in a file, in whatever order."""
    turn = joints.Revolute()
    mech = hinges(turn, *(joints.Coupled(turn, *x) for x in ((2.0, "a"), (3.0, "b", 0.1), (5.0, "c"))))
    mech.replace_joint("b", joints.Revolute())
    angles = [mech.compile().body_poses([0.01, 0.02])[k] for k in range(4)]
    expected = [0.01, 0.02, 3 * 0.02 + 0.1, 5 * (3 * 0.02 + 0.1)]
    assert [np.arctan2(T[1, 0], T[0, 0]) for T in angles] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("order", ["abc", "cba"])
@pytest.mark.parametrize("saved", [False, True])
def test_chains_of_a_file_go_on_to_follow(tmp_path, order, saved):
    more = {"a": "", "b": '<mimic joint="ja" multiplier="2"/>', "c": '<mimic joint="jb" multiplier="3" offset="0.1"/>'}
    text = "".join(
        f'<link name="{x}"/><joint name="j{x}" type="continuous"><parent link="base"/><child link="{x}"/>'
        f'<axis xyz="0 0 1"/>{more[x]}</joint>'
        for x in order
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="base"/>{text}</robot>')
    mech = aj.load(tmp_path / "r.urdf")
    if saved:
        aj.save(mech, tmp_path / "r.aj.json")
        mech = aj.load(tmp_path / "r.aj.json")
    mech.replace_joint("jb", joints.Revolute())
    q = np.zeros(2)
    q[mech["b"].q] = 0.2
    T = mech.compile().body_poses(q)[mech["c"].index]
    assert np.arctan2(T[1, 0], T[0, 0]) == pytest.approx(0.7, abs=1e-14)
