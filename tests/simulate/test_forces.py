"""Forces: closed forms, power and energy balances, compiled loops against Python."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.forces.program import trace_forces
from anyjoint.simulate import Limits, Servo, Spring, Wrench
from simulate.mechanisms import double_pendulum, floating, rods, total

RNG = np.random.default_rng(7)


def slider(**springs):
    """One kilogram on a rail, without gravity."""
    mech = aj.Mechanism("slider", gravity=(0, 0, 0))
    mech.add_body("mass", None, joints.Prismatic((1, 0, 0)), inertia=aj.Inertia(1.0), **springs)
    return mech.compile()


def oscillation(t, k, d, x):
    """A damped oscillator of one kilogram that starts at x at rest."""
    w = np.sqrt(k - d * d / 4)
    return x * np.exp(-d * t / 2) * (np.cos(w * t) + d / 2 / w * np.sin(w * t))


TIGHT = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-11}


@pytest.mark.parametrize(
    ("model", "forces", "rest"),
    [
        (slider(stiffness=9.0, damping=0.4, rest=0.5), [], 0.5),
        (slider(), [Spring("mass", (0, 0, 0), None, (-2, 0, 0), 9.0, 0.4, 2.5)], 0.5),
        (slider(), [Servo("mass", 0.5, 9.0, 0.4)], 0.5),
        (slider(), [Servo("mass", lambda t: 0.5, 9.0, 0.4)], 0.5),
        (slider(stiffness=9.0, damping=0.4), [Wrench("mass", force=(4.5, 0, 0))], 0.5),
    ],
    ids=["joint spring", "spring", "servo", "servo over time", "constant force"],
)
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_damped_oscillator(model, forces, rest, method):
    options = TIGHT if method == "dopri5" else {"method": method}
    traj = model.simulate([1.2], [0.0], 3.0, dt=0.01 if method == "dopri5" else 1e-3, forces=forces, **options)
    assert np.abs(traj.q[:, 0] - rest - oscillation(traj.t, 9.0, 0.4, 1.2 - rest)).max() < 1e-8


def test_a_servo_has_a_limit():
    traj = slider().simulate([0.0], [0.0], 1.0, forces=[Servo("mass", 100.0, 50.0, limit=2.0)])
    assert traj.q[-1, 0] == pytest.approx(1.0, abs=1e-10)  # two newtons all the way


def test_functions_of_time_reach_the_compiled_loop():
    """x'' = cos(t): both as a force and as a torque table."""
    model = slider()
    expected = 1 - np.cos(2.0)
    push = Wrench("mass", force=(np.cos, 0, 0))
    assert model.simulate([0.0], [0.0], 2.0, forces=[push]).q[-1, 0] == pytest.approx(expected, abs=1e-10)
    assert model.simulate([0.0], [0.0], 2.0, forces=[push], **TIGHT).q[-1, 0] == pytest.approx(expected, abs=1e-9)
    times = np.linspace(0, 2, 2001)
    table = np.cos(times)[:, None]
    for tau in (table, (times, table), lambda t, q, v: [np.cos(t)]):
        assert model.simulate([0.0], [0.0], 2.0, tau=tau).q[-1, 0] == pytest.approx(expected, abs=1e-6)
        made = model.simulate([0.0], [0.0], 2.0, dt=0.1, tau=tau, method="dopri5")
        assert made.q[-1, 0] == pytest.approx(expected, abs=1e-6)


def test_euler_reads_a_table_at_the_beginning_of_each_step():
    model = slider()
    tau = np.arange(11.0)[:, None]
    traj = model.simulate([0.0], [0.0], 1.0, dt=0.1, method="semi-implicit-euler", tau=tau)
    assert traj.v[:, 0] == pytest.approx(np.concatenate([[0.0], np.cumsum(0.1 * np.arange(10.0))]))


def spring_loaded():
    tip = Spring("rod 1", (0, 0, -1), None, (1, 0, -1), 30.0, 0.0, 0.5)
    return [tip, Spring("rod 0", (0, 0, -0.5), "rod 1", (0, 0, 0), 5.0)]


def test_springs_keep_the_energy():
    traj = double_pendulum().simulate([1.0, 0.5], [0.0, 0.0], 5.0, dt=0.01, forces=spring_loaded(), **TIGHT)
    assert np.ptp(traj.energy()[1]) > 1
    assert np.ptp(total(traj)) < 1e-9 * total(traj).max()


def test_joint_springs_store_energy():
    model = double_pendulum(stiffness=20.0, rest=0.3)
    assert np.ptp(total(model.simulate([1.0, 0.5], [0.0, 0.0], 2.0))) < 1e-8


def test_dampers_only_take_energy():
    damped = [Spring("rod 1", (0, 0, -1), None, (1, 0, -1), 0.0, 3.0)]
    for model, forces in ((double_pendulum(damping=0.5), []), (double_pendulum(), damped)):
        energy = total(model.simulate([1.0, 0.5], [0.0, 0.0], 3.0, forces=forces))
        assert (np.diff(energy) <= 1e-12).all()
        assert energy[-1] < energy[0] - 1


@pytest.mark.parametrize("quaternion", [False, True])
def test_a_wrench_works_like_jacobians_say(quaternion):
    """tau = J^T w, in body axes and in the world's, at points off the origin."""
    model = floating(quaternion)
    q = model.mechanism.neutral + 0.1 * RNG.uniform(-1, 1, model.nq)
    if quaternion:
        q[:4] /= np.linalg.norm(q[:4])
    v = RNG.uniform(-1, 1, model.nv)
    torque, force, point = RNG.uniform(-1, 1, (3, 3))
    J = model.body_jacobian(q, "second")
    R = model.body_poses(q)[1, :3, :3]
    at_point = J[3:] + np.cross(J[:3].T, point).T
    for axes, turn in (("body", np.eye(3)), ("world", R.T)):
        wrench = Wrench("second", torque, force, point, axes)
        wanted = J[:3].T @ turn @ torque + at_point.T @ turn @ force
        made = trace_forces(model.mechanism, [wrench]).torque(0.0, q, v)
        assert made == pytest.approx(wanted, abs=1e-12)


