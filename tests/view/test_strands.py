"""Muscles and cables on pages: they run where the walk that measures them goes, in Python and in the page."""

import json
import math
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.mechanism import Inertia, Mechanism
from anyjoint.mechanism.source import Source
from anyjoint.spatial import Pose
from anyjoint.view import model_page, trajectory_page
from anyjoint.view.scene import Motion
from anyjoint.view.strands import Strands
from tests.view.stand_in import FloatModel
from tests.view.unpacking import unpacked

FULL = forces.Hill(800.0, 0.3)
BALL, LOG = forces.WrapSphere(None, (0, 0, 0), 0.3), forces.WrapCylinder("arm", (0, 0, 0), (0, 1, 0), 0.2)
SIDE = forces.WrapCylinder(None, (0, 0, 0), (0, 1, 0), 0.25, side=(0, 0, 1))
EGG = forces.WrapEllipsoid(None, (0, 0, 0), (0.4, 0.3, 0.2))
START = (None, (-1.0, 0.1, 0.05))


def crane():
    """A bead that goes anywhere, and an arm that swings beside it."""
    mech = Mechanism("crane")
    solid = Inertia(1.0, tensor=np.eye(3))
    mech.add_body("bead", joint=joints.Translational(), placement=Pose.translation(1, 0, 0), inertia=solid)
    mech.add_body("arm", joint=joints.Revolute((0, 1, 0)), placement=Pose.translation(0.5, 0, -0.2), inertia=solid)
    return mech


def through(*items):
    return [START, *items, ("bead", (0, 0, 0))]


WAYS = {
    "straight": through(),
    "ball": through(BALL),
    "cylinder": through(LOG),
    "side": through(SIDE),
    "ellipsoid": through(EGG),
    "two": through(forces.WrapCylinder(None, (-0.4, 0, 0), (0, 1, 0), 0.2), LOG),
    "several segments": through(replace(BALL, segments=2), (None, (-0.6, 0.1, 0.1))),
    "sometimes": through(forces.ConditionalPoint("arm", (0, 0, 0.4), ("arm", 0), (0.0, 9.0)), BALL),
    "moving": through(forces.MovingPoint("arm", lambda x: (0.1 * x, 0, 0.3), [("arm", 0)])),
}
TOP = (None, (0, 0, 1))
DIVIDED = [START, TOP, forces.Pulley(2.0), TOP, ("bead", (0, 0, 0)), forces.Drum("arm", 0.1)]


def states(mech, count=40):
    rng = np.random.default_rng(3)
    q = rng.uniform(-0.5, 0.5, (count, mech.nq))
    return q, FloatModel(mech).body_poses(q)


def chords(points):
    return np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1)


@pytest.fixture(scope="module")
def hanging():
    mech = crane()
    return mech, mech.compile()


@pytest.mark.parametrize("way", WAYS)
def test_a_strand_is_as_long_as_its_path(hanging, way):
    mech, model = hanging
    q, poses = states(mech)
    strands = Strands(mech, [forces.Cable(WAYS[way], 1.0, 1.0)])
    short = model.path_length(q, WAYS[way]) - chords(strands.points(q, poses))
    bent = np.ptp(short) > 1e-9
    assert bent == (way not in ("straight", "moving"))  # some of the states go around
    assert short.min() > -1e-12
    assert short.max() < 2e-3  # chords of arcs, each of an eighth of them


@pytest.mark.parametrize("way", ["ball", "several segments", "sometimes"])
def test_a_strand_stays_out_of_what_it_goes_around(hanging, way):
    mech, _ = hanging
    points = Strands(mech, [forces.Cable(WAYS[way], 1.0, 1.0)]).points(*states(mech))
    assert np.linalg.norm(points, axis=2).min() > 0.3 - 1e-12


def test_branches_are_strands_and_drums_are_not(hanging):
    mech, model = hanging
    q, poses = states(mech)
    strands = Strands(mech, [forces.Cable(DIVIDED, 1.0, 1.0), forces.Cable([forces.Drum("arm", 0.1)], 1.0, 1.0)])
    points = strands.points(q, poses)
    one, other = strands.data(points[0])
    assert (one["points"], other["points"]) == (2, 2)
    total = chords(points[:, :2]) + chords(points[:, 2:]) / 2 + 0.1 * q[:, 3]
    assert np.allclose(total, model.path_length(q, DIVIDED), atol=1e-12)


def test_the_page_finds_the_same_points(hanging, tmp_path):
    """Node runs the generated code."""
    mech, _ = hanging
    q, poses = states(mech, 3)
    strands = Strands(mech, [forces.Cable(way, 1.0, 1.0) for way in [*WAYS.values(), DIVIDED]])
    expected = strands.points(q, poses)
    given = [[a.tolist(), p[:, :3].ravel().tolist()] for a, p in zip(q, poses, strict=True)]
    script = tmp_path / "strands.js"
    script.write_text(
        strands.script() + f"const out = new Float64Array({3 * strands.count}), f = makeStrands();"
        f"for (const [q, rows] of {json.dumps(given)}) {{"
        "f(Float64Array.from(q), Float64Array.from(rows), out); console.log(JSON.stringify([...out])); }"
    )
    done = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True)
    found = [np.reshape(json.loads(line), (-1, 3)) for line in done.stdout.splitlines()]
    assert np.abs(np.array(found) - expected).max() < 1e-12


