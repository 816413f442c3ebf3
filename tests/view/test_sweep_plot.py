"""Plots of sweeps: every kind is drawn, what matters most comes first, mistakes are said."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import anyjoint as aj
from anyjoint.errors import AnyjointError, InputError
from anyjoint.view.sweep_plot import KINDS, effects, numbers, rank_correlation
from tests.sweep.models import pendulum, swept


@pytest.fixture(scope="module")
def result():
    space = {"rod/mass": aj.uniform(1, 2), "q0": aj.uniform(-1, 1), "v0": aj.normal(0, 0.01)}
    return swept(pendulum(), space=space, n=60, measure="final")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(kind, result, tmp_path):
    figure = result.plot(tmp_path / "plot.png", kind=kind)
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    panels = {"overview": 5, "scatter": 25, "histograms": 2, "tornado": 1}
    assert len(figure.axes) == panels[kind]
    assert figure.get_suptitle() == "pendulum: 60 runs"


def test_what_matters_most_comes_first(result):
    given, (angle, _) = numbers(result)
    assert effects(given, angle)[0][0].name == "q0/rod/angle"
    assert rank_correlation(given[0].values, angle.values) == pytest.approx(
        spearmanr(given[0].values, angle.values).statistic, abs=1e-12
    )


def test_one_number_can_be_chosen(result):
    figure = result.plot(kind="histograms", of="final rod/angle'")
    assert [panel.get_xlabel() for panel in figure.axes] == ["final rod/angle'"]
    with pytest.raises(InputError, match="did you mean"):
        result.plot(of="final rod/angl")
    with pytest.raises(InputError, match="did you mean 'tornado'"):
        result.plot(kind="tornados")


def test_failed_runs_and_constants_are_left_out():
    masses = np.linspace(1, 2, 20)
    masses[3] = -1
    result = swept(
        space={"rod/mass": masses, "q0": np.full((20, 1), 0.5)}, n=None, measure=lambda traj: traj.energy()[1][0]
    )
    given, measured = numbers(result)
    assert [number.name for number in given] == ["rod/mass"]
    assert len(measured[0].values) == 19
    assert "1 failed" in result.plot().get_suptitle()
    same = swept(space={"rod/mass": masses}, n=None, measure=lambda traj: 1.0)
    with pytest.raises(AnyjointError, match="nothing to show"):
        same.plot()
