"""Activations that lag behind controls: closed forms, and refusals."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces
from anyjoint.forces.lag import activated


@pytest.mark.parametrize("t", [0.0, 1e-4, 0.123456, 0.7])
def test_filters_of_straight_lines_are_exact(t):
    tau, start = 0.05, 0.4
    steady = activated(0.7, forces.Filter(tau, start))
    assert steady(t) == pytest.approx(0.7 + (start - 0.7) * math.exp(-t / tau), abs=1e-13)
    rising = activated(lambda t: 2 * t, forces.Filter(tau, start))
    assert rising(t) == pytest.approx(2 * (t - tau) + (start + 2 * tau) * math.exp(-t / tau), abs=1e-12)


def test_filters_of_waves():
    tau, w = 0.03, 12.0
    found = activated(lambda t: math.sin(w * t), forces.Filter(tau))(0.6)
    size = 1 + (tau * w) ** 2
    wanted = (math.sin(w * 0.6) - tau * w * math.cos(w * 0.6) + tau * w * math.exp(-0.6 / tau)) / size
    assert found == pytest.approx(wanted, abs=1e-6)


def test_integrators_and_ranges():
    ours = activated(math.cos, forces.Integrator())
    assert ours(1.23) == pytest.approx(math.sin(1.23), abs=1e-12)
    assert ours(0.5) == pytest.approx(math.sin(0.5), abs=1e-12)  # earlier again
    assert activated(9.0, forces.Integrator(range=(0.0, 0.2)), (0.0, 1.0))(0.1) == pytest.approx(0.1)
    assert activated(9.0, forces.Integrator(range=(0.0, 0.2)), (0.0, 1.0))(0.5) == 0.2
    assert activated(9.0, forces.Filter(0.01, range=(0.0, 0.5)))(1.0) == 0.5


@pytest.mark.parametrize("smooth", [0.0, 0.2])
def test_muscles_rise_faster_than_they_fall(smooth):
    """Against many short steps of Euler's."""
    lag = forces.MuscleLag(0.01, 0.04, smooth)
    ours, x, h = activated(lambda t: float(t < 0.1), lag), 0.0, 1e-6
    for k in range(200_000):
        x += h * lag.rate(x, float(k * h < 0.1))
        if k == 20_000:
            assert ours(0.02) == pytest.approx(x, abs=1e-4)
    assert ours(0.2) == pytest.approx(x, abs=1e-3)
    assert ours(0.02) > 1 - ours(0.12)


def test_a_drive_with_a_lag():
    """A mass under a force that comes in slowly: v = f / m (t - tau (1 - exp(-t / tau)))."""
    mech = aj.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("mass", None, aj.joints.Prismatic(), inertia=aj.Inertia.sphere(2.0, 0.1))
    tau, control = 0.1, 3.0
    for drive in (
        forces.Actuator("mass", control, lag=forces.Filter(tau)),
        forces.Thruster("mass", control, force=(0, 0, 1), lag=forces.Filter(tau)),
    ):
        run = mech.compile().simulate([0.0], duration=0.5, dt=1e-3, forces=[drive], method="rk4")
        assert np.ravel(run.v[-1])[0] == pytest.approx(1.5 * (0.5 - tau * (1 - math.exp(-5))), abs=1e-9)


def test_a_muscle_with_a_lag_pulls_later():
    mech = aj.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("mass", None, aj.joints.Prismatic(), inertia=aj.Inertia.sphere(2.0, 0.1))
    muscle = forces.Muscle([("mass", (0, 0, 0)), (None, (0, 0, 1))], forces.Hill(10.0, 1.0), 1.0)
    late = forces.Muscle(muscle.path, muscle.force, 1.0, forces.MuscleLag())
    reached = [mech.compile().simulate([0.0], duration=0.1, dt=1e-3, forces=[x]).q[-1][0] for x in (muscle, late)]
    assert 0 < reached[1] < 0.9 * reached[0]


@pytest.mark.parametrize(("make", "words"), [
    (lambda: forces.Filter(0.0), "Filter: tau=0.0"),
    (lambda: forces.Filter(1.0, 2.0, (0, 1)), "start=2.0 is not within"),
    (lambda: forces.Integrator(range=(1, 0)), "Integrator: range"),
    (lambda: forces.MuscleLag(rise=-1), "rise=-1"),
    (lambda: forces.Tether([], (1, 0), 1.0), "range=\\(1, 0\\)"),
    (lambda: forces.Tether([], "x", 1.0), "range='x'"),
    (lambda: forces.DryFriction([], -1.0), "force=-1.0"),
])  # fmt: skip
def test_refusals(make, words):
    with pytest.raises(aj.InputError, match=words):
        make()
