"""Millions of steps of things that fall: no step fails, no energy comes out of nothing, nothing sinks in.

The bound: what touches is never deeper inside than what it moves in two steps, and at rest than 50 micrometres.
"""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from tests.simulate.touching import METHOD, leg, stored

GAIN = 2e-3  # of the energy that is lost, in all of the run; more where bodies turn by a third of a radian in a step


def tumblers() -> aj.Mechanism:
    """A box and a capsule above level ground, each for itself."""
    mech = aj.Mechanism("tumblers")
    for name, shape in {"box": shapes.Box(0.2, 0.15, 0.1), "capsule": shapes.Capsule(0.03, 0.2)}.items():
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=shape.inertia(0.5), shape=shape)
        mech.add_contact(name, friction=0.6)
    return mech


def pile() -> aj.Mechanism:
    """Two balls and a box that also meet each other."""
    mech = aj.Mechanism("pile")
    for name, shape in (("box", shapes.Box(0.3, 0.3, 0.1)), ("a", shapes.Sphere(0.05)), ("b", shapes.Sphere(0.05))):
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=shape.inertia(0.5), shape=shape)
        mech.add_contact(name, friction=0.5)
    for name in "ab":
        mech.add_contact(name, on=distances.Box(0.3, 0.3, 0.1), of="box", friction=0.5)
    mech.add_contact("b", on=distances.Sphere(0.05), of="a", friction=0.5)
    return mech


def starts(mech: aj.Mechanism, batch: int) -> tuple[np.ndarray, np.ndarray]:
    """Bodies one above the other, turned and moving at random."""
    rng = np.random.default_rng(5)
    q, v = np.tile(mech.neutral, (batch, 1)), 2 * rng.normal(size=(batch, mech.nv))
    for k, body in enumerate(mech.bodies):
        if body.joint.nq == 7:
            turn = rng.normal(size=(batch, 4))
            q[:, body.q] = np.hstack([turn / np.linalg.norm(turn, axis=1)[:, None], rng.uniform(-0.1, 0.1, (batch, 3))])
            q[:, body.q.stop - 1] += 0.4 + 0.3 * k
    return q, v


def check(mech: aj.Mechanism, q: np.ndarray, v: np.ndarray, duration: float, dt: float, gain: float = GAIN) -> None:
    model = mech.compile()
    traj = model.simulate(q, v, duration=duration, dt=dt, method=METHOD, save_every=4, threads=2)
    assert traj.status.ok, traj.status
    total = sum(traj.energy())[1:] + stored(traj, dt)[1:]
    fallen = total.max(axis=0) - total.min(axis=0)
    rise = np.maximum.accumulate(total[::-1], axis=0)[::-1] - total  # of all that is still to come
    assert (rise.max(axis=0) < gain * fallen).all()
    speed = np.abs(traj.v).max(axis=(0, 2))
    for track in traj.contacts.values():
        if track.normals[1:].ndim and np.allclose(track.normals[1:, ..., 2], 1.0):  # on level ground
            deep = -np.minimum(track.points[1:, ..., 2].min(axis=(0, 2)), 0.0)
            assert (deep < 2 * dt * speed).all()
            still = np.abs(traj.v[-1]).max(axis=1) < 1e-3
            assert (track.points[-1, still, ..., 2] > -5e-5).all()


@pytest.mark.slow
@pytest.mark.parametrize(("dt", "gain"), [(1e-3, GAIN), (4e-3, 10 * GAIN)])
def test_tumblers(dt, gain):
    mech = tumblers()
    check(mech, *starts(mech, 256), duration=3.0, dt=dt, gain=gain)


@pytest.mark.slow
def test_piles():
    mech = pile()
    check(mech, *starts(mech, 48), duration=2.0, dt=2e-3)


@pytest.mark.slow
def test_legs():
    mech, rng = leg(), np.random.default_rng(6)
    q = rng.normal(size=(256, 3)) * [0.1, 0.5, 0.5] + [1.2, 0, 0]
    check(mech, q, rng.normal(size=(256, 3)), duration=4.0, dt=1e-3)
