"""Plots of a sweep: distributions of what came out, what it depends on most, and everything against everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.frozen import frozen
from anyjoint.options import nearest
from anyjoint.scalar.array import Floats
from anyjoint.view.palette import FEW
from anyjoint.view.plots import new_figure, saved, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from anyjoint.sweep import SweepResult

IN, OUT, INK, SOFT = FEW[0], FEW[1], "#1c2333", "#66708a"
LOW, HIGH = "#a9c0fa", "#2f5fd0"  # an input's lowest and highest values: its own blue, pale and deep
RISES, FALLS = FEW[2], FEW[4]  # correlations, in hues that stand for nothing else here
POINTS = 3000  # that a scatter plot shows; more only make it darker
MATRIX, PANELS, BARS, BEHIND = 6, 6, 12, 3  # numbers in a matrix, histograms, bars of a tornado, panels of an overview
TENTH = 0.1  # share of the runs at each end that a tornado compares


@frozen
class Number:
    """One number of every run: its name, and its values."""

    name: str
    values: Floats
    color: str


def plot(result: SweepResult, path: str | Path | None, kind: str, of: str | None) -> Figure:
    """A figure of a sweep."""
    if kind not in KINDS:
        raise InputError(f"plot: kind={kind!r} is unknown{nearest(kind, KINDS)}")
    given, measured = numbers(result)
    if of is not None:
        wanted = {label for name, labels in result.labels.items() for label in labels if of in (name, label)}
        if not wanted:
            known = [label for labels in result.labels.values() for label in labels]
            raise InputError(f"plot: the sweep has no number {of!r}{nearest(of, known)}")
        measured = [number for number in measured if number.name in wanted]
    if not measured:
        raise AnyjointError("plot: no number differs from run to run; there is nothing to show")
    with style():
        figure = KINDS[kind](result, given, measured)
    return saved(figure, path)


def numbers(result: SweepResult) -> tuple[list[Number], list[Number]]:
    """What varied and what was measured, without what is the same in all good runs."""
    names, table = result.table()
    inputs = len(names) - sum(len(labels) for labels in result.labels.values())
    rows = table[result.ok]
    found = [
        Number(name, rows[:, k], IN if k < inputs else OUT)
        for k, name in enumerate(names)
        if np.isfinite(rows[:, k]).sum() > 1 and np.nanstd(rows[:, k]) > 1e-12 * np.nanmax(np.abs(rows[:, k]))
    ]
    return [x for x in found if x.color == IN], [x for x in found if x.color == OUT]


# -- figures ------------------------------------------------------------------------------------------------------


def overview(result: SweepResult, given: list[Number], measured: list[Number]) -> Figure:
    """The first number: how it is distributed, what it depends on, and how."""
    what = measured[0]
    first = [number for number, *_ in effects(given, what)][:BEHIND]
    figure = new_figure(9.6, 6.6 if first else 3.6)
    figure.suptitle(_title(result), x=0.012, ha="left", weight="bold", color=INK)
    if not first:
        _histogram(figure.subplots(), what)
        return figure
    rows = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.0, 1.05))  # each with a layout of its own
    above, below = rows[:, 0]
    left, right = above.subplots(1, 2)
    _histogram(left, what)
    left.set_ylabel("runs")
    _tornado(right, given, what)
    panels = below.subplots(1, len(first), sharey=True, squeeze=False)[0]
    for panel, number in zip(panels, first, strict=True):
        _scatter(panel, number, what)
        panel.set_xlabel(number.name)
        panel.locator_params(axis="x", nbins=5)
    panels[0].set_ylabel(what.name)
    return figure


def scatter_matrix(result: SweepResult, given: list[Number], measured: list[Number]) -> Figure:
    """Everything against everything: points below, correlations of ranks above, distributions between."""
    outputs = measured[: max(1, MATRIX - len(given))]
    shown = [*given[: MATRIX - len(outputs)], *outputs]
    n = len(shown)
    figure = new_figure(1.2 + 1.75 * n, 1.0 + 1.6 * n)
    panels = np.atleast_2d(figure.subplots(n, n, squeeze=False))
    for i, row in enumerate(shown):
        for j, column in enumerate(shown):
            panel = panels[i, j]
            if i == j:
                _histogram(panel, row, named=False)
                panel.set_yticks([])
            elif j < i:
                _scatter(panel, column, row, curve=False)
            else:
                _correlation(panel, column, row)
            _edge_labels(panel, i, j, n, column.name, row.name)
    figure.suptitle(_title(result), x=0.012, ha="left", weight="bold", color=INK)
    return figure


def histograms(result: SweepResult, given: list[Number], measured: list[Number]) -> Figure:
    """How each number is distributed."""
    shown = measured[:PANELS]
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    figure = new_figure(1.0 + 3.4 * columns, 0.8 + 2.5 * rows)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, number in zip(panels, shown, strict=False):
        _histogram(panel, number)
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    panels[0].set_ylabel("runs")
    figure.suptitle(_title(result), x=0.012, ha="left", weight="bold", color=INK)
    return figure


def tornado(result: SweepResult, given: list[Number], measured: list[Number]) -> Figure:
    """What the first number depends on, the most important first."""
    found = effects(given, measured[0])
    if not found:
        raise AnyjointError("plot: nothing varies, so nothing can be said about what matters; see result.statistics")
    figure = new_figure(7.6, 1.5 + 0.42 * min(len(found), BARS))
    _tornado(figure.subplots(), given, measured[0])
    figure.suptitle(_title(result), x=0.012, ha="left", weight="bold", color=INK)
    return figure


KINDS = {"overview": overview, "scatter": scatter_matrix, "histograms": histograms, "tornado": tornado}


# -- panels -------------------------------------------------------------------------------------------------------


def _histogram(panel: Axes, number: Number, named: bool = True) -> None:
    values = number.values[np.isfinite(number.values)]
    bins = int(np.clip(np.sqrt(len(values)), 8, 60))
    panel.hist(values, bins=bins, color=number.color, alpha=0.85, edgecolor="white", linewidth=0.4)
    panel.grid(axis="x", visible=False)
    if named:
        low, middle, high = np.percentile(values, [5, 50, 95])
        panel.axvspan(low, high, color=number.color, alpha=0.10, zorder=0)
        panel.axvline(middle, color=INK, linewidth=1.2)
        panel.set_xlabel(number.name)
        panel.locator_params(axis="x", nbins=5)
        said = f"median {middle:.5g}   90 % in {low:.5g} ... {high:.5g}"
        panel.set_title(said, fontsize=8.5, color=SOFT, weight="normal")


def _scatter(panel: Axes, x: Number, y: Number, curve: bool = True) -> None:
    good = np.flatnonzero(np.isfinite(x.values) & np.isfinite(y.values))
    shown = good[:: max(1, len(good) // POINTS)]
    opacity = float(np.clip(250 / max(len(shown), 1), 0.15, 0.8))
    panel.scatter(x.values[shown], y.values[shown], s=8, color=y.color, alpha=opacity, linewidth=0, rasterized=True)
    if curve and len(good) >= 40:
        at, middle = _running_median(x.values[good], y.values[good])
        panel.plot(at, middle, color="white", linewidth=4.0)
        panel.plot(at, middle, color=INK, linewidth=1.8, solid_capstyle="round")


def _running_median(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Medians of y in slices of equally many x."""
    order = np.argsort(x, kind="stable")
    slices = np.array_split(order, int(np.clip(np.sqrt(len(x)) / 2.5, 2, 20)))
    return np.array([np.median(x[s]) for s in slices]), np.array([np.median(y[s]) for s in slices])


