"""Bodies that meet each other, every shape on every distance: momentum stays, energy does not grow, weight is borne."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from anyjoint.simulate.springs import held_by_springs
from tests.simulate.touching import METHOD, G

pytestmark = pytest.mark.slow
CORNERS = [[0.1, 0.1, 0.08], [-0.1, 0.1, -0.1], [0.1, -0.1, -0.12], [-0.1, -0.1, 0.1], [0, 0, -0.15]]
FACES = [[0, 1, 3], [0, 3, 2], [0, 4, 1], [0, 2, 4], [1, 4, 3], [2, 3, 4]]
SHAPES = {
    "ball": shapes.Sphere(0.1),
    "capsule": shapes.Capsule(0.05, 0.3),
    "box": shapes.Box(0.2, 0.3, 0.15),
    "mesh": shapes.Mesh(CORNERS, FACES),
}
BLOCK = aj.Inertia.box(1.3, 0.3, 0.25, 0.2)


def own(p):
    return (p[0] / 0.2) ** 4 + (p[1] / 0.15) ** 4 + (p[2] / 0.12) ** 4 - 1


TOUCHED = {
    "ball": distances.Sphere(0.15),
    "capsule": distances.Capsule(0.08, 0.3),
    "box": distances.Box(0.3, 0.25, 0.2),
    "cylinder": distances.Cylinder(0.15, 0.25),
    "own": own,
}


@pytest.mark.parametrize("on", TOUCHED)
@pytest.mark.parametrize("shape", SHAPES)
def test_bodies_that_meet_in_space(shape, on):
    """Turned and spinning at random, twelve at once, at a relative speed of 3 m/s."""
    mech, rng, batch, dt = aj.Mechanism("pair", gravity=(0, 0, 0)), np.random.default_rng(1), 12, 1e-3
    mech.add_body("a", joint=joints.FreeQuaternion(), inertia=aj.Inertia.box(0.7, 0.2, 0.3, 0.15))
    mech.add_body("b", joint=joints.FreeQuaternion(), inertia=BLOCK)
    mech.add_contact("a", SHAPES[shape], on=TOUCHED[on], of="b", friction=0.5)
    q, v = np.zeros((batch, 14)), 1.5 * rng.normal(size=(batch, 12))
    for row, u in zip(q, v, strict=True):
        for k, side in enumerate((-1, 1)):
            turn = rng.normal(size=4)
            row[7 * k : 7 * k + 4] = turn / np.linalg.norm(turn)
            row[7 * k + 4] = 0.45 * side
        for k, (pose, side) in enumerate(zip(mech.poses(row.tolist()), (-1, 1), strict=True)):
            u[6 * k + 3 : 6 * k + 6] = np.array(pose.R, dtype=float).T @ [-1.5 * side, *(0.1 * rng.normal(size=2))]
    traj = mech.compile().simulate(q, v, duration=0.5, dt=dt, method=METHOD)
    assert traj.status.ok
    assert (np.abs(traj.contacts["a-b"].force).max(axis=(0, 2)) > 0).sum() >= 0.6 * batch
    momentum = traj.momentum()
    drift = np.abs(momentum - momentum[0]).max(axis=(0, 1))
    assert drift[3:].max() < 1e-10
    assert drift[:3].max() < 2e-4  # of second order in the step
    kinetic = traj.energy()[0]
    total = (kinetic + held_by_springs(traj, dt, True))[1:]
    rise = (total - np.minimum.accumulate(total, axis=0)).max(axis=0) / kinetic.max(axis=0)
    assert rise.max() < 1e-2  # of second order; most by rods that come to lie along each other, else 1e-4


@pytest.mark.parametrize("on", TOUCHED)
@pytest.mark.parametrize("shape", ["ball", "capsule", "mesh"])
def test_bodies_bear_each_other(shape, on):
    """One above the other, both on rails, the lower one on a spring."""
    mech = aj.Mechanism("tower")
    mech.add_body("b", joint=joints.Prismatic("z"), inertia=BLOCK, stiffness=2e3, damping=40.0)
    above = aj.Pose.translation(0, 0, 0.6)
    mech.add_body("a", joint=joints.Prismatic("z"), placement=above, inertia=aj.Inertia.sphere(0.7, 0.1))
    mech.add_contact("a", SHAPES[shape], on=TOUCHED[on], of="b", friction=0.4)
    traj = mech.compile().simulate([0, 0], [0, 0], duration=3.0, dt=1e-3, method=METHOD)
    assert traj.contacts["a-b"].force[-1] == pytest.approx([0, 0, 0.7 * G], abs=1e-8)
    assert -2e3 * traj.q[-1, 0] == pytest.approx(2.0 * G, rel=1e-9)