def test_a_spring_between_bodies_does_not_change_momentum():
    model = floating()
    spring = Spring("first", (0.3, 0, 0), "second", (0, 0.2, 0.1), 20.0, 0.5, 0.3)
    traj = model.simulate(model.mechanism.neutral, np.full(8, 0.2), 2.0, dt=0.01, forces=[spring], **TIGHT)
    momentum = traj.momentum()
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    assert np.ptp(total(traj)) > 1e-3


def test_a_quaternion_joint_may_have_a_spring():
    """The same motion as with rotation vectors, where both springs are about one axis."""
    ends = []
    for joint in (joints.Spherical(), joints.SphericalQuaternion()):
        mech = aj.Mechanism("ball", gravity=(0, 0, 0))
        mech.add_body("ball", None, joint, inertia=aj.Inertia.sphere(1.0, 0.5), stiffness=2.0, damping=0.1)
        model = mech.compile()
        traj = model.simulate(mech.neutral, [0.0, 1.5, 0.0], 2.0)
        ends.append(model.body_poses(traj.q[-1])[0])
        assert (np.diff(total(traj)) < 0).all()
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_forces_work_in_batches_and_in_python():
    model, forces = double_pendulum(), [*spring_loaded(), Servo("rod 0", np.sin, 10.0, 1.0)]
    options = {"duration": 0.5, "forces": forces}
    alone = model.simulate([1.0, 0.5], [0.0, 0.0], **options)
    both = model.simulate([[0.3, 0.2], [1.0, 0.5]], np.zeros((2, 2)), **options)
    plain = model.simulate([1.0, 0.5], [0.0, 0.0], tau=lambda t, q, v: np.zeros(2), **options)
    assert np.abs(both.q[:, 1] - alone.q).max() < 1e-12
    assert np.abs(plain.q - alone.q).max() < 1e-12


def test_a_long_chain_with_springs_in_its_joints():
    mech = rods(40, stiffness=50.0, damping=0.1)
    traj = mech.compile().simulate(np.full(40, 0.05), np.zeros(40), 0.2)
    energy = total(traj)
    assert traj.status.ok
    assert (np.diff(energy) < 1e-9).all()


def test_springs_at_zero_length_do_no_harm():
    """Where the points coincide a spring has no direction, and no force either."""
    model = slider()
    for damping in (0.0, 0.1):
        spring = Spring("mass", (0, 0, 0), None, (0, 0, 0), 4.0, damping)
        traj = model.simulate([0.0], [0.0], 0.1, forces=[spring])
        assert traj.status.ok
        assert not traj.q.any()


def test_limits_push_back():
    """A mass between two soft walls keeps its energy, and its time between them is known."""
    mech = aj.Mechanism("slider", gravity=(0, 0, 0))
    mech.add_body("mass", None, joints.Prismatic((1, 0, 0), limits=(-1.0, 1.0)), inertia=aj.Inertia(1.0))
    model = mech.compile()
    k = 1e4
    traj = model.simulate([0.0], [2.0], 10.0, dt=1e-3, forces=[Limits(k)], **TIGHT)
    assert np.ptp(total(traj)) < 1e-7
    assert np.abs(traj.q).max() == pytest.approx(1 + 2 / np.sqrt(k), abs=1e-5)
    period = 2 * (1.0 + np.pi / np.sqrt(k))
    assert traj.q[round(period * 1000), 0] == pytest.approx(2 * (round(period * 1000) / 1000 - period), abs=1e-8)
    damped = model.simulate([0.0], [2.0], 10.0, forces=[Limits(k, 20.0)])
    assert total(damped)[-1] < 0.9 * total(damped)[0]


def test_coordinates_without_limits_are_left_alone():
    assert not trace_forces(slider().mechanism, [Limits(1e4)]).torques