def _correlation(panel: Axes, x: Number, y: Number) -> None:
    """The correlation of ranks as a number on a tint of its size."""
    rho = rank_correlation(x.values, y.values)
    panel.set_facecolor(RISES if rho > 0 else FALLS)
    panel.patch.set_alpha(0.03 + 0.6 * abs(rho))
    panel.text(0.5, 0.5, f"{rho:+.2f}", ha="center", va="center", transform=panel.transAxes, color=INK,
               fontsize=9 + 5 * abs(rho))  # fmt: skip
    panel.grid(visible=False)
    panel.set(xticks=[], yticks=[])
    for spine in panel.spines.values():
        spine.set_visible(False)


def _edge_labels(panel: Axes, i: int, j: int, n: int, below: str, beside: str) -> None:
    """Names at the left and lower edge of a matrix only."""
    panel.tick_params(labelsize=7)
    if j <= i:
        panel.locator_params(axis="x", nbins=3)
    if j < i:
        panel.locator_params(axis="y", nbins=3)
    if i == n - 1:
        panel.set_xlabel(_folded(below), fontsize=8.5)
    else:
        panel.tick_params(labelbottom=False)
    if j == 0:
        panel.set_ylabel(_folded(beside), fontsize=8.5)
    else:
        panel.tick_params(labelleft=False)


def _tornado(panel: Axes, given: list[Number], what: Number) -> None:
    """Bars from the mean of the runs with the lowest values of an input to that of those with the highest."""
    found = effects(given, what)[:BARS]
    centre = float(np.nanmean(what.values))
    for place, (_, low, high) in enumerate(found):
        ends = ((low, LOW, "input in its lowest tenth"), (high, HIGH, "in its highest"))
        for end, color, label in sorted(ends, key=lambda each: -abs(each[0] - centre)):  # the shorter one in front
            panel.barh(place, end - centre, left=centre, height=0.6, color=color, label=None if place else label)
    panel.axvline(centre, color=INK, linewidth=1.0)
    panel.set_yticks(range(len(found)), [number.name for number, *_ in found])
    panel.invert_yaxis()
    panel.grid(axis="y", visible=False)
    panel.set_xlabel(f"mean of {what.name}")
    panel.locator_params(axis="x", nbins=5)
    panel.legend(
        fontsize=8.5, loc="lower right", bbox_to_anchor=(1.0, 0.995), ncols=2, labelcolor=SOFT, borderaxespad=0.2
    )


def effects(given: list[Number], what: Number) -> list[tuple[Number, float, float]]:
    """Inputs with the mean of a number where they are lowest and where they are highest, the widest first."""
    found = []
    for number in given:
        good = np.isfinite(number.values) & np.isfinite(what.values)
        x, y = number.values[good], what.values[good]
        low, high = np.quantile(x, [TENTH, 1 - TENTH])
        found.append((number, float(y[x <= low].mean()), float(y[x >= high].mean())))
    return sorted(found, key=lambda entry: -abs(entry[2] - entry[1]))


def rank_correlation(x: Floats, y: Floats) -> float:
    """Spearman's coefficient: how far y rises or falls with x, by whatever curve."""
    good = np.isfinite(x) & np.isfinite(y)
    ranks = [np.argsort(np.argsort(values[good], kind="stable"), kind="stable") for values in (x, y)]
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


def _title(result: SweepResult) -> str:
    failed = int(result.statistics.failed)
    trouble = f", {failed:,} failed" if failed else ""
    return f"{result.model.mechanism.name}: {result.n:,} runs{trouble}"


def _folded(name: str) -> str:
    """A long name on two lines."""
    if len(name) <= 16:
        return name
    cut = min((k for k, c in enumerate(name) if c in "/ "), key=lambda k: abs(k - len(name) / 2), default=0)
    return f"{name[: cut + 1]}\n{name[cut + 1 :]}" if cut else name
