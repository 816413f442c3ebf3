"""Axes that are nearly parallel, as files spell them: frames chosen for speed never cost digits."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.dynamics.newton_euler import NEWTON_EULER
from anyjoint.mechanism.gallery.kinds import random_inertia
from anyjoint.tree.plan import make_plan
from dynamics.support import State

pytestmark = pytest.mark.fast_code  # digits are what it is about
ANGLES = [0.0, *(10.0**-k for k in range(16, 0, -1))]
SCALES = (1e-3, 1.0, 1e3)
SPELT = (1.57079632679, 1.570796327, 1.5707963, 1.570796, 1.5708, 1.571, 3.14159265359, 3.1415926, 3.1416, 0.785398)


def tilted(angle, scale, seed, branching, n=5):
    """Hinges and sliders; each axis is tilted by an angle in a generic direction against its parent's."""
    rng = np.random.default_rng(seed)
    mech = aj.Mechanism("tilted", gravity=tuple(rng.normal(size=3).tolist()))
    axis = rng.normal(size=3)
    for k in range(n):
        parent = None if k == 0 else mech.bodies[int(rng.integers(k)) if rng.random() < branching else -1]
        kind = joints.Prismatic if k and rng.random() < 0.25 else joints.Revolute
        turn = aj.Pose.rotation(rng.normal(size=3), angle) @ aj.Pose.rotation(axis, rng.uniform(-3, 3))
        flip = aj.Pose.rotation(np.cross(axis, rng.normal(size=3)), np.pi if rng.random() < 0.3 else 0.0)
        place = aj.Pose.translation(*(scale * rng.normal(size=3) * 0.3)) @ turn @ flip
        box = random_inertia(rng)
        inertia = aj.Inertia(box.mass, scale * box.com, scale**2 * box.tensor)
        mech.add_body(f"body {k}", parent, kind(tuple(axis)), place, inertia)
    size = np.array([scale if isinstance(b.joint, joints.Prismatic) else 1.0 for b in mech.bodies])
    mech.set_start(size * rng.normal(size=n), size * rng.normal(size=n))
    return mech


def spelt(angle):
    """A chain as files describe it: axes z, placed by translations and roll, pitch and yaw that nearly cancel."""
    mech, inertia = aj.Mechanism("spelt"), aj.Inertia(1.0, (0.01, 0.02, -0.1), np.diag([0.01, 0.012, 0.011]))
    exact = np.pi / 4 * round(angle / (np.pi / 4))
    turns = [(angle, 0, 0), (-angle, 0, 0), (0, angle, 0), (0, -angle, 0), (angle, 0, angle), (angle, angle, angle)]
    for k, turn in enumerate(turns):
        place = aj.Pose.translation(0.3 * (k % 2), 0.1, -0.06) @ aj.Pose.rpy(*turn)
        if k % 2:
            place = place @ aj.Pose.rpy(*(exact * np.sign(turns[k - 1])))
        mech.add_body(f"body {k}", mech.bodies[-1] if k else None, joints.Revolute((0, 0, 1)), place, inertia)
    mech.set_start(np.linspace(0.3, -0.7, len(turns)), np.linspace(-0.2, 0.4, len(turns)))
    return mech


def measured(M, tau, a):
    """Forces and accelerations, each coordinate measured by its own inertia, so that scales of lengths do not count."""
    weight = np.sqrt(np.diag(M))
    return {
        "mass matrix": M / np.outer(weight, weight),
        "inverse dynamics": tau / weight,
        "forward dynamics": a * weight,
    }


def of_sweeps(mech, **plan):
    """By sweeps on floats in the frames of a plan."""
    state, (tau, a) = State(mech, **plan), loads(mech)
    return measured(state.mass_matrix(), state.row(NEWTON_EULER, qdd=a), state.row(ARTICULATED_BODY, tau=tau))


def of_model(mech):
    """By compiled programs."""
    model, (q, v), (tau, a) = mech.compile(), mech.start, loads(mech)
    dynamics = measured(model.mass_matrix(q), model.inverse_dynamics(q, v, a), model.forward_dynamics(q, v, tau))
    return dynamics | scaled(model.body_poses(q), np.array([model.body_jacobian(q, body) for body in mech.bodies]))


