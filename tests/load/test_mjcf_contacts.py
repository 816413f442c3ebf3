"""Geoms that touch: the pairs that MuJoCo looks at, their gaps, and what bears the weight."""

import mujoco
import numpy as np
import pytest

import anyjoint as aj


@pytest.fixture
def loaded(tmp_path):
    def load(text, **options):
        (tmp_path / "m.xml").write_text(text)
        return aj.load(tmp_path / "m.xml", **options), mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))

    return load


def free(name, *geoms, inside=""):
    return f'<body name="{name}"><freejoint/>{"".join(geoms)}{inside}</body>'


def geom(name, kind="sphere", size="0.1", more=""):
    return f'<geom name="{name}" type="{kind}" size="{size}" {more}/>'


CHILD = '<body name="child"><joint axis="0 1 0"/>{}</body>'
SMOOTH = 'friction="0.3" priority="1"'
RULES = f"""<mujoco><default><geom mass="1"/></default><worldbody>
{geom("floor", "plane", "1 1 1")}{geom("wall", "box", "0.3 0.3 0.3")}
{free("a", geom("a1"), geom("a2", more='contype="2" conaffinity="2"'), inside=CHILD.format(geom("c1")))}
{free("b", geom("b1", "capsule", "0.1 0.1", SMOOTH), geom("b2", more='contype="0" conaffinity="2"'))}
{free("d", geom("d1", more='condim="1" contype="0" conaffinity="1"'))}
{free("e", geom("e1", "box", "0.1 0.1 0.1", 'contype="0" conaffinity="0"'))}
</worldbody><contact><exclude body1="a" body2="d"/><pair geom1="e1" geom2="floor" friction="0.7 0.7 0 0 0"/></contact>
</mujoco>"""


def pairs_of(mech):
    """Two bodies, and the friction between them."""
    names = [*(body.name for body in mech.bodies), "ground"]
    return {(frozenset((names[c.body], names[c.other])), c.friction) for c in mech.contacts}


def test_pairs_are_mujocos(loaded):
    """All geoms are at one place, so that MuJoCo finds every pair that it looks at."""
    mech, m = loaded(RULES, contacts="all")
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    body = lambda g: m.body(m.geom_bodyid[g]).name.replace("world", "ground")  # noqa: E731
    theirs = {(frozenset((body(c.geom1), body(c.geom2))), c.friction[0] if c.dim > 1 else 0.0) for c in data.contact}
    ours = pairs_of(mech)
    assert ours == theirs
    assert {(frozenset("ab"), 0.3), (frozenset(("e", "ground")), 0.7)} <= ours
    assert {frozenset("ad"), frozenset(("a", "child"))}.isdisjoint(pair for pair, _ in ours)


def test_only_what_stands_still(loaded):
    mech, _ = loaded(RULES, contacts="ground")
    assert all("ground" in pair for pair, _ in pairs_of(mech))
    mech, _ = loaded(RULES)
    assert not mech.contacts
    assert any(note.rule == "contact" for note in mech.source.notes)


def test_mocap_bodies_are_touched_as_what_stands_still_is(loaded):
    still = f'<body name="hand" mocap="true" pos="0 0 0.3">{geom("palm")}</body>'
    text = f"<mujoco><worldbody>{still}{geom('floor', 'plane', '1 1 1')}{free('ball', geom('b'))}</worldbody></mujoco>"
    pairs = {frozenset(("ball", "hand")), frozenset(("ball", "ground"))}
    for contacts in ("ground", "all"):
        assert {pair for pair, _ in pairs_of(loaded(text, contacts=contacts)[0])} == pairs


PILE = f"""<mujoco><option timestep="0.002"/><worldbody>
{geom("floor", "plane", "1 1 1", 'pos="0 0 -0.2" euler="3 0 0"')}
<body pos="0 0 0.1"><freejoint/>{geom("g", "{}", "{}", 'mass="2"')}</body></worldbody></mujoco>"""


@pytest.mark.parametrize(("kind", "size"), [("sphere", "0.1"), ("capsule", "0.05 0.1"), ("box", "0.1 0.05 0.04")])
def test_what_falls_is_borne(loaded, kind, size):
    """It slides down a plane that is inclined by 3 degrees: friction holds what does not roll."""
    mech, m = loaded(PILE.format(kind, size), contacts="ground")
    run = mech.compile().simulate(*mech.start, duration=1.5, **mech.source.settings)
    assert run, run.status
    assert mech.source.settings["method"] == "time-stepping"
    data = mujoco.MjData(m)
    data.qpos[:] = [*run.q[-1][4:], *run.q[-1][:4]]
    mujoco.mj_forward(m, data)
    assert abs(data.contact.dist.min()) < 1e-4, "MuJoCo sees it touch, and hardly deeper than that"
    force = run.contacts[mech.contacts[0].name].force[-1]
    tilt = np.radians(3)
    assert force @ [0, -np.sin(tilt), np.cos(tilt)] == pytest.approx(2 * 9.81 * np.cos(tilt), rel=1e-3)


@pytest.mark.parametrize(("kind", "size", "words"), [
    ("cylinder", "0.1 0.1", "plane 'floor' and cylinder 'g' do not touch here"),
    ("ellipsoid", "0.1 0.2 0.1", "ellipsoid 'g' do not touch here"),
])  # fmt: skip
def test_what_does_not_touch_is_told(loaded, kind, size, words):
    mech, _ = loaded(PILE.format(kind, size), contacts="ground")
    assert [w.message for w in mech.source.warnings if words in w.message]
    assert mech.source.warnings[0].where.endswith(":2")


def test_too_many_pairs_are_refused(loaded):
    many = "".join(free(f"b{k}", geom(f"g{k}")) for k in range(40))
    with pytest.raises(aj.AnyjointError, match="more than 500 pairs"):
        loaded(f"<mujoco><worldbody>{many}</worldbody></mujoco>", contacts="all")


def test_other_formats_do_not_say_what_touches(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r"><link name="a"><inertial><mass value="1"/></inertial></link></robot>')
    with pytest.raises(aj.AnyjointError, match=r"r\.urdf: contacts='ground': URDF does not say what touches"):
        aj.load(path, base="free", contacts="ground", allow="inertia")
