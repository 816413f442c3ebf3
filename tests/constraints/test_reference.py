"""Closed loops, a knife edge and prescribed motion against numbers nobody here made up."""

import numpy as np
import pytest

from anyjoint.forces.program import trace_forces
from anyjoint.simulate.drive import Drive
from constraints import reference
from constraints.reference import CAR_AXIS, FOUR_BARS, SLEIGH, SLIDER_CRANK, SQUEEZER, in_our_order

TIGHT = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-12}


def generalized(mech, forces, tau=None):
    """A function of a state: tau with what forces between points add to it."""
    drive = Drive(np.zeros((1, mech.nv)) if tau is None else tau[None], forces=trace_forces(mech, forces))
    return lambda q, v: drive.torque(0.0, q, v, 0)


def reached(traj, case):
    """(q, v, entry) at the times of a case."""
    assert traj.status.ok, traj.status
    for at in case["reference"]:
        k = int(np.abs(traj.t - float(at["t"])).argmin())
        assert traj.t[k] == pytest.approx(float(at["t"]), abs=1e-12)
        yield traj.q[k], traj.v[k], at


def numbers(at, *names):
    return np.array([float(at[name]) for name in names])


# -- loops -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        ({"dt": 1e-3, "method": "rk4"}, 1e-9),
        ({"dt": 5e-5, "method": "rk4"}, 1e-4),  # steps that end 1.4e-6 rad from a flat place
        ({"dt": 0.1, "method": "dopri5", "rtol": 1e-10, "atol": 1e-10}, 1e-7),
    ],
)
def test_four_bars_through_flat_places(options, tolerance):
    """At flat places rows turn dependent and the windows could turn inside out, but steps go past them."""
    mech = reference.four_bars()
    traj = mech.compile().simulate(*mech.start, duration=10.0, save_every=round(0.5 / options["dt"]), **options)
    for q, v, at in reached(traj, FOUR_BARS):
        wanted = np.pi / 2 - float(at["phi_cw_from_up"])
        assert q == pytest.approx(wanted * np.array([1, -1, 1, -1, 1]), abs=tolerance)
        assert v[0] == pytest.approx(-float(at["phidot"]), abs=5 * tolerance)


@pytest.mark.parametrize("loops", [True, False], ids=["hinges", "rows of the case"])
def test_squeezer_at_the_start(loops):
    mech, springs, drive = reference.squeezer(loops)
    model, start = mech.compile(), SQUEEZER["initial"]
    q, v, tau = in_our_order(mech, start["q"]), np.zeros(7), np.array([drive, *[0.0] * 6])
    full = generalized(mech, springs, tau)(q, v)
    wanted = in_our_order(mech, start["qddot"])
    assert np.abs(model.forward_dynamics(q, v, full) - wanted).max() < 1e-10 * np.abs(wanted).max()
    assert in_world(model, q, v, full) == pytest.approx([float(x) for x in start["lambda_"]], abs=1e-10 * 98)


@pytest.mark.parametrize("loops", [True, False], ids=["hinges", "rows of the case"])
def test_squeezer(loops):
    """Its published end values agree with the recomputed ones to 3e-8 only; ours with the latter."""
    mech, springs, drive = reference.squeezer(loops)
    model, tau = mech.compile(), np.array([drive, *[0.0] * 6])
    generalized_force = generalized(mech, springs, tau)
    q, v = in_our_order(mech, SQUEEZER["initial"]["q"]), np.zeros(7)
    case = {"reference": [at for at in SQUEEZER["reference"] if float(at["t"]) <= 0.03]}
    traj = model.simulate(q, v, duration=0.03, dt=0.01, tau=tau, forces=springs, **TIGHT)
    for q, v, at in reached(traj, case):
        wanted_q, wanted_v = in_our_order(mech, at["q"]), in_our_order(mech, at["qdot"])
        assert q == pytest.approx(wanted_q, abs=1e-8)
        assert v == pytest.approx(wanted_v, rel=1e-8)
        push = in_world(model, wanted_q, wanted_v, generalized_force(wanted_q, wanted_v))
        assert push == pytest.approx([float(x) for x in at["lambda_"]], rel=1e-10, abs=1e-8)


def in_world(model, q, v, tau):
    """Multipliers of the squeezer along world axes: those of a hinge stand in the axes of its first body."""
    poses, made = model.body_poses(q), []
    for constraint, push in zip(model.mechanism.constraints, model.constraint_forces(q, v, tau).values(), strict=True):
        turn = poses[constraint.bodies[0]][:2, :2] if len(push) > 2 else np.eye(2)
        made += list(turn @ push[:2])
    return made


@pytest.mark.parametrize("cut", ["ball", pytest.param("universal", marks=pytest.mark.slow)])
def test_spatial_slider_crank(cut):
    model, q, v = reference.slider_crank(cut)
    expected = SLIDER_CRANK["model"]["expected_initial"]
    assert v[1] == pytest.approx(float(expected["slider_velocity"]), abs=1e-14)
    assert conrod_spin(model, q, v) == pytest.approx([float(x) for x in expected["conrod_omega"]], abs=1e-13)
    assert model.mobility(q).degrees_of_freedom == 1
    acceleration = float(SLIDER_CRANK["initial_accelerations"][0])
    assert model.forward_dynamics(q, v)[0] == pytest.approx(acceleration, rel=1e-13)
    traj = model.simulate(q, v, duration=5.0, dt=0.5, **TIGHT)
    for q, v, at in reached(traj, SLIDER_CRANK):
        assert q[:2] == pytest.approx(numbers(at, "th", "xC"), abs=1e-8)
        assert v[:2] == pytest.approx(numbers(at, "dth", "vC"), abs=1e-8)


def conrod_spin(model, q, v):
    """Angular velocity in world axes."""
    pose, J = model.body_poses(q)[2], model.body_jacobian(q, "rod")
    return pose[:3, :3] @ (J[:3] @ v)


# -- rows on time and on velocities ----------------------------------------------------------------------------------


def test_car_axis():
    """A road that rises and falls: one row on a pose and time, a rod, and a base that follows a function of time."""
    mech, springs = reference.car_axis()
    model, force = mech.compile(), generalized(mech, springs)
    q, v = [0, 0.5, 1, 0.5, 1, 0], [-0.5, 0, -0.5, 0, 0, 1]
    traj = model.simulate(q, v, duration=3.0, dt=1.0, forces=springs, **TIGHT)
    for q, v, at in reached(traj, CAR_AXIS):
        wanted = np.array([float(x) for x in at["y"]])
        assert q[:4] == pytest.approx(wanted[:4], abs=1e-8)
        assert v[:4] == pytest.approx(wanted[4:8], abs=1e-8)
        push = model.constraint_forces(q, v, force(q, v), t=float(at["t"]))
        assert [-push["across"][0], -push["axis"][0]] == pytest.approx(wanted[8:], abs=1e-8)  # G^T on their right side


def test_sleigh():
    mech = reference.sleigh()
    traj = mech.compile().simulate([0, 0, 0], [1, 0, 3], duration=5.0, dt=0.5, **TIGHT)
    for q, v, at in reached(traj, SLEIGH):
        assert q == pytest.approx(numbers(at, "x", "y", "theta"), abs=1e-10)
        forward = v[0] * np.cos(q[2]) + v[1] * np.sin(q[2])
        assert [forward, v[2]] == pytest.approx(numbers(at, "v", "omega"), abs=1e-10)
