"""MJCF as files: what is looked at before MuJoCo reads them, what they include, and the process that reads them."""

import sys
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import shapes
from anyjoint.load.mjcf import apart
from anyjoint.load.oracle.mujoco import Oracle
from dynamics.support import close
from load import test_mjcf
from load.test_files import stl
from load.test_mjcf import ARM, ZOO, model

loaded = test_mjcf.loaded


@pytest.mark.parametrize(("text", "words"), [
    ("<mujoco><worldbody><bdy/></worldbody></mujoco>", r":1: MuJoCo refuses it: .*bdy.*\[mujoco\]"),
    (model('<body><joint/></body>'), "MuJoCo refuses it"),
    (model('<geom size="1"/>'), r":1: there is no <body> beside the world.*\[empty\]"),
    (model(ARM.format(""), '<asset><mesh name="m" file="../secret.stl"/></asset>'), r":5: .*leads out.*\[path\]"),
    (model(ARM.format(""), '<asset><mesh name="m" file="/etc/hostname"/></asset>'), r"absolute path.*\[path\]"),
    (model(ARM.format(""), '<asset><texture name="m" type="2d" file="none.png"/></asset>'), r"no file.*\[path\]"),
    (model(ARM.format(""), '<compiler meshdir=".."/><asset><mesh name="m" file="x.stl"/></asset>'), r"leads out"),
    (model(ARM.format(""), '<include file="../other.xml"/>'), r":5: .*leads out.*\[include\]"),
    (model(ARM.format(""), '<include file="model.xml"/>'), r"includes itself.*\[include\]"),
    (model(f'<replicate count="1000"><replicate count="1e6">{ARM.format("")}</replicate></replicate>'),
     "more than 100,000"),
    (model(ARM.format(""), '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'),
     r":5: <hfield> asks for 10,000,000,000 heights; at most 4,000,000 .*\[size\]"),
    (model(ARM.format(""), '<asset><texture type="2d" builtin="flat" width="1000000" height="1000000"/></asset>'),
     r"<texture> asks for 1,000,000,000,000 pixels"),
    (model(ARM.format(""), '<size memory="900G"/>'), r"<size> asks for 966,367,641,600 bytes"),
    (model(ARM.format(""), '<size nstack="1000000000"/>'), r"<size> asks for 8,000,000,000 bytes"),
    (model(ARM.format(""), '<size nuser_body="100000000"/>'), r"<size> asks for .* user numbers"),
    (model(ARM.format(""), '<size nkey="1000000000"/>'), r"<size> asks for 1,000,000,000 entries"),
    (model(ARM.format("") + '<camera name="c" resolution="100000 100000"/>'), r"<camera> asks for .* pixels"),
    (model(ARM.format(""), '<asset><mesh name="m" builtin="supertorus" params="10000 1 1 1"/></asset>'), "<mesh> asks"),
    (model(ARM.format(""), '<asset><mesh name="m" builtin="plate" params="1000 101"/></asset>'), "<mesh> asks"),
    (model('<flexcomp name="f" type="grid" count="1000 1000 1000"/>'), "<flexcomp> asks for"),
])  # fmt: skip
def test_files_are_looked_at_before_mujoco_reads_them(loaded, text, words):
    with pytest.raises(aj.ModelError, match=words):
        loaded(text)


def test_attached_models_are_looked_at_too(loaded, tmp_path):
    inner = model(ARM.format(""), '<asset><mesh name="m" file="../x.stl"/></asset>')
    (tmp_path / "inner.xml").write_text(inner)
    attach = '<asset><model name="i" file="inner.xml"/></asset>'
    with pytest.raises(aj.ModelError, match=r"x\.stl' leads out.*\[path\]"):
        loaded(model('<body><attach model="i" body="arm" prefix="p"/></body>', attach))
    (tmp_path / "inner.xml").write_text(model("", '<asset><model name="i" file="inner.xml"/></asset>'))
    with pytest.raises(aj.ModelError, match="includes itself"):
        loaded(model('<body><attach model="i" body="arm" prefix="p"/></body>', attach))


def test_names_that_are_no_utf8(tmp_path):
    """MuJoCo does not look at the encoding that a file says."""
    text = '<?xml version="1.0" encoding="iso-8859-1"?>\n' + model('<body name="coudé"><geom size="1"/></body>')
    (tmp_path / "model.xml").write_bytes(text.encode("iso-8859-1"))
    with pytest.raises(aj.ModelError, match=r"model\.xml:2: MuJoCo takes names for UTF-8, and b'coud.xe9' is none"):
        aj.load(tmp_path / "model.xml")


