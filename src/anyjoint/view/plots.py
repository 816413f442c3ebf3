"""Plots of a run with matplotlib: energy, coordinates, phase portrait, operation counts. Each returns its figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anyjoint.errors import AnyjointError, InputError
from anyjoint.scalar.array import Floats
from anyjoint.view.palette import FEW, ramp

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from anyjoint.codegen import OpCount
    from anyjoint.simulate import Trajectory

    Count = OpCount | Mapping[str, float]

STYLE: dict[Any, Any] = {  # whose keys matplotlib names one by one, others in each version
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e7ef",
    "axes.edgecolor": "#8b94a7",
    "axes.labelcolor": "#3a4358",
    "xtick.color": "#66708a",
    "ytick.color": "#66708a",
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "font.size": 10.0,
}
KINETIC, POTENTIAL, TOTAL = "#e5484d", "#2f7de1", "#1c2333"


def energy(traj: Trajectory, path: str | Path | None = None) -> Figure:
    """Kinetic, potential and total energy over time, and below them what is out of balance."""
    with style():
        figure = new_figure(7.2, 5.0)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.2))
        _draw_energy(upper, traj)
        lower.plot(_times(traj), traj.energy_balance(), color=TOTAL, linewidth=1.2)
        lower.set(xlabel="time (s)", ylabel="imbalance (J)")
        upper.set_title(f"Energy: {_name(traj)}")
    return saved(figure, path)


def coordinates(traj: Trajectory, path: str | Path | None = None, most: int = 12) -> Figure:
    """Coordinates over time, in one panel per unit; of many only the first `most`."""
    t, q = _times(traj), np.asarray(traj.q, dtype=float)
    labels = coordinate_labels(traj)
    shown = range(min(most, q.shape[1]))
    units = list(dict.fromkeys(labels[i][1] for i in shown))
    with style():
        figure = new_figure(7.2, 1.2 + 2.6 * len(units))
        panels = np.atleast_1d(figure.subplots(len(units), 1, sharex=True))
        for panel, unit in zip(panels, units, strict=True):
            members = [i for i in shown if labels[i][1] == unit]
            for place, i in enumerate(members):
                panel.plot(t, q[:, i], color=_line_color(place, len(members)), label=labels[i][0], linewidth=1.4)
            panel.set_ylabel(f"coordinate ({unit})" if unit else "coordinate")
            panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=8)
        panels[-1].set_xlabel("time (s)")
        hidden = q.shape[1] - len(shown)
        panels[0].set_title(
            f"Coordinates: {_name(traj)}" + (f" (first {len(shown)} of {q.shape[1]})" if hidden else "")
        )
    return saved(figure, path)


def phase_portrait(traj: Trajectory, index: int = 0, path: str | Path | None = None) -> Figure:
    """Velocity against coordinate for one coordinate; the line runs from blue to violet with time."""
    q, v = np.asarray(traj.q, dtype=float), np.asarray(traj.v, dtype=float)
    if q.shape[1] != v.shape[1]:
        raise InputError(
            "a phase portrait pairs coordinates with velocities, and a quaternion joint has more of the former"
        )
    if not 0 <= index < q.shape[1]:
        raise InputError(f"phase portrait of coordinate {index}: the model has coordinates 0 to {q.shape[1] - 1}")
    name, unit = coordinate_labels(traj)[index]
    from matplotlib.collections import LineCollection

    with style():
        figure = new_figure(5.6, 4.8)
        panel = figure.subplots()
        points = np.stack([q[:, index], v[:, index]], axis=1)
        segments = np.stack([points[:-1], points[1:]], axis=1)
        colors = [ramp(i / max(1, len(segments) - 1)) for i in range(len(segments))]
        panel.add_collection(LineCollection(list(segments), colors=colors, linewidths=1.1))
        panel.plot(*points[0], "o", color=ramp(0.0), label="start")
        panel.plot(*points[-1], "o", color=ramp(1.0), label="end")
        panel.autoscale()
        suffix = f" ({unit})" if unit else ""
        panel.set(xlabel=f"{name}{suffix}", ylabel=f"its rate{f' ({unit}/s)' if unit else ' (1/s)'}")
        panel.set_title(f"Phase portrait: {_name(traj)}")
        panel.legend(fontsize=8)
    return saved(figure, path)


def overview(traj: Trajectory, path: str | Path | None = None, most: int = 6) -> Figure:
    """Energy above, the first coordinates below: the plot of `traj.plot()`."""
    t, q = _times(traj), np.asarray(traj.q, dtype=float)
    labels = coordinate_labels(traj)
    shown = min(most, q.shape[1])
    with style():
        figure = new_figure(7.6, 5.8)
        upper, lower = figure.subplots(2, 1, sharex=True)
        _draw_energy(upper, traj)
        upper.set_title(_name(traj))
        for i in range(shown):
            label = f"{labels[i][0]} ({labels[i][1]})" if labels[i][1] else labels[i][0]
            lower.plot(t, q[:, i], color=_line_color(i, shown), label=label, linewidth=1.4)
        lower.set(xlabel="time (s)", ylabel="coordinates" if shown else "no coordinates")
        if shown:
            lower.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=8)
    return saved(figure, path)


def operation_counts(counts: Mapping[str, Count], path: str | Path | None = None) -> Figure:
    """Stacked bars of additions, multiplications, ... for each named program; a count is a mapping or has fields."""
    if not counts:
        raise InputError(
            "operation_counts needs at least one entry, e.g. {'forward_dynamics': model.op_count('forward_dynamics')}"
        )
    table = {name: _count_fields(count) for name, count in counts.items()}
    kinds = [
        k for k in dict.fromkeys(key for row in table.values() for key in row) if any(r.get(k) for r in table.values())
    ]
    with style():
        figure = new_figure(7.2, 1.6 + 0.45 * len(table))
        panel = figure.subplots()
        left = np.zeros(len(table))
        for i, kind in enumerate(kinds):
            width = np.array([row.get(kind, 0) for row in table.values()], dtype=float)
            panel.barh(list(table), width, left=left, color=FEW[i % len(FEW)], label=kind, height=0.62)
            left += width
        for place, total in enumerate(left):
            panel.text(total, place, f"  {int(total):,}", va="center", color="#3a4358")
        panel.set(
            xlabel="operations per evaluation", title="Operations of the generated code", xlim=(0, 1.14 * left.max())
        )
        panel.invert_yaxis()
        panel.grid(axis="y", visible=False)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=8)
    return saved(figure, path)


def coordinate_labels(traj: Trajectory) -> list[tuple[str, str]]:
    """(name, unit) of every coordinate of the trajectory's model."""
    count = np.asarray(traj.q).shape[1]
    labels = []
    for body in getattr(getattr(traj.model, "mechanism", None), "bodies", ()):
        labels += [(f"{body.name}, {c.name}", c.unit) for c in body.joint.coordinates]
    return labels if len(labels) == count else [(f"q[{i}]", "") for i in range(count)]


