"""Chains of ball joints keep their energy under long contact steps, and momentum as well as without."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, shapes

pytestmark = pytest.mark.fast_code  # to the last bit
RUN = {"duration": 0.2, "method": "time-stepping"}
SEEDS = 16


def rods(first, *others, gravity=9.81):
    """Thin rods, of which the last may touch the ground, far below; in random states, from which they whip about."""
    mech, link = aj.Mechanism("rods", gravity=(0, 0, -gravity)), shapes.rod((0, 0, 0), (0, 0, -0.2), 0.01)
    for k, joint in enumerate((first, *others)):
        parent, place = (mech.bodies[-1], aj.Pose.translation(0, 0, -0.2)) if k else (None, None)
        mech.add_body(f"rod {k}", parent, joint, place, link.inertia(0.4), link)
    mech.add_contact(mech.bodies[-1], friction=0.5, at=aj.Pose.translation(0, 0, -50))
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(SEEDS, mech.nq)), rng.normal(size=(SEEDS, mech.nv))
    return mech.compile(), q, 8 * v


BALL, FREE, HINGE = joints.SphericalQuaternion(), joints.FreeQuaternion(), joints.Revolute("y")
CHAINS = {"hung up": (BALL, BALL, BALL), "thrown": (FREE, BALL, BALL), "with a hinge": (FREE, BALL, HINGE)}


LONG = [pytest.param(x, marks=pytest.mark.slow) for x in CHAINS if x != "with a hinge"]


@pytest.mark.parametrize("chain", ["with a hinge", *LONG])
def test_balls_that_whip_keep_their_energy(chain):
    """At 2 ms; where nothing is taken out, 0.1 % are made or lost, and 0.3 to 0.8 % at most."""
    model, q, v = rods(*CHAINS[chain])
    kinetic, potential = model.simulate(q, v, dt=2e-3, **RUN).energy()
    total = kinetic + potential
    off = np.abs(total - total[0]).max(axis=0) / kinetic.max(axis=0)
    assert np.median(off) < 2e-5
    assert ((total - total[0]).max(axis=0) / kinetic.max(axis=0)).max() < 4e-4  # links that turn by 0.4 rad in a step


def test_momentum_of_what_flies_does_not_notice():
    """What is taken out pushes on nothing outside: errors of momentum are of second order, as before."""
    model, q, v = rods(FREE, BALL, BALL, gravity=0)
    off = []
    for dt in (1e-3, 5e-4):
        traj = model.simulate(q, v, dt=dt, **RUN)
        ends = [model.momentum(traj.q[k], traj.v[k]) for k in (0, -1)]
        off.append(np.abs(ends[1] - ends[0]).max(axis=0))
    assert off[0] / off[1] == pytest.approx(4, rel=0.3)


def test_what_is_slow_does_not_notice_its_neighbours():
    """Each state of a batch is what it is alone, to the last bit."""
    model, q, v = rods(BALL, BALL)
    rates = np.array([[1.0], [1e-3], [0.2]]) * v[0]
    options = {"duration": 0.02, "dt": 2e-3, "method": "time-stepping"}
    together = model.simulate(np.tile(q[0], (3, 1)), rates, **options)
    for k in range(3):
        alone = model.simulate(q[0], rates[k], **options)
        assert np.array_equal(together.q[:, k], alone.q)
        assert np.array_equal(together.v[:, k], alone.v)
