"""Plots have labelled axes with units, are saved where asked, and leave matplotlib's global state alone."""

import numpy as np
import pytest

from anyjoint.errors import InputError
from anyjoint.view import plots
from tests.view.stand_in import swing

COUNTS = {"forward": {"add": 10, "mul": 20, "total": 30}, "inverse": {"add": 5, "mul": 8, "trig": 2, "total": 15}}


@pytest.mark.parametrize("plot", [plots.energy, plots.coordinates, plots.phase_portrait, plots.overview])
def test_every_plot_has_labels_and_is_saved(plot, tmp_path):
    path = tmp_path / "plot.png"
    figure = plot(swing(), path=path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert figure.axes[-1].get_xlabel()
    assert all(axes.get_ylabel() for axes in figure.axes)


def test_labels_carry_units():
    labels = [axes.get_ylabel() for plot in (plots.energy, plots.coordinates) for axes in plot(swing()).axes]
    assert labels == ["energy (J)", "imbalance (J)", "coordinate (rad)"]
    assert plots.phase_portrait(swing()).axes[0].get_ylabel() == "its rate (rad/s)"


def test_no_global_figures_are_left():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    plots.energy(swing())
    assert plt.get_fignums() == before


def test_bars_add_up_to_the_operations():
    axes = plots.operation_counts(COUNTS).axes[0]
    ends = {}
    for bar in axes.patches:
        row = round(bar.get_y(), 3)
        ends[row] = ends.get(row, 0) + bar.get_width()
    assert sorted(ends.values()) == [15, 30]
    with pytest.raises(InputError, match="at least one"):
        plots.operation_counts({})


def test_mistakes_are_explained(tmp_path):
    with pytest.raises(InputError, match="coordinates 0 to 1"):
        plots.phase_portrait(swing(), index=7)
    with pytest.raises(InputError, match="cannot save the plot"):
        plots.energy(swing(), tmp_path / "no" / "folder.png")
    with pytest.raises(InputError, match="cannot save the plot"):
        plots.energy(swing(), tmp_path / "plot.nonsense")


def test_many_coordinates_are_cut_and_the_title_says_so():
    run = swing()
    run.q = np.hstack([run.q] * 10)
    figure = plots.coordinates(run, most=12)
    assert "first 12 of 20" in figure.axes[0].get_title(loc="left")
