"""URDF: every type of joint against Pinocchio, and everything else that a file says."""

from pathlib import Path

import numpy as np
import pinocchio
import pytest

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.load.oracle import OracleRefused, compared
from anyjoint.load.oracle.pin import Oracle
from dynamics.support import close
from load.robots import LIMIT, ZOO, ZOO_FOR_PINOCCHIO, joint, link, robot

WIDE = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'


@pytest.fixture
def loaded(tmp_path):
    def load(text, **options):
        (tmp_path / "bot.urdf").write_text(text)
        return aj.load(tmp_path / "bot.urdf", **options)

    return load


def rules(problems):
    return [problem.rule for problem in problems]


@pytest.mark.parametrize("seed", range(4))
def test_dynamics_are_pinocchios(loaded, seed):
    mech = loaded(ZOO)
    model, oracle = mech.compile(), Oracle(ZOO_FOR_PINOCCHIO, mech)
    q, v, a = oracle.state(np.random.default_rng(seed))
    assert close(model.mass_matrix(q), oracle.mass_matrix(), 1e-13)
    assert close(model.gravity_forces(q), oracle.gravity_forces(), 1e-13)
    damping = np.zeros(mech.nv)
    damping[mech["upper"].v] = 0.2 * v[mech["upper"].v]
    damping[mech["finger1"].v] = 0.5**2 * 0.4 * v[mech["finger1"].v]  # of the finger that follows at half the speed
    tau = oracle.inverse_dynamics(v, a) + damping
    assert close(model.inverse_dynamics(q, v, a), tau, 1e-13)
    assert close(model.forward_dynamics(q, v, tau), a, 1e-10)
    poses = model.body_poses(q)
    for body in mech.bodies:
        assert close(poses[body.index], oracle.link_pose(body.name), 1e-14)


def test_quaternions_of_version_1_1_are_pinocchios(loaded):
    """Of any length, the real part last."""
    turned = joint("j", "continuous", "base", "tip", origin='quat_xyzw="0.2 -1.2 0 1.6"')
    text = robot(link("base"), link("tip"), turned)
    text = text.replace("<robot ", '<robot version="1.1" ').replace('rpy="0.3 0.2 -0.1"', 'quat_xyzw="0.6 0 0 0.8"')
    mech = loaded(text)
    oracle = Oracle(text, mech)
    q, _, _ = oracle.state(np.random.default_rng(0))
    assert close(mech.poses(q)[1].matrix, oracle.link_pose("tip"), 1e-15)
    assert close(mech.compile().mass_matrix(q), oracle.mass_matrix(), 1e-14)
    assert mech.source.warnings == ()


def test_a_robot_that_stands_still_is_not_compared(loaded, tmp_path):
    mech = loaded(robot(link("base")))
    with pytest.raises(OracleRefused, match="nothing of it moves"):
        compared("pin", tmp_path / "bot.urdf", mech)


def test_an_engine_that_gives_up_is_not_compared(loaded, tmp_path, monkeypatch):
    """OpenSim's solvers do, in the middle of answers, with words that begin at its own source."""

    def answers(*_):
        raise RuntimeError("SimTK Exception thrown at model.cpp:7:\n  message: projectU(): failed")

    mech = loaded(robot(link("base"), link("arm"), joint("j", "revolute", "base", "arm", LIMIT)))
    monkeypatch.setattr(Oracle, "answers", answers)
    with pytest.raises(OracleRefused, match=r"bot\.urdf: pin cannot be compared with: projectU\(\): failed$"):
        compared("pin", tmp_path / "bot.urdf", mech)


def test_bodies_are_links_branch_after_branch(loaded):
    mech = loaded(ZOO)
    assert mech.name == "bot"
    names = ["base", "upper", "lower", "slide", "tool", "finger1", "finger2", "finger3", "ball"]
    assert [body.name for body in mech.bodies] == names
    assert mech.source.joints["elbow"] == "lower"
    assert mech.source.format == "URDF"
    assert mech.source.warnings == ()


def test_limits_and_drives(loaded):
    mech = loaded(ZOO)
    assert mech["upper"].joint.coordinates[0].limits == (-1.5, 2.0)
    assert mech["lower"].joint.coordinates[0].limits == (-np.inf, np.inf)
    assert (mech["upper"].effort, mech["upper"].speed, mech["upper"].damping) == ((30.0,), (3.0,), (0.2,))


