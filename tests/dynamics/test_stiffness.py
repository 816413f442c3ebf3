"""Formulation stiffness: a light arm with a heavy tip, against 50-digit arithmetic."""

import numpy as np
import pytest

from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.split_pivot import SPLIT_PIVOT
from anyjoint.dynamics.textbook import forward_dynamics
from anyjoint.mechanism import gallery
from bench.formulation_stiffness import digits_kept, heavy_tip
from bench.paper_stiffness import ALGORITHMS, costs, integrate, split_gain
from dynamics.support import State


@pytest.mark.parametrize("ratio", [1.0, 1e6, 1e12])
def test_the_modified_method_keeps_its_digits(ratio):
    kept = digits_kept(ratio, states=2)
    assert kept["modified"] > 13.0
    if ratio > 1.0:
        lost = {name: 16.0 - digits for name, digits in kept.items()}
        for name in ("composite", "recursive", "articulated"):
            assert lost[name] > lost["modified"] + 2.0, name
    if ratio == 1e12:
        assert kept["composite"] < 4.0
        assert kept["articulated"] < 6.0


def test_the_pivot_as_printed_is_the_usual_one_where_axes_are_those_of_frames():
    """H^T M H + H^T M~ H is one entry of each: the same bits [PAK section 7]."""
    q, v, tau = np.random.default_rng(1).uniform(-1, 1, (3, 8))
    state = State(heavy_tip(1e8), q, v)
    assert np.array_equal(state.row(SPLIT_PIVOT, tau=tau), state.row(ARTICULATED_BODY, tau=tau))


def test_the_pivot_as_printed_wins_no_digits_elsewhere():
    mean, _, _ = split_gain(8, arms=4)
    assert abs(mean) < 1.0  # of eight that are lost


def test_the_printed_pivot_is_right():
    mech = gallery.random_tree(3, n=8)
    (q, v), tau = mech.start, np.random.default_rng(0).normal(size=mech.nv)
    plain, split = (forward_dynamics(mech, q, v, tau, split=s) for s in (False, True))
    assert np.abs(plain - split).max() < 1e-9 * np.abs(plain).max()


def test_what_each_formulation_costs():
    """The printed pivot costs little, square roots cost four times as much [PAK section 7]."""
    counts = costs()
    assert counts["split pivot"] <= 1.05 * counts["articulated"]
    assert 3 * counts["articulated"] < counts["modified"] < 5 * counts["articulated"]


@pytest.mark.slow
def test_an_integrator_gives_up_unless_digits_are_kept():
    """dopri5 at 1e-9 with a tip 1e10 times heavier: only the modified method gets to two seconds."""
    runs = {name: integrate(heavy_tip(1e10), algorithm) for name, algorithm in ALGORITHMS.items()}
    assert {name for name, run in runs.items() if run.status == "ok"} == {"modified"}
    assert all(0.5 < run.times[-1] < 1.8 for name, run in runs.items() if name != "modified")
