"""What an MJCF switches off, and attributes that a newcomer would not miss: each acts, or is told."""

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import anyjoint as aj
from anyjoint.forces.program import trace_forces
from anyjoint.load.oracle import compared
from anyjoint.load.oracle.mujoco import Oracle

ALL = """<mujoco><option><flag {flags}/></option><compiler angle="radian"/>
<worldbody>
  <geom name="floor" type="plane" size="5 5 1"/>
  <body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0" range="-1 1" limited="true" stiffness="2" damping="3"
      frictionloss="0.4"/><geom name="ga" size="0.1" pos="0 0 -0.3"/><site name="sa"/>
    <body name="b" pos="0 0 -0.6"><joint name="jb" axis="0 1 0"/><geom name="gb" size="0.1" pos="0 0 -0.1"/></body>
  </body>
  <body name="c" pos="1 0 1"><joint name="jc" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.3"/><site name="sc"/></body>
</worldbody>
<equality><joint joint1="jb" joint2="jc" polycoef="0 1 1 0 0"/></equality>
<tendon><spatial name="t" range="0.5 1.5" limited="true" stiffness="3" damping="0.1" frictionloss="0.2">
  <site site="sa"/><site site="sc"/></spatial></tendon>
<actuator><motor name="m" joint="ja" ctrlrange="-1 1" group="2"/></actuator>
</mujoco>"""


@pytest.fixture
def loaded(tmp_path):
    def load(text, **options):
        path = tmp_path / "m.xml"
        path.write_text(text)
        return aj.load(path, **options)

    return load


def facts(mech):
    body = mech["a"]
    return {
        "spring": (body.stiffness[0], *(f.stiffness for f in mech.source.forces if type(f).__name__ == "Tendon")),
        "damper": (body.damping[0], *(f.damping for f in mech.source.forces if type(f).__name__ == "Tendon")),
        "limit": (body.joint.coordinates[0].limits, sum(type(f).__name__ == "Tether" for f in mech.source.forces)),
        "equality": len(mech.constraints),
        "frictionloss": (body.friction[0], sum(type(f).__name__ == "DryFriction" for f in mech.source.forces)),
        "gravity": tuple(mech.gravity),
        "clampctrl": mech.source.actuators["m"].control_range,
        "contact": len(mech.contacts),
    }


OFF = {
    "spring": {"spring": (0.0, 0.0)},
    "damper": {"damper": (0.0, 0.0)},
    "limit": {"limit": ((-math.inf, math.inf), 0)},
    "equality": {"equality": 0},
    "frictionloss": {"frictionloss": (0.0, 0)},
    "gravity": {"gravity": (0.0, 0.0, 0.0)},
    "clampctrl": {"clampctrl": (-math.inf, math.inf)},
    "contact": {"contact": 0},
    "constraint": {"limit": ((-math.inf, math.inf), 0), "equality": 0, "frictionloss": (0.0, 0), "contact": 0},
    "warmstart": {},  # its bit was taken for that of filterparent
}


@pytest.mark.parametrize("flag", OFF)
def test_what_is_switched_off_does_not_act(loaded, flag):
    on = facts(loaded(ALL.format(flags=""), contacts="all"))
    assert on["contact"] == 5  # three balls and the floor, but for parent and child
    off = facts(loaded(ALL.format(flags=f'{flag}="disable"'), contacts="all"))
    assert off == on | OFF[flag]


PASSIVE = """<mujoco><option density="1000" viscosity="0.3"><flag {flags}/></option><worldbody>
<body name="a" gravcomp="1"><joint axis="0 1 0" stiffness="2" damping="3"/><geom size="0.1" pos="0.3 0 0"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("off", [("spring",), ("damper",), ("spring", "damper")])
def test_compensation_and_drag_go_with_springs_and_dampers(loaded, tmp_path, off):
    """With both, MuJoCo switches off all passive forces."""
    mech = loaded(PASSIVE.format(flags=" ".join(f'{name}="disable"' for name in off)))
    assert compared("mujoco", tmp_path / "m.xml", mech).worst["bias forces"] < 1e-12
    assert len(mech.source.forces) == (2 if len(off) == 1 else 0)


def test_parents_and_children_touch_where_they_are_not_filtered(loaded):
    on, off = (loaded(ALL.format(flags=flags), contacts="all") for flags in ("", 'filterparent="disable"'))
    assert len(off.contacts) == len(on.contacts) + 1


@pytest.mark.parametrize("text", ['actuation="disable"', ""])
def test_drives_that_are_switched_off_are_told(loaded, text):
    option = "<option" if text else '<option actuatorgroupdisable="2"'
    mech = loaded(ALL.format(flags=text).replace("<option", option))
    assert "actuator 'm' is switched off by the file" in str(mech.source.warnings)
    assert "m" in mech.source.actuators


def test_limits_push_back_before_their_ends_by_the_margin(loaded):
    """As MuJoCo's do: a slider rests there."""
    text = """<mujoco><worldbody><body name="a"><joint type="slide" axis="0 0 1" range="-1 1" limited="true"
        damping="10" margin="0.1"/><geom size="0.1"/></body></worldbody></mujoco>"""
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    for _ in range(5000):
        mujoco.mj_step(m, d)
    (coordinate,) = loaded(text)["a"].joint.coordinates
    assert coordinate.limits == pytest.approx((-0.9, 0.9))
    assert d.qpos[0] == pytest.approx(-0.9, abs=2e-3)


