"""What scenes of the gallery promise: glasses stand, dominoes fall in turn, ropes rest where they should, arms lift."""

import numpy as np
import pytest

from tests.mechanism.test_examples import load


def run(name: str, duration: float, **options):
    module = load(name)
    mech = module.build(**options)
    forces = module.acting() if hasattr(module, "acting") else []
    return mech, mech.compile().simulate(*mech.start, duration, module.DT, module.METHOD, forces=forces)


def uprightness(traj, body: int = 0):
    """The height that a unit vector along the axis of a body has."""
    return np.asarray(traj.model.body_poses(traj.q))[:, body, 2, 2]


def test_a_stiff_rope_rests_where_bending_holds_its_weight():
    """Springs balance gravity, joint by joint; the last link hangs as low as small bending in all hinges says."""
    mech, traj = run("stiff_rope", 8.0, n=40, bending=3000.0, damping=1000.0, aside=0.0)
    q = traj.q[-1]
    held = np.array([body.stiffness[0] for body in mech.bodies]) * q
    weight = traj.model.gravity_forces(q)
    assert np.abs(traj.v[-1]).max() < 1e-4
    assert np.abs(held + weight).max() < 1e-3 * np.abs(weight).max()
    sag = -np.asarray(traj.model.body_poses(q))[-1, 2, 3]
    module = load("stiff_rope")
    hinges = np.arange(0, 40, 2) * module.LENGTH / 40
    bent = 9.81 * module.MASS / module.LENGTH * (module.LENGTH - hinges) ** 2 / 2 / mech.bodies[0].stiffness[0]
    assert sag == pytest.approx((bent * (39 * module.LENGTH / 40 - hinges)).sum(), rel=0.01)


@pytest.mark.slow
def test_the_wine_glass_stands_again():
    mech, traj = run("wine_glass", load("wine_glass").DURATION)
    up = uprightness(traj)
    assert up[0] < 0.98 < 1 - 1e-6 < up[-1]
    weight = 9.81 * mech.bodies[0].inertia.mass
    assert traj.contacts["glass-ground"].force[-1, 2] == pytest.approx(weight, rel=1e-3)
    total = np.sum(traj.energy(), axis=0)
    assert (np.diff(total[::10]) < 1e-4 * np.ptp(total)).all(), "no energy comes out of nothing"


@pytest.mark.slow
def test_a_wine_glass_that_leans_too_far_falls():
    _, traj = run("wine_glass", 0.5, tilt=0.6, turn=0.0)
    assert uprightness(traj)[-1] < 0.3
    assert traj.q[:, -1].min() > -1e-3


@pytest.mark.slow
def test_dominoes_fall_in_turn():
    mech, traj = run("dominoes", 2.0, n=5)
    tips = [int(np.argmax(uprightness(traj, body) < 0.9)) for body in range(1, mech.nb)]
    assert all(tips)
    assert tips == sorted(tips)
    total = np.sum(traj.energy(), axis=0)
    assert (total[10:] < total[0] + 1e-3 * np.ptp(total)).all()


def test_muscles_lift_the_arm_and_their_work_is_counted():
    """What muscles do is what the arm and its load have, but for the errors of the steps."""
    _, traj = run("muscle_arm", 2.0)
    assert traj.q[:, 3].max() > 1.2
    assert traj.balance_error() < 1e-5
