"""The commands as a user types them: output, files, JSON and exit codes."""

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anyjoint.cli import gallery, main
from anyjoint.cli.target import resolve
from anyjoint.quantity import QUANTITIES

# Of a mechanism without constraints, and those with outputs.
SPECIAL = [name for name, quantity in QUANTITIES.items() if quantity.among in ("constrained", "touching")]
FREE = [name for name, quantity in QUANTITIES.items() if quantity.outputs and name not in SPECIAL]
FREE += ["step_semi_implicit_euler"]  # beside `step`, by rk4
PENDULUM = '''
"""A pendulum."""
import anyjoint as aj
from anyjoint import joints, shapes

START = {"q": [1.0], "v": [0.0]}
DURATION = 0.5
DT = 1e-3

def build(mass=1.0, length=1.0):
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    inertia = aj.Inertia(mass=mass, com=(0, 0, -length), tensor=[[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    mech.add_body("bob", parent=mech.ground, joint=joints.Revolute(axis=(0, 1, 0)), inertia=inertia,
                  shape=shapes.Sphere(0.1))
    return mech
'''


@pytest.fixture
def pendulum(tmp_path: Path) -> str:
    path = tmp_path / "pendulum.py"
    path.write_text(PENDULUM)
    return f"{path}:build"


def test_alone_it_suggests_what_to_do(anyjoint) -> None:
    code, out, _ = anyjoint()
    assert code == 0
    assert "anyjoint list" in out
    assert "anyjoint run" in out


def test_list_names_every_gallery_script(anyjoint) -> None:
    code, out, _ = anyjoint("list", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)] == gallery.names()
    assert all(row["summary"] for row in json.loads(out))


def test_run_prints_a_summary_and_writes_files(anyjoint, pendulum: str, tmp_path: Path) -> None:
    deep = tmp_path / ("a" * 60)  # long paths are printed whole, so that they can be copied
    deep.mkdir()
    page, saved = deep / "page.html", deep / "run.npz"
    code, out, err = anyjoint("run", pendulum, "--html", str(page), "--save", str(saved))
    assert code == 0, err
    for word in ("coordinates", "operations", "compile time", "steps per second", "energy balance", str(page)):
        assert "".join(word.split()) in "".join(out.split())
    assert page.stat().st_size > 50_000
    assert saved.stat().st_size > 0


def test_run_tells_machines_the_same(anyjoint, pendulum: str) -> None:
    code, out, err = anyjoint("run", pendulum, "--json", "--duration", "0.25", "--dt", "0.0005")
    assert code == 0, err
    facts = json.loads(out)
    assert (facts["coordinates"], facts["duration"], facts["dt"], facts["finished"]) == (1, 0.25, 5e-4, True)
    assert facts["energy_balance"] < 1e-9


def test_run_says_what_auto_has_chosen(anyjoint, pendulum: str, tmp_path: Path) -> None:
    """Dry friction takes energy that is not counted, which is no error of the steps."""
    rough = tmp_path / "rough.py"
    rough.write_text(PENDULUM.replace("inertia=inertia", "inertia=inertia, friction=0.5"))
    code, out, err = anyjoint("run", f"{rough}:build", "--method", "auto")
    assert code == 0, err
    assert "by time-stepping" in out
    assert "of the energy exchanged went to contacts, friction and steps" in " ".join(out.split())
    assert json.loads(anyjoint("run", pendulum, "--method", "auto", "--json")[1])["method"] == "rk4"


def test_set_reaches_the_builder(anyjoint, pendulum: str) -> None:
    code, out, err = anyjoint("info", pendulum, "--json", "--set", "mass=2.5")
    assert code == 0, err
    assert json.loads(out)["mass"] == 2.5


