"""Runs under contacts whose steps are too long to be believed say so, with the number; others say nothing."""

import re
import warnings

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from tests.simulate.touching import METHOD, at, ball


def run(mech, q, v, **options):
    return mech.compile().simulate(q, v, method=METHOD, **options)


def chain():
    """Thin rods joined by universal joints, above the ground."""
    mech, link = aj.Mechanism("chain"), shapes.rod((0, 0, 0), (0, 0, -0.2), 0.01)
    for k in range(4):
        joint = joints.Universal() if k else joints.FreeQuaternion()
        parent, place = (mech.bodies[-1], aj.Pose.translation(0, 0, -0.2)) if k else (None, None)
        mech.add_body(f"link {k}", parent, joint, place, link.inertia(0.4), link)
    mech.add_contact("link 3", friction=0.5)
    return mech


def spinning():
    """Bent, far above the ground, each rod about its own axis."""
    q, spin = [*at(50.0), 0.9, 0.5, -0.7, 0.8, 0.3, -0.6], [0, 0, 60.0, 0, 0, 0, 20, -15, 10, 15, -10, 5.0]
    return np.array(q), np.array(spin)


def test_energy_that_comes_out_of_nothing_is_told_and_shorter_steps_cure_it():
    mech = chain()
    q, v = spinning()
    with pytest.warns(UserWarning, match="energy rose by .* out of nothing"):
        traj = run(mech, q, v, duration=0.2, dt=8e-3)
    assert traj.status.ok
    assert "energy rose" in str(traj.status)
    wanted = float(re.search(r"([\d.e-]+) s may do", traj.status.note)[1])
    assert 1e-5 < wanted <= 1e-3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(mech, q, v, duration=0.2, dt=wanted).status.note == ""


def test_work_that_is_put_in_is_no_gain():
    mech = ball(friction=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = run(mech, at(0.1), np.zeros(6), duration=0.5, dt=1e-3, tau=[0, 2.0, 0, 0, 0, 0])
    assert traj.energy()[0][-1] > 1.0


def test_work_that_is_counted_half_a_step_ahead_is_no_gain():
    """A torque that swings an arm to and fro against its spring: energy comes and goes, and nothing is made."""
    mech = aj.Mechanism("arm", gravity=(0, 0, 0))
    mech.add_body("arm", joint=joints.Revolute("y"), inertia=aj.Inertia.box(5.0, 0.05, 0.05, 0.7), stiffness=400.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = run(mech, [0.0], [0.0], duration=0.3, dt=2e-3, tau=[60.0])
    assert traj.status.note == ""


@pytest.mark.parametrize("batch", [False, True])
def test_a_body_that_goes_deep_is_told(batch):
    q, v = at(3.15), np.array([0, 0, 0, 0, 0, -1000.0])
    if batch:
        q, v = np.array([at(5.0), q]), np.array([np.zeros(6), v])
    with pytest.warns(UserWarning, match="contact 'ball-ground' was 0.02 m deep" + " in trajectory 1" * batch):
        run(ball(), q, v, duration=0.01, dt=1e-3)


def test_a_body_that_goes_far_in_a_step_is_told():
    mech = ball(on=distances.Box(1.0, 1.0, 0.01))
    with pytest.warns(UserWarning, match="body 'ball' went 1 m in a step, 10 times its size: contact"):
        run(mech, at(3.4), [0, 0, 0, 0, 0, -1000.0], duration=0.01, dt=1e-3)


def test_the_method_that_was_chosen_is_told_beside_doubts():
    model = ball().compile()
    quiet = model.simulate(at(0.3), duration=0.01, method="auto")
    assert quiet.method == METHOD
    assert quiet.status.note == "method 'time-stepping' was chosen: no other feels contacts"
    with pytest.warns(UserWarning, match="deep"):
        told = model.simulate(at(3.15), [0, 0, 0, 0, 0, -1000.0], duration=0.01, method="auto")
    assert told.status.note.startswith(quiet.status.note + "; contact 'ball-ground' was")


def test_what_is_meant_to_be_soft_is_not_called_deep():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = run(ball(stiffness=50.0), at(0.1), np.zeros(6), duration=1.0, dt=1e-3)
    assert traj.q[:, 6].min() < 0.0  # sunk in by more than its radius


def test_limits_that_are_left_out_hold_no_energy():
    mech = aj.Mechanism("pendulum")
    mech.add_body("rod", joint=joints.Revolute("y", limits=(-0.5, 0.5)), inertia=aj.Inertia.point(1.0, (0, 0, -1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traj = run(mech, [0.4], [3.0], duration=0.1, dt=1e-3, limits=False)
    assert traj.q.max() > 0.6


def test_bodies_that_settle_say_nothing():
    mech, capsule = aj.Mechanism("capsules"), shapes.Capsule(0.05, 0.4)
    for name in ("flat", "across"):
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=capsule.inertia(1.0), shape=capsule)
    mech.add_contact("flat", friction=0.3)
    mech.add_contact("across", on=distances.Capsule(0.05, 0.4), of="flat", friction=0.9)
    s = np.sqrt(0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(mech, [s, s, 0, 0, 0, 0, 0.05, s, 0, s, 0, 0, 0, 0.15], None, duration=0.1, dt=1e-3)
