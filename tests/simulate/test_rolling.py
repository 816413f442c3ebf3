"""Rolling over time: reference numbers, a closed form, poles, energy, no slip, batches, parameters, how runs end."""

import math
import warnings

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from dynamics.reference import load

TIGHT = {"method": "dopri5", "rtol": 1e-13, "atol": 1e-13}


def rolling(first, second, inertia, gravity=(0, 0, -9.81)):
    """One body that rolls on the ground."""
    mech = aj.Mechanism("rolling", gravity=gravity)
    mech.add_body("body", joint=joints.Rolling(first, second), inertia=inertia)
    return mech.compile()


def ball(first=None, radius=0.2, **options):
    return rolling(first or surfaces.Plane(), surfaces.Sphere(radius), aj.Inertia.sphere(1.0, radius), **options)


def started(model, quaternion, position, omega, velocity):
    """The state with this pose and twist (in the body's axes), by way of a free body."""
    joint = model.mechanism["body"].joint
    return joints.rechart(joints.FreeQuaternion(), joint, [*quaternion, *position], [*omega, *velocity])


def twist(model, q, v):
    return model.body_jacobian(q, "body") @ v


def floats(texts):
    return np.array([float(x) for x in texts])


def rotation(quaternion):
    return np.array(aj.Pose.quaternion(*quaternion).R, dtype=float)


def samples(model, q, v, case, step=0.1):
    """(q, v, reference) at the stored times."""
    traj = model.simulate(q, v, duration=float(case["reference"][-1]["t"]), dt=step, **TIGHT)
    assert traj.status.ok, traj.status
    for at in case["reference"]:
        k = round(float(at["t"]) / step)
        yield traj.q[k], traj.v[k], at


def normal_force(model, q, v):
    """What presses the surfaces together: the joint's force along the contact normal."""
    wrench = model.joint_wrenches(q, v, model.forward_dynamics(q, v))[0]
    normal = np.array(model.mechanism["body"].joint.legs(q.tolist())[1].R[:, 2], dtype=float)
    return -float(wrench[3:] @ normal)


def test_ball_on_an_ellipsoid():
    case, egg, r = load("ball_rolling_on_ellipsoid_noslip"), surfaces.Ellipsoid(2.0, 1.5, 1.0), 0.2
    model = ball(egg, r)
    begin = case["initial"]
    frame = egg.frame(float(begin["u"]), float(begin["v"]))
    normal, omega = np.array(frame.R[:, 2], dtype=float), floats(begin["omega_space"])
    center = np.array(frame.p, dtype=float) + r * normal
    start = started(model, floats(begin["quat"]), center, omega, r * np.cross(omega, normal))
    for q, v, at in samples(model, *start, case):
        pose = model.body_poses(q)[0]
        touched = np.array(model.mechanism["body"].joint.legs(q.tolist())[0].p, dtype=float)
        wanted = np.array(egg.point(float(at["u"]), float(at["v"])), dtype=float)
        assert np.abs(touched - wanted).max() < 1e-11
        assert np.abs(pose[:3, 3] - floats(at["center"])).max() < 1e-11
        assert np.abs(pose[:3, :3] - rotation(floats(at["quat_wxyz"]))).max() < 1e-11
        assert np.abs(pose[:3, :3] @ twist(model, q, v)[:3] - floats(at["omega_space"])).max() < 1e-11
        assert normal_force(model, q, v) == pytest.approx(float(at["normal_force"]), abs=1e-11)


AXES = np.array([0.2, 0.03, 0.02])
CELT = aj.Inertia(1.0, (0, 0, -0.01), [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])


def celt():
    return rolling(surfaces.Plane(), surfaces.Ellipsoid(*AXES, axis="x"), CELT)