def test_info_counts_what_the_model_counts(anyjoint, pendulum: str) -> None:
    model = resolve(pendulum).mechanism.compile()
    code, out, err = anyjoint("info", pendulum, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert facts["operations"]["forward_dynamics"]["total"] == model.op_count("forward_dynamics").total
    assert [b["body"] for b in facts["bodies"]] == ["bob"]
    assert anyjoint("info", pendulum)[0] == 0


def test_check_accepts_a_good_model(anyjoint, pendulum: str) -> None:
    code, out, _ = anyjoint("check", pendulum)
    assert code == 0
    assert "fine" in out


def test_check_gives_hints_about_what_is_no_mistake(anyjoint, tmp_path: Path) -> None:
    text = "from bench.formulation_stiffness import heavy_tip\n\n\ndef build():\n    return heavy_tip(1e9, n=2)\n"
    (tmp_path / "heavy.py").write_text(text)
    code, out, _ = anyjoint("check", str(tmp_path / "heavy.py"))
    assert code == 0
    assert "hint: body 'link 0': it carries 1e+09 times its own mass" in out
    _, out, _ = anyjoint("check", str(tmp_path / "heavy.py"), "--json")
    assert json.loads(out)["ok"]
    assert len(json.loads(out)["hints"]) == 1


def test_check_reports_a_bad_model_and_exits_with_1(anyjoint, pendulum: str) -> None:
    code, out, _ = anyjoint("check", pendulum, "--json", "--set", "mass=-1.0")
    assert code == 1
    assert json.loads(out)["problems"]


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("c", {"pendulum.h", "pendulum.pc.in", "CMakeLists.txt", "main.c", *(f"pendulum_{q}.c" for q in FREE)}),
        ("js", {"pendulum.js"}),
        ("latex", {"pendulum.tex"}),
        ("html", {"pendulum.html"}),
        ("aj.json", {"pendulum.aj.json"}),
    ],
)
def test_export_writes_files(anyjoint, pendulum: str, tmp_path: Path, language: str, names: set[str]) -> None:
    folder = tmp_path / "new" / "folder"
    code, out, err = anyjoint("export", pendulum, "--to", language, "--out", str(folder), "--json")
    assert code == 0, err
    assert {p.name for p in folder.iterdir()} == names == {Path(p).name for p in json.loads(out)["files"]}
    assert all(p.stat().st_size > 100 for p in folder.iterdir())


LIVELY = """import anyjoint as aj
METHOD = {method!r}
def build():
    mech = aj.Mechanism("lively")
    ball = mech.add_body("ball", joint=aj.joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1))
    {touch}
    return mech
def acting():
    return [aj.forces.Drag("ball", 1.0), aj.forces.Thruster("ball", {control}, (0, 0, 1))]
"""


@pytest.mark.parametrize(
    ("method", "touch", "control", "told"),
    [
        ("time-stepping", 'mech.add_contact("ball", aj.shapes.Sphere(0.1))', "0.5", ()),
        ("bdf2", "", "lambda t: t", ("1 forces follow functions of time",)),
    ],
    ids=["as it is", "told"],
)
def test_live_pages_step_as_scripts_say(anyjoint, tmp_path: Path, method, touch, control, told) -> None:
    """Under their forces; what must touch was refused, and forces were left out without a word."""
    (tmp_path / "lively.py").write_text(LIVELY.format(method=method, touch=touch, control=control))
    code, _, err = anyjoint("export", str(tmp_path / "lively.py"), "--to", "html", "--out", str(tmp_path))
    assert (code, err.count("warning:")) == (0, len(told)), err
    assert all(words in err for words in told)
    page = (tmp_path / "lively.html").read_text()
    assert '"driven": true' in page
    assert f'"Stepper":"{method}, ' in page.replace('": "', '":"')


def test_exported_c_computes_what_the_model_computes(anyjoint, pendulum: str, tmp_path: Path) -> None:
    assert anyjoint("export", pendulum, "--to", "c", "--out", str(tmp_path))[0] == 0
    library = tmp_path / "model.so"
    sources = sorted(map(str, tmp_path.glob("pendulum*.c")))
    subprocess.run(
        ["cc", "-std=c99", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, *sources, "-lm"], check=True
    )
    compiled, model = ctypes.CDLL(str(library)), resolve(pendulum).mechanism.compile()
    q, v, tau, result = (np.array([x]) for x in (0.7, -0.3, 0.2, 0.0))
    work = np.zeros(1000)
    inputs = {
        "forward_dynamics": (q, v, tau),
        "inverse_dynamics": (q, v, tau),
        "bias_forces": (q, v),
        "gravity_forces": (q,),
    }
    for quantity, arrays in inputs.items():
        rows = [ctypes.c_void_p(x.ctypes.data) for x in (*arrays, result)]
        assert getattr(compiled, f"pendulum_{quantity}")(*rows, None, ctypes.c_void_p(work.ctypes.data)) == 0
        np.testing.assert_allclose(result, getattr(model, quantity)(*arrays), rtol=1e-13, err_msg=quantity)


def test_exported_javascript_computes_what_the_model_computes(anyjoint, pendulum: str, tmp_path: Path) -> None:
    assert anyjoint("export", pendulum, "--to", "js", "--out", str(tmp_path))[0] == 0
    script = (
        f"const model = require({str(tmp_path / 'pendulum.js')!r});"
        "console.log(model.forward_dynamics([0.7], [-0.3], [0.2])[0]);"
    )
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    expected = resolve(pendulum).mechanism.compile().forward_dynamics([0.7], [-0.3], [0.2])
    np.testing.assert_allclose(float(done.stdout), expected[0], rtol=1e-12)


