"""The equations map: paper equation -> function -> test, collected from the `[SG eq. 27]` marks in the sources."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pages.text import table

PAPERS = {
    "SG": "Si & Guenter, Linear-Time Dynamics for Multibody Systems with General Joint Models",
    "GL": "Guenter & Lee, Symbolic Lagrangian Multibody Dynamics",
    "RM": "Wang et al., REDMAX: Efficient & Flexible Approach for Articulated Dynamics, supplement",
    "PAK": "Pai, Ascher & Kry, Forward Dynamics Algorithms for Multibody Chains and Contact",
    "LJ": "Liu & Jain, A Quick Tutorial on Multibody Dynamics",
}
MARK = re.compile(r"\[((?:SG|GL|RM|PAK|LJ) [^\]\n]+)\]")
BETWEEN = re.compile(r"[;,] *(?=(?:SG|GL|RM|PAK|LJ) )")


@dataclass(frozen=True)
class Place:
    """Where a mark stands: file, line, and the function or class around it."""

    path: str
    line: int
    name: str


def page(root: Path, folder: Path) -> str:
    """One table per paper."""
    sources, tests = collect(root, "src/anyjoint"), collect(root, "tests")
    texts = {
        p.relative_to(root).as_posix(): p.read_text(encoding="utf8") for p in sorted(root.glob("tests/**/test_*.py"))
    }
    out = []
    for key, title in PAPERS.items():
        marks = sorted((m for m in sources if m.startswith(key + " ")), key=_natural)
        if marks:
            rows = [_row(m.removeprefix(key + " "), sources[m], tests.get(m, []), texts) for m in marks]
            out.append(f"## {key}: {title}\n\n" + table(["in the paper", "in the code", "tested by"], rows))
    return "\n".join(out)


def collect(root: Path, folder: str) -> dict[str, list[Place]]:
    """All marks below a folder; `[SG eq. 9, RM eq. 4]` counts for both papers."""
    found: dict[str, list[Place]] = defaultdict(list)
    for path in sorted((root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf8")
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


def _row(label: str, places: list[Place], marked: list[Place], texts: dict[str, str]) -> list[str]:
    code = ", ".join(f"`{_short(p)}`" for p in places)
    tested = sorted({p.path for p in marked}) or _mentions(places, texts)
    return [label, code, ", ".join(f"`{t}`" for t in tested[:3])]


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