def test_what_mujoco_warns_of_is_told_and_not_written(loaded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mech, _ = loaded(model(ARM.format("").replace("<geom ", '<geom user="nan" ')))
    assert [(w.rule, "NaN" in w.message) for w in mech.source.warnings] == [("mujoco", True)]
    assert [path.name for path in tmp_path.iterdir()] == ["model.xml"]


def test_the_last_compiler_says_where_meshes_are_as_in_mujoco(loaded, tmp_path):
    (tmp_path / "part.xml").write_text('<mujocoinclude><compiler meshdir="elsewhere"/></mujocoinclude>')
    (tmp_path / "cup.stl").write_bytes(stl())
    text = '<mujoco><include file="part.xml"/><compiler meshdir="."/><asset><mesh name="cup" file="cup.stl"/></asset>'
    mech, _ = loaded(text + f"<worldbody>{ARM.format('')}</worldbody></mujoco>")
    assert mech.nv == 1


def test_includes_are_read(loaded, tmp_path):
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{ARM.format('')}</mujocoinclude>")
    mech, _ = loaded(model('<include file="part.xml"/>'))
    assert mech.nv == 1


def test_a_base_is_the_files_business(loaded):
    with pytest.raises(aj.ModelError, match="freejoint"):
        loaded(model(ARM.format("")), base="free")


def test_without_mujoco_it_says_how_to_get_it(loaded, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(aj.AnyjointError, match=r"pip install anyjoint\[mjcf\]"):
        loaded(model(ARM.format("")))


def test_meshes_are_shown_and_weighed(loaded, tmp_path):
    (tmp_path / "part.stl").write_bytes(stl())
    asset = '<asset><mesh file="part.stl"/></asset>'
    text = model('<body name="b"><joint/><geom type="mesh" mesh="part"/></body>', asset)
    mech, path = loaded(text)
    assert isinstance(mech["b"].shape, shapes.Mesh)
    assert mech["b"].inertia.mass == pytest.approx(1000 / 6)
    assert loaded(text, meshes="skip")[0]["b"].shapes == ()
    oracle = Oracle(path, mech)
    q, _ = oracle.state(np.random.default_rng(0))
    assert close(mech.compile().mass_matrix(q), oracle.mass_matrix(), 1e-12)
    corners = mech["b"].shape.pose.matrix.astype(float) @ np.c_[mech["b"].shape.vertices, np.ones(4)].T
    wanted = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert close(np.array(sorted(corners[:3].T.round(6).tolist())), np.array(sorted(wanted.tolist())), 1e-5)


def test_files_of_strangers_are_read_in_a_process_of_its_own(loaded):
    here, _ = loaded(ZOO)
    apart, _ = loaded(ZOO, untrusted=True)
    q, v = here.start
    assert np.array_equal(here.compile().inverse_dynamics(q, v, v), apart.compile().inverse_dynamics(q, v, v))
    assert [str(w) for w in here.source.warnings] == [str(w) for w in apart.source.warnings]


def test_what_mujoco_refuses_apart_has_its_line(loaded):
    with pytest.raises(aj.ModelError, match=r"model\.xml:3: MuJoCo refuses it: .*unknown"):
        loaded(model("<body><joint klass='x'/></body>").replace("klass", "class"), untrusted=True)


@pytest.mark.parametrize(("program", "words"), [
    ("import os; os.abort()", "ended with code -6"),
    ("while True: pass", "ended with code -(9|24)"),
    ("x = bytearray(1 << 40)", "ended with code 1"),
    ("import time; time.sleep(60)", "not done within 2 seconds"),
])  # fmt: skip
def test_a_process_that_breaks_or_does_not_end_is_an_error(loaded, tmp_path, monkeypatch, program, words):
    """The parser replaced by programs that crash, loop, take memory or wait."""
    text = Path(apart.__file__).read_text().replace("    import mujoco\n", f"    {program}\n")
    (tmp_path / "wild.py").write_text(text.replace("MEMORY = 60", "MEMORY = 1"))
    monkeypatch.setattr(apart, "__file__", str(tmp_path / "wild.py"))
    monkeypatch.setattr(apart, "SECONDS", 1 if "sleep" in program else 30)
    with pytest.raises(aj.ModelError, match=words):
        loaded(model(ARM.format("")), untrusted=True)
