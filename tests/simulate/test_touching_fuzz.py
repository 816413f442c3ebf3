"""A little of `bench.drops`, which takes ten million steps: none fails, no energy is made, nothing sinks in."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, shapes
from anyjoint.simulate.springs import held_by_springs
from bench import drops, things
from tests.simulate.touching import METHOD, ball


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2 * len(things.KINDS)))
def test_drops(number):
    _, found = next(drops.rounds(number, batch=48, threads=2, steps=750))
    assert found.steps == 48 * 750
    assert not found.why


def shaken():
    """A ball on a table that is shaken: energy comes in."""
    mech = ball()
    mech.add_body("table", joint=joints.Prismatic("z"), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.prescribe("table", lambda t: 0.05 * (1 - aj.cos(20 * t)))
    mech.add_contact("ball", of="table")
    return mech


def soft():
    """A ball on a rail that sinks in by millimetres."""
    mech, up = aj.Mechanism("soft"), aj.Pose.translation(0, 0, 0.3)
    mech.add_body("ball", None, joints.Prismatic("z"), up, aj.Inertia.sphere(1.0, 0.1), shapes.Sphere(0.1))
    mech.add_contact("ball", stiffness=2e3, dissipation=0.5)
    return mech


def derailed():
    """A slider beside the ball, whose rail ends."""
    mech = ball()
    rail = aj.joint(1, domain=[(-1.0, 1.0)], defined=[(-1.0, 1.0)])(lambda q: aj.Pose.translation(0, 0, q[0]))
    mech.add_body("slider", joint=rail, inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (shaken, "gain"),
        (soft, "rest"),
        (lambda: ball(stiffness=500.0), "deep"),
        (derailed, "defined"),
    ],
)
def test_drops_that_go_wrong_are_told(make, said):
    """Energy that grows, balls that sink in, at last or on the way, and runs that end."""
    mech, rng = make(), np.random.default_rng(0)
    found = drops.drop("round", mech, *things.starts(mech, 2, rng), 2e-3, 1500)
    assert any(said in reason for reason in found.why), found.why


def test_depths_and_stored_energy_are_told_from_the_states_alone():
    """A ball at rest: it sinks in by m g / k, and its spring holds half of what it lost."""
    mech = ball()
    traj = mech.compile().simulate(np.tile([1.0, 0, 0, 0, 0, 0, 0.1], (2, 1)), duration=0.2, dt=2e-3, method=METHOD)
    (deep,) = drops.depths(mech, traj)
    assert deep.shape == (*traj.q.shape[:2], 1)
    assert deep[-1, :, 0] == pytest.approx(0.1 - traj.q[-1, :, 6], abs=1e-12)  # slopes by differences
    weight = 0.5 * 9.81
    assert held_by_springs(traj, 2e-3, True)[-1] == pytest.approx(0.5 * weight * deep[-1, :, 0], rel=1e-3)


def test_a_gap_is_a_distance_also_where_its_function_is_none():
    """To first order: twice the function is the same ground."""
    points = np.array([[0.3, 0.1, 0.31], [0.0, 0.2, -0.02]])
    once, twice = (drops.gap(lambda p, s=s: s * (p[2] - p[0]), points) for s in (1, 2))
    assert once == pytest.approx(twice, rel=1e-9)
    assert once == pytest.approx((points[:, 2] - points[:, 0]) / np.sqrt(2), rel=1e-9)
