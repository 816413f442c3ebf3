"""The code that readers see in README and docs runs as it stands."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    "README.md",
    *(f"docs/{p}.md" for p in ("formulations", "newton-euler", "energy")),
    *(f"docs/{p}.md" for p in ("getting-started", "own-joint", "loops", "own-constraint", "rolling", "files")),
    *(f"docs/{p}.md" for p in ("dynamics", "derivatives", "simulation", "contact", "forces", "stiff", "sweeps")),
    *(f"docs/{p}.md" for p in ("expressions", "gradients", "fit", "optimise", "si-guenter", "charts")),
    *(f"docs/{p}.md" for p in ("frames", "from-pinocchio", "from-mujoco", "from-opensim")),
)


def code_of(page: str) -> list[str]:
    """The Python blocks of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in code_of(page):
        exec(compile(block, page, "exec"), scope)  # noqa: S102 (our own pages)


@pytest.mark.parametrize("page", ["from-pinocchio", "from-mujoco", "from-opensim"])
def test_names_that_pages_for_newcomers_give_are_ours(page: str) -> None:
    """In the right column of their tables: methods of models and mechanisms, alone or called."""
    from anyjoint import Mechanism
    from anyjoint.model import Model

    text, words = (ROOT / f"docs/{page}.md").read_text(encoding="utf8"), {"model", "joint", "connect", "weld", "sensor"}
    right = [line.split("|")[2] for line in text.splitlines() if line.startswith("| ")]
    for cell in right:
        for name in re.findall(r"`([a-z_]+)(?:\([^`]*)?`", cell) + re.findall(r"(?:model|mech)\.(\w+)", cell):
            assert hasattr(Model, name) or hasattr(Mechanism, name) or name in words | {"source"}, name


def test_the_joints_of_the_five_minutes_page_are_joints() -> None:
    import anyjoint as aj
    from anyjoint import joints

    scope: dict[str, object] = {}
    exec(compile("\n".join(code_of("docs/own-joint.md")), "own-joint.md", "exec"), scope)  # noqa: S102
    found = {name: thing for name, thing in scope.items() if isinstance(thing, joints.Joint)}
    assert set(found) == {"screw", "soft_ramp", "bead_on_helix", "puck_in_bowl", "tilt", "ramp"}
    for name, joint in found.items():
        mech = aj.Mechanism(name)
        mech.add_body("child", joint=joint, inertia=aj.Inertia.sphere(1.0, 0.1))
        assert mech.check() == [], name


def test_the_example_is_about_twenty_lines() -> None:
    for block in code_of("README.md"):
        assert len([line for line in block.splitlines() if line.strip()]) <= 21


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_code_in_the_contributors_guide_is_ours() -> None:
    """Its walk-throughs quote the sources, word by word."""
    sources = [path.read_text(encoding="utf8") for path in (ROOT / "src").rglob("*.py")]
    for block in code_of("CONTRIBUTING.md"):
        assert any(block in source for source in sources), block


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """The generators of the documentation pages."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import pages

    return pages


def test_every_joint_kind_has_a_picture(pages) -> None:
    from pages.samples import sample

    from anyjoint import joints

    kinds = {n for n in joints.__all__ if isinstance(k := getattr(joints, n), type) and issubclass(k, joints.Joint)}
    # A coupled joint borrows its coordinates, and a user's own function looks like nothing in particular.
    assert {n for n in kinds if sample(n) is None} <= {"Joint", "FunctionJoint", "Coupled"}


def test_every_paper_is_mapped_and_every_mark_is_of_a_known_paper(pages) -> None:
    from pages.equations import PAPERS, collect

    marks = collect(ROOT, "src/anyjoint")
    assert {mark.split(" ")[0] for mark in marks} == set(PAPERS)
    text = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert all(f"Key {key} " in text for key in PAPERS)


def test_every_equation_of_the_papers_has_a_function_and_a_test_or_a_sentence(pages) -> None:
    """Nothing of the five papers is lost: 238 equations and 7 algorithms."""
    from pages.equations import ALGORITHMS, EQUATIONS, gaps

    assert sum(EQUATIONS.values()) + sum(ALGORITHMS.values()) == 245
    assert gaps(ROOT) == []
    assert "`joints.revolute" in pages.equations.page(ROOT, ROOT)


def test_a_row_that_loses_its_function_or_its_sentence_is_missed(pages, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages import equations

    collect = equations.collect
    monkeypatch.setattr(equations, "NOTES", {})
    assert "SG eq. 7: neither a function nor a sentence that says why not" in equations.gaps(ROOT)

    def without_newton_euler(root: Path, folder: str) -> dict[str, list[object]]:
        found = collect(root, folder)
        return {mark: [p for p in places if "newton_euler" not in p.path] for mark, places in found.items()}

    monkeypatch.setattr(equations, "collect", without_newton_euler)
    assert any(gap.startswith("LJ eq. 80") for gap in equations.gaps(ROOT))


def test_marks_are_read_by_number(pages) -> None:
    from pages.equations import items

    assert items("eq. 18-20, 22") == [("eq.", 18), ("eq.", 19), ("eq.", 20), ("eq.", 22)]
    assert items("section 5.3, alg. 5") == [("alg.", 5)]
    assert items("pass 2, eq. 72, 73") == [("eq.", 72), ("eq.", 73)]
    assert items("section 7") == []


def test_the_page_of_commands_needs_only_what_is_installed(pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """typer brings a click of its own; a fresh environment has no other."""
    monkeypatch.setitem(sys.modules, "click", None)
    text = pages.commands.page(ROOT, ROOT)
    assert all(f"## anyjoint {name}\n" in text for name in ("list", "run", "info", "check", "bench", "export", "sweep"))


def test_the_api_page_shows_options_and_examples(pages) -> None:
    text = pages.api.page(ROOT, ROOT)
    for call in ("compile(algorithm='auto', dtype='float64', form", "simulate(q0=None, v0=None, duration=10.0, dt"):
        assert call in text
    assert "```pycon\n>>> import anyjoint as aj\n" in text
    assert "### dataclass" not in text  # only what a module lists


def test_every_page_can_be_generated(pages, tmp_path: Path) -> None:
    pages.write_all(ROOT, tmp_path)
    for name in pages.GENERATORS:
        assert len((tmp_path / f"{name}.md").read_text(encoding="utf8")) > 1000, name
