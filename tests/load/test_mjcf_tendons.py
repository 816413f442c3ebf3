"""Tendons, drives along them, thrusters and sensors of MJCF against MuJoCo at random states."""

import copy
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import anyjoint as aj
from anyjoint.forces.program import trace_forces
from anyjoint.load.oracle import compared
from anyjoint.load.oracle.mujoco import Oracle
from anyjoint.mechanism.sensor import Sensor

TEXT = """<mujoco model="tendons">
  <worldbody>
    <site name="nail" pos="0 0.1 0.9"/>
    <site name="far" pos="0.6 0.4 0.2"/>
    <geom name="post" type="cylinder" size="0.08 0.3" pos="0.3 0.3 0.4" euler="20 10 0" contype="0" conaffinity="0"/>
    <site name="beside" pos="0.6 0.3 0.4"/>
    <body name="base" pos="0 0 1"><freejoint name="root"/><geom size="0.1"/><site name="ear" pos="0.1 0.1 0.1"/>
      <body name="upper" pos="0 0 -0.2"><joint name="a" axis="0 1 0"/><geom name="bead" size="0.06" pos="0.02 0 -0.2"/>
        <site name="thigh" pos="0.05 0.01 -0.1" euler="30 20 10"/><site name="front" pos="0.2 0 -0.2"/>
        <camera name="eye" pos="0.1 0 0" euler="10 20 30"/>
        <body name="lower" pos="0 0 -0.4"><joint name="b" axis="0 1 0" ref="20"/><joint name="c" axis="1 0 0"/>
          <geom size="0.05" pos="0 0 -0.2"/><site name="shin" pos="0.04 -0.02 -0.15"/></body>
      </body>
    </body>
    <body name="gear" pos="1 0 0"><joint name="d" axis="0 0 1"/><geom size="0.1" pos="0.1 0 0"/></body>
    <body name="other" pos="2 0 0"><joint name="e" axis="0 0 1"/><geom size="0.1" pos="0.1 0 0"/></body>
    <body name="balls" pos="3 0 0"><joint name="f" type="ball"/><geom size="0.1" pos="0.1 0 0"/></body>
  </worldbody>
  <equality><joint joint1="e" joint2="d" polycoef="0.1 -2 0 0 0"/></equality>
  <tendon>
    <fixed name="mixed" stiffness="3" damping="0.4" springlength="0.1 0.2">
      <joint joint="b" coef="0.3"/><joint joint="c" coef="-0.7"/><joint joint="e" coef="0.5"/></fixed>
    <spatial name="line" stiffness="20" damping="1"><site site="nail"/><site site="thigh"/><site site="shin"/></spatial>
    <spatial name="round"><site site="thigh"/><geom geom="bead"/><site site="shin"/></spatial>
    <spatial name="sided"><site site="thigh"/><geom geom="bead" sidesite="front"/><site site="shin"/></spatial>
    <spatial name="post"><site site="nail"/><geom geom="post"/><site site="far"/></spatial>
    <spatial name="moved"><site site="ear"/><geom geom="post" sidesite="beside"/><site site="far"/></spatial>
    <spatial name="tackle"><site site="nail"/><site site="ear"/><pulley divisor="3"/><site site="ear"/>
      <site site="thigh"/><pulley divisor="2"/><site site="shin"/><site site="far"/></spatial>
  </tendon>
  <actuator>
    <position name="wind" tendon="mixed" kp="5" kv="0.3" gear="2"/>
    <motor name="pull" tendon="round" gear="-3" ctrllimited="true" ctrlrange="0 1"/>
    <general name="sloped" joint="a" gaintype="affine" gainprm="2 0.5 -0.3" biastype="affine" biasprm="0.1 -0.2 -0.3"/>
    <general name="led" joint="e" gaintype="affine" gainprm="2 0.5 -0.3" biastype="affine" biasprm="0.1 -0.2 -0.3"/>
    <motor name="jet" site="thigh" gear="1 2 3 0.1 0.2 0.3" forcelimited="true" forcerange="-0.3 0.3"/>
  </actuator>
  <sensor>
    <jointpos name="s1" joint="b"/><jointvel name="s2" joint="c"/><jointpos name="s3" joint="e"/>
    <jointvel name="s4" joint="e"/><ballquat name="s5" joint="f"/><ballangvel name="s6" joint="f"/>
    <tendonpos name="s7" tendon="tackle"/><tendonvel name="s8" tendon="round"/>
    <framepos name="s9" objtype="site" objname="shin"/><framequat name="s10" objtype="site" objname="thigh"/>
    <framexaxis name="s11" objtype="xbody" objname="lower"/><frameyaxis name="s12" objtype="body" objname="lower"/>
    <framezaxis name="s13" objtype="site" objname="thigh"/><framelinvel name="s14" objtype="site" objname="shin"/>
    <frameangvel name="s15" objtype="body" objname="upper"/><gyro name="s16" site="thigh"/>
    <velocimeter name="s17" site="thigh"/>
    <framepos name="s18" objtype="geom" objname="bead" reftype="site" refname="shin"/>
    <framequat name="s19" objtype="site" objname="shin" reftype="body" refname="upper"/>
    <framezaxis name="s20" objtype="camera" objname="eye" reftype="xbody" refname="upper"/>
    <framelinvel name="s21" objtype="site" objname="shin" reftype="site" refname="thigh"/>
    <frameangvel name="s22" objtype="body" objname="lower" reftype="site" refname="thigh"/>
    <subtreecom name="s23" body="upper"/><subtreelinvel name="s24" body="base"/><subtreeangmom name="s25" body="base"/>
    <actuatorpos name="s26" actuator="wind"/><actuatorvel name="s27" actuator="wind"/>
    <actuatorpos name="s28" actuator="led"/><actuatorvel name="s29" actuator="led"/>
    <accelerometer name="s30" site="thigh"/><framelinacc name="s31" objtype="body" objname="lower"/>
    <frameangacc name="s32" objtype="site" objname="shin"/><framelinacc name="s33" objtype="site" objname="nail"/>
    <touch name="t" site="shin"/>
  </sensor>
</mujoco>"""
NAMES = ("mixed", "line", "round", "sided", "post", "moved", "tackle")


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    path = tmp_path_factory.mktemp("mjcf") / "tendons.xml"
    path.write_text(TEXT)
    mech = aj.load(path)
    return mech, mech.compile(), Oracle(path, mech)


