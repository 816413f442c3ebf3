"""Every gallery script is short, explains itself, and builds a sound mechanism with a good start."""

import ast
import importlib.util
import runpy
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from anyjoint.mechanism import gallery
from anyjoint.stepper import STEPPERS

FOLDER = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
PAPERS = [
    "patch_on_plate", "mobile", "wing_on_spline_surface",
    "torus_chain", "windmill", "torus_chain_on_spline", "board_on_spline_surface", "beads_on_wires", "rolling_wheels",
    "tongs_with_fish", "spline_knee", "shoulder_blade", "spherical_and_universal", "contact_patches", "roller_coaster",
    "over_the_poles", "scapula_on_ribs", "condyle_knee",
]  # fmt: skip
LOVED = ["double_pendulum", "lagrange_top", "furuta_pendulum", "ball_in_bowl", "chain_of_1000_links"]


@cache
def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def acting(module: ModuleType) -> list:
    """The forces of a script that has some."""
    return module.acting() if hasattr(module, "acting") else []


def test_the_gallery_is_complete():
    assert set(PAPERS + LOVED) <= set(SCRIPTS)


@pytest.mark.parametrize("name", PAPERS)
def test_scripts_from_papers_cite_them(name):
    assert "Paper" in load(name).__doc__


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_short_and_explain_themselves(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf8")
    assert 15 <= len(text.splitlines()) <= 50
    first = ast.get_docstring(ast.parse(text)).splitlines()[0]
    assert first.endswith(".")
    assert len(first) <= 110
    assert f'traj.to_html("{name}.html")' in text


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_build_sound_mechanisms_with_a_start(name):
    module = load(name)
    assert module.DURATION > 0
    assert 0 < module.DT <= 1 / 30
    assert module.METHOD in STEPPERS
    mech = module.build()
    assert mech.check() == []
    q, v = mech.start
    assert (len(q), len(v)) == (mech.nq, mech.nv)
    assert all(body.shapes for body in mech.bodies)
    assert mech.description.split("\n", 1)[0].endswith(".")  # the page shows this sentence
    few = mech if mech.nb < 100 else module.build(n=20)
    assert all(np.isfinite(pose.matrix).all() for pose in few.poses([float(x) for x in few.start[0]]))


LONG = {  # to trace; they run to their end among the slow tests
    "stewart_platform", "bracelet", "delta_robot", "chain_of_four_bars", "windmill", "cairn", "contact_patches",
    "scissor_lift", "bicycle", "dominoes", "shaken_torus_chain", "roller_coaster", "beads_on_wires",
    "marbles_in_a_ring", "scapula_on_ribs", "quadruped", "over_the_poles", "spherical_and_universal", "slider_crank",
    "board_leaves_bowl", "rattleback", "shoulder_blade", "golfers_dilemma",
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in SCRIPTS])
def test_scripts_run_and_keep_their_energy(name):
    """A hundred steps; what has no dampers and a good stepper keeps its energy."""
    module = load(name)
    mech = module.build()
    model = mech.compile()
    traj = model.simulate(*mech.start, 100 * module.DT, module.DT, module.METHOD, forces=acting(module))
    assert traj.t[-1] == pytest.approx(100 * module.DT)
    assert np.isfinite(traj.q).all()
    kinetic, potential = (np.asarray(e) for e in traj.energy())
    if model.modes:  # friction and impacts take energy, which is accounted for
        assert traj.balance_error() < 1e-6
        return
    damped = mech.timed or any(any(body.damping) for body in mech.bodies)
    if not damped and module.METHOD == "rk4":
        total = kinetic + potential
        assert np.ptp(total) < 1e-7 * max(np.ptp(potential), kinetic.max())


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_run_to_their_end(name):
    module = load(name)
    mech = module.build()
    run = module.DURATION, module.DT, module.METHOD
    traj = mech.compile().simulate(*mech.start, *run, forces=acting(module))
    assert traj.t[-1] == pytest.approx(module.DURATION)
    assert np.isfinite(traj.q).all()


def test_a_script_writes_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FOLDER / "furuta_pendulum.py"), run_name="__main__")
    assert "furuta_pendulum.html" in capsys.readouterr().out
    assert (tmp_path / "furuta_pendulum.html").stat().st_size > 10_000


@pytest.mark.parametrize("name", ["torus_chain", "tongs_with_fish", "torus_chain_on_spline"])
def test_scripts_agree_with_the_gallery(name):
    """The script spells out what the package's function builds."""
    script, built = load(name).build(), getattr(gallery, name)()
    q = built.start[0]
    for mine, theirs in zip(script.poses(list(q)), built.poses(list(q)), strict=True):
        assert np.allclose(mine.matrix, theirs.matrix, atol=1e-12)