def test_rattleback():
    """A spinning celt, compared while its spin dies; the tilt doubles several times on the way, and so do errors."""
    case, model = load("rattleback_ellipsoid_noslip"), celt()
    up, omega = floats(case["initial"]["u"]), floats(case["initial"]["omega_body"])
    to_contact = -(AXES**2 * up) / np.sqrt((AXES**2) @ up**2)
    half = math.acos(up[2]) / 2  # turned about the horizontal axis that lays `up` upright
    axis = np.array([up[1], -up[0], 0.0]) / np.hypot(*up[:2])
    quaternion = [math.cos(half), *(math.sin(half) * axis)]
    center = -rotation(quaternion) @ to_contact
    for q, v, at in samples(model, *started(model, quaternion, center, omega, -np.cross(omega, to_contact)), case):
        assert np.abs(model.body_poses(q)[0][2, :3] - floats(at["u_vertical_in_body"])).max() < 1e-9
        assert np.abs(twist(model, q, v)[:3] - floats(at["omega_body"])).max() < 1e-8
        assert normal_force(model, q, v) == pytest.approx(float(at["normal_force"]), abs=1e-7)


@pytest.mark.parametrize("direction", [1, -1])
def test_a_rattleback_turns_back_in_one_direction_only(direction):
    model = celt()
    traj = model.simulate([0, 0, -math.pi / 2 + 0.002, math.pi / 2 + 0.002, 0], [0, 0, 5.0 * direction], 9.0, dt=0.01,
                          method="dopri5")  # fmt: skip
    assert traj.status.ok
    spin = twist(model, traj.q[-1], traj.v[-1])[2]  # about the body's z axis; the contact normal points down
    assert spin == pytest.approx(5.0, abs=0.1)
    assert twist(model, traj.q[0], traj.v[0])[2] == pytest.approx(-5.0 * direction, abs=1e-3)


def test_golfers_dilemma():
    """A ball that rolls round inside a pipe bobs at sqrt(2/7) of its rate round the pipe, by a closed form."""
    pipe, r, turns, g = 1.0, 0.1, 6.0, 9.81
    model = ball(surfaces.Inside(surfaces.Cylinder(pipe)), r)
    traj = model.simulate([0, 0, 0, math.pi / 2, 0], [0, -turns * (pipe - r) / r, 0], 10.0, dt=0.01, **TIGHT)
    rate = turns * math.sqrt(2 / 7)
    sunk = 5 / 7 * g / rate**2 * (1 - np.cos(rate * traj.t))
    assert np.abs(traj.q[:, 1] + sunk).max() < 1e-10
    assert np.abs(traj.q[:, 0] - turns * traj.t).max() < 1e-10


def test_a_ball_on_a_plane_goes_straight_over_its_poles():
    """Its angular velocity stays in space; it starts on a pole, and comes to poles again and again."""
    model = ball()
    traj = model.simulate([0.0] * 5, [2.0, 0.3, 0.0], duration=50.0, dt=1e-2)
    assert traj.status.ok
    assert (traj.q[:, 3] > 1.5 * math.pi).any()
    assert (traj.q[:, 3] < 1.5 * math.pi).any()
    assert (np.abs(np.sin(traj.q[1:, 3])) > 0.5 - 0.03).all()
    states = zip(traj.q, traj.v, strict=True)
    spins = np.array([model.body_poses(q)[0][:3, :3] @ twist(model, q, v)[:3] for q, v in states])
    assert np.abs(spins - spins[0]).max() < 1e-6
    way = np.cross(spins[0], [0, 0, 0.2])[:2]
    assert np.abs(traj.q[:, :2] - np.outer(traj.t, way)).max() < 1e-6


STEPPERS = {"rk4": (2e-3, 4), "semi-implicit-euler": (2e-3, 1)}


