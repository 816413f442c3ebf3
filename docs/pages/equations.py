"""The equations map: paper equation -> function -> test, collected from the `[SG eq. 27]` marks in the sources.

Every numbered equation and algorithm of the papers has a row. What no code computes by itself has a sentence in
paper_notes.py that says why. `gaps` lists rows that have lost their function, their test or their sentence.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pages.paper_notes import NOTES
from pages.text import table

PAPERS = {
    "SG": "Si & Guenter, Linear-Time Dynamics for Multibody Systems with General Joint Models",
    "GL": "Guenter & Lee, Symbolic Lagrangian Multibody Dynamics",
    "RM": "Wang et al., REDMAX: Efficient & Flexible Approach for Articulated Dynamics, supplement",
    "PAK": "Pai, Ascher & Kry, Forward Dynamics Algorithms for Multibody Chains and Contact",
    "LJ": "Liu & Jain, A Quick Tutorial on Multibody Dynamics",
}
EQUATIONS = {"SG": 60, "GL": 16, "RM": 63, "PAK": 14, "LJ": 85}
ALGORITHMS = {"GL": 1, "RM": 6}
MARK = re.compile(r"\[((?:SG|GL|RM|PAK|LJ) [^\]\n]+)\]")
BETWEEN = re.compile(r"[;,] *(?=(?:SG|GL|RM|PAK|LJ) )")


@dataclass(frozen=True)
class Place:
    """Where a mark stands: file, line, and the function or class around it."""

    path: str
    line: int
    name: str


@dataclass(frozen=True)
class Row:
    """What belongs to one equation or algorithm: functions, tests, and a remark."""

    label: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    remark: str

    @property
    def gap(self) -> str:
        """What the row lacks, or nothing."""
        if not self.code and not self.remark:
            return "neither a function nor a sentence that says why not"
        return "a function without a test" if self.code and not self.tests else ""


def page(root: Path, folder: Path) -> str:
    """One table per paper, numbered rows first, then other marks."""
    marks = Marks(root)
    head = ["in the paper", "in the code", "tested by", "remark"]
    out = []
    for key, title in PAPERS.items():
        rows = [*merged(numbered(key, marks)), *others(key, marks)]
        cells = [[row.label, _code(row.code), _code(row.tests[:3]), row.remark] for row in rows]
        out.append(f"## {key}: {title}\n\n" + table(head, cells))
    return "\n".join(out)


def gaps(root: Path) -> list[str]:
    """Equations and algorithms that have lost their function, their test or their sentence."""
    marks = Marks(root)
    return [f"{key} {row.label}: {row.gap}" for key in PAPERS for row in numbered(key, marks) if row.gap]


class Marks:
    """All marks of the sources and of the tests."""

    def __init__(self, root: Path) -> None:
        self.sources, self.tests = collect(root, "src/anyjoint"), collect(root, "tests")
        paths = sorted(root.glob("tests/**/test_*.py"))
        self.texts = {p.relative_to(root).as_posix(): p.read_text(encoding="utf8") for p in paths}

    def row(self, label: str, places: list[Place], tested: Iterable[str], remark: str = "") -> Row:
        """A row with the names of its functions."""
        return Row(label, tuple(dict.fromkeys(_short(p) for p in places)), tuple(tested), remark)


def numbered(key: str, marks: Marks) -> list[Row]:
    """A row for every numbered equation and algorithm of a paper."""
    sources, tests = (_by_number(key, found) for found in (marks.sources, marks.tests))
    notes = {item: note for label, note in NOTES.get(key, {}).items() for item in items(label)}
    wanted = [("eq.", n) for n in range(1, EQUATIONS[key] + 1)]
    wanted += [("alg.", n) for n in range(1, ALGORITHMS.get(key, 0) + 1)]
    return [
        marks.row(f"{kind} {n}", sources.get((kind, n), []), _files(tests.get((kind, n), [])), notes.get((kind, n), ""))
        for kind, n in wanted
    ]


def merged(rows: list[Row]) -> list[Row]:
    """Neighbours that say the same, as one row."""
    out: list[Row] = []
    for row in rows:
        same = out and (out[-1].code, out[-1].tests, out[-1].remark) == (row.code, row.tests, row.remark)
        if same and out[-1].label.split()[0] == row.label.split()[0]:
            first = out[-1].label.split("-")[0]
            out[-1] = Row(f"{first}-{row.label.split()[1]}", row.code, row.tests, row.remark)
        else:
            out.append(row)
    return out


def others(key: str, marks: Marks) -> list[Row]:
    """Marks of sections, figures and the like, with tests that have the same mark, else name the function or module."""
    plain = [m for m in marks.sources if m.startswith(key + " ") and not items(m.removeprefix(key + " "))]
    rows = []
    for mark in sorted(plain, key=_natural):
        places = marks.sources[mark]
        tested = _files(marks.tests.get(mark, [])) or _mentions(places, marks.texts)
        rows.append(marks.row(mark.removeprefix(key + " "), places, tested))
    return rows


def _files(marked: list[Place]) -> list[str]:
    """The test files among places."""
    return sorted({p.path for p in marked if "/test_" in p.path})


def _by_number(key: str, found: dict[str, list[Place]]) -> dict[tuple[str, int], list[Place]]:
    out: dict[tuple[str, int], list[Place]] = defaultdict(list)
    for mark, places in found.items():
        if mark.startswith(key + " "):
            for item in items(mark.removeprefix(key + " ")):
                out[item] += places
    return out


def items(label: str) -> list[tuple[str, int]]:
    """The equations and algorithms of a mark: "eq. 18-20, 22" are four; lines of "alg. 6, 7-15" are not told apart."""
    found = []
    for listed in re.findall(r"eq\. ((?:\d+(?:-\d+)?(?:, | and )?)+)", label):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed):
            found += [("eq.", n) for n in range(int(first), int(last or first) + 1)]
    found += [("alg.", int(n)) for n in re.findall(r"(?:alg\.|Algorithm) (\d+)", label)]
    return found


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def collect(root: Path, folder: str) -> dict[str, list[Place]]:
    """All marks below a folder; `[SG eq. 9, RM eq. 4]` counts for both papers."""
    found: dict[str, list[Place]] = defaultdict(list)
    for path in sorted((root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf8")
        if not MARK.search(text):
            continue
        spans = list(_spans(ast.parse(text)))
        for number, line in enumerate(text.splitlines(), 1):
            for mark in (part.strip() for m in MARK.findall(line) for part in BETWEEN.split(m)):
                place = Place(path.relative_to(root).as_posix(), number, _enclosing(spans, number))
                known = {(p.path, p.name) for p in found[mark]}
                if mark.split(" ")[0] in PAPERS and (place.path, place.name) not in known:
                    found[mark].append(place)
    return dict(found)


def _spans(tree: ast.AST, prefix: str = "") -> Iterator[tuple[int, int, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = prefix + node.name
            yield node.lineno, node.end_lineno or node.lineno, name
            yield from _spans(node, name + ".")


def _enclosing(spans: list[tuple[int, int, str]], line: int) -> str:
    inside = [(end - start, name) for start, end, name in spans if start <= line <= end]
    return min(inside)[1] if inside else ""


def _short(place: Place) -> str:
    module = place.path.removeprefix("src/anyjoint/").removesuffix(".py").replace("/", ".")
    return f"{module}.{place.name}" if place.name else module


def _mentions(places: list[Place], texts: dict[str, str]) -> list[str]:
    """Tests that name the function or class, else tests of the same folder that name its module."""
    for pick in (lambda p: p.name.split(".")[-1], lambda p: p.name.split(".")[0], lambda p: Path(p.path).stem):
        words = {pick(p) for p in places if pick(p) and not pick(p).startswith("__")}
        parts = {p.path.split("/")[2] for p in places}
        hits = [t for t, text in texts.items() if t.split("/")[1] in parts | {"model"} and _has_word(text, words)]
        if hits:
            return hits
    return []


def _has_word(text: str, words: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def _natural(mark: str) -> list[tuple[int, int, str]]:
    """Sort key that puts eq. 9 before eq. 10."""
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", mark)]
