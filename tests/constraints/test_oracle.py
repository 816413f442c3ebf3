"""Carried unknowns against a dense KKT solve on floats: loops, rolling, shared coordinates, rows of every kind.

Redundant rows and soft ones are among them.

Rows border [PAK eq. 5] as those of [GL eq. 16] do; their elimination is that of [PAK eq. 8], delayed.
"""

import numpy as np
import pytest

from constraints.floats import forward
from constraints.kkt import errors
from constraints.random_loops import CLEAR, DEPENDENT, random_case

SOME = [0, 2, 3, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 35, 42, 51, 52]  # soon found to be compatible
TOLERANCE = 1e-12


def held(case, a, y, tau):
    """By how much accelerations and multipliers miss the dense equations, beside the largest of their terms."""
    dense = case.dense
    force = dense.M @ a + dense.bias - tau + dense.G.T @ y
    rows = np.where(dense.hard, dense.G @ a + dense.gamma, y - dense.push)
    forces = np.abs(dense.M) @ np.abs(a) + np.abs(dense.bias) + np.abs(tau) + np.abs(dense.G.T) @ np.abs(y)
    changes = np.abs(dense.G) @ terms(case, y, tau) + np.abs(dense.gamma) + np.abs(dense.push)
    return np.abs(force).max() / forces.max(), np.abs(rows).max() / changes.max()


def terms(case, y, tau):
    """What accelerations are made of, which is more than they are where constraints cancel forces."""
    dense = case.dense
    free, held = np.linalg.solve(dense.M, tau - dense.bias), np.linalg.solve(dense.M, dense.G.T @ y)
    return np.abs(free) + np.abs(held)


def check(case, seed, answer):
    tau = np.random.default_rng(seed).normal(size=case.mech.nv)
    position = [0.0 if x is None else float(x) for x in errors(case.mech, case.q, case.t)]
    assert np.abs(np.array(position)[case.dense.hard]).max() < 1e-12
    a, y = answer(tau)
    assert np.count_nonzero(y[case.dense.hard]) == rank(case)  # of redundant rows all but as many as it takes are 0
    assert max(held(case, a, y, tau)) < TOLERANCE
    want, least = case.dense.solve(tau)
    assert np.abs(a - want).max() <= TOLERANCE * nearness(case, y) * terms(case, least, tau).max()


def nearness(case, y):
    """By how much rows that hold are closer to dependent than all rows are: of redundant ones the first hold.

    Their multipliers are larger by that, and so is the rounding of what they do to accelerations.
    """
    dense = case.dense
    return max(1.0, CLEAR / dense.strengths_of(dense.hard & (y != 0))[rank(case) - 1])


def rank(case):
    """How many of the hard rows are independent."""
    return np.count_nonzero(case.dense.strengths > DEPENDENT)


def mixed(seed):
    """Every second mechanism rolls, every second pair of them shares coordinates."""
    return random_case(seed, rolling=seed % 2 == 1, shared=seed // 2 % 2 == 1)


def on_floats(seed):
    case = mixed(seed)
    check(case, seed, lambda tau: forward(case.mech, case.q, case.v, tau, case.t))


def compiled(seed):
    case = mixed(seed)
    model, clock = case.mech.compile(), {"t": case.t} if case.mech.timed else {}

    def answer(tau):
        state = case.q, case.v, tau
        return model.forward_dynamics(*state, **clock), model.constraint_multipliers(*state, **clock)

    check(case, seed, answer)


@pytest.mark.parametrize("seed", SOME)
def test_sweeps_on_floats(seed):
    on_floats(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [seed for seed in range(200) if seed not in SOME])
def test_sweeps_on_floats_at_length(seed):
    on_floats(seed)


@pytest.mark.parametrize("seed", [14, pytest.param(17, marks=pytest.mark.slow)])
def test_compiled(seed):
    compiled(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(19, 50))
def test_compiled_at_length(seed):
    compiled(seed)
