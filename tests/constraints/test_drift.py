"""Loops neither open nor lose energy over time: bench/constraint_drift.py, 100 s of it where there is time."""

import pytest

from bench.constraint_drift import CASES, measure

# Errors of positions, energy beside what is exchanged. The bracelet tumbles without friction: its steps are too long
# for the fastest of its motions, not its constraints.
ALLOWED = {"four-bar": (1e-12, 1e-8), "slider crank": (1e-12, 1e-8), "bracelet": (1e-9, 1e-3)}


def check(name, duration):
    (drift,) = measure([name], duration)
    apart, energy = ALLOWED[name]
    assert drift.apart < apart
    assert drift.energy < energy * drift.exchanged


@pytest.mark.parametrize("name", ["four-bar", "slider crank"])
def test_drift(name):
    check(name, 5.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_drift_over_100_seconds(name):
    check(name, 100.0)
