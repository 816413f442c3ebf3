"""What the repository promises about itself: the import contract, the two commands, a typed package, no leftovers."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "anyjoint").rglob("*.py"))
LAYERS = ("cli", "view", "export", "simulate", "model", "quantity", "stepper", "forces", "trace", "dynamics",
          "tree", "codegen", "mechanism", "joints", "geometry", "spatial", "symbolic", "scalar", "errors")  # fmt: skip


def test_import_contract_names_every_folder() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    named = {layer.strip("()") for c in config["tool"]["importlinter"]["contracts"] for layer in c.get("layers", [])}
    top = {p.relative_to(ROOT / "src" / "anyjoint").parts[0].removesuffix(".py") for p in SOURCES}
    assert top - {"__init__", "__main__"} <= named
    assert set(LAYERS) <= named


def test_make_has_the_promised_targets() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    for target in ("demo", "test", "lint", "bench", "docs", "clean"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_ci_only_runs_make_test() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf8").split("\n")
    assert [line for line in lines if line and not line.startswith("#")] == ["set -e", "make test"]


def test_package_is_typed() -> None:
    assert (ROOT / "src" / "anyjoint" / "py.typed").exists()


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_sources_are_finished_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text(encoding="utf8")
    assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", text)
    assert ast.get_docstring(ast.parse(text)), f"{path} has no docstring that says what the file is for"
    called = {n.func.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert not called & {"eval", "exec"}


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "Makefile"], ids=lambda p: p.name)
def test_texts_hold_no_marks_of_merges(path: Path) -> None:
    assert not re.search(r"^(<{7}|>{7}) ", path.read_text(encoding="utf8"), re.MULTILINE)


def test_importing_the_package_is_light() -> None:
    code = "import sys, anyjoint; print(*[m for m in ('llvmlite', 'matplotlib', 'typer', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_plain_run_loads_neither_contacts_nor_surfaces() -> None:
    code = (
        "import sys, anyjoint as aj\n"
        "mech = aj.Mechanism('p')\n"
        "mech.add_body('bob', joint=aj.joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))\n"
        "mech.compile().simulate(duration=0.01, dt=1e-3)\n"
        "many = ('simulate.contact', 'geometry.surfaces', 'geometry.curves')\n"
        "print(*[m for m in many if f'anyjoint.{m}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