def test_exported_latex_shows_the_joint_and_the_equations(anyjoint, pendulum: str, tmp_path: Path) -> None:
    assert anyjoint("export", pendulum, "--to", "latex", "--out", str(tmp_path))[0] == 0
    text = (tmp_path / "pendulum.tex").read_text()
    assert text.count("{") == text.count("}")
    assert "Revolute joint of body 1" in text
    assert r"M = \begin{bmatrix} 1.1 \end{bmatrix}" in text  # m l^2 + I = 1 + 0.1


def test_bench_measures_a_model(anyjoint, pendulum: str) -> None:
    code, out, err = anyjoint("bench", pendulum, "--batch", "64", "--json")
    assert code == 0, err
    (row,) = json.loads(out)["models"]
    assert row["one_ns"] > 0
    assert np.isfinite(row["batch_ns"])


@pytest.mark.parametrize(
    "arguments",
    [("run", "torus-chian"), ("run",), ("export", "torus-chain", "--to", "fortran"), ("nonsense",), ("run", "x.urdf")],
)
def test_misspelt_commands_exit_with_2(anyjoint, arguments: tuple[str, ...]) -> None:
    code, _, err = anyjoint(*arguments)
    assert code == 2
    assert err


@pytest.mark.parametrize("options", [("--duration", "-1"), ("--dt", "nan"), ("--dt", "0"), ("--method", "rk5")])
def test_bad_runs_exit_with_1_and_a_sentence(anyjoint, pendulum: str, options: tuple[str, str]) -> None:
    code, _, err = anyjoint("run", pendulum, *options)
    assert code == 1
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_unwritable_output_exits_with_1(anyjoint, pendulum: str, tmp_path: Path) -> None:
    code, _, err = anyjoint("run", pendulum, "--html", str(tmp_path / "no" / "such" / "page.html"))
    assert code == 1
    assert "page.html" in err


def test_help_is_light() -> None:
    code = (
        "import sys\nfrom anyjoint import cli\nsys.argv = ['anyjoint', '--help']\n"
        "try: cli.main()\nexcept SystemExit: pass\n"
        "print('LOADED', *[m for m in ('numpy', 'llvmlite', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("LOADED")[1].split() == []
    assert "export" in done.stdout


# -- names that rich would read as markup or pictures -----------------------------------------------------------------

ODD = '''
import anyjoint as aj
from anyjoint import joints

def leg(bad: bool = False):
    mech = aj.Mechanism("a [bold]leg[/bold] :leg:")
    mech.add_body("[red]thigh :foot:", joint=joints.Revolute(), inertia=aj.Inertia.sphere(1.0, 0.1),
                  stiffness=-1.0 if bad else 0.0)
    return mech
'''


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("leg.py").write_text(ODD)
    return "leg.py:leg"


def test_names_are_printed_as_they_are(anyjoint, odd: str) -> None:
    code, out, _ = anyjoint("check", odd, "--set", "bad=True")
    assert code == 1
    assert "problem in leg.py:leg:\n" in out  # `:leg:` is no picture of a leg
    assert "'[red]thigh :foot:'" in out
    code, out, _ = anyjoint("check", odd)
    assert (code, out) == (0, "leg.py:leg is fine.\n")
    for command in (("info", odd), ("run", odd, "--duration", "0.01", "--save", "[bold]:leg:.npz")):
        code, out, err = anyjoint(*command)
        assert code == 0, err
        assert "a [bold]leg[/bold] :leg:" in out
    assert "[bold]:leg:.npz" in out
    assert "[red]thigh :foot:" in anyjoint("info", odd)[1]
    out = anyjoint("export", odd, "--to", "latex", "--out", ":leg:[red]")[1]
    assert "wrote :leg:[red]/a-bold-leg-bold-leg.tex" in out
    assert "[bold]x:leg:y" in anyjoint("run", "[bold]x:leg:y")[2]


def test_bars_and_spinners_print_names_as_they_are(monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    from anyjoint.cli import output
    from anyjoint.simulate.progress import Progress

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with output.progress("simulating [red]x :leg:") as advance:
        advance(0.5)
    with output.status("compiling [red]x :leg:"):
        pass
    bar = Progress(True, "simulating [red]x :leg:")
    bar.show(0.5)
    bar.show(0.7)
    bar.close()
    shown = capfd.readouterr().err
    assert shown.count("[red]x :leg:") >= 3
    assert "\N{LEG}" not in shown


# -- settings and files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("n=-3", "at least 1"),
        ("n=0", "at least 1"),
        ("n=2.5", "whole number"),
        ("n=many", "whole number"),
        ("n=True", "whole number"),
        ("major=wide", "finite number"),
        ("major=1e999", "finite number"),
        ("mayor=1", "did you mean major?"),
        ("n", "param=value"),
    ],
)
def test_settings_of_a_wrong_kind_are_refused(anyjoint, setting: str, words: str) -> None:
    code, _, err = anyjoint("info", "torus-chain", "--set", setting)
    assert code == 2
    assert f"--set {setting}" in err
    assert words in err


