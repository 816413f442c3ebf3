"""A picture of a run: time per state of every engine, and how far ahead anyjoint is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from bench.goals import best_time
from bench.peers.protocol import QUANTITIES
from bench.table import TITLES

SERIES = (
    ("Python bindings, best", "#d0d4da", ("pinocchio-python", "mujoco-python", "drake-python")),
    ("MuJoCo C", "#e6a15c", ("mujoco-c",)),
    ("Pinocchio C++", "#6c8ebf", ("pinocchio-clang", "pinocchio-gcc")),
    ("CasADi C", "#8fb88a", ("casadi-clang", "casadi-gcc")),
    ("anyjoint, one state", "#c0392b", ("anyjoint",)),
    ("anyjoint, batch", "#7b1f16", ("batch",)),
)
"""Label, colour, and the engines whose best time is shown."""


def draw(results: dict[str, Any], path: Path) -> list[Path]:
    """Write the chart as SVG and PNG; without matplotlib there is none."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "anyjoint", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    panels = [(q, names) for q in QUANTITIES if (names := _models(results, q))]
    if not panels:
        return []
    heights = [len(names) for _, names in panels]
    figure, axes = pyplot.subplots(
        len(panels),
        1,
        figsize=(9, 1.2 + 0.62 * sum(heights)),
        height_ratios=heights,
        layout="constrained",
        squeeze=False,
    )
    for (quantity, names), ax in zip(panels, axes[:, 0], strict=True):
        _panel(ax, results, quantity, names)
    axes[0, 0].legend(loc="lower center", bbox_to_anchor=(0.45, 1.04), ncols=3, frameon=False)
    written = [path, path.with_suffix(".png")]
    figure.savefig(written[0], metadata={"Date": None})
    figure.savefig(written[1], dpi=110)
    pyplot.close(figure)
    return written


def _panel(ax: Any, results: dict[str, Any], quantity: str, names: list[str]) -> None:
    """Horizontal bars on a logarithmic axis, one group per model."""
    height = 0.8 / len(SERIES)
    shown: list[float] = []
    for k, (label, colour, keys) in enumerate(SERIES):
        times = [_best(results["models"][name], keys, quantity) for name in names]
        shown += [t for t in times if t]
        places = [row + (k - (len(SERIES) - 1) / 2) * height for row in range(len(names))]
        ax.barh(places, [t or 0 for t in times], height, color=colour, label=label)
    for row, name in enumerate(names):
        model = results["models"][name]
        peer, ours = best_time(model, "", quantity), _best(model, ("anyjoint",), quantity)
        if peer and ours:
            ax.text(
                1.01,
                row,
                f"{peer / ours:.1f}x the best peer",
                transform=ax.get_yaxis_transform(),
                va="center",
                fontsize=8,
            )
    ax.set_xscale("log")
    # A bar on a logarithmic axis starts somewhere: at a power of ten, the same for all.
    ax.set_xlim(left=10 ** math.floor(math.log10(min(shown))))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    ax.xaxis.set_minor_formatter(lambda x, _: "")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_title(f"{TITLES[quantity]}, nanoseconds per state (one core)", loc="left", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", color="#eeeeee")
    ax.set_axisbelow(True)


def _models(results: dict[str, Any], quantity: str) -> list[str]:
    everything = tuple(key for _, _, keys in SERIES for key in keys)
    return [name for name, model in results["models"].items() if _best(model, everything, quantity)]


def _best(model: dict[str, Any], keys: tuple[str, ...], quantity: str) -> float | None:
    engines = model["engines"]
    times = {key: record.get("times", {}) for key, record in engines.items()}
    times["batch"] = engines.get("anyjoint", {}).get("batch", {}).get("float64", {})
    return min((t for key in keys if (t := times.get(key, {}).get(quantity))), default=None)
