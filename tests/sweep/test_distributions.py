"""Distributions and designs: what they say of themselves, against SciPy and by the number of the run."""

import numpy as np
import pytest
from scipy import stats

import anyjoint as aj
from anyjoint.errors import InputError
from anyjoint.sweep.design import DESIGNS, Design

N = 4096


def drawn(distribution, shape=(), n=N, design="sobol"):
    u = Design(design, distribution.dimension(shape), n, 3)(0, n)
    return distribution.values(u, shape)


@pytest.mark.parametrize(
    ("made", "known"),
    [
        (aj.uniform(1, 3), stats.uniform(1, 2)),
        (aj.normal(1, 0.2), stats.norm(1, 0.2)),
        (aj.log_normal(2, 0.3), stats.lognorm(0.3, scale=2)),
    ],
    ids=["uniform", "normal", "log-normal"],
)
def test_a_distribution_is_that_of_scipy(made, known):
    u = np.linspace(1e-6, 1 - 1e-6, 501)[:, None]
    # Two implementations of the same quantile.
    assert made.values(u, ()) == pytest.approx(known.ppf(u[:, 0]), rel=1e-12)


def test_a_covariance_is_that_of_the_samples():
    covariance = np.array([[0.04, 0.018], [0.018, 0.01]])
    found = drawn(aj.normal([1, 2], covariance=covariance), (2,))
    # The integration error of 4096 Sobol points for unbounded functions.
    assert np.cov(found.T) == pytest.approx(covariance, rel=0.02)
    logs = np.log(drawn(aj.log_normal([1, 2], covariance=covariance), (2,)))
    assert np.cov(logs.T) == pytest.approx(covariance, rel=0.02)
    assert logs.mean(axis=0) == pytest.approx(np.log([1, 2]), abs=1e-3)


def test_a_singular_covariance_ties_values_together():
    found = drawn(aj.normal([1, 2], covariance=[[1, 1], [1, 1]]), (2,))
    assert found[:, 1] - found[:, 0] == pytest.approx(np.ones(N), abs=1e-7)  # the root of a rounding error


def test_choices_come_by_their_weights():
    found = drawn(aj.choice([5, 6, 7], weights=[1, 0, 3]))
    assert {value: int((found == value).sum()) for value in np.unique(found)} == {5.0: 1024, 7.0: 3072}
    poses = [aj.Pose.translation(k, 0, 0) for k in range(3)]
    assert set(map(id, drawn(aj.choice(poses)))) == set(map(id, poses))


def test_vectors_have_distributions_of_their_own_or_share_one():
    one, each = drawn(aj.uniform(0, 1), (3,)), drawn(aj.uniform([0, 1, 2], [1, 2, 3]), (3,))
    assert one.shape == each.shape == (N, 3)
    assert each - one == pytest.approx(np.tile([0.0, 1.0, 2.0], (N, 1)), abs=1e-15)
    assert np.abs(np.corrcoef(one.T) - np.eye(3)).max() < 0.01


@pytest.mark.parametrize("design", DESIGNS)
def test_what_a_run_gets_depends_on_its_number_alone(design):
    points = Design(design, 5, 100, 9)
    whole = points(0, 100)
    assert np.array_equal(np.concatenate([points(0, 7), points(7, 50), points(50, 100)]), whole)
    assert not np.array_equal(Design(design, 5, 100, 10)(0, 100), whole)
    assert ((whole > 0) & (whole < 1)).all()


def test_a_latin_hypercube_has_one_point_in_every_slice():
    points = Design("latin-hypercube", 3, 50, 1)(0, 50)
    assert all(sorted(np.floor(50 * column)) == list(range(50)) for column in points.T)


def test_random_points_are_independent():
    points = Design("random", 6, 20000, 1)(0, 20000)
    assert stats.kstest(points[:, 5], "uniform").pvalue > 1e-3
    assert np.abs(np.corrcoef(points.T) - np.eye(6)).max() < 5 / np.sqrt(20000)


BAD = {
    "uniform: reversed": (lambda: aj.uniform(2, 1), "lower end is above"),
    "uniform: text": (lambda: aj.uniform("a", 1), "expected numbers"),
    "uniform: nan": (lambda: aj.uniform(0, np.nan), "finite"),
    "normal: negative": (lambda: aj.normal(0, -1), "not negative"),
    "normal: nothing": (lambda: aj.normal(0), "either a standard deviation std or a covariance"),
    "normal: both": (lambda: aj.normal([0], 1, covariance=[[1]]), "not both"),
    "normal: shape": (lambda: aj.normal([0, 1], covariance=np.eye(3)), "expected \\(2, 2\\)"),
    "normal: indefinite": (lambda: aj.normal([0, 1], covariance=[[1, 2], [2, 1]]), "negative eigenvalues"),
    "normal: lopsided": (lambda: aj.normal([0, 1], covariance=[[1, 0.5], [0, 1]]), "symmetric"),
    "log_normal: zero": (lambda: aj.log_normal(0, 1), "positive"),
    "choice: empty": (lambda: aj.choice([]), "empty"),
    "choice: no list": (lambda: aj.choice(3), "expected a list"),
    "choice: shapes": (lambda: aj.choice([1, [1, 2]]), "different shapes"),
    "choice: weights": (lambda: aj.choice([1, 2], weights=[1]), "expected 2 numbers"),
    "choice: nan": (lambda: aj.choice([1, np.inf]), "finite"),
    "grid: empty": (lambda: aj.grid([]), "empty"),
    "design": (lambda: Design("sobel", 1, 1, 0), "did you mean 'sobol'"),
    "seed": (lambda: Design("random", 1, 1, -1), "seed=-1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_numbers_are_refused(case):
    make, words = BAD[case]
    with pytest.raises(InputError, match=words):
        make()
