"""From a trajectory to its scene and its page."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anyjoint.view.page as page
from anyjoint import joints
from anyjoint.errors import AnyjointError, InputError
from anyjoint.geometry import functions
from anyjoint.mechanism import Inertia, Mechanism, shapes
from anyjoint.view import live_page, live_scene, model_info, notebook_html, trajectory_page, trajectory_scene
from anyjoint.view.record import body_drawings, frame_indices, up_direction
from anyjoint.view.scene import Variant, Variants
from anyjoint.view.variants import variants_scene
from tests.view.stand_in import PENDULUM_JS, double_pendulum, live_info, swing


def test_the_page_is_complete_in_itself(tmp_path):
    path = trajectory_page(swing(), tmp_path / "run.html")
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)=["\']?(?:https?:)?//', text)
    assert "default-src 'none'" in text
    assert "<title>Double pendulum</title>" in text


def test_frames_are_those_of_the_run():
    run = swing()
    scene = trajectory_scene(run)
    times = scene.motion.times
    assert np.isin(times, run.t).all()
    kept = np.searchsorted(run.t, times)
    assert np.allclose(scene.motion.poses, run.model.body_poses(run.q[kept]))
    assert [body.name for body in scene.bodies] == ["upper", "lower"]
    assert [body.parent for body in scene.bodies] == [-1, 0]


@pytest.mark.parametrize("n", [1, 2, 100, 5001])
def test_thinning_keeps_both_ends_and_a_steady_pace(n):
    t = np.linspace(0, 5, n) if n > 1 else np.zeros(1)
    kept = frame_indices(t, bodies=3, frame_rate=60)
    assert (kept[0], kept[-1]) == (0, n - 1)
    assert len(kept) <= 302
    if len(kept) > 2:
        assert np.ptp(np.diff(t[kept])[:-1]) <= 2 * (t[1] - t[0]) + 1e-12


def test_a_long_chain_stays_within_the_budget():
    t = np.linspace(0, 60, 60001)
    assert len(frame_indices(t, bodies=1000, frame_rate=60)) * 7000 < 6_100_000


def test_a_run_that_blew_up_is_shown_until_then():
    run = swing()
    run.q[300:] = np.nan
    assert trajectory_scene(run).motion.times[-1] == pytest.approx(run.t[299])
    run.q[:] = np.nan
    with pytest.raises(InputError, match="no finite state"):
        trajectory_scene(run)


def test_a_batch_is_refused():
    run = swing()
    run.q = np.stack([run.q, run.q])
    with pytest.raises(InputError, match="choose one run"):
        trajectory_scene(run)


def test_bodies_without_shapes_are_drawn_as_sticks():
    upper, lower = trajectory_scene(swing(drawn=False)).bodies
    assert [d["type"] for d in upper.shapes] == ["sphere", "capsule", "capsule"]
    assert [d["type"] for d in lower.shapes] == ["sphere", "capsule"]


def test_sticks_end_where_functions_shift_their_children():
    """As the knees of OpenSim's models do."""
    mech = Mechanism("leg")
    thigh = mech.add_body("thigh", joint=joints.Revolute(), inertia=Inertia.sphere(1.0, 0.1))
    shift = functions.Linear(0.1, -0.4)
    knee = joints.FunctionBased([((0, 0, 1), functions.Linear(), (0,))], [((0, 1, 0), shift, (0,))], names=("bend",))
    mech.add_body("shank", thigh, knee, inertia=Inertia.sphere(1.0, 0.1))
    rod = body_drawings(mech)[0].shapes[-1]
    assert (rod["type"], rod["pose"][7]) == ("capsule", pytest.approx(-0.2)), "its middle is halfway"


def test_up_is_against_gravity():
    assert up_direction((0, -9.81, 0)) == (0, 1, 0)
    assert up_direction((0, 0, 0)) == (0, 0, 1)
    assert trajectory_scene(swing(gravity=(0, -2.0, 0))).up == (0, 1, 0)


def test_an_unwritable_path_is_named(tmp_path):
    with pytest.raises(InputError, match="cannot write the page"):
        trajectory_page(swing(), tmp_path / "no" / "such" / "folder.html")


def test_a_missing_bundle_says_how_to_build_it(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "__file__", str(tmp_path / "page.py"))
    page.viewer_script.cache_clear()
    with pytest.raises(AnyjointError, match=r"hatch_build\.py"):
        page.viewer_script()
    page.viewer_script.cache_clear()


def test_a_notebook_gets_a_frame_of_its_own():
    text = notebook_html(trajectory_scene(swing()), height=300)
    assert re.fullmatch(r'<iframe srcdoc="[^"<]*" style="[^"]*height:300px[^"]*"[^<]*></iframe>', text)


