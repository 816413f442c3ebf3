"""MJCF against MuJoCo: joints, anchors, references, springs, followers, drives; and what is not supported."""


import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.load.oracle import compared
from anyjoint.load.oracle.mujoco import Oracle
from dynamics.support import close

# Every type of joint, several on a body, anchors, references, springs, a fixed body, defaults and angles.
ZOO = """<mujoco model="zoo">
  <compiler angle="degree" eulerseq="zyx"/>
  <option timestep="0.002" gravity="0.3 -0.2 -9.7" integrator="RK4"/>
  <default><joint armature="0.02" damping="0.1"/><geom density="700"/>
    <default class="stiff"><joint stiffness="3"/></default></default>
  <worldbody>
    <geom type="plane" size="5 5 0.1" rgba="0.5 0.5 0.5 1"/>
    <body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <site name="tip" pos="0 0 0.3" euler="0 90 0"/>
      <body name="arm" pos="0 0 0.3" euler="5 6 7">
        <joint name="yaw" axis="0 0 1" pos="0.01 0.02 0.03" ref="20" range="-90 120" class="stiff" springref="15"/>
        <joint name="pitch" axis="0 1 0" pos="-0.02 0.01 0.05"/>
        <joint name="reach" type="slide" axis="1 1 0" ref="0.1" range="-1 1" actuatorfrcrange="-7 5"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0.4" size="0.05"/>
        <body name="plate" pos="0.1 0 0.4"><geom type="cylinder" size="0.1 0.02"/>
          <body name="ball" pos="0 0 0.1">
            <joint name="socket" type="ball" pos="0 0.02 0" stiffness="2"/>
            <geom type="ellipsoid" size="0.1 0.05 0.07" pos="0 0 0.1"/>
          </body>
        </body>
      </body>
    </body>
    <body name="rail" pos="1 0 0">
      <joint name="lead" type="slide" axis="1 0 0" ref="0.2"/><geom size="0.1"/>
      <body name="follower" pos="0 0 0.2">
        <joint name="follow" axis="0 1 0" ref="10" damping="0.3" stiffness="1.5" springref="30"/>
        <geom size="0.1" pos="0.2 0 0"/>
        <body name="second"><joint name="after" axis="1 0 0"/><geom size="0.05" pos="0.1 0.2 0"/></body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint name="gear" joint1="follow" joint2="lead" polycoef="0.1 -2 0 0 0"/>
    <joint name="gear2" joint1="after" joint2="follow" polycoef="0.05 0.5 0 0 0"/>
  </equality>
  <actuator>
    <motor name="push" joint="lead" gear="3" ctrlrange="-1 1" ctrllimited="true"/>
    <position name="hold" joint="yaw" kp="20" kv="2" gear="2"/>
    <velocity name="turn" joint="pitch" kv="4" forcerange="-3 3" forcelimited="true"/>
    <general name="free" joint="after" gainprm="2" biastype="affine" biasprm="0.5 -1 -0.2" gear="1.5"/>
  </actuator>
  <keyframe><key name="home" qpos="0 0 1 0.5 0.5 0.5 0.5 0.1 0.2 0.3 1 0 0 0 0.4 0.5 0.6"
                 qvel="1 2 3 4 5 6 0 0 0 0 0 0 0 0 0"/></keyframe>
</mujoco>"""


@pytest.fixture
def loaded(tmp_path):
    def load(text, **options):
        path = tmp_path / "model.xml"
        path.write_text(text)
        return aj.load(path, **options), path

    return load


def model(body, more=""):
    return f"<mujoco>\n<worldbody>\n{body}\n</worldbody>\n{more}\n</mujoco>"


ARM = '<body name="arm"><joint name="hinge" axis="0 1 0"/><geom name="stick" size="0.1" pos="0 0 0.3"/>{}</body>'


@pytest.mark.parametrize("seed", range(4))
def test_dynamics_are_mujocos(loaded, seed):
    mech, path = loaded(ZOO)
    model, oracle = mech.compile(), Oracle(path, mech)
    q, v = oracle.state(np.random.default_rng(seed))
    M, bias = oracle.mass_matrix(), oracle.bias_forces()
    assert close(model.mass_matrix(q), M, 1e-12)
    assert close(model.bias_forces(q, v), bias, 1e-12)
    assert close(model.forward_dynamics(q, v), np.linalg.solve(M, -bias), 1e-10)
    poses = model.body_poses(q)
    for name in ("base", "arm", "plate", "ball", "rail", "follower", "second"):
        assert close(poses[mech[name].index], oracle.pose(name), 1e-13)