def test_followers_move_by_their_lines(loaded):
    mech = loaded(ZOO)
    f2, f3 = mech["finger2"].joint, mech["finger3"].joint
    assert f2.source == f3.source == "finger1"
    assert f2.inner_coordinates([0.8]) == [pytest.approx(0.5)]
    assert f3.inner_coordinates([0.8]) == [pytest.approx(-2 * 0.5 + 0.3)]


@pytest.mark.parametrize(("base", "kind"), [
    ("fixed", joints.Fixed), ("free", joints.FreeQuaternion), ("planar", joints.FreePlanar),
])  # fmt: skip
def test_base(loaded, base, kind):
    assert isinstance(loaded(ZOO, base=base)["base"].joint, kind)


def test_the_free_base_is_a_free_body(loaded):
    mech = loaded(robot(link("base", 2.0)), base="free")
    a = mech.compile().forward_dynamics([1, 0, 0, 0, 0, 0, 0], np.zeros(6))
    assert close(a, [0, 0, 0, 0, 0, -9.81], 1e-13)


@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0", "1 2 -3"])
def test_planar_moves_in_the_plane_normal_to_its_axis(loaded, axis):
    mech = loaded(robot(link("base"), link("puck"), joint("air", "planar", "base", "puck", axis=axis, origin="")))
    normal = np.array(axis.split(), dtype=float)
    normal /= np.linalg.norm(normal)
    q = [0.3, -0.4, 0.5]
    pose = mech.poses(q)[1].matrix
    assert abs(pose[:3, 3] @ normal) < 1e-15
    assert close(np.hypot(*q[:2]), np.linalg.norm(pose[:3, 3]), 1e-14)
    assert close(pose[:3, :3] @ normal, normal, 1e-14)
    assert close(np.trace(pose[:3, :3]), 1 + 2 * np.cos(0.5), 1e-14)


def test_limits_of_planar_joints_mean_nothing_and_are_noted(loaded):
    mech = loaded(robot(link("base"), link("disc"), joint("slab", "planar", "base", "disc", LIMIT)))
    assert all(c.limits == (-np.inf, np.inf) for c in mech["disc"].joint.coordinates)
    (note,) = mech.source.notes
    assert "'slab': a planar joint has no lower and upper limit" in note.message


def test_an_axis_in_z_is_pinocchios_plane(loaded):
    mech = loaded(robot(link("base"), link("puck"), joint("air", "planar", "base", "puck", axis="0 0 1", origin="")))
    assert close(mech.poses([0.3, -0.4, 0.5])[1].matrix[:2, 3], [0.3, -0.4], 1e-15)


def test_planar_dynamics_are_pinocchios(loaded):
    """Pinocchio's velocities are along the body's axes, ours are rates of the coordinates: v_pin = T v."""
    arm = joint("arm", "revolute", "puck", "tip", LIMIT, axis="0 1 0")
    text = robot(link("base"), link("puck"), link("tip"), joint("air", "planar", "base", "puck", axis="0 0 1"), arm)
    model, theirs = loaded(text).compile(), pinocchio.buildModelFromXML(text)
    data = theirs.createData()
    for q, v, a in np.random.default_rng(2).uniform(-1, 1, (3, 3, 4)):
        c, s = np.cos(q[2]), np.sin(q[2])
        T, rate = np.eye(4), np.zeros((4, 4))
        T[:2, :2], rate[:2, :2] = [[c, s], [-s, c]], v[2] * np.array([[-s, c], [-c, -s]])
        at = np.array([q[0], q[1], c, s, q[3]])
        M = pinocchio.crba(theirs, data, at)
        assert close(model.mass_matrix(q), T.T @ (np.triu(M) + np.triu(M, 1).T) @ T, 1e-13)
        tau = pinocchio.rnea(theirs, data, at, T @ v, T @ a + rate @ v)
        assert close(model.inverse_dynamics(q, v, a), T.T @ tau, 1e-13)