SCENE = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" {joint}/><geom size="0.1" pos="0 0 -0.3" {geom}/>
<site name="s" pos="0 0 -0.2"/>
</body></worldbody>
<tendon><spatial name="t"><site site="s"/><site site="w"/></spatial></tendon>
<actuator>{drive}</actuator><sensor><jointpos name="angle" joint="j" {sensor}/></sensor>{more}</mujoco>""".replace(
    "<worldbody>", '<worldbody><site name="w" pos="1 0 1"/>'
)
LIFTED = '/><body gravcomp="1"><geom size="0.1"/></body><geom size="0.1"'
TOLD = {
    "margin of contacts": ({"geom": 'margin="0.02"'}, "some geoms have a margin"),
    "adhesion": ({"geom": 'adhesion="0.02"'}, "some geoms stick to each other"),
    "muscle": ({"drive": '<muscle name="x" tendon="t" ctrlrange="0.2 0.9"/>'}, "kept within less than 0 to 1"),
    "pid": ({"drive": '<pid name="x" joint="j" kp="1" ki="1" imax="1"/>'}, "actuator 'x' needs"),
    "cutoff": ({"sensor": 'cutoff="0.2"'}, "sensor 'angle': its cutoff"),
    "key controls": (
        {"drive": '<motor joint="j"/>', "more": '<keyframe><key name="home" ctrl="0.3"/></keyframe>'},
        "key frames 'home': their ctrl is not read",
    ),
    "key time": ({"more": '<keyframe><key name="late" time="3"/></keyframe>'}, "key frames 'late': their time"),
    "drives": ({"joint": 'actuatorfrcrange="-1 5"'}, "limited from -1 to 5"),
    "two drives": (
        {"joint": 'actuatorfrcrange="-1 1"', "drive": '<motor name="x" joint="j"/><motor name="y" tendon="t"/>'},
        "joint 'j': what drives together do to it (actuatorfrcrange, -1 to 1) is not kept; x, y may act on it",
    ),
    "compensation without drives": (
        {"joint": 'actuatorgravcomp="true"', "geom": LIFTED},
        "joint 'j': its drives compensate gravity (actuatorgravcomp), and none acts in MuJoCo",
    ),
    "limited compensation": (
        {"joint": 'actuatorgravcomp="true" actuatorfrcrange="-1 1"', "geom": LIFTED},
        "(actuatorfrcrange, -1 to 1) is not kept; compensation of gravity may act on it",
    ),
    "a step ahead": (
        {"drive": '<general name="x" joint="j" dyntype="filter" dynprm="0.1" actearly="true"/>'},
        "actuator 'x': its activation acts as it is, not a step ahead",
    ),
}


@pytest.mark.parametrize("what", TOLD)
def test_what_has_no_counterpart_is_told(loaded, what):
    given, words = TOLD[what]
    plain = dict.fromkeys(("joint", "geom", "drive", "sensor", "more"), "")
    assert words not in str(loaded(SCENE.format(**plain), contacts="all").source.warnings)
    assert words in str(loaded(SCENE.format(**(plain | given)), contacts="all").source.warnings)


def test_friction_of_all_contacts_may_be_overridden(loaded):
    plain = dict.fromkeys(("joint", "geom", "drive", "sensor", "more"), "")
    text = SCENE.format(**plain).replace(
        "<worldbody>", '<option o_friction="0.123 0.123 0 0 0"><flag override="enable"/></option><worldbody>'
    )
    (touch,) = loaded(text, contacts="all").contacts
    assert np.isclose(touch.friction, 0.123)


@pytest.mark.parametrize(
    "drive", ['gear="10"', 'gear="-10"', 'gear="0.5" forcerange="0.2 0.9"', 'gear="-3" forcerange="2 3"']
)
def test_what_one_drive_does_to_a_joint_is_limited(loaded, tmp_path, drive):
    """As MuJoCo limits it, by the range of the joint; of several drives it is told that the sum is not."""
    plain = dict.fromkeys(("geom", "sensor", "more"), "")
    motor = f'<motor name="x" joint="j" {drive}/>'
    mech = loaded(SCENE.format(joint='actuatorfrcrange="-1 0.7"', drive=motor, **plain))
    oracle = Oracle(tmp_path / "m.xml", mech)
    state = np.array([0.2]), np.array([0.1])
    oracle.go(*state)
    for control in (-2.0, 0.05, 2.0):
        acting = replace(mech.source.actuators["x"], control=control)
        given = trace_forces(mech, [acting]).torque(0.0, *state)
        assert given == pytest.approx(oracle.actuator_forces([control]), abs=1e-14)


def test_lines_are_those_of_the_kind_that_is_meant(loaded):
    """A material, a body, a joint, a drive, a sensor and a key frame may share a name."""
    mech = loaded("""<mujoco>
<asset><material name="hip"/></asset>
<worldbody><body name="hip">
<joint name="hip" frictionloss="1"/><geom size="0.1"/><site name="s"/></body></worldbody>
<actuator>
<adhesion name="hip" body="hip" gain="1" ctrlrange="0 1"/></actuator>
<sensor>
<touch name="hip" site="s"/></sensor>
<keyframe>
<key name="hip" time="3"/></keyframe></mujoco>""")
    told = [*mech.source.warnings, *mech.source.notes]
    assert sorted(int(x.where.rpartition(":")[2]) for x in told if x.rule != "contact") == [4, 6, 8, 10]
