"""Trajectories nobody here made up: beads, particles, pendulums, tops and a governor, at their stored times."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from dynamics import reference
from dynamics.reference import BEADS, load, numbers

TIGHT = {"method": "dopri5", "rtol": 1e-13, "atol": 1e-13}


def follow(model, q, v, case, **options):
    """(state, reference) at the stored times of a case."""
    times = np.array([float(at["t"]) for at in case["reference"]])
    step = times[0]
    assert np.allclose(times / step, np.round(times / step))
    traj = model.simulate(q, v, duration=times[-1], dt=step, **{**TIGHT, **options})
    assert traj.status.ok, traj.status
    for t, at in zip(times, case["reference"], strict=True):
        k = round(t / step)
        assert traj.t[k] == pytest.approx(t, abs=1e-12)
        yield traj.q[k], traj.v[k], at


def agrees(made, at, *names, tolerance=1e-9):
    wanted = np.array([float(at[name]) for name in names])
    return np.abs(np.asarray(made) - wanted).max() < tolerance * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("name", BEADS)
def test_beads_on_wires(name):
    curve, spin, q_names, v_names = BEADS[name]
    case = load(name)
    model = reference.bead(name, curve, spin).compile()
    for q, v, at in follow(model, numbers(case, *q_names), numbers(case, *v_names), case):
        assert agrees(q, at, *q_names)
        assert agrees(v, at, *v_names)


def test_bead_on_a_wire_that_is_free_to_turn():
    case = load("bead_ellipse_free_spin")
    model = reference.turning_wire("wire", reference.ellipse, 2.0).compile()
    for q, v, at in follow(model, numbers(case, "v", "u"), numbers(case, "dv", "du"), case):
        assert agrees(q, at, "v", "u")
        assert agrees(v, at, "dv", "du")


PRESCRIBED = {"bead_rotating_hoop": (reference.hoop, 5.0), "bead_ellipse_prescribed_spin": (reference.ellipse, 3.0)}


@pytest.mark.parametrize("name", PRESCRIBED)
def test_bead_on_a_wire_that_turns_at_a_given_speed(name):
    """A motor holds the speed: its torque comes from hybrid dynamics, asked at every stage."""
    curve, speed = PRESCRIBED[name]
    case = load(name)
    model = reference.turning_wire(name, curve, 1.0).compile()

    def motor(t, q, v):
        return model.hybrid_dynamics(q, v, np.zeros(2), np.zeros(2), ["wire"])[1]

    for q, v, at in follow(
        model, [0.0, *numbers(case, "u")], [speed, *numbers(case, "du")], case, tau=motor, rtol=1e-12
    ):
        assert agrees(q[1:], at, "u")
        assert agrees(v[1:], at, "du")
        assert v[0] == pytest.approx(speed, abs=1e-10)


def test_particle_on_an_ellipsoid():
    case, mech = load("particle_on_ellipsoid"), aj.Mechanism("particle")
    mech.add_body("particle", None, joints.OnSurface(reference.ellipsoid), inertia=aj.Inertia(1.0))
    for q, v, at in follow(mech.compile(), numbers(case, "u", "v"), numbers(case, "du", "dv"), case):
        assert agrees(q, at, "u", "v")
        assert agrees(v, at, "du", "dv")


@pytest.mark.parametrize(("name", "n"), [("double_pendulum_point", 2), ("triple_pendulum_point", 3)])
def test_point_pendulums(name, n):
    case, model = load(name), reference.pendulum(n).compile()
    for q, v, at in follow(model, [np.pi / 2, *[0.0] * (n - 1)], np.zeros(n), case):
        assert agrees(np.cumsum(q), at, *(f"q{k + 1}" for k in range(n)))
        assert agrees(np.cumsum(v), at, *(f"v{k + 1}" for k in range(n)))


def test_simple_pendulum():
    case, model = load("iftomm_A01_pendulum"), reference.pendulum(1).compile()
    for q, v, at in follow(model, [-np.pi / 2], [0.0], case):
        assert agrees(q, at, "theta_from_down")
        assert agrees(v, at, "omega")


def test_spherical_pendulum():
    case, mech = load("spherical_pendulum"), aj.Mechanism("spherical pendulum")
    hinge = joints.Composite(joints.Revolute((0, 0, 1)), joints.Revolute((0, -1, 0)))
    mech.add_body("bob", None, hinge, inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    for q, v, at in follow(mech.compile(), [0.0, np.pi / 3], [2.0, 0.0], case):
        assert agrees(q, at, "phi", "theta")
        assert agrees(v, at, "phidot", "thetadot")


TOPS = {"euler_top": (1.0, (0, 0, 0), (0, 0, 0)), "heavy_top_geradin_cardona": (15.0, (0, 1, 0), (0, 0, -9.81))}


def rotation(w, x, y, z):
    return np.array(aj.Pose.quaternion(w, x, y, z).matrix, dtype=float)[:3, :3]


@pytest.mark.parametrize("name", TOPS)
@pytest.mark.parametrize("joint", [joints.SphericalQuaternion(), joints.Spherical()], ids=lambda j: type(j).__name__)
def test_tops(name, joint):
    """Quaternions and rotation vectors, whose charts change many times on the way."""
    mass, com, gravity = TOPS[name]
    case = load(name)
    diagonal = [float(x) for x in case["model"].get("inertia_com_diag", case["model"].get("inertia"))]
    mech = aj.Mechanism(name, gravity=gravity)
    mech.add_body("top", None, joint, inertia=aj.Inertia(mass, com, np.diag(diagonal)))
    model = mech.compile()
    omega = np.array([float(x) for x in case["initial"]["omega_body"]])
    case["reference"] = [at for at in case["reference"] if float(at["t"]) < 11]
    for at in case["reference"]:  # times of the Euler top are no multiples of the first one's
        t = float(at["t"])
        traj = model.simulate(mech.neutral, omega, duration=t, dt=t, **TIGHT)
        wanted = rotation(*(float(x) for x in at["quat_wxyz"]))
        assert np.abs(model.body_poses(traj.q[-1])[0, :3, :3] - wanted).max() < 1e-9
        spin = model.body_jacobian(traj.q[-1], "top")[:3] @ traj.v[-1]
        assert np.abs(spin - [float(x) for x in at["omega_body"]]).max() < 1e-9 * max(1.0, np.abs(omega).max())


def governor():
    """Rods, a slider and two stiff springs between their points; no loop has to be closed. Springs and start."""
    mech = aj.Mechanism("governor")
    rod = aj.Inertia(0.3, tensor=np.diag([0.3 * (1 + 1e-4) / 12, 0.3 * (1 + 1e-4) / 12, 0.3 * 2e-4 / 12]))
    shaft = mech.add_body("shaft", None, joints.Revolute((0, 0, 1)), inertia=rod)
    x = aj.Inertia(0.3, (0.5, 0, 0), np.diag([0.3 * 2e-4 / 12, 0.3 * (1 + 1e-4) / 12, 0.3 * (1 + 1e-4) / 12]))
    arm = with_tip(x)
    mech.add_body("right", shaft, joints.Revolute((0, 1, 0)), aj.Pose.translation(0.05, 0, 1), arm)
    mech.add_body(
        "left", shaft, joints.Revolute((0, 1, 0)), aj.Pose.translation(-0.05, 0, 1) @ aj.Pose.rotation_z(np.pi), arm
    )
    cube = aj.Inertia(3.0, tensor=np.eye(3) * 3.0 * 0.02 / 12)
    mech.add_body("slider", shaft, joints.Prismatic((0, 0, 1)), inertia=cube)
    springs = [
        forces.Spring(name, (0.5, 0, 0), "slider", (side * 0.05, 0, 0), 8e5, 4e4, 0.5)
        for name, side in (("right", 1), ("left", -1))
    ]
    return mech, springs, ([0.0, np.pi / 6, np.pi / 6, 0.5], [2 * np.pi, 0.0, 0.0, 0.0])


def test_the_whole_time_of_the_flyball_governor():
    """Ten seconds by BDF2, whose error of second order is 7e-7 at steps of 40 microseconds."""
    case, (mech, springs, start) = load("iftomm_A05_flyball_governor"), governor()
    traj = mech.compile().simulate(*start, 10.0, dt=4e-5, method="bdf2", forces=springs, save_every=250)
    for at in case["reference"]:
        k = round(100 * float(at["t"]))
        assert traj.t[k] == pytest.approx(float(at["t"]))
        wanted = [float(at[name]) for name in ("psi", "alpha", "s", "psidot", "alphadot", "sdot")]
        assert np.abs(np.concatenate([traj.q[k, [0, 1, 3]], traj.v[k, [0, 1, 3]]]) - wanted).max() < 1e-6


def test_stiff_flyball_governor():
    case, (mech, springs, start) = load("iftomm_A05_flyball_governor"), governor()
    case["reference"] = [at for at in case["reference"] if float(at["t"]) <= 1]
    made = follow(mech.compile(), *start, case, forces=springs, rtol=1e-11, atol=1e-11)
    for q, v, at in made:
        assert agrees(q[[0, 1, 3]], at, "psi", "alpha", "s")
        assert agrees(v[[0, 1, 3]], at, "psidot", "alphadot", "sdot", tolerance=1e-8)
        assert q[1] == pytest.approx(q[2], abs=1e-12)


def with_tip(rod):
    """A rod along x with five kilograms at its end."""
    mass, com = rod.mass + 5.0, (rod.mass * 0.5 + 5.0) / (rod.mass + 5.0)
    extra = rod.mass * (com - 0.5) ** 2 + 5.0 * (1 - com) ** 2
    return aj.Inertia(mass, (com, 0, 0), np.asarray(rod.tensor, dtype=float) + np.diag([0, extra, extra]))