def test_a_live_page_carries_its_dynamics(tmp_path):
    text = live_page(live_info(), PENDULUM_JS, tmp_path / "live.html").read_text(encoding="utf-8")
    assert "function makeDynamics()" in text


def test_the_dynamics_cannot_end_their_script_element(tmp_path):
    with pytest.raises(InputError, match="would end it early"):
        live_page(live_info(), "// </SCRIPT>", tmp_path / "live.html")


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"q0": [np.nan]}, "finite"), ({"dt": -1.0}, "dt=-1.0"), ({"dt": float("nan")}, "dt=nan")],
)
def test_live_pages_refuse_nonsense(changes, message):
    with pytest.raises(InputError, match=message):
        live_scene(live_info(**changes))
    with pytest.raises(InputError, match="lacks title"):
        live_scene({})


def documented(fields):
    """Every field that a page carries is in the written protocol."""
    text = (Path(__file__).resolve().parents[2] / "viewer" / "README.md").read_text(encoding="utf-8")
    missing = []
    for key, value in fields.items():
        missing += [] if f"`{key}`" in text else [key]
        for part in value if isinstance(value, list) else [value]:
            missing += documented(part) if isinstance(part, dict) and key != "info" else []
    return missing


def test_the_protocol_is_written_down():
    run = swing()
    scene = trajectory_scene(run)
    points = tuple(np.zeros((1, 3)) for _ in scene.motion.times)
    touching = replace(scene, motion=replace(scene.motion, contacts=points), options={"theme": "dark"})
    assert documented(json.loads(touching.json()) | {"poses": {}}) == []
    assert documented(json.loads(live_scene(model_info(double_pendulum())).json())) == []
    several = replace(touching, variants=Variants("run", "number", (Variant("one", 1.0, touching.motion),)))
    assert set(documented(json.loads(several.json()))) == {"shape"}  # of tracks, which are described in words


def test_pages_tell_how_well_energy_balances():
    assert trajectory_scene(swing()).info["Energy balance"] == "off by 1.0e-07 of the energy exchanged"


def test_the_idea_of_a_mechanism_travels_with_it():
    run = swing()
    run.model.mechanism.description = "Two hinges.\n\nMore."
    assert trajectory_scene(run).description == "Two hinges.\n\nMore."
    assert trajectory_scene(run, description="Other.").description == "Other."
    assert live_scene(model_info(run.model.mechanism)).description == "Two hinges.\n\nMore."


def test_a_mechanism_describes_itself_to_a_live_page():
    mech = double_pendulum()
    mech.start = (np.array([1.0, 5.0]), np.zeros(2))
    live = json.loads(live_scene(model_info(mech, dt=0.002)).json())["live"]
    assert (live["q0"], live["dt"]) == ([1.0, 5.0], 0.002)
    assert [c["index"] for c in live["coordinates"]] == [0, 1]
    assert all(c["min"] <= q <= c["max"] for c, q in zip(live["coordinates"], live["q0"], strict=True))


def test_several_motions_share_what_stands_still():
    runs = [(f"run {k}", float(k), swing(duration=1.0 + k)) for k in range(2)]
    scene = variants_scene(runs, name="run", value="number")
    data = json.loads(scene.json())
    assert "times" not in data
    assert [item["label"] for item in data["variants"]["items"]] == ["run 0", "run 1"]
    assert [item["value"] for item in data["variants"]["items"]] == [0.0, 1.0]
    assert all("fixed" not in item for item in data["variants"]["items"])
    runs[0][2].model.mechanism.draw(shapes.Sphere(0.1))  # here one of them has something of its own
    data = json.loads(variants_scene(runs).json())
    assert [len(item.get("fixed", [])) for item in data["variants"]["items"]] == [1, 0]
    assert not data["fixed"]
    with pytest.raises(InputError, match="needs one at least"):
        variants_scene([])


def test_massless_steps_between_shapes_are_not_drawn():
    """As the bodies that loaders put between two joints of a file."""
    mech = Mechanism("steps")
    solid = {"inertia": Inertia(1.0, tensor=np.eye(3)), "shape": shapes.Sphere(0.1)}
    mech.add_body("first", joint=joints.Revolute(), **solid)
    mech.add_body("step", "first", joints.Revolute())
    mech.add_body("last", "step", joints.Revolute(), **solid)
    mech.add_body("heavy", "last", joints.Revolute(), inertia=solid["inertia"])
    assert [bool(body.shapes) for body in body_drawings(mech)] == [True, False, True, True]
