"""Every gallery script is short, explains itself, and builds a sound mechanism with a good start."""

import ast
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
PAPERS = [
    "torus_chain", "windmill", "torus_chain_on_spline", "board_on_spline_surface", "beads_on_wires", "rolling_wheels",
    "tongs_with_fish", "spline_knee", "shoulder_blade", "spherical_and_universal", "contact_patches", "roller_coaster",
]  # fmt: skip
LOVED = ["double_pendulum", "lagrange_top", "furuta_pendulum", "ball_in_bowl", "chain_of_1000_links"]


@cache
def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert module.METHOD in ("rk4", "semi-implicit-euler", "dopri5")
    mech = module.build()
    assert mech.check() == []
    q, v = mech.start
    assert (len(q), len(v)) == (mech.nq, mech.nv)
    assert all(body.shapes for body in mech.bodies)
    few = mech if mech.nb < 100 else module.build(n=20)
    assert all(np.isfinite(pose.matrix).all() for pose in few.poses([float(x) for x in few.start[0]]))