def test_bodies_and_what_they_hold(loaded):
    mech, _ = loaded(ZOO)
    names = ["base", "yaw", "pitch", "reach", "arm", "plate", "socket", "ball", "rail", "follow", "after"]
    assert mech.name == "zoo"
    assert [body.name for body in mech.bodies if body.name in names] == [n for n in names if n in mech]
    assert close(mech.gravity, (0.3, -0.2, -9.7), 0)
    assert mech[mech.source.joints["yaw"]].joint.coordinates[0].limits == pytest.approx(np.radians([-90, 120]))
    assert mech[mech.source.joints["reach"]].effort == (7.0,)
    assert isinstance(mech[mech.source.joints["root"]].joint, joints.FreeQuaternion)
    assert list(mech["base"].frames) == ["tip"]
    assert mech.source.settings == {"dt": 0.002, "method": "rk4"}
    assert isinstance(mech["base"].shape, shapes.Box)
    assert (mech["base"].shape.x, mech["base"].shape.z) == (0.2, 0.6)
    assert len(mech.ground.shapes) == 1
    assert mech.source.collisions["base"]


@pytest.mark.parametrize(("integrator", "method"), [
    ("Euler", "semi-implicit-euler"), ("RK4", "rk4"),
    ("implicit", "implicit-euler"), ("implicitfast", "implicit-euler"),
])  # fmt: skip
def test_integrators_are_methods(loaded, integrator, method):
    mech, _ = loaded(model(ARM.format(""), f'<option integrator="{integrator}" timestep="0.004"/>'))
    assert mech.source.settings == {"dt": 0.004, "method": method}
    assert mech.compile().simulate(*mech.start, duration=0.02, **mech.source.settings).status.ok


def test_keyframes_are_starts(loaded):
    mech, _ = loaded(ZOO)
    q, v = mech.source.starts["home"]
    assert close(q[mech["base"].q], [0.5] * 4 + [0, 0, 1], 0)
    R = mech["base"].joint.pose(q[mech["base"].q].tolist()).matrix[:3, :3].astype(float)
    assert close(v[mech["base"].v], [4, 5, 6, *(R.T @ [1, 2, 3])], 1e-15)
    assert close(q[mech[mech.source.joints["lead"]].q], [0.4], 0)
    assert mech.start[0] is q


def test_runs_begin_within_limits(loaded):
    """As those of Gymnasium's ant, which starts beyond the limits of its ankles."""
    ankle = '<body name="{0}"><joint name="{0}" range="{1}" limited="true"/><geom size="1"/></body>'
    text = ankle.format("left", "30 70") + ankle.format("right", "-70 70")
    mech, _ = loaded(model(text))
    assert close(mech.start[0], [np.radians(30), 0], 1e-15)
    (warning,) = mech.source.warnings
    assert (warning.rule, "beyond a limit (left/angle)" in warning.message) == ("start", True)
    assert mech.compile().simulate(*mech.start, duration=0.01).status.ok
    far, _ = loaded(model(text, '<keyframe><key name="far" qpos="0 2" qvel="3 4"/></keyframe>'))
    assert close(far.start[0], np.radians([30, 70]), 1e-15)
    assert close(far.start[1], [3, 4], 0)
    assert close(far.source.starts["far"][0], [0, 2], 0)  # as the file says


def test_without_keyframes_it_starts_at_the_reference(loaded):
    mech, _ = loaded(model('<body><joint ref="30"/><geom size="1"/></body>'))
    assert close(mech.start[0], np.radians([30]), 1e-15)
    assert mech.bodies[0].name == "body1"


@pytest.mark.parametrize("control", [0.0, 0.4, -3.0])
def test_drives_are_mujocos(loaded, control):
    """The force of a drive is what inverse dynamics asks for less along the path that it makes."""
    mech, path = loaded(ZOO)
    compiled, oracle = mech.compile(), Oracle(path, mech)
    q, v = oracle.state(np.random.default_rng(5))
    for k, (name, drive) in enumerate(mech.source.actuators.items()):
        drive = type(drive)(**{**vars(drive), "control": control})
        controls = np.zeros(4)
        controls[k] = control
        wanted = oracle.actuator_forces(controls) - oracle.actuator_forces(np.zeros(4))
        off = type(drive)(**{**vars(drive), "control": 0.0})
        h = 1e-6
        pushed, free = (compiled.simulate(q, v, duration=h, dt=h, forces=[f], method="semi-implicit-euler").v[-1]
                        for f in (drive, off))  # fmt: skip
        found = compiled.mass_matrix(q) @ (pushed - free) / h
        assert np.abs(found - wanted).max() < 1e-6 * (1 + np.abs(wanted).max()), name