def state(oracle, seed):
    q, v = oracle.state(np.random.default_rng(seed))
    mujoco.mj_forward(oracle.model, oracle.data)
    return q, v


@pytest.mark.parametrize("seed", range(6))
def test_lengths_and_their_slopes_are_mujocos(case, seed):
    mech, model, oracle = case
    q, _ = state(oracle, seed)
    paths = [mech.source.tendons[name] for name in NAMES]
    d, m = oracle.data, oracle.model
    J = np.zeros((m.ntendon, m.nv))
    for k, path in enumerate(paths):
        assert model.path_length(q, path) == pytest.approx(d.ten_length[k], abs=1e-12), NAMES[k]
        start, count = m.ten_J_rowadr[k], m.ten_J_rownnz[k]
        J[k, m.ten_J_colind[start : start + count]] = d.ten_J[start : start + count]
        assert np.abs(-model.moment_arms(q, path) - J[k] @ oracle.B).max() < 1e-11, NAMES[k]


def test_springs_and_dampers_are_mujocos(case):
    mech, _, oracle = case
    program = trace_forces(mech, mech.source.forces)
    for seed in range(4):
        q, v = state(oracle, seed)
        wanted = oracle.B.T @ oracle.data.qfrc_passive
        assert np.abs(program.torque(0.0, q, v) - wanted).max() < 1e-10 * (1 + np.abs(wanted).max())
    rules = [w.message for w in mech.source.warnings if "its spring" in w.message]
    assert [text.split("'")[1] for text in rules] == ["mixed", "line"]


