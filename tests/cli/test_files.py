"""Files on the command line: every command takes them, and says what is wrong with them."""

import importlib
import json
import math
from pathlib import Path

import numpy as np
import pytest

import anyjoint as aj
from load.robots import ZOO, joint, link, robot


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    (tmp_path / "zoo.urdf").write_text(ZOO)
    return tmp_path / "zoo.urdf"


def test_run(anyjoint, zoo, tmp_path):
    code, out, _ = anyjoint("run", zoo, "--duration", "0.01", "--json", "--html", tmp_path / "page.html")
    assert code == 0
    assert json.loads(out)["finished"]
    assert (tmp_path / "page.html").stat().st_size > 1000
    code, out, _ = anyjoint("run", zoo, "--duration", "0.01", "--json", "--base", "free")
    assert json.loads(out)["coordinates"] == 4 + 7 + 7


def test_info_bench_and_export(anyjoint, zoo, tmp_path):
    code, out, _ = anyjoint("info", zoo, "--json")
    assert (code, json.loads(out)["nb"]) == (0, 9)
    code, out, _ = anyjoint("bench", zoo, "--json", "--batch", "4")
    assert (code, json.loads(out)["models"][0]["coordinates"]) == (0, 10)
    code, out, _ = anyjoint("bench", zoo, "--json", "--batch", "4", "--base", "free")
    (row,) = json.loads(out)["models"]
    assert (code, row["coordinates"], row["model"]) == (0, 16, zoo.name)
    code, out, _ = anyjoint("export", zoo, "--to", "js", "--out", tmp_path)
    assert code == 0
    assert (tmp_path / "bot.js").exists()
    assert anyjoint("export", zoo, "--to", "aj.json", "--out", tmp_path)[0] == 0
    assert "made/own.aj.json" in anyjoint("export", zoo, "--to", "aj.json", "--out", tmp_path / "made/own.aj.json")[1]
    assert (tmp_path / "made/own.aj.json").is_file()
    again, first = aj.load(tmp_path / "bot.aj.json").compile(), aj.load(zoo).compile()
    assert np.array_equal(again.mass_matrix(again.mechanism.neutral), first.mass_matrix(first.mechanism.neutral))


def test_a_file_of_mujoco_runs_with_its_own_step(anyjoint, tmp_path):
    text = '<mujoco><option timestep="0.004"/><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    (tmp_path / "m.xml").write_text(text)
    _, out, _ = anyjoint("run", tmp_path / "m.xml", "--duration", "0.1", "--json")
    facts = json.loads(out)
    assert (facts["dt"], facts["method"], facts["steps"]) == (0.004, "semi-implicit-euler", 25)


def test_a_file_that_starts_off_its_constraints_begins_where_they_hold(anyjoint, tmp_path):
    bodies = "".join(f'<body pos="{k} 0 0"><joint name="j{k}"/><geom size="1"/></body>' for k in range(2))
    rows = '<equality><joint joint1="j0" joint2="j1" polycoef="0.2 1 0.5 0 0"/></equality>'
    (tmp_path / "m.xml").write_text(f"<mujoco><worldbody>{bodies}</worldbody>{rows}</mujoco>")
    code, out, err = anyjoint("run", tmp_path / "m.xml", "--duration", "0.1", "--json")
    assert (code, json.loads(out)["finished"]) == (0, True)
    assert "warning: mujoco starts off its constraints: positions miss 'equality0' by 0.2" in err
    assert anyjoint("export", tmp_path / "m.xml", "--to", "html", "--out", tmp_path)[0] == 0


def test_forces_of_a_file_act(anyjoint, tmp_path):
    """What needs no control acts on the command line, too; drives are told."""
    held = '<body name="b" gravcomp="1"><joint name="j" type="slide" axis="0 0 1"/><geom size="0.1"/></body>'
    drive = '<actuator><position name="p" joint="j" kp="9" kv="1"/></actuator>'
    (tmp_path / "m.xml").write_text(f"<mujoco><worldbody>{held}</worldbody>{drive}</mujoco>")
    code, _, err = anyjoint("run", tmp_path / "m.xml", "--duration", "0.1", "--save", tmp_path / "run.npz")
    assert code == 0
    assert np.abs(np.load(tmp_path / "run.npz")["q"]).max() < 1e-12
    assert "1 drives and muscles of the file have no controls here, and do not act" in err
    assert anyjoint("export", tmp_path / "m.xml", "--to", "html", "--out", tmp_path)[0] == 0
    assert '"driven": true' in (tmp_path / "mujoco.html").read_text()
    named = json.loads(anyjoint("info", tmp_path / "m.xml", "--json")[1])["named"]
    assert (named["actuators"], named["forces"]) == (1, 1)