def _draw_energy(panel: Axes, traj: Trajectory) -> None:
    kinetic, potential = _energies(traj)
    t = _times(traj)
    panel.plot(t, kinetic, color=KINETIC, label="kinetic", linewidth=1.4)
    panel.plot(t, potential, color=POTENTIAL, label="potential", linewidth=1.4)
    panel.plot(t, kinetic + potential, color=TOTAL, label="total", linewidth=1.8)
    panel.set_ylabel("energy (J)")
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=8)


def _energies(traj: Trajectory) -> tuple[Floats, Floats]:
    kinetic, potential = traj.energy()
    return np.asarray(kinetic, dtype=float), np.asarray(potential, dtype=float)


def _times(traj: Trajectory) -> Floats:
    return np.asarray(traj.t, dtype=float)


def _name(traj: Trajectory) -> str:
    return str(getattr(getattr(traj.model, "mechanism", None), "name", "run"))


def _count_fields(count: Count) -> dict[str, float]:
    """Operations by kind, of a mapping or of a record with fields."""
    fields = count if isinstance(count, Mapping) else vars(count)
    return {k: float(n) for k, n in fields.items() if k != "total" and isinstance(n, int | float | np.number)}


def _line_color(place: int, count: int) -> str:
    return FEW[place] if count <= len(FEW) else ramp(place / (count - 1))


def style() -> AbstractContextManager[None]:
    """How plots look."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise AnyjointError("plots need matplotlib; install it with `pip install anyjoint[plots]`") from None
    made: AbstractContextManager[None] = rc_context(STYLE)  # which has a type only where matplotlib is installed
    return made


def new_figure(width: float, height: float) -> Figure:
    return _figure_class()(figsize=(width, height), layout="constrained", dpi=120)


@cache
def _figure_class() -> type[Figure]:
    from matplotlib.figure import Figure  # no pyplot: a library must not touch the user's global figure list

    class Plot(Figure):  # type: ignore[misc, unused-ignore]  # typed only where matplotlib is installed
        """A figure that notebooks show, although pyplot does not know it."""

        def _repr_png_(self) -> bytes:
            data = BytesIO()
            self.savefig(data, format="png")
            return data.getvalue()

    return Plot


def saved(figure: Figure, path: str | Path | None) -> Figure:
    if path is not None:
        try:
            figure.savefig(path)
        except (OSError, ValueError) as error:
            raise InputError(
                f"cannot save the plot {path}: {error}; give a .png, .svg or .pdf in a folder that exists"
            ) from error
    return figure


__all__: Sequence[str] = (
    "coordinate_labels",
    "coordinates",
    "energy",
    "operation_counts",
    "overview",
    "phase_portrait",
)
