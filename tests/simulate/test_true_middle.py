"""Joints that whip about under long contact steps: they gain no energy, with and without what touches."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.simulate.springs import held_by_springs
from bench import things

pytestmark = pytest.mark.fast_code  # to the last bit
METHOD = "time-stepping"


@pytest.fixture(scope="module")
def rods():
    """A chain of thin rods, of which the last may touch the ground, and a state in which they spin, bent, far above."""
    mech, link = aj.Mechanism("rods"), shapes.rod((0, 0, 0), (0, 0, -0.2), 0.01)
    for k in range(4):
        joint = joints.Universal() if k else joints.FreeQuaternion()
        parent, place = (mech.bodies[-1], aj.Pose.translation(0, 0, -0.2)) if k else (None, None)
        mech.add_body(f"rod {k}", parent, joint, place, link.inertia(0.4), link)
    mech.add_contact(mech.bodies[-1], friction=0.5)
    model = mech.compile()
    q = np.array([1, 0, 0, 0, 0, 0, 50.0, 0.9, 0.5, -0.7, 0.8, 0.3, -0.6])
    return model, q, np.array([0, 0, 60.0, 0, 0, 0, 20, -15, 10, 15, -10, 5.0])


def rise(traj):
    """Of energy above that of the start, of the largest kinetic energy."""
    kinetic, potential = traj.energy()
    total = kinetic + potential
    return float((total - total[0]).max() / kinetic.max())


def test_rods_that_whip_gain_nothing(rods):
    """At 60 rad/s and steps of 2 ms: 2 % where inertia is not that of the true middle."""
    model, q, v = rods
    assert rise(model.simulate(q, v, duration=0.2, dt=2e-3, method=METHOD)) < 1e-4


def test_what_is_slow_does_not_notice_its_neighbours(rods):
    """Some states of a batch go to the true middle, others stay; each is what it is alone, to the last bit."""
    model, q, v = rods
    states, rates = np.tile(q, (3, 1)), np.array([[1.0], [1e-3], [0.2]]) * v
    options = {"duration": 0.02, "dt": 2e-3, "method": METHOD}
    together = model.simulate(states, rates, **options)
    for k in range(3):
        alone = model.simulate(states[k], rates[k], **options)
        assert np.array_equal(together.q[:, k], alone.q)
        assert np.array_equal(together.v[:, k], alone.v)


@pytest.mark.slow
@pytest.mark.parametrize("number", [12, 30, 57])
def test_chains_that_are_dropped_gain_nothing(number):
    """The worst rounds of `bench.drops` at 2 ms: 5 %, 0.5 % and 68 % without."""
    rng = np.random.default_rng(number)
    mech = things.chain(rng)
    rng.choice(2)
    q, v = things.starts(mech, 128, rng)
    traj = mech.compile().simulate(q, v, duration=3.0, dt=2e-3, method=METHOD, save_every=4)
    kinetic, potential = traj.energy()
    total = (kinetic + potential + held_by_springs(traj, 2e-3, limits=True))[1:]
    more = np.maximum.accumulate(total[::-1], axis=0)[::-1] - total
    assert (more.max(axis=0) / kinetic.max(axis=0)).max() < 2e-3