@pytest.mark.parametrize("medium", ['density="900"', 'viscosity="0.3"', 'density="3" viscosity="2" wind="1 2 -3"'])
def test_drag_of_a_medium_is_mujocos(loaded, medium):
    mech, path = loaded(ZOO.replace('timestep="0.002"', f'timestep="0.002" {medium}'))
    assert [w.rule for w in mech.source.warnings if w.rule not in ("friction", "limit", "start")] == ["fluid"]
    bodies = {"base", "arm", "plate", "ball", "rail", "follower", "second"}
    assert {drag.body for drag in mech.source.forces} == bodies
    worst = compared("mujoco", path, mech).worst
    assert max(worst.values()) < 1e-10


@pytest.mark.parametrize(("text", "words", "line"), [
    (
        model(ARM.format("").replace("<geom", "<geom fluidshape='ellipsoid'"), '<option density="1.2"/>'),
        r"feels the fluid by ellipsoids \(fluidshape\), which is not supported",
        3,
    ),
    (model(ARM.format(""), '<tendon><fixed name="rope" armature="3"><joint joint="hinge" coef="1"/></fixed></tendon>'),
     "'rope' has armature", 5),
])  # fmt: skip
def test_what_is_not_supported_is_named(loaded, text, words, line):
    with pytest.raises(aj.ModelError, match=words) as caught:
        loaded(text)
    assert f"model.xml:{line}: " in str(caught.value) or not line
    assert 'allow={"unsupported"}' in str(caught.value)
    mech, _ = loaded(text, allow="unsupported")
    assert {warning.rule for warning in mech.source.warnings} <= {"unsupported", "fluid"}
    assert mech.nv == 1


LOOPS = """<mujoco>
  <worldbody><site name="wall" pos="0.5 1 0.3"/>
    <body name="crank" pos="0 0 1"><joint name="a" axis="0 1 0" damping="0.1" armature="0.05"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
      <body name="rod" pos="0.3 0 0"><joint name="b" axis="0 1 0"/><joint name="c" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0.8 0 0" size="0.02"/><site name="end" pos="0.8 0 0"/></body></body>
    <body name="slider" pos="1.1 0 1"><joint name="d" type="slide" axis="1 0 0.2"/><joint name="e" axis="0 1 0"/>
      <geom size="0.1"/><site name="pin" pos="0 0 0"/></body>
    <body name="plate" pos="0 2 0"><freejoint name="f"/><geom type="box" size="0.1 0.2 0.3"/></body>
  </worldbody>
  <tendon><fixed name="sum"><joint joint="a" coef="0.3"/><joint joint="c" coef="-0.2"/></fixed>
    <spatial name="line"><site site="end"/><site site="wall"/></spatial></tendon>
  <equality>{}</equality>
</mujoco>"""


@pytest.mark.parametrize("text", [
    '<connect name="k" body1="rod" body2="slider" anchor="0.8 0 0"/>',
    '<connect name="k" site1="end" site2="pin"/>',
    '<connect name="k" body1="rod" anchor="-0.2 0 0.4"/>',
    '<weld name="k" body1="plate" body2="slider" relpose="0.3 0.1 0.2 0.8 0.6 0 0" anchor="0.1 0.2 0.3"/>',
    '<weld name="k" body1="plate" body2="slider"/>',
    '<weld name="k" body1="plate"/>',
    '<weld name="k" body1="plate" body2="slider" anchor="0.1 0.2 0.3" relpose="0.3 0.1 0.2 1 0 0 0" torquescale="0"/>',
    '<joint name="k" joint1="b"/>',
    '<joint name="k" joint1="b" polycoef="0.2 0 0 0 0"/>',
    '<joint name="k" joint1="b" joint2="c" polycoef="0.1 0.5 -0.3 0.2 0.1"/>',
    '<tendon name="k" tendon1="sum" tendon2="line" polycoef="0.1 2 1 0 0"/>',
    '<tendon name="k" tendon1="line" polycoef="0.2 0 0 0 0"/>',
])  # fmt: skip
def test_loops_accelerate_as_mujocos_rows_ask(loaded, text):
    """With MuJoCo's M, forces and J, at a state on the loop and at rest: M a = f + J^T x and J a = 0."""
    mech, path = loaded(LOOPS.format(text))
    (loop,) = mech.constraints
    assert loop.name == "k"
    compiled, oracle = mech.compile(), Oracle(path, mech)
    q0, _ = oracle.state(np.random.default_rng(3))
    q, v = compiled.assemble(q0, np.zeros(mech.nv))
    M, f, J, error = oracle.constrained(q)
    assert np.abs(error).max() < 1e-9, "MuJoCo finds the loop closed there, too"
    n = len(J)
    system = np.block([[M, J.T], [J, np.zeros((n, n))]])
    wanted = np.linalg.lstsq(system, np.concatenate([f, np.zeros(n)]), rcond=1e-10)[0][: mech.nv]
    assert close(compiled.forward_dynamics(q, v), wanted, 1e-7)  # as far as the state is on the loop


