"""Surfaces by several charts [SG section 6]: joints change among them, and nothing but coordinates changes."""

import math
from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints, surfaces
from anyjoint.errors import InputError
from anyjoint.scalar import cos, sin

SPHERE = [surfaces.Sphere(0.7, axis) for axis in "zxy"]
PATCH = ((-1.2, 1.2), (-1.2, 1.2))


def ring(across, along):
    """A torus of the user's own, with the zero of both angles elsewhere."""

    def point(u, v):
        away = 1.0 + 0.3 * cos(v + along)
        return away * cos(u + across), away * sin(u + across), 0.3 * sin(v + along)

    return surfaces.surface(point, domain=((-2.2, 2.2), (-2.2, 2.2)))


def cap(side):
    """A sphere seen from one pole, by stereographic projection: two of them have no pole at all."""

    def point(u, v):
        share = 1 / (1 + u * u + v * v)
        return 2 * u * share, side * 2 * v * share, side * (1 - u * u - v * v) * share

    return surfaces.surface(point, domain=PATCH)


CHARTS = {
    "sphere": lambda: surfaces.atlas(surfaces.Sphere(0.7)),
    "three charts of a sphere": lambda: surfaces.atlas(SPHERE),
    "ellipsoid": lambda: surfaces.atlas([surfaces.Ellipsoid(1.0, 0.8, 0.6, axis) for axis in "zx"]),
    "inside": lambda: surfaces.Inside(atlas("three charts of a sphere")),
    "stereographic": lambda: surfaces.atlas([cap(1), cap(-1)]),
    "torus": lambda: surfaces.atlas([ring(a, b) for a in (0.0, math.pi) for b in (0.0, math.pi)]),
}


@cache
def atlas(name):
    """An atlas is checked when it is made, which takes a while."""
    return CHARTS[name]()


def states(surface, count, seed=0):
    """Parameters all over the first chart and beyond its region, with rates."""
    rng = np.random.default_rng(seed)
    wider = 1.15 if surface.region == surface.domain and surface.periods[0] is None else 1.0
    (u0, u1), (v0, v1) = wider * np.array(surface.domain)
    for _ in range(count):
        yield [float(rng.uniform(u0, u1)), float(rng.uniform(v0, v1))], rng.normal(size=2).tolist()


def floats(values):
    return [float(x) for x in values]


def twist(joint, q, v):
    return np.array(joint.jacobian(floats(q)), float) @ np.array(v, float)


def check_switch(joint, q, v):
    """Pose, twist and the work of any wrench go on as they were; whether something changed."""
    made = joint.chart(q, v)
    new_q, new_v = floats(made[0]), floats(made[1])
    assert np.abs(joint.pose(q).matrix - joint.pose(new_q).matrix).max() < 1e-13
    before, after = twist(joint, q, v), twist(joint, new_q, new_v)
    assert np.abs(before - after).max() < 1e-12 * max(1.0, np.abs(before).max())
    return new_q != q


@pytest.mark.parametrize("name", CHARTS)
def test_a_switch_keeps_pose_and_twist(name):
    surface, changed = atlas(name), 0
    for joint, extra in ((joints.OnSurface(surface, spin=True), 1), (joints.Contact(surface, surfaces.Plane()), 3)):
        for at, rates in states(surface, 8):
            more = np.random.default_rng(1).normal(size=(2, extra)).tolist()
            changed += check_switch(joint, at + more[0], rates + more[1])
    assert changed


def test_a_ball_that_rolls_changes_among_three_charts():
    """Its velocities are no rates of coordinates: they are seen in the turned contact frame."""
    joint = joints.Rolling(surfaces.Plane(), atlas("three charts of a sphere"))
    q, v = [0.1, 0.2, 0.4, 0.3, 0.5], [1.0, -0.5, 0.3]
    assert check_switch(joint, q, v)


def test_a_chart_is_left_at_the_end_of_its_region_and_entered_deep_inside():
    charts = atlas("three charts of a sphere")
    assert not charts.other_chart(0.3, 0.6)[0]
    better, _, v = charts.other_chart(0.3, 0.5)
    k = charts.chart_of(v)
    assert better
    assert k > 0
    assert math.sin(v - charts.shifts[k]) > 0.7


