"""The house before its rebuilding and now: `python -m bench.house [COMMIT]`

Files, lines and how often `Any` is written, for each folder of the package; then how many files a contributor touches,
beside tests. Before: counted by reading that commit. Now: what CONTRIBUTING says, which tests/test_contributing.py
proves by doing it in a copy of the sources.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/anyjoint/"
BEFORE = "bdec8e8"  # the last commit before quantities, steppers and trees had folders of their own
# What had to be edited then, and the walk-through of CONTRIBUTING that says what it is now.
TOUCHED = {
    "a joint with its own Jacobian": ("With a Jacobian of its own", ["joints/NEW"]),
    "an algorithm on Model, in C, JavaScript and docs": (
        "an algorithm",
        ["dynamics/NEW", "model/quantities", "model/compiler", "model/coupling", "model/model", "model/export",
         "view/script"],
    ),
    "a stepper": (
        "a stepper",
        ["simulate/NEW", "simulate/methods", "simulate/python_step", "simulate/engine", "simulate/request",
         "simulate/stepper", "view/dynamics.js"],
    ),
}  # fmt: skip


@dataclass
class Folder:
    """Sums over the Python files of a folder."""

    files: int = 0
    lines: int = 0
    any: int = 0

    def add(self, text: str) -> None:
        """One more file."""
        self.files += 1
        self.lines += text.count("\n")
        self.any += len(re.findall(r"\bAny\b", text))

    def __str__(self) -> str:
        return f"{self.files:6d} {self.lines:7d} {self.any:5d} {100 * self.any / max(self.lines, 1):8.1f}"


def git(*arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def at_commit(commit: str) -> dict[str, str]:
    """Texts of the package's files at a commit, by path."""
    paths = [p for p in git("ls-tree", "-r", "--name-only", commit, PACKAGE).split() if p.endswith(".py")]
    return {path: git("show", f"{commit}:{path}") for path in paths}


def at_present() -> dict[str, str]:
    """Texts of the package's files as they are now, by path."""
    found = sorted((ROOT / PACKAGE).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf8") for path in found}


def folders(texts: dict[str, str]) -> dict[str, Folder]:
    """Sums by folder; what lies beside the folders is "."."""
    found: dict[str, Folder] = defaultdict(Folder)
    for path, text in texts.items():
        folder, slash, _ = path.removeprefix(PACKAGE).partition("/")
        found[folder if slash else "."].add(text)
        found["all"].add(text)
    return found


def stated(title: str) -> int:
    """How many files CONTRIBUTING says that a walk-through touches."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    found = re.search(rf"\*{title}\*+ \(files: (\d+)\)", guide)
    assert found, f"CONTRIBUTING does not say how many files {title!r} touches"
    return int(found.group(1))


def main(commit: str = BEFORE) -> None:
    """Print both tables."""
    before, now = folders(at_commit(commit)), folders(at_present())
    title = " files   lines   Any per 100 l"
    print(f"{'':12s} {commit:30s} now\n{'folder':12s} {title}  {title}")
    for name in sorted({*before, *now} - {"all"}) + ["all"]:
        old = str(before[name]) if name in before else " " * len(str(Folder()))
        print(f"{name:12s} {old}  {now.get(name, '')}")
    print(f"\n{'files to touch for':50s} before   now")
    for what, (walk, files) in TOUCHED.items():
        print(f"{what:50s} {len(files):6d} {stated(walk):5d}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