PAIR = '<body name="a"><joint name="x"/><geom size="1"/><body name="b"><joint name="y"/><geom size="1"/></body></body>'
TIES = '<equality><joint joint1="x" joint2="y" polycoef="0.2 -0.5 0 0 0"/></equality>'
TIE = '<joint name="{}" joint1="{}" joint2="{}" polycoef="{} {} 0 0 0"/>'


@pytest.mark.parametrize(("text", "rules"), [
    (model(ARM.format("").replace("axis=", 'frictionloss="0.1" axis=')), ["friction"]),
    (model('<body><joint type="ball" range="0 60" limited="true"/><geom size="1"/></body>'), ["limit"]),
    (model(ARM.format("").replace("axis=", 'range="1 2" margin="1" axis=')), ["start", "limit"]),
    (model(ARM.format("").replace('"arm"', '"arm" gravcomp="1"')), ["gravcomp"]),
    (model(ARM.format('<body name="hand"><geom size="1"/></body>'),
           '<equality><weld body1="arm" body2="hand"/></equality>'), ["equality"]),
    (model(PAIR, f'{TIES}<keyframe><key name="k" qpos="0.5 0.1"/></keyframe>'), ["start"]),
    (model(PAIR, f'{TIES}<keyframe><key name="k" qpos="0.15 0.1" qvel="-1 3"/></keyframe>'), ["start"]),
    (model(PAIR, f'{TIES}<keyframe><key name="k" qpos="0.15 0.1" qvel="-1 2"/></keyframe>'), []),
    (model(ARM.format("") + '<site name="s"/><site name="t" pos="1 0 0"/>',
           '<tendon><spatial name="k"><site site="s"/><site site="t"/></spatial></tendon>'
           '<equality><tendon tendon1="k"/></equality>'), ["equality"]),
    (model(ARM.format("") + '<body name="hook" mocap="true"/>',
           '<equality><weld body1="hook"/></equality>'), ["equality"]),
    (model(ARM.format("") + '<body name="hook" mocap="true" pos="1 2 3"/>',
           '<keyframe><key mpos="3 2 1"/><key mpos="1 2 3"/></keyframe>'), ["keyframe"]),
    (model(ARM.format("") + '<site name="arm"/>'), ["name"]),
    (model('<body name="a"><joint name="j" range="-10 20"/><geom size="1"/></body>'
           '<body name="b"><joint name="k" range="-30 30"/><geom size="1"/></body>',
           '<equality><joint joint1="k" joint2="j" polycoef="0 -2 0 0 0"/></equality>'), ["limit"]),
    (model(ARM.format('<site name="s"/>'), '<actuator><general site="s" refsite="s" gear="1 0 0 0 0 0"/></actuator>'),
     ["actuator"]),
    (model(ARM.format(""), '<actuator><motor joint="hinge" delay="0.1" nsample="10"/></actuator>'), ["actuator"]),
    (model(ARM.format(""), '<actuator><intvelocity joint="hinge" kp="1" actrange="-1 1"/></actuator>'
           '<keyframe><key act="0.5"/></keyframe>'), ["keyframe"]),
    (model(ARM.format(""), '<tendon><fixed actuatorfrcrange="-1 1"><joint joint="hinge" coef="1"/></fixed></tendon>'),
     ["tendon"]),
])  # fmt: skip
def test_what_is_left_out_of_runs_is_told(loaded, text, rules):
    mech, _ = loaded(text)
    assert [warning.rule for warning in mech.source.warnings] == rules