@pytest.mark.parametrize("method", STEPPERS)
def test_steppers_keep_their_order_over_poles(method):
    """Changes of chart take no digits off: halving the step divides the error by 2^order."""
    dt, order = STEPPERS[method]
    model = ball(surfaces.Ellipsoid(2.0, 1.5, 1.0))
    q, v = [0.3, 1.0, 0.5, 0.9, 0.2], [3.0, -4.0, 5.0]
    exact = model.body_poses(model.simulate(q, v, duration=1.0, dt=0.5, **TIGHT).q[-1])
    errors = []
    for step in (dt, dt / 2):
        traj = model.simulate(q, v, duration=1.0, dt=step, method=method)
        assert len(set((traj.q[:, 3] > 1.5 * math.pi).tolist())) == 2
        errors.append(np.abs(model.body_poses(traj.q[-1]) - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.15)


LONG = {
    "ellipsoid on ellipsoid": (surfaces.Ellipsoid(1.0, 0.8, 0.6), surfaces.Ellipsoid(0.3, 0.25, 0.2)),
    "ball in a ring": (surfaces.Inside(surfaces.Torus(1.0, 0.36)), surfaces.Sphere(0.15)),
    "torus on a plane": (surfaces.Plane(), surfaces.Torus(0.3, 0.1)),
    "ball in a bowl of one's own": (lambda u, v: (u, v, 0.3 * u * u + 0.2 * v * v), surfaces.Sphere(0.2)),
}


@pytest.mark.parametrize("name", LONG)
def test_energy_and_rolling_are_kept_for_a_hundred_seconds(name):
    """At every sample the point that touches stands still, and the energy is what it was to the stepper's tolerance."""
    model = rolling(*LONG[name], aj.Inertia.box(1.0, 0.3, 0.2, 0.25), gravity=(0, 0, -2.0))
    joint = model.mechanism["body"].joint
    q = [c.neutral + 0.4 for c in joint.coordinates]
    if name == "ball in a ring":
        q[1] = -1.2
    traj = model.simulate(q, [0.8, -0.6, 0.4], duration=100.0, dt=0.05, method="dopri5", rtol=1e-10, atol=1e-12)
    assert traj.status.ok, traj.status
    kinetic, potential = traj.energy()
    total = kinetic + potential
    assert np.ptp(total) < 1e-6 * max(kinetic.max(), np.ptp(potential))
    for q, v in zip(traj.q[::40], traj.v[::40], strict=True):
        made = twist(model, q, v)
        contact = np.array(joint.legs(q.tolist())[1].p, dtype=float)
        assert np.abs(made[3:] + np.cross(made[:3], contact)).max() < 1e-14 * max(1.0, np.abs(made).max())


def test_a_run_ends_where_surfaces_bend_alike():
    """A ball that is too large for the foot of a slope: its contact point would run away."""

    def slope(u, v):
        return u, v, 0.25 * u**4 + 0.5 * v * v

    model = ball(surfaces.surface(slope, domain=((-2, 2), (-1, 1))), 0.9)
    for method in ("rk4", "dopri5", "semi-implicit-euler"):
        traj = model.simulate([0.1, 0.05, 0.3, 1.0, 0.4], [0.5, 6.0, 0.0], duration=5.0, method=method)
        assert not traj.status.ok
        assert "'body'" in str(traj.status)
        assert "bend alike" in str(traj.status)
        assert np.isfinite(traj.q).all()
        assert 0 < traj.t[-1] < 5.0


def test_batches_threads_and_single_precision():
    model, rng = ball(surfaces.Ellipsoid(2.0, 1.5, 1.0)), np.random.default_rng(1)
    q = np.array([0.3, 1.0, 0.5, 0.9, 0.2]) + 0.2 * rng.normal(size=(9, 5))
    v = rng.normal(size=(9, 3))
    run = {"duration": 1.0, "dt": 2e-3}
    together = model.simulate(q, v, threads=2, **run)
    for k in (0, 4, 8):
        alone = model.simulate(q[k], v[k], **run)
        assert np.abs(together.q[:, k] - alone.q).max() < 1e-11
        assert np.abs(together.v[:, k] - alone.v).max() < 1e-11
    single = model.mechanism.compile(dtype="float32").simulate(q, v, **run)
    assert np.abs(single.q[-1] - together.q[-1]).max() < 1e-3


def test_a_step_is_the_step_of_a_run_and_knows_its_charts():
    model = ball()
    q, v = np.array([0.0, 0.0, 0.3, 0.45, 0.0]), np.array([1.0, 2.0, 0.5])
    made = model.step(q, v, dt=1e-2)
    traj = model.simulate(*model.rechart(q, v), duration=1e-2, dt=1e-2)
    assert made[0][3] > 1.5 * math.pi
    assert np.allclose(model.body_poses(made[0]), model.body_poses(traj.q[-1]), atol=1e-9)


def test_a_callback_steps_in_python_as_machine_code_does():
    model, q, v = ball(), [0.0, 0.0, 0.3, 0.6, 0.0], [1.0, 2.0, 0.5]
    tau = np.array([0.1, -0.2, 0.05])
    run = {"duration": 2.0, "dt": 1e-2}
    asked = model.simulate(q, v, tau=lambda t, q, v: tau, **run)
    given = model.simulate(q, v, tau=tau, **run)
    assert np.allclose(asked.q, given.q, atol=1e-12)


def test_parameters_reach_rates_charts_and_steps():
    """A ball that was made smaller rolls as one that was built so."""
    model, small = ball(surfaces.Ellipsoid(2.0, 1.5, 1.0)), ball(surfaces.Ellipsoid(1.8, 1.5, 1.1), 0.1)
    q, v = np.array([0.3, 1.0, 0.5, 0.9, 0.2]), np.array([1.0, 2.0, 0.5])
    for ask in (model.coordinate_rates, model.rechart, model.step):
        ask(q, v)
    near = [0.3, 0.2, 0.5, 0.1, 0.2]
    model.rechart(near, v)
    body, wanted = "body", small.parameters
    names = [name for name in wanted if "/joint/" in name or name.split("/")[-1] in ("mass", "com", "tensor")]
    assert f"{body}/joint/surface2.radius" in names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that rates are compiled again
        model.parameters.set({name: wanted[name] for name in names})
    assert np.allclose(model.forward_dynamics(q, v), small.forward_dynamics(q, v), atol=1e-12)
    assert np.allclose(model.coordinate_rates(q, v), small.coordinate_rates(q, v), atol=1e-12)
    assert np.allclose(np.concatenate(model.rechart(near, v)), np.concatenate(small.rechart(near, v)), atol=1e-12)
    assert np.allclose(np.concatenate(model.step(q, v)), np.concatenate(small.step(q, v)), atol=1e-12)
    assert np.allclose(model.simulate(q, v, 0.1).q, small.simulate(q, v, 0.1).q, atol=1e-12)


def test_damping_is_rolling_resistance():
    """A damper on each velocity takes P = d |omega|^2; the spin about the normal decays as exp(-d t / I)."""
    mech = aj.Mechanism("ball")
    roll = joints.Rolling(surfaces.Plane(), surfaces.Sphere(0.2))
    mech.add_body("body", joint=roll, inertia=aj.Inertia.sphere(1.0, 0.2), damping=0.01)
    traj = mech.compile().simulate([0, 0, 0, 1.5, 0], [0, 0, 3.0], duration=2.0, dt=1e-3)
    assert traj.v[-1, 2] == pytest.approx(3.0 * math.exp(-0.01 * 2.0 / (0.4 * 0.04)), rel=1e-9)


@pytest.mark.parametrize(("method", "far"), [("dopri5", 1.0), ("rk4", 1.0005), ("semi-implicit-euler", 1.0005)])
def test_a_run_ends_at_the_pole_of_a_surface_of_ones_own(method, far):
    """A function of one's own has one chart: a ball that rolls straight to its pole stops there, on either method."""

    def sphere(u, v):
        return 0.2 * aj.cos(u) * aj.sin(v), 0.2 * aj.sin(u) * aj.sin(v), 0.2 * aj.cos(v)

    own = surfaces.surface(sphere, domain=((-math.pi, math.pi), (0.0, math.pi)), flip=True)
    model = rolling(surfaces.Plane(), own, aj.Inertia.sphere(1.0, 0.2))
    traj = model.simulate([0, 0, 0, far, 0], [2.0, 0, 0], duration=1.0, dt=1e-3, method=method)
    assert "no tangent plane" in str(traj.status)
    assert "'body'" in str(traj.status)
    assert traj.t[-1] == pytest.approx(0.5, abs=2e-3)
    assert np.ptp(np.sum(traj.energy(), axis=0)) < 1e-12
