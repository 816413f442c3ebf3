"""The code that readers see in README and docs runs as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/getting-started.md", "docs/own-joint.md")


def code_of(page: str) -> list[str]:
    """The Python blocks of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in code_of(page):
        exec(compile(block, page, "exec"), scope)  # noqa: S102 (our own pages)


def test_the_joints_of_the_five_minutes_page_are_joints() -> None:
    import anyjoint as aj
    from anyjoint import joints

    scope: dict[str, object] = {}
    exec(compile("\n".join(code_of("docs/own-joint.md")), "own-joint.md", "exec"), scope)  # noqa: S102
    found = {name: thing for name, thing in scope.items() if isinstance(thing, joints.Joint)}
    assert set(found) == {"screw", "soft_ramp", "bead_on_helix", "puck_in_bowl", "tilt"}
    for name, joint in found.items():
        mech = aj.Mechanism(name)
        mech.add_body("child", joint=joint, inertia=aj.Inertia.sphere(1.0, 0.1))
        assert mech.check() == [], name


def test_the_example_is_about_twenty_lines() -> None:
    (block,) = code_of("README.md")
    assert len([line for line in block.splitlines() if line.strip()]) <= 21


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