@pytest.mark.parametrize("control", [0.0, 0.4, -2.0])
def test_drives_are_mujocos(case, control):
    mech, _, oracle = case
    q, v = state(oracle, 3)
    drives = [replace(drive, control=control) for drive in mech.source.actuators.values()]
    assert list(mech.source.actuators) == ["wind", "pull", "sloped", "led", "jet"]
    wanted = oracle.actuator_forces(np.full(5, control))
    assert np.abs(trace_forces(mech, drives).torque(0.0, q, v) - wanted).max() < 1e-10 * (1 + np.abs(wanted).max())


def test_sensors_are_mujocos(case):
    mech, model, oracle = case
    q, v = state(oracle, 2)
    m = copy.copy(oracle.model)
    m.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)  # or drives have no speed
    data = mujoco.MjData(m)
    data.qpos[:], data.qvel[:] = oracle.data.qpos, oracle.data.qvel
    mujoco.mj_forward(m, data)
    assert list(mech.source.sensors) == [f"s{k}" for k in range(1, 34)]
    a = np.random.default_rng(2).normal(size=mech.nv)
    data.qacc[:] = oracle.B @ a + oracle.drift
    mujoco.mj_rnePostConstraint(m, data)
    mujoco.mj_sensorAcc(m, data)
    for name, sensor in mech.source.sensors.items():
        k = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_SENSOR, name)
        wanted = data.sensordata[m.sensor_adr[k] : m.sensor_adr[k] + m.sensor_dim[k]]
        found = sensor(model, q, v, a)
        if len(wanted) == 4:  # both signs are the same rotation
            found = found * np.sign(found @ wanted)
        assert np.abs(found - wanted).max() < 1e-11, name
        assert np.abs(sensor(model, *(np.stack([x, x]) for x in (q, v, a)))[1] - found).max() < 1e-13
    assert [note.message for note in mech.source.notes if note.rule == "sensor"] == [
        "sensor 't' (touch) has no counterpart; not read"
    ]
    with pytest.raises(aj.InputError, match="depends on accelerations"):
        mech.source.sensors["s30"](model, q, v)
    empty = aj.Mechanism("empty")
    empty.add_body("hinge", joint=aj.joints.Revolute())
    with pytest.raises(aj.InputError, match="nothing that 'hinge' carries has mass"):
        Sensor("carried center", "hinge")(empty.compile(), [0.0], [0.0])


def test_sites_of_the_world_are_frames(case):
    _, model, oracle = case
    q, _ = state(oracle, 0)
    assert np.array_equal(model.frame_pose(q, "nail")[:3, 3], [0, 0.1, 0.9])
    k = mujoco.mj_name2id(oracle.model, mujoco.mjtObj.mjOBJ_SITE, "shin")
    assert np.abs(model.frame_pose(q, "shin")[:3, 3] - oracle.data.site_xpos[k]).max() < 1e-12


