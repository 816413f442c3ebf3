"""Constraints that move do work: the balance of energy counts it."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints

ROD = aj.Inertia(1.0, com=(0.05, 0, -0.3), tensor=np.diag([0.03, 0.03, 0.002]))


def arm(limits=None):
    mech = aj.Mechanism("arm")
    mech.add_body("upper", joint=joints.Revolute("y"), inertia=ROD)
    elbow = joints.Revolute("y", limits=limits) if limits else joints.Revolute("y")
    mech.add_body("lower", "upper", elbow, aj.Pose.translation(0, 0, -0.5), ROD)
    return mech


@aj.constraint
def shaken(pose, t):
    return pose.act((0, 0, -0.5))[0] - 0.1 * aj.sin(5 * t)


@aj.velocity_constraint
def on_a_belt(pose, twist):
    return twist.linear[0] - 0.3


def swung(mech):
    mech.prescribe("upper", lambda t: 0.3 + 1.5 * aj.sin(3 * t))


WAYS = {
    "prescribed": swung,
    "a soft row whose rest moves": lambda mech: mech.add_constraint(shaken, "lower", time=True, compliance=1e-2),
    "a row on velocities that moves": lambda mech: mech.add_constraint(on_a_belt, "lower"),
    "a damper to what moves": lambda mech: mech.add_constraint(on_a_belt, "lower", compliance=0.1),
}
SPRING = forces.Spring("lower", (0, 0, -1), None, (1, 0, 0), stiffness=5.0, damping=0.5, length=0.5)


@pytest.mark.parametrize("pushed", [{}, {"tau": [0.1, 0.5], "forces": [SPRING]}], ids=["free", "pushed"])
@pytest.mark.parametrize("way", WAYS)
def test_work_of_constraints_is_counted(way, pushed, tmp_path):
    mech = arm()
    WAYS[way](mech)
    model = mech.compile()
    q, v = model.assemble([0.3, 0.2], [0.0, 0.0])
    traj = model.simulate(q, v, duration=0.5, dt=1e-3, **pushed)
    kinetic, potential = traj.energy()
    assert np.ptp(kinetic + potential) > 0.01  # J, so that there is something to count
    assert traj.balance_error() < 1e-6  # of fourth order in the samples: soft rows swing within twenty of them
    traj.save(tmp_path / "run.npz")
    again = aj.Trajectory.load(tmp_path / "run.npz", model=model)
    assert np.array_equal(again.energy_balance(), traj.energy_balance())


def test_power_is_what_the_motor_gives():
    mech = arm()
    swung(mech)
    model = mech.compile()
    t = np.array([0.2])
    q, v = model.assemble([0.3, 0.2], [0.0, 0.7], t=0.2)
    torque = -next(iter(model.constraint_forces(q, v, t=t).values()))[0]
    assert model.constraint_power(q, v, t=t) == pytest.approx(torque * v[0], rel=1e-12)


def test_impacts_and_rests_of_a_driven_arm_are_in_balance():
    mech = arm(limits=(-0.3, 0.5))
    swung(mech)
    model = mech.compile()
    q, v = model.assemble([0.3, 0.2], [0.0, 0.0])
    traj = model.simulate(q, v, duration=1.0, limits="impact", restitution=0.1)
    assert traj.impacts
    assert np.any(traj.stop_forces["lower/angle"])
    assert traj.balance_error() < 1e-6


def test_a_batch_with_parameters_of_its_own_is_in_balance():
    mech = arm()
    swung(mech)
    model = mech.compile()
    q, v = model.assemble([0.3, 0.2], [0.0, 0.0])
    traj = model.simulate([q, q], [v, v], duration=0.5, parameters={"lower/mass": [0.5, 2.0]})
    assert traj.balance_errors().max() < 1e-8
