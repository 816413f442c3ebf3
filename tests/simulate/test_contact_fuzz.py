"""Solids dropped at random onto random ground: nothing breaks, overlaps, or gains energy."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints, surfaces
from anyjoint.simulate.contact.nearest import Nearest
from anyjoint.simulate.contact.switch import pose_of


def bowl(u, v):
    return u, v, 0.3 * (u * u + v * v)


def bumps(u, v):
    return u, v, 0.05 * aj.sin(2 * u) * aj.sin(2 * v)


GROUNDS = {
    "plane": (surfaces.Plane(), 0.6),
    "bowl": (surfaces.surface(bowl, domain=((-1.5, 1.5), (-1.5, 1.5))), 0.6),
    "bumps": (surfaces.surface(bumps, domain=((-4, 4), (-4, 4))), 0.6),
    "inside": (surfaces.Inside(surfaces.Sphere(1.5)), 0.0),
}
SOLIDS = {
    "ball": (surfaces.Sphere(0.1), aj.Inertia.sphere(1.0, 0.1)),
    "pebble": (surfaces.Ellipsoid(0.2, 0.12, 0.08), aj.Inertia.ellipsoid(1.0, 0.2, 0.12, 0.08)),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("solid", SOLIDS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_random_drops(ground, solid, seed):
    """Steps of 2 ms turn a pebble of 15 rad/s by 0.03 rad, which costs no more than 5e-3 of the energy."""
    rng = np.random.default_rng([seed, sum(map(ord, ground + solid))])
    (below, height), (skin, inertia) = GROUNDS[ground], SOLIDS[solid]
    mech = aj.Mechanism("drop")
    law = {"friction": float(rng.choice([0, 0.05, 0.3, 0.8])), "restitution": float(rng.choice([0, 0.3, 0.8]))}
    mech.add_contact_body("solid", surfaces=(below, skin), start="flight", inertia=inertia, **law)
    turn = rng.normal(size=4)
    q = np.array([*(turn / np.linalg.norm(turn)), *rng.uniform(-0.3, 0.3, 2), height])
    v = np.concatenate([rng.normal(size=3) * rng.choice([0, 3, 15]), rng.normal(size=3) * rng.choice([0, 1, 3])])
    traj = mech.compile().simulate(q, v, duration=1.0, dt=2e-3)
    assert traj.status.ok, traj.status
    assert np.isfinite(traj.q).all()
    assert traj.balance_error() < 5e-3
    assert all(impact.lost > -1e-9 for impact in traj.impacts)
    assert max((x.imbalance for x in traj.impacts if np.linalg.norm(x.impulse) > 1e-6), default=0.0) < 1e-9
    force, touching = traj.contacts["solid"].forces, traj.contacts["solid"].touching
    assert touching.any() or traj.impacts
    assert (np.linalg.norm(force, axis=1)[~touching] == 0).all()
    nearest = Nearest(*mech.bodies[0].contact.surfaces)
    for row in traj.q[::25]:
        assert nearest.search(*pose_of(row)).gap > -1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_two_free_solids_keep_their_momentum(seed):
    """A spring draws a solid onto one that floats: they bounce, slip and roll on each other, and a tail swings."""
    rng = np.random.default_rng(seed)
    mech = aj.Mechanism("pair", gravity=(0, 0, 0))
    mech.add_body("big", joint=joints.FreeQuaternion(), inertia=aj.Inertia.ellipsoid(2.0, 0.3, 0.25, 0.2))
    law = {"friction": float(rng.choice([0, 0.1, 0.4, 0.9])), "restitution": float(rng.choice([0, 0.3, 0.8]))}
    skins = surfaces.Ellipsoid(0.3, 0.25, 0.2).all_charts(), SOLIDS["pebble"][0].all_charts()
    solid = aj.Inertia(0.5, rng.normal(size=3) * 0.01, aj.Inertia.ellipsoid(0.5, 0.2, 0.12, 0.08).tensor)
    mech.add_contact_body("small", "big", surfaces=skins, start="flight", inertia=solid, **law)
    place, weight = aj.Pose.translation(0.15, 0, 0), aj.Inertia.point(0.1, (0.1, 0, 0))
    mech.add_body("tail", "small", joints.Revolute((0, 1, 0)), place, weight)
    away, turn = rng.normal(size=3), rng.normal(size=4)
    away, turn = 0.7 * away / np.linalg.norm(away), turn / np.linalg.norm(turn)
    v = np.append(np.repeat([1.0, 0.3, 3.0, 0.5], 3) * rng.normal(size=12), 1.0)
    spring = forces.Spring("big", (0, 0, 0), "small", (0, 0, 0), stiffness=20.0, length=0.2)
    traj = mech.compile().simulate([1, 0, 0, 0, 0, 0, 0, *turn, *away, 0.3], v, 1.0, dt=2e-3, forces=[spring])
    assert traj.status.ok, traj.status
    assert traj.modes
    momentum, kinetic = traj.momentum(), traj.energy()[0]
    assert np.ptp(momentum, axis=0).max() < 1e-5 * np.abs(momentum).max()
    total = sum(traj.energy())
    assert (total - np.minimum.accumulate(total)).max() < 1e-5 * kinetic.max()
    assert max((x.imbalance for x in traj.impacts if np.linalg.norm(x.impulse) > 1e-6), default=0.0) < 1e-9