def test_geoms_of_mujoco_touch_where_that_is_asked_for(anyjoint, tmp_path):
    ball = '<body pos="0 0 0.2"><freejoint/><geom size="0.1"/></body>'
    (tmp_path / "m.xml").write_text(f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{ball}</worldbody></mujoco>')
    _, out, _ = anyjoint("run", tmp_path / "m.xml", "--duration", "0.01", "--contacts", "ground", "--json")
    assert json.loads(out)["method"] == "time-stepping"
    assert anyjoint("run", tmp_path / "m.xml", "--contacts", "grund")[0] == 2


def test_check_lists_problems_and_exits_with_1(anyjoint, tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(robot(link("base", mass=-1), link("tip"), joint("j", "sliding", "base", "tip")))
    code, out, _ = anyjoint("check", path, "--json")
    facts = json.loads(out)
    assert (code, facts["ok"]) == (1, False)
    assert [problem.split(": ")[0] for problem in facts["problems"]] == [f"{path}:3", f"{path}:5"]


def test_check_lets_mujoco_read_in_a_process_of_its_own(anyjoint, tmp_path, monkeypatch):
    (tmp_path / "m.xml").write_text("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    monkeypatch.setattr("mujoco.MjModel.from_xml_path", None)  # which is what this process would call
    assert anyjoint("check", tmp_path / "m.xml")[0] == 0


def test_check_tells_warnings_and_exits_with_0(anyjoint, tmp_path):
    path = tmp_path / "odd.urdf"
    text = robot(link("base"), link("tip").replace('ixx="0.03"', 'ixx="0.9"'), joint("j", "continuous", "base", "tip"))
    path.write_text(text)
    assert anyjoint("check", path)[0] == 1
    code, out, err = anyjoint("check", path, "--allow", "inertia")
    assert code == 0
    assert "is fine" in out
    assert f"warning: {path}:4: " in err


@pytest.mark.parametrize(("arguments", "words"), [
    (["run", "none.urdf"], "there is no file none.urdf"),
    (["run", "/dev"], "'/dev' is no regular file"),
    (["run", "FILE", "--allow", "inertai"], "did you mean 'inertia'"),
    (["run", "FILE", "--base", "flying"], "base='flying'"),
    (["run", "FILE", "--package", "x"], "NAME=FOLDER"),
    (["run", "FILE", "--set", "n=1"], "no parameters"),
    (["run", "torus-chain", "--base", "free"], "--base is for files"),
])  # fmt: skip
def test_misspelt_commands_exit_with_2(anyjoint, zoo, arguments, words):
    code, _, err = anyjoint(*(zoo if x == "FILE" else x for x in arguments))
    assert code == 2
    assert words in err


def test_packages_are_given(anyjoint, zoo, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    assert anyjoint("info", zoo, "--package", f"bot={tmp_path / 'elsewhere'}", "--json")[0] == 0


def test_check_compares_with_another_engine(anyjoint, zoo, tmp_path):
    path = tmp_path / "plain.urdf"
    path.write_text(robot(link("base"), link("tip"), joint("j", "continuous", "base", "tip")))
    code, out, _ = anyjoint("check", path, "--oracle", "pin", "--json")
    facts = json.loads(out)
    assert code == 0
    assert set(facts["differences"]) == {"mass matrix", "gravity", "inverse dynamics", "forward dynamics"}
    assert max(facts["differences"].values()) < 1e-12
    code, out, _ = anyjoint("check", path, "--oracle", "pin")
    assert (code, "pin: mass matrix within" in out) == (0, True)


def test_a_difference_is_a_problem(anyjoint, zoo, monkeypatch):
    oracle = importlib.import_module("anyjoint.load.oracle")  # `anyjoint.load` itself may be the function
    worst = {"mass matrix": 0.1, "gravity": 0.0, "poses": math.nan, "accelerations by differences": 3e-8}
    monkeypatch.setattr(oracle, "compared", lambda *_: oracle.Comparison(worst, ("lengths: why",)))
    code, out, _ = anyjoint("check", zoo, "--oracle", "pin", "--json")
    assert code == 1
    assert json.loads(out)["problems"] == ["pin differs: mass matrix by 0.1", "pin differs: poses by nan"]
    assert json.loads(out)["notes"] == ["lengths: why"]
    worst |= {"mass matrix": 0.0, "poses": 0.0}
    assert "pin: not compared: lengths: why" in anyjoint("check", zoo, "--oracle", "pin")[1]


def test_what_is_no_number_is_a_difference(zoo, monkeypatch):
    """Also where later states agree."""
    compare = importlib.import_module("anyjoint.load.oracle.compare")

    class Broken:
        size, notes = 1.0, ()

        def answers(self, model, random):
            yield "poses", np.array([1.0, math.nan]), np.ones(2)
            yield "poses", np.ones(2), np.ones(2)

    monkeypatch.setitem(compare.OPENERS, "pin", lambda: lambda *_: Broken())
    assert "poses" in compare.compared("pin", zoo, aj.load(zoo)).beyond(1e-8)


@pytest.mark.parametrize(("arguments", "words"), [
    (["FILE", "--oracle", "pinochio"], "expected pin, mujoco, opensim"),
    (["FILE", "--oracle", "mujoco"], "mujoco is an oracle for MJCF, and this is URDF"),
    (["PLANAR", "--oracle", "pin"], "pin cannot be compared with: planar joints have other velocities"),
    (["PLAIN", "--oracle", "pin", "--base", "free"], "pin cannot be compared with: it counts 1 velocities where"),
    (["torus-chain", "--oracle", "pin"], "--oracle is for files"),
])  # fmt: skip
def test_oracles_that_cannot_be_asked(anyjoint, zoo, tmp_path, arguments, words):
    plain = tmp_path / "plain.urdf"
    plain.write_text(robot(link("base"), link("tip"), joint("j", "continuous", "base", "tip")))
    planar = tmp_path / "planar.urdf"
    planar.write_text(robot(link("base"), link("tip"), joint("j", "planar", "base", "tip")))
    paths = {"FILE": zoo, "PLAIN": plain, "PLANAR": planar}
    code, _, err = anyjoint("check", *(paths.get(x, x) for x in arguments))
    assert code == 2
    assert words in " ".join(err.split())
