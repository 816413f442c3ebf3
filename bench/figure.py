"""Plots for the documentation: the same bytes for the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def pyplot() -> Any:
    """Matplotlib's pyplot, drawing to files, with settings that make pictures reproducible."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "anyjoint", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot as plot

    return plot


def save(figure: Any, path: Path) -> None:
    """Write a figure as SVG, without a frame at the top and right and without a date."""
    for ax in figure.axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#eeeeee")
        ax.set_axisbelow(True)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot().close(figure)
    print(f"wrote {path}")