def test_chains_of_followers_with_offsets_are_pinocchios(loaded):
    """Pinocchio's joints all move on their own here: q = G x + offsets, so that M is G^T M G."""
    kinds = {"a": ("revolute", None), "b": ("revolute", ("a", -1.5, 0.3)), "c": ("prismatic", ("b", 0.4, -0.2)),
             "d": ("revolute", None), "e": ("revolute", ("c", 2.0, 0.1))}  # fmt: skip
    parts, before = [link("base")], "base"
    for name, (kind, follows) in kinds.items():
        more = "" if follows is None else '<mimic joint="j{}" multiplier="{}" offset="{}"/>'.format(*follows)
        parts += [link(name), joint(f"j{name}", kind, before, name, WIDE + more, axis="0.6 0 0.8")]
        before = name
    text = robot(*parts)
    model, theirs = loaded(text).compile(), pinocchio.buildModelFromXML(text)
    data, G = theirs.createData(), np.array([[1, 0], [-1.5, 0], [-0.6, 0], [0, 1], [-1.2, 0]])
    for x, v, a in np.random.default_rng(3).uniform(-1, 1, (3, 3, 2)):
        q = G @ x + [0, 0.3, 0.4 * 0.3 - 0.2, 0, 2 * (0.4 * 0.3 - 0.2) + 0.1]
        M = pinocchio.crba(theirs, data, q)
        assert close(model.mass_matrix(x), G.T @ (np.triu(M) + np.triu(M, 1).T) @ G, 1e-13)
        tau = G.T @ pinocchio.rnea(theirs, data, q, G @ v, G @ a)
        assert close(model.inverse_dynamics(x, v, a), tau, 1e-13)
        assert close(model.forward_dynamics(x, v, tau), a, 1e-11)


def test_followers_before_their_leader_are_pinocchios(loaded, tmp_path):
    """Pinocchio itself refuses to let a joint mimic one that comes later; they move on their own there."""
    follow = '<mimic joint="z" multiplier="-0.5" offset="0.2"/>', '<mimic joint="a" multiplier="2"/>'
    text = robot(
        *(link(name) for name in ("base", "one", "two", "three")),
        joint("a", "revolute", "base", "one", WIDE + follow[0]),
        joint("b", "continuous", "one", "two", follow[1]), joint("z", "revolute", "base", "three", WIDE),
    )  # fmt: skip
    mech = loaded(text)
    found = compared("pin", Path(mech.source.path), mech)
    assert set(found.worst) == {"mass matrix", "gravity", "inverse dynamics"}
    assert not found.beyond(1e-13)


def test_looks(loaded):
    visual = (
        '<visual><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>'
        '<visual><geometry><cylinder radius="1" length="2"/></geometry>'
        '<material name="own"><color rgba="0 0 1 0.5"/></material></visual>'
    )
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    touch = '<collision><geometry><sphere radius="0.5"/></geometry></collision>'
    mech = loaded(robot(red, link("base", more=visual + touch), link("tip", more=touch),
                        joint("j", "fixed", "base", "tip")))  # fmt: skip
    box, cylinder = mech["base"].shapes
    assert isinstance(box, shapes.Box)
    assert (box.x, box.y, box.z, box.color, box.opacity) == (1, 2, 3, "#ff0000", 1.0)
    assert close(box.pose.matrix[:3, 3], [1, 2, 3], 0)
    assert isinstance(cylinder, shapes.Cylinder)
    assert (cylinder.color, cylinder.opacity) == ("#0000ff", 0.5)
    assert [shape.radius for shape in mech.source.collisions["base"]] == [0.5]
    assert isinstance(mech["tip"].shape, shapes.Sphere), "what has no visual shows its collisions"


def test_massless_links_are_told_and_loaded(loaded):
    text = robot(link("base"), '<link name="tip"/>', joint("j", "continuous", "base", "tip"))
    mech = loaded(text)
    (warning,) = mech.source.warnings
    assert (warning.rule, warning.where) == ("massless", f"{mech.source.path}:4")
    assert np.isfinite(mech.compile().inverse_dynamics([0.1], [0.2], [0.3])).all()
    with pytest.raises(aj.ModelError, match="body 'tip'"):
        mech.compile().forward_dynamics([0.1], [0.2])


def test_unphysical_inertia_is_kept_to_the_bit_where_allowed(loaded):
    text = robot(link("base"), link("odd").replace('ixx="0.03"', 'ixx="0.9"'), joint("j", "continuous", "base", "odd"))
    with pytest.raises(aj.ModelError, match=r":4: link 'odd': .*triangle.*allow=.*\[inertia\]"):
        loaded(text)
    mech = loaded(text, allow={"inertia"})
    assert rules(mech.source.warnings) == ["inertia"]
    oracle = Oracle(text, mech)
    q, v, a = oracle.state(np.random.default_rng(1))
    assert close(mech.compile().inverse_dynamics(q, v, a), oracle.inverse_dynamics(v, a), 1e-13)


