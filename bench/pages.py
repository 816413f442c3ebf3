"""Tables and figures that commands of this folder put into pages of the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table; the first row is its head, and all columns but the first are numbers."""
    head, *rest = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rest]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def put(page: str, name: str, text: str) -> None:
    """Replace what stands between the two marks of a page, `<!-- NAME -->` and `<!-- end of NAME -->`."""
    path, begin, end = DOCS / page, f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = path.read_text(encoding="utf8").split(begin)
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end)[1]}", encoding="utf8")


def figure(columns: int = 1, size: tuple[float, float] = (9.0, 3.4)) -> tuple[Any, Any]:
    """A figure and its axes, drawn the same to the byte every time."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "anyjoint", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    return pyplot.subplots(1, columns, figsize=size, layout="constrained", squeeze=False)


def save(drawn: Any, name: str, folder: Path = DOCS / "_static") -> Path:
    """Write a figure as SVG."""
    from matplotlib import pyplot

    path = folder / f"{name}.svg"
    drawn.savefig(path, metadata={"Date": None})
    pyplot.close(drawn)
    return path