def scaled(poses, jacobians):
    length = np.abs(poses[:, :3, 3]).max()
    return {
        "turns": poses[:, :3, :3],
        "places": poses[:, :3, 3] / length,
        "angular Jacobians": jacobians[:, :3],
        "linear Jacobians": jacobians[:, 3:] / length,
    }


def by_hand(mech):
    """Poses by the user's own product, and Jacobians of hinges and sliders by geometry."""
    poses = np.array([pose.matrix for pose in mech.poses(mech.start[0])], dtype=float)
    jacobians = np.zeros((mech.nb, 6, mech.nv))
    for k, (R, p) in enumerate(zip(poses[:, :3, :3], poses[:, :3, 3], strict=True)):
        j = k
        while j >= 0:
            body = mech.bodies[j]
            axis = poses[j, :3, :3] @ np.asarray(body.joint.axis, dtype=float)  # joints leave their own axis alone
            if isinstance(body.joint, joints.Revolute):
                jacobians[k, :3, j], jacobians[k, 3:, j] = R.T @ axis, R.T @ np.cross(axis, p - poses[j, :3, 3])
            else:
                jacobians[k, 3:, j] = R.T @ axis
            j = body.parent
    return scaled(poses, jacobians)


def loads(mech):
    """Forces and accelerations to ask about."""
    return np.random.default_rng(7).normal(size=(2, mech.nv)) * 3


def same(got, want, tolerance=1e-12):
    """All answers agree, relative to the largest entry of each."""
    worst = {name: np.abs(x - want[name]).max() / np.abs(want[name]).max() for name, x in got.items() if name in want}
    assert all(error <= tolerance for error in worst.values()), worst


@pytest.mark.parametrize("branching", [0.0, 0.8], ids=["chain", "tree"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("angle", [pytest.param(x, marks=[pytest.mark.slow] * (k % 2)) for k, x in enumerate(ANGLES)])
def test_tilted_axes_at_every_scale(angle, scale, branching):
    for seed in range(2):
        mech = tilted(angle, scale, seed, branching)
        want = of_sweeps(mech, canonical=False)
        same(of_sweeps(mech), want)
        same(of_sweeps(mech, regroup=True), want)


SOME = [pytest.param(x, marks=[pytest.mark.slow] * (k % 2)) for k, x in enumerate(ANGLES[::2])]


@pytest.mark.parametrize("branching", [0.0, 0.8], ids=["chain", "tree"])
@pytest.mark.parametrize("angle", SOME)
def test_compiled_models_of_tilted_axes(angle, branching):
    mech = tilted(angle, 1.0, 5, branching)
    same(of_model(mech), of_sweeps(mech, canonical=False) | by_hand(mech))


@pytest.mark.parametrize("angle", [pytest.param(x, marks=[pytest.mark.slow] * (k % 2)) for k, x in enumerate(SPELT)])
def test_angles_as_files_spell_them(angle):
    mech = spelt(angle)
    same(of_model(mech), of_sweeps(mech, canonical=False) | by_hand(mech))


@pytest.mark.parametrize("angle", ANGLES)
def test_frames_stay_near_their_bodies(angle):
    """The foot of a common normal is used up to some tens of a pose's size, never beyond."""
    for seed in range(4):
        mech = tilted(angle, 1.0, seed, 0.5)
        reach = max(np.linalg.norm(np.asarray(body.placement.matrix, dtype=float)[:3, 3]) for body in mech.bodies)
        assert all(np.linalg.norm(frame[:3, 3]) < 20 * reach for _, frame in make_plan(mech).placed)


def test_axes_that_are_not_quite_parallel_cost_little_more_than_axes_at_an_angle():
    nearly, clearly = (tilted(angle, 1.0, 0, 0.0).compile().op_count().total for angle in (1e-5, 0.5))
    assert nearly < 1.1 * clearly