def test_parts_without_a_name_are_not_mistaken_for_others(loaded):
    """An unnamed joint is called like its number, unless another one has that name."""
    body = '<body name="{}"><joint {} axis="0 1 0"/><geom size="0.1" pos="0 0 1"/>{}</body>'
    names = "", 'name="tendon0"'
    wound = "".join(f'<fixed {x}><joint joint="joint1" coef="{k}"/></fixed>' for k, x in enumerate(names, 1))
    bodies = body.format("a", 'name="joint1"', body.format("b", "", ""))
    mech, path = loaded(model(bodies, f"<tendon>{wound}</tendon>"))
    assert mech.source.joints == {"joint1": "a", "joint1_": "b"}
    assert {name: drum.radius for name, (drum,) in mech.source.tendons.items()} == {"tendon0_": 1.0, "tendon0": 2.0}
    assert max(compared("mujoco", path, mech).worst.values()) < 1e-12


def test_a_site_of_the_world_may_be_called_like_a_body(loaded):
    mech, _ = loaded(model(ARM.format("") + '<site name="arm" pos="1 2 3"/><site name="arm 2"/>'))
    assert {name: tuple(map(float, pose.p)) for name, pose in mech.ground.frames.items()} == {
        "arm 3": (1.0, 2.0, 3.0), "arm 2": (0.0, 0.0, 0.0)
    }  # fmt: skip


def test_potential_energy_counts_what_stands_still(loaded):
    """Springs of tendons, which models do not know, leave the sensor out."""
    pair = PAIR.replace('name="x"', 'name="x" stiffness="2" springref="30"').replace('"y"', '"y" stiffness="5" ref="9"')
    still = '<body pos="0 0 5"><geom size="0.2"/></body><body pos="1 2 3" mocap="true"><geom size="0.3"/></body>'
    sensors = '<sensor><e_potential name="e"/><e_kinetic name="k"/></sensor>'
    text = model(ARM.format("").replace("axis", 'armature="0.1" stiffness="3" axis') + still + pair, sensors + TIES)
    mech, path = loaded(text)
    oracle = Oracle(path, mech)
    q, v = oracle.state(np.random.default_rng(0))
    found = [float(mech.source.sensors[name](mech.compile(), q, v)[0]) for name in "ek"]
    assert close(found, oracle.data.sensordata, 1e-14)
    spring = '<tendon><fixed stiffness="2"><joint joint="hinge" coef="1"/></fixed></tendon></mujoco>'
    assert list(loaded(text.replace("</mujoco>", spring))[0].source.sensors) == ["k"]


def test_gravity_compensation_is_a_force(loaded):
    mech, _ = loaded(model(ARM.format("").replace('"arm"', '"arm" gravcomp="1"')))
    run = mech.compile().simulate([1.0], duration=0.5, dt=1e-3, forces=mech.source.forces)
    assert np.abs(run.q - 1.0).max() < 1e-12


@pytest.mark.parametrize(("other", "acts"), [("-0.2", False), ("0", False), ("0.3", True)])
def test_negative_compensation_acts_where_it_does_in_mujoco(loaded, other, acts):
    """Beside a positive one: MuJoCo counts those, and looks no further where there are none."""
    others = f'<body gravcomp="{other}"><geom size="1"/></body>'
    mech, path = loaded(model(ARM.format("").replace('"arm"', '"arm" gravcomp="-0.5"') + others))
    oracle = Oracle(path, mech)
    q, v = oracle.state(np.random.default_rng(0))
    assert close(mech.compile().bias_forces(q, v) - oracle.others(q, v), oracle.bias_forces(), 1e-13)
    assert bool(mech.source.forces) is acts
    assert any("positive ones alone" in str(told) for told in mech.source.warnings) is not acts


@pytest.mark.parametrize("again", [TIE.format("k", "x", "y", 0.3, 2), TIE.format("k", "y", "x", -0.15, 0.5)])
def test_an_equality_that_is_there_twice_is_read_once(loaded, again):
    mech, path = loaded(model(PAIR, f"<equality>{TIE.format('u', 'x', 'y', 0.3, 2)}\n{again}</equality>"))
    assert mech.nv == 1
    (warning,) = mech.source.warnings
    assert (warning.rule, warning.where) == ("equality", f"{path}:6")
    assert "equality 'k' repeats another one of joints" in warning.message


def test_equalities_that_contradict_each_other_are_named(loaded):
    two = f"<equality>{TIE.format('u', 'x', 'y', 0.3, 2)}\n{TIE.format('k', 'x', 'y', 0.3, 3)}</equality>"
    with pytest.raises(aj.ModelError, match=r"model\.xml:6: equality 'k' repeats another .* with other numbers"):
        loaded(model(PAIR, two))
    assert loaded(model(PAIR, two), allow="unsupported")[0].nv == 1