SLIDES = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
AROUND = f"""<mujoco><worldbody><geom name="o" type="{{kind}}" size="0.5 1" euler="20 40 0"/>
  <site name="side" pos="0.4 0.7 -0.2"/>
  <body>{SLIDES}<geom size="0.1"/><site name="a"/></body><body>{SLIDES}<geom size="0.1"/><site name="b"/></body>
  </worldbody><tendon><spatial name="free"><site site="a"/><geom geom="o"/><site site="b"/></spatial>
  <spatial name="sided"><site site="a"/><geom geom="o" sidesite="side"/><site site="b"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_ways_around_obstacles_are_mujocos_from_anywhere(tmp_path, kind):
    """Also where a path begins within it; without a side, or where the straight line goes through."""
    (tmp_path / "m.xml").write_text(AROUND.format(kind=kind))
    mech = aj.load(tmp_path / "m.xml")
    q = np.random.default_rng(0).uniform(-1.5, 1.5, (300, 6))
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    d, wanted = mujoco.MjData(m), []
    for row in q:
        d.qpos[:] = row
        mujoco.mj_forward(m, d)
        wanted.append(d.ten_length.copy())
    model = mech.compile()
    free, sided = (model.path_length(q, mech.source.tendons[name]) for name in ("free", "sided"))
    assert np.abs(free - np.array(wanted)[:, 0]).max() < 1e-12
    straight = np.linalg.norm(q[:, :3] - q[:, 3:], axis=1)
    blocked = free > straight + 1e-9
    assert (sided[blocked] >= free[blocked] - 1e-12).all()
    assert np.median(np.abs(sided - np.array(wanted)[:, 1])[blocked]) < 1e-12
    assert [w.rule for w in mech.source.warnings] == ["tendon"]


@pytest.mark.parametrize(("inside", "words"), [
    ('<geom geom="ball" sidesite="deep"/>', "runs inside of a geom"),
    ('<geom geom="ball" sidesite="fixed"/>', "on a side that another body says"),
])  # fmt: skip
def test_what_is_left_out_is_told(tmp_path, inside, words):
    text = f"""<mujoco><worldbody><site name="fixed" pos="1 0 0"/><body><joint/><geom name="ball" size="0.1"/>
      <site name="deep"/><site name="end" pos="0 0 1"/></body></worldbody><tendon><spatial name="x" stiffness="1">
      <site site="fixed"/>{inside}<site site="end"/></spatial></tendon>
      <actuator><motor name="m" tendon="x"/></actuator></mujoco>"""
    (tmp_path / "m.xml").write_text(text)
    mech = aj.load(tmp_path / "m.xml")
    assert {w.rule for w in mech.source.warnings} == {"tendon", "actuator"}
    assert any(words in w.message for w in mech.source.warnings)
    assert not mech.source.forces
    assert not mech.source.actuators


MUSCLES = """<mujoco><worldbody>
<site name="top" pos="0 0 1"/>
<body name="arm"><joint name="hinge" axis="0 1 0" range="-60 90"/><geom size="0.1" pos="0.5 0 0"/>
  <site name="hand" pos="0.5 0 0.1"/>
  <body name="hand" pos="0.5 0 0"><joint name="wrist" axis="0 0 1" range="-1 1"/><geom size="0.05" pos="0.1 0 0"/>
</body></body></worldbody>
<tendon><spatial name="t"><site site="top"/><site site="hand"/></spatial></tendon>
<actuator>
  <muscle name="pull" tendon="t" gear="2" force="40" lengthrange="0.8 3.2"/>
  <muscle name="turn" joint="wrist" gear="0.7" range="0.6 1.3" lengthrange="-0.5 0.8" vmax="2" fpmax="0.9" fvmax="1.5"
          lmin="0.3" lmax="1.8" scale="50"/>
</actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(4))
def test_muscles_are_mujocos(tmp_path, seed):
    """At given activations, along a tendon and on a joint, from shorter than they pull to stretched."""
    path = tmp_path / "muscles.xml"
    path.write_text(MUSCLES)
    mech, theirs = aj.load(path), mujoco.MjModel.from_xml_path(str(path))
    assert not mech.source.warnings
    random, data = np.random.default_rng(seed), mujoco.MjData(theirs)
    for _ in range(10):
        q, v, act = random.uniform(-1.5, 1.5, 2), random.normal(scale=2.0, size=2), random.uniform(0, 1, 2)
        data.qpos[:], data.qvel[:], data.act[:] = q, v, act
        mujoco.mj_forward(theirs, data)
        drives = [replace(m, activation=a, lag=None) for m, a in zip(mech.source.muscles.values(), act, strict=True)]
        ours = trace_forces(mech, drives).torque(0.0, q, v)
        assert np.abs(ours - data.qfrc_actuator).max() < 1e-12 * max(np.abs(data.qfrc_actuator).max(), 1.0)