def test_a_whole_number_of_a_user_may_be_negative(anyjoint, tmp_path: Path) -> None:
    text = PENDULUM.replace("mass=1.0, length=1.0", "side: int = 1, mass=1.0, length=1.0")
    (tmp_path / "own.py").write_text(text)
    assert anyjoint("check", f"{tmp_path / 'own.py'}", "--set", "side=-1")[0] == 0


def test_a_table_can_be_saved(anyjoint, pendulum: str, tmp_path: Path) -> None:
    code, _, err = anyjoint("run", pendulum, "--save", str(tmp_path / "run.csv"))
    assert code == 0, err
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert lines[0] == "t,bob/angle,bob/angle'"
    assert len(lines) == 502
    assert [float(x) for x in lines[1].split(",")] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("option", "name"), [("save", "a.txt"), ("save", "a"), ("plot", "a.doc"), ("html", "a.png")])
def test_files_of_another_kind_are_refused_before_the_run(anyjoint, pendulum: str, option: str, name: str) -> None:
    code, out, err = anyjoint("run", pendulum, f"--{option}", name)
    assert (code, out) == (2, "")
    assert f"--{option} {name}: give a file that ends in ." in err


def test_a_bad_step_is_named_itself(anyjoint, pendulum: str) -> None:
    assert "dt=-1" in anyjoint("run", pendulum, "--dt", "-1")[2]


# -- files of users ---------------------------------------------------------------------------------------------------


def test_mistakes_in_a_file_are_reported_with_their_line(anyjoint, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("robot.py").write_text("import anyjoint as aj\n\ndef build():\n    return aj.Inertia.sphere(-1.0, 0.1)\n")
    code, out, _ = anyjoint("check", "robot.py")
    assert code == 1
    assert "robot.py:4: " in out
    Path("robot.py").write_text("def build():\n    return undefined\n")
    assert "robot.py:2: NameError" in anyjoint("check", "robot.py")[1]
    Path("robot.py").write_text("\ndef build(:\n")
    assert "robot.py:2: SyntaxError" in anyjoint("check", "robot.py")[1]


def test_a_file_may_import_its_neighbour_and_declare_dataclasses(anyjoint, tmp_path: Path) -> None:
    (tmp_path / "lengths_of_mine.py").write_text("LENGTH = 1.0\n")
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom lengths_of_mine import LENGTH\n"
    (tmp_path / "robot.py").write_text(head + "@dataclass\nclass Size:\n    x: int = 1\n" + PENDULUM)
    code, out, err = anyjoint("check", str(tmp_path / "robot.py"))
    assert code == 0, out + err


def test_check_finds_what_only_compiling_shows(anyjoint, tmp_path: Path) -> None:
    odd = "class Odd(aj.Mechanism):\n    def compile(self):\n        raise aj.ModelError('too odd to compile')\n"
    text = PENDULUM.replace("def build", odd + "\ndef build").replace('aj.Mechanism("', 'Odd("')
    (tmp_path / "own.py").write_text(text)
    code, out, _ = anyjoint("check", str(tmp_path / "own.py"))
    assert code == 1
    assert "too odd to compile" in out


STILL = '''
import anyjoint as aj
from anyjoint import shapes

def build():
    mech = aj.Mechanism("rock")
    mech.add_body("rock", inertia=aj.Inertia.sphere(1.0, 0.1), shape=shapes.Sphere(0.1))
    return mech
'''


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("info",),
        ("run", "--duration", "0.1", "--html", "a.html", "--plot", "a.png", "--save", "a.csv"),
        ("run", "--duration", "0.1", "--save", "a.npz"),
        ("bench", "--batch", "8"),
        *(("export", "--to", kind) for kind in ("c", "js", "html", "latex", "aj.json")),
    ],
)
def test_every_command_takes_a_model_that_does_not_move(anyjoint, tmp_path: Path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rock.py").write_text(STILL)
    name, *options = command
    code, _, err = anyjoint(name, "rock.py", *options)
    assert code == 0, err
    assert "Warning" not in err


@pytest.mark.parametrize(("command", "code"), [("list", 0), ("info nobody", 2)])
def test_streams_that_are_closed_take_nothing(command, code, monkeypatch):
    """As `anyjoint list >&-` leaves them."""
    monkeypatch.setattr(sys, "argv", ["anyjoint", *command.split()])
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