@pytest.mark.parametrize(("part", "rule"), [
    (joint("j", "revolute", "base", "tip", LIMIT, "0 0 2"), "axis"),
    (joint("j", "revolute", "base", "tip", LIMIT, None), "axis"),
    (joint("j", "revolute", "base", "tip"), "limit"),
    (joint("j", "revolute", "base", "tip", '<limit lower="1" upper="1"/>'), "limit"),
    (joint("j", "continuous", "base", "tip", '<limit effort="-1" velocity="1"/>'), "limit"),
    (joint("j", "continuous", "base", "tip", '<dynamics friction="0.1"/>'), "friction"),
    (joint("j", "continuous", "base", "tip").replace("<axis xyz", '<axis xyx="0 1 0" xyz'), "attribute"),
    (joint("j", "continuous", "base", "tip", '<dinamics damping="1"/>'), "element"),
    (joint("j", "continuous", "base", "tip") + '<visual/>', "element"),
    (joint("j", "continuous", "base", "tip") + link("end").replace('ixy="0.002" ', "")
     + joint("k", "fixed", "tip", "end"), "missing"),
])  # fmt: skip
def test_warnings(loaded, part, rule):
    tell = loaded(robot(link("base"), link("tip"), part)).source
    found = tell.warnings if rule != "element" or "visual" not in part else tell.notes
    assert [(problem.rule, problem.where.rpartition(":")[2]) for problem in found] == [(rule, "5")]


def test_unknown_words_name_the_nearest(loaded):
    part = joint("j", "continuous", "base", "tip").replace("<axis xyz", '<axis xyx="0 1 0" xyz')
    (warning,) = loaded(robot(link("base"), link("tip"), part)).source.warnings
    assert "did you mean 'xyz'?" in warning.message


def test_other_programs_parts_are_notes(loaded):
    mech = loaded(robot(link("base"), "<gazebo><anything/></gazebo>", '<transmission name="t"/>'))
    assert mech.source.warnings == ()
    assert rules(mech.source.notes) == ["gazebo", "transmission"]
    more = '<safety_controller k_velocity="1"/><calibration rising="0.1"/>'
    mech = loaded(robot(link("base"), link("tip"), joint("j", "continuous", "base", "tip", more)))
    assert rules(mech.source.notes) == ["safety_controller", "calibration"]


def test_velocities_of_followers_are_noted(loaded):
    slow = LIMIT.replace('velocity="3"', 'velocity="5"') + '<mimic joint="j" multiplier="{}"/>'
    for slope, told in (("-2", True), ("1.5", False), ("0", False)):
        leads, follows = ("j", "revolute", "base", "tip", LIMIT), ("k", "revolute", "base", "end", slow.format(slope))
        notes = loaded(robot(*map(link, ("base", "tip", "end")), joint(*leads), joint(*follows))).source.notes
        words = "joint 'k' moves at up to 6 while 'j' keeps its velocity; its own, 5, is kept nowhere"
        assert [x.message for x in notes] == [words] * told


def test_what_is_there_twice_is_told(loaded):
    """The first one is read, as others do."""
    again = '<limit lower="-3" upper="3" effort="9" velocity="9"/><axis xyz="1 0 0"/>'
    turns = joint("j", "revolute", "base", "tip", LIMIT + again)
    weighs = link("tip").replace("</link>", '<inertial><mass value="7"/></inertial></link>')
    mech = loaded(robot(link("base"), weighs, turns))
    told = [x.message for x in mech.source.warnings if x.rule == "element"]
    tags = ("link", "inertial"), ("joint", "limit"), ("joint", "axis")
    assert all(f"<{a}> has a second <{b}>; the first one is read" in told for a, b in tags)
    assert mech["tip"].inertia.mass == 1.0


def test_a_link_may_be_called_ground(loaded):
    mech = loaded(robot(link("ground"), link("tip"), joint("j", "continuous", "ground", "tip")))
    assert [body.name for body in mech.bodies] == ["ground_", "tip"]
    assert rules(mech.source.warnings) == ["name"]


def test_a_followers_range_is_compared(loaded):
    follower = joint("b", "revolute", "base", "two", LIMIT + '<mimic joint="a" multiplier="3"/>')
    mech = loaded(robot(link("base"), link("one"), joint("a", "revolute", "base", "one", LIMIT), link("two"), follower))
    assert rules(mech.source.warnings) == ["limit"]
    assert "from -4.5 to 6" in mech.source.warnings[0].message


def test_runs_begin_within_limits(loaded):
    part = joint("j", "revolute", "base", "tip", '<limit lower="0.5" upper="1" effort="1" velocity="1"/>')
    mech = loaded(robot(link("base"), link("tip"), part))
    assert close(mech.start[0], [0.5], 0)
    assert mech.compile().simulate(*mech.start, duration=0.01).status.ok
    assert loaded(ZOO).start is None
