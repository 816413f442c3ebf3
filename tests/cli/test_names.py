"""MODEL arguments: gallery names, files, and every way to get them wrong."""

from pathlib import Path

import pytest

from anyjoint.cli import gallery
from anyjoint.cli.output import UsageError
from anyjoint.cli.target import resolve
from anyjoint.errors import ModelError


@pytest.fixture
def two_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "torus_chain.py").write_text('"""Tori that hang.\n\nMore."""\nraise SystemExit("never run by list")\n')
    (tmp_path / "windmill.py").write_text('"""Arms that turn."""\n')
    (tmp_path / "_helper.py").write_text("")
    monkeypatch.setattr(gallery, "FOLDERS", (tmp_path / "missing", tmp_path))
    return tmp_path


def test_names_are_file_names_with_dashes(two_scripts: Path) -> None:
    assert gallery.names() == ["torus-chain", "windmill"]


@pytest.mark.parametrize("name", ["torus-chain", "torus_chain", "Torus-Chain"])
def test_find_accepts_dashes_and_underscores(two_scripts: Path, name: str) -> None:
    assert gallery.find(name) == two_scripts / "torus_chain.py"


def test_summary_reads_the_docstring_without_running_the_script(two_scripts: Path) -> None:
    assert gallery.summary(gallery.find("torus-chain")) == "Tori that hang."


def test_unknown_name_suggests_the_nearest(two_scripts: Path) -> None:
    with pytest.raises(UsageError, match=r"'torus-chian'; did you mean torus-chain\?"):
        gallery.find("torus-chian")


def test_hopeless_name_points_to_the_list(two_scripts: Path) -> None:
    with pytest.raises(UsageError, match="anyjoint list"):
        gallery.find("qqqq")


@pytest.mark.parametrize("name", ["robot.urdf", "robot.xml", "leg.osim"])
def test_foreign_files_are_refused_with_a_way_out(name: str) -> None:
    with pytest.raises(UsageError, match=r"there is no file"):
        resolve(name)


def test_missing_file() -> None:
    with pytest.raises(UsageError, match=r"there is no file nowhere\.py"):
        resolve("nowhere.py:build")


def script(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text)
    return str(path)


def test_missing_function_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no function 'biuld'; it has build, other"):
        resolve(script(tmp_path, "def build(): pass\ndef other(): pass\n") + ":biuld")


def test_trouble_in_a_users_file_is_reported_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"mine\.py:3: ZeroDivisionError"):
        resolve(script(tmp_path, "def build():\n    x = 0\n    return 1 / x\n"))
    with pytest.raises(ModelError, match=r"mine\.py:1: NameError"):
        resolve(script(tmp_path, "undefined\n"))


def test_builder_must_return_a_mechanism(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"returned int; expected an anyjoint\.Mechanism"):
        resolve(script(tmp_path, "def build(): return 3\n"))


BUILDER = """
class Built:
    name = "built"
    compile = None

def build(n=3, *, size=1.0, label="x"):
    built = Built()
    built.given = (n, size, label)
    return built
"""


def test_set_passes_literals_and_text(tmp_path: Path) -> None:
    target = resolve(script(tmp_path, BUILDER), ["n=7", "size=(1, 2)", "label=hello world"])
    assert target.mechanism.given == (7, (1, 2), "hello world")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("n", "expected param=value"),
        ("=3", "expected param=value"),
        ("sise=2", "did you mean size"),
        ("q=2", "it takes n, size"),
    ],
)
def test_set_refuses_what_the_builder_does_not_take(tmp_path: Path, setting: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(script(tmp_path, BUILDER), [setting])