def over_the_poles(surface, inertia, **options):
    """A body that slides over a ball and turns, under gravity."""
    mech = aj.Mechanism("slider", gravity=(0.3, 0.0, -9.81))
    mech.add_body("body", joint=joints.OnSurface(surface, spin=True), inertia=inertia, **options)
    return mech


BODY = aj.Inertia.box(1.0, 0.3, 0.2, 0.1).moved(aj.Pose.translation(0.02, 0.05, 0.1) @ aj.Pose.rpy(0.3, 0.2, 0.1))


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("name", ["sphere", "three charts of a sphere"])
def test_a_body_slides_over_both_poles(name, method):
    """Near the poles of all charts; the same body on a ball joint in the centre is the oracle."""
    R, q, v = 0.7, [0.4, 1.3, 0.2], [0.0, 9.0, 0.3]
    mech = over_the_poles(atlas(name), BODY)
    ball = aj.Mechanism("ball", gravity=mech.gravity)
    arm = aj.Pose.translation(0, 0, R)
    ball.add_body("body", joint=joints.SphericalQuaternion(), inertia=BODY.moved(arm))
    start = mech.poses(q)[0].matrix.astype(float)
    omega = mech.compile().body_twists(q, v)[0, :3]
    options = {"duration": 1.5, "dt": 1e-3, "method": method}
    options |= {"rtol": 1e-11, "atol": 1e-11} if method == "dopri5" else {}
    model, oracle = mech.compile(), ball.compile()
    run = model.simulate(q, v, **options)
    other = oracle.simulate(quaternion(start[:3, :3]), omega, **options)
    assert run.status.ok
    assert run.q[:, 1].max() > math.pi  # in another chart
    height = model.body_poses(run.q)[:, 0, 2, 3]
    assert height.max() > 0.6
    assert height.min() < -0.6  # where the first chart is of no use
    want = oracle.body_poses(other.q[-1:])[0, 0] @ arm.matrix.astype(float)
    assert np.abs(model.body_poses(run.q[-1:])[0, 0] - want).max() < 1e-7
    energy = np.sum(model.energy(run.q, run.v), axis=0)
    assert np.ptp(energy) < 1e-7 * np.abs(energy).max()


def test_straight_through_a_pole():
    """A great circle through the poles of the first chart: once round, with all its speed."""
    mech = over_the_poles(atlas("sphere"), aj.Inertia.sphere(1.0, 0.2))
    mech.gravity = (0.0, 0.0, 0.0)
    model, q, v = mech.compile(), [math.pi / 2, 1.0, 0.2], [0.0, 2.0, 0.0]
    run = model.simulate(q, v, duration=math.pi, dt=math.pi / 400)
    poses = model.body_poses(run.q)[:, 0]
    assert np.abs(poses[-1] - poses[0]).max() < 1e-11  # a line of coordinates in both charts, so that steps are exact
    assert np.abs(np.abs(poses[:, 2, 3]) - 0.7).min() < 1e-4
    assert np.abs(model.energy(run.q, run.v)[0] - model.energy(q, v)[0]).max() < 1e-12


def quaternion(R):
    w = 0.5 * math.sqrt(1 + np.trace(R))
    return [w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))]


def test_machine_code_switches_as_floats_do():
    mech = over_the_poles(atlas("stereographic"), BODY)
    model, joint = mech.compile(), mech.bodies[0].joint
    for at, rates in states(atlas("stereographic"), 6, seed=3):
        q, v = [*at, 0.3], [*rates, 0.7]
        made = model.rechart(np.array(q), np.array(v))
        for got, want in zip(made, joint.chart(q, v), strict=True):
            assert got == pytest.approx(floats(want), rel=1e-12, abs=1e-12)