LAGS = """<mujoco><option timestep="1e-3" integrator="RK4"/><worldbody>
<body><joint name="a" type="slide" axis="1 0 0" damping="0.3"/><geom size="0.1" mass="2" contype="0"/></body>
<body><joint name="b" type="slide" axis="1 0 0" damping="0.3"/><geom size="0.1" mass="2" contype="0"/></body>
<body><joint name="c" type="slide" axis="1 0 0" damping="0.3"/><geom size="0.1" mass="2" contype="0"/></body>
</worldbody><actuator>
<general joint="a" dyntype="integrator" gainprm="3" actlimited="true" actrange="-0.2 0.2" ctrlrange="-0.5 0.5"/>
<general joint="b" dyntype="filter" dynprm="0.05" gainprm="3" biastype="affine" biasprm="0 -2 -0.1"/>
<muscle joint="c" lengthrange="-1 1" tausmooth="0.3" force="10"/>
</actuator></mujoco>"""


def test_activations_lag_as_mujocos(tmp_path):
    """A filter, an integrator that meets its range, a muscle, over 300 steps of Runge and Kutta's in both."""
    path = tmp_path / "lags.xml"
    path.write_text(LAGS)
    mech, theirs = aj.load(path), mujoco.MjModel.from_xml_path(str(path))
    data, ctrl = mujoco.MjData(theirs), (0.7, -0.4, 0.6)
    data.ctrl[:] = ctrl
    mujoco.mj_step(theirs, data, 300)
    asked = zip(mech.source.actuators.values(), ("control", "control", "activation"), ctrl, strict=True)
    drives = [replace(drive, **{name: x}) for drive, name, x in asked]
    run = mech.compile().simulate([0.0] * 3, duration=0.3, dt=1e-3, forces=drives, method="rk4")
    assert np.abs(run.q[-1] - data.qpos)[1:].max() < 1e-6
    assert np.abs(run.q[-1] - data.qpos)[0] < 1e-5  # MuJoCo meets the range at the end of a step
    made = aj.load(saved(mech, tmp_path)).source.actuators
    assert [drive.lag for drive in made.values()] == [drive.lag for drive in drives]


def saved(mech, folder):
    aj.save(mech, folder / "m.aj.json")
    return folder / "m.aj.json"


ROPE = """<mujoco><option timestep="1e-3" integrator="implicit"/><worldbody>
<body name="a"><joint name="a" type="slide" axis="0 0 1"/><geom size="0.1" mass="2" contype="0"/><site name="s"/></body>
<body name="b"><joint name="b" type="slide" axis="1 0 0"/><geom size="0.1" mass="2" contype="0"/></body>
<site name="t" pos="0 0 1"/></worldbody>
<tendon><spatial name="rope" limited="true" range="0 1.2" margin="0.01"><site site="s"/><site site="t"/></spatial>
<fixed name="rub" frictionloss="3"><joint joint="b" coef="1"/></fixed></tendon>
</mujoco>"""


def test_limits_and_friction_of_tendons(tmp_path):
    """A weight falls into a rope and rests there, another one slides until friction has stopped it: as in MuJoCo."""
    path = tmp_path / "rope.xml"
    path.write_text(ROPE)
    mech, theirs = aj.load(path), mujoco.MjModel.from_xml_path(str(path))
    assert ["has its limits as forces" in str(w) for w in mech.source.warnings] == [True, False]
    assert ["has its dry friction as forces" in str(w) for w in mech.source.warnings] == [False, True]
    assert not compared("mujoco", path, mech).beyond(1e-12), "constraints of MuJoCo are none of its bias forces"
    data = mujoco.MjData(theirs)
    data.qvel[1] = 2.0
    model, forces = mech.compile(), mech.source.forces
    run = model.simulate([0.0, 0.0], [0.0, 2.0], duration=2.0, dt=1e-3, forces=forces, method="bdf1")
    for steps, close in ((150, 1e-3), (1850, 1e-4)):
        mujoco.mj_step(theirs, data, steps)
        k = round(data.time / 1e-3)
        assert np.abs(run.q[k] - data.qpos).max() < close
    depth = -0.19 - data.qpos[0]
    assert -0.19 - run.q[-1][0] == pytest.approx(depth, rel=0.1)  # the impedance of MuJoCo grows with the depth
    assert np.abs(run.v[-1]).max() < 1e-6