def test_what_a_file_has_is_drawn_once_and_by_what_acts(hanging):
    mech = crane()
    rest, tendon = forces.Muscle(WAYS["ball"], FULL), WAYS["straight"]
    servo = forces.Actuator(path=tendon)
    mech.source = Source("crane.xml", "test", actuators={"servo": servo, "flexor": rest}, tendons={"rope": tendon})
    strands = Strands(mech)
    assert [(x.name, x.muscle) for x in strands.all] == [("flexor", True), ("servo", False)]
    assert strands.levels(np.zeros(2)) is None  # nobody is at work
    pulling = replace(rest, activation=lambda t: 2 * t)
    other = forces.Cable(through((None, (0, 0, 2))), 1.0, 1.0)
    strands = Strands(mech, [pulling, other])
    assert [x.name for x in strands.all] == ["flexor", "servo", "cable"]
    assert strands.levels(np.array([0.0, 0.25, 3.0]))[:, 0].tolist() == [0, 128, 255]


def test_a_path_that_lost_its_coordinate_is_not_drawn():
    mech = crane()
    mech.source = Source("crane.xml", "test", actuators={"m": forces.Muscle(WAYS["moving"], FULL)})
    assert Strands(mech)
    mech.replace_joint("arm", joints.Fixed())
    assert not Strands(mech)


def test_sizes():
    mech = crane()
    weak, strong, unknown = (
        forces.Muscle(through((None, (0, 0, k))), how)
        for k, how in enumerate((forces.Hill(100.0, 0.3), forces.Hill(3000.0, 0.3), lambda length, rate, a: a))
    )
    strands = Strands(mech, [weak, strong, unknown, *(forces.Cable(through((None, (0, k, 9))), 1, 1) for k in (0, 5))])
    sizes = [x["radius"] for x in strands.data(strands.points(*states(mech, 1))[0])]
    assert sizes[0] < sizes[1] == pytest.approx(math.sqrt(3000 / (math.pi * 5e6)), rel=0.5)
    assert sizes[2] > 0
    assert sizes[3] == sizes[4]


def test_springs_dampers_and_bushings_are_drawn_between_their_points(hanging):
    mech, _ = hanging
    q, poses = states(mech, 2)
    ends = ("bead", (0, 0.1, 0)), ("arm", (0, 0, 0.3))
    spring = forces.Spring(*ends[0], *ends[1], 10.0, 0.1, length=9.0)
    damper, bushing = replace(spring, stiffness=0.0), forces.Bushing(None, "arm", (5, 1, 5, 9, 9, 9))
    mech.source = Source("crane.xml", "test", forces=(spring,))
    try:
        strands = Strands(mech, [spring, damper, bushing])  # one and the same spring of a file and of a run is one
    finally:
        mech.source = None
    points = strands.points(q, poses)
    drawn = strands.data(points[0])
    assert [x["kind"] for x in drawn] == ["spring", "damper", "bushing"]
    for k, (body, point) in enumerate(ends):
        expected = [p[:3, :3] @ point + p[:3, 3] for p in poses[:, mech[body].index]]
        assert np.abs(points[:, [k, k + 2]] - np.array(expected)[:, None]).max() < 1e-12
    assert drawn[0]["radius"] == pytest.approx(0.06 * 9.0)  # a pressed one is as thick as one that rests
    size = points[:, 5] - points[:, 4]
    assert np.abs(size[:, 1]).min() > 0.01  # along y, about which it turns most easily


def test_motions_carry_points_and_activations():
    points = np.random.default_rng(0).normal(size=(4, 5, 3))
    motion = Motion(np.arange(4.0), np.tile(np.eye(4), (4, 1, 1, 1)), strands=points, levels=np.zeros((4, 2), np.uint8))
    data = motion.data()["strands"]
    assert np.abs(unpacked(data["points"]) - points).max() < 2 * np.ptp(points) / 65535
    assert set(data) == {"points", "levels"}
    with pytest.raises(aj.InputError, match="strands hold NaN"):
        replace(motion, strands=np.full((4, 5, 3), np.nan))


@pytest.mark.browser
def test_pages_show_them(hanging, sized, tmp_path):
    mech, model = hanging
    muscle = forces.Muscle(WAYS["ball"], FULL, 0.5)
    run = model.simulate(np.array([0.1, 0, 0, 0.3]), np.zeros(4), duration=0.05, dt=1e-2, forces=[muscle])
    trajectory_page(run, tmp_path / "run.html")
    model_page(model, tmp_path / "live.html", q0=run.q[-1], v0=np.zeros(4), forces=[muscle])
    poses = model.body_poses(run.q[-1:])
    expected = Strands(mech, [muscle]).points(run.q[-1:], poses)[0]
    browser = sized(320, 200)
    for name, query in (("run", "t=0.05"), ("live", "play=0")):
        browser.open(tmp_path / f"{name}.html", query)
        found = np.reshape(browser.evaluate("[...anyjoint.source.strandPoints()]"), (-1, 3))
        assert np.abs(found - expected).max() < (2e-4 if name == "run" else 1e-12)
        assert browser.evaluate("anyjoint.source.strandLevels()[0]") == pytest.approx(0.5, abs=0.01)
        middle = browser.evaluate("[...anyjoint.strands.line.subarray(60, 63)]")
        assert np.linalg.norm(expected - middle, axis=1).min() < 0.2  # the ring in the middle lies on the path
        assert browser.evaluate("anyjoint.strands.group.visible && !anyjoint.tools.strands.hidden")
        browser.evaluate("dispatchEvent(new KeyboardEvent('keydown', {key: 'm'}))")
        assert not browser.evaluate("anyjoint.strands.group.visible")
        assert not browser.messages


def test_stand_ins_without_a_drive_have_none():
    from anyjoint.view.strands import trajectory_strands

    assert not trajectory_strands(SimpleNamespace(), crane())