def test_energy_of_springs_and_motion_goes_on():
    """To rounding: a switch is no step."""
    mech = over_the_poles(atlas("ellipsoid"), BODY, stiffness=(3.0, 2.0, 0.5), rest=(0.3, 1.2, 0.1))
    model = mech.compile()
    q, v = np.array([0.7, 0.2, 0.4]), np.array([0.3, -0.5, 0.9])
    new_q, new_v = model.rechart(q, v)
    assert new_q[1] > math.pi
    assert model.energy(new_q, new_v) == pytest.approx(model.energy(q, v), rel=1e-14)
    a, b = (model.forward_dynamics(*state) for state in ((q, v), (new_q, new_v)))
    joint = mech.bodies[0].joint
    h = 1e-4  # and so do accelerations: the rates of the two twists are the same
    ahead = [
        (twist(joint, x + h * w, w + h * c) - twist(joint, x - h * w, w - h * c)) / (2 * h)
        for x, w, c in ((q, v, a), (new_q, new_v, b))
    ]
    assert np.abs(ahead[0] - ahead[1]).max() < 1e-5 * np.abs(ahead[0]).max()


def test_surfaces_that_touch_change_charts_where_frames_are_not_turned():
    """Both tori are by four charts whose tangents go the same way, so that four coordinates are enough."""
    rings = atlas("torus")
    joint = joints.SurfaceSurface(rings, rings, twist=math.pi / 2)
    changed = 0
    for (at, rates), (more, faster) in zip(states(rings, 6), states(rings, 6, seed=5), strict=True):
        changed += check_switch(joint, at + more, rates + faster)
    assert changed
    check_switch(joints.OnSurface(rings), [2.1, -2.0], [1.0, 0.5])


@pytest.mark.parametrize(
    ("charts", "words"),
    [
        ([surfaces.Sphere(1.0)], "1 chart given, at least two"),
        ([surfaces.Sphere(1.0), surfaces.Sphere(1.0)], "ends at u = .* no other chart is inside"),
        ([surfaces.Sphere(1.0), surfaces.Sphere(1.1, "x")], "goes on elsewhere: charts must be of one surface"),
        ([surfaces.Sphere(1.0), surfaces.Inside(surfaces.Sphere(1.0, "x"))], "normal on the other side"),
        ([lambda u, v: (u, v, 0), surfaces.Plane(domain=((-1, 1), (-math.inf, math.inf)))], "no end in v"),
    ],
)
def test_charts_that_do_not_fit_are_refused(charts, words):
    with pytest.raises(InputError, match=f"atlas: .*{words}"):
        surfaces.atlas(charts)


@pytest.mark.parametrize("name", ["sphere", "three charts of a sphere"])
def test_a_body_that_cannot_turn_is_refused_where_frames_are_turned(name):
    with pytest.raises(InputError, match=r"OnSurface: the frames of the charts .* let it turn, with spin=True"):
        joints.OnSurface(atlas(name))
    with pytest.raises(InputError, match=r"SurfaceSurface: the frames .* joints.Contact"):
        joints.SurfaceSurface(surfaces.Plane(), atlas(name))


def test_numbers_of_all_charts_change_together():
    mech = over_the_poles(atlas("three charts of a sphere"), BODY)
    model, names = mech.compile(), [f"body/joint/surface.charts.{k}.radius" for k in range(3)]
    with pytest.raises(InputError, match="charts must be of one surface"):
        model.parameters[names[0]] = 0.9
    model.rechart([0.4, 0.2, 0.1], [0.0, 1.0, 0.0])
    with pytest.warns(UserWarning, match="compiling again"):
        model.parameters.set(dict.fromkeys(names, 0.9))
    assert np.linalg.norm(model.body_poses([0.4, 0.7, 0.1])[0, :3, 3]) == pytest.approx(0.9, rel=1e-14)


def test_all_of_it_is_drawn():
    for name, radius in (("three charts of a sphere", 0.7), ("stereographic", 1.0)):
        vertices, _ = atlas(name).mesh(8, 8)
        assert np.ptp(vertices[:, 2]) == pytest.approx(2 * radius, rel=1e-12)


def test_one_surface_gets_the_charts_that_it_needs():
    torus = surfaces.Torus(1.0, 0.3)
    assert surfaces.atlas(torus) == torus
    assert surfaces.atlas(surfaces.Ellipsoid(3.0, 2.0, 1.0)).axis == "zx"


def test_a_second_chart_of_a_sphere_costs_little_and_others_the_sum():
    counts = [
        over_the_poles(surface, BODY).compile().op_count().total
        for surface in (surfaces.Sphere(0.7), atlas("sphere"), atlas("three charts of a sphere"))
    ]
    assert counts[1] <= counts[0] + 40
    assert counts[2] <= 3 * counts[0]
