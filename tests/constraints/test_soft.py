"""Rows with a compliance are springs and dampers: against those among the forces, and by the energy that they keep."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, gallery, joints
from anyjoint.forces.program import trace_forces
from anyjoint.simulate.drive import Drive
from constraints.kkt import System
from constraints.random_loops import CLOSING
from constraints.random_tree import inertia, random_pose

A, B, LENGTH, STIFFNESS = (0.1, 0, 0.2), (0, 0.3, -0.1), 0.4, 250.0


def pendulums():
    mech, solid = aj.Mechanism("pendulums"), aj.Inertia.box(1.0, 0.2, 0.3, 0.4)
    mech.add_body("a", None, joints.Spherical(), inertia=solid)
    mech.add_body("b", None, joints.Universal(), aj.Pose.translation(1, 0, 0), solid)
    mech.add_body("c", "b", joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, 0.3), solid)
    return mech


@aj.constraint
def rod(a, b):
    d = a.act(A) - b.act(B)
    return aj.sqrt(d @ d) - LENGTH


def test_a_soft_row_is_a_spring():
    mech, rng = pendulums(), np.random.default_rng(0)
    q, v = rng.normal(size=(2, mech.nv))
    spring = forces.Spring("a", A, "c", B, STIFFNESS, length=LENGTH)
    pushed = Drive(np.zeros((1, mech.nv)), forces=trace_forces(mech, [spring])).torque(0.0, q, v, 0)
    free = mech.compile()
    wanted = free.forward_dynamics(q, v, pushed)
    mech.add_constraint(rod, bodies=("a", "c"), compliance=1 / STIFFNESS)
    model = mech.compile()
    assert model.forward_dynamics(q, v) == pytest.approx(wanted, rel=1e-12)
    stretch = model.constraint_residual(q)["rod"].position
    assert model.constraint_forces(q, v)["rod"] == pytest.approx(STIFFNESS * stretch, rel=1e-12)
    (kinetic, potential), (same, weight) = model.energy(q, v), free.energy(q, v)
    assert kinetic == pytest.approx(same, rel=1e-13)
    assert potential == pytest.approx(weight + 0.5 * STIFFNESS * stretch[0] ** 2, rel=1e-12)


def test_a_soft_row_on_velocities_is_a_damper():
    damped, plain = aj.Mechanism("damped"), aj.Mechanism("plain")
    solid = aj.Inertia.box(2.0, 0.1, 0.2, 0.3)
    plain.add_body("slider", None, joints.Prismatic((1, 0, 0)), inertia=solid, damping=3.0)
    damped.add_body("slider", None, joints.Prismatic((1, 0, 0)), inertia=solid)
    drag = aj.velocity_constraint(lambda pose, twist: twist.linear[0])
    damped.add_constraint(drag, bodies="slider", compliance=1 / 3.0)
    state = [0.1], [2.0]
    assert damped.compile().forward_dynamics(*state) == pytest.approx(
        plain.compile().forward_dynamics(*state), rel=1e-13
    )


def test_soft_rows_leave_the_freedom_and_the_start_alone():
    mech = pendulums()
    mech.add_constraint(rod, bodies=("a", "c"), compliance=1e-3)
    mech.add_loop("a", "c", joints.Revolute((0, 1, 0)), compliance=1e-3)
    model, rng = mech.compile(), np.random.default_rng(1)
    q, v = rng.normal(size=(2, mech.nv))
    assert model.mobility(q).degrees_of_freedom == mech.nv
    made = model.assemble(q, v)
    assert np.array_equal(made[0], q)
    assert np.array_equal(made[1], v)
    assert model.position_correction(q) == pytest.approx(0.0, abs=0)
    assert model.simulate(q, v, duration=0.01, dt=1e-3).status.ok


@pytest.mark.slow  # test_examples runs it, and rows that are springs are compared with springs above
def test_a_tensegrity_keeps_its_energy():
    """Its error falls as that of rk4 does: what is left is the stepper's, not the springs'."""
    mech = gallery.tensegrity()
    model, lost = mech.compile(), []
    for dt in (1e-3, 5e-4):
        total = np.sum(model.simulate(*mech.start, duration=0.5, dt=dt, method="rk4").energy(), axis=0)
        lost.append(np.ptp(total))
    assert lost[1] < lost[0] / 15
    assert lost[1] < 1e-5


def test_soft_beside_hard_rows():
    """A four-bar with a spring across: the loop holds, the spring gives way, energy stays."""
    mech = gallery.four_bar()
    tip = aj.constraint(lambda a: a.act((0, 0, 0.5)) - np.array([0.9, 0.0, 1.4]))
    mech.add_constraint(tip, bodies="coupler", compliance=0.01)
    model = mech.compile()
    traj = model.simulate(*mech.start, duration=1.0, dt=2e-4, method="rk4")
    total = np.sum(traj.energy(), axis=0)
    assert traj.status.drift < 1e-12
    assert np.ptp(total) < 1e-6 * np.ptp(traj.energy()[0])


SOME = [pytest.param(kind, marks=[pytest.mark.slow] * (kind % 2)) for kind in range(len(CLOSING))]


@pytest.mark.parametrize("kind", SOME)
def test_rows_of_soft_loops_are_derivatives_wherever_they_are(kind):
    """Also far from closed, else loops that give way would make energy."""
    rng = np.random.default_rng(kind)
    mech = aj.Mechanism("apart", gravity=(0, 0, 0))
    for name in "ab":
        mech.add_body(name, joint=joints.Free(), inertia=inertia(rng))
    mech.add_loop("a", "b", joint=CLOSING[kind](rng), at=(random_pose(rng), random_pose(rng)), compliance=0.3)
    q, v = 0.3 * rng.normal(size=(2, 12))
    model, dense = mech.compile(), System(mech, q)
    np.testing.assert_allclose(model.constraint_jacobian(q), dense.G, rtol=0, atol=1e-14)
    traj = model.simulate(q, v, duration=0.1, dt=1e-3, method="rk4")
    assert np.ptp(sum(traj.energy())) < 1e-6 * sum(traj.energy())[0]  # of steps of a millisecond
