"""Contacts, limits and dry friction in one convex step, against closed forms and laws."""

from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from anyjoint.forces.resist import touches
from anyjoint.view.contact import contact_marks
from tests.simulate.touching import MASS, METHOD, RADIUS, G, at, ball, block, leg


@cache
def ball_model(friction=0.3):
    """Compiled once for all that look at it."""
    return ball(friction).compile()


@cache
def die_model():
    mech, shape = aj.Mechanism("die"), shapes.Box(0.2, 0.16, 0.1)
    mech.add_body("die", joint=joints.FreeQuaternion(), inertia=shape.inertia(0.3), shape=shape)
    mech.add_contact("die", friction=0.5)
    return mech.compile()


def run(mech, q, v=None, duration=0.5, dt=1e-3, **options):
    model = mech.compile() if isinstance(mech, aj.Mechanism) else mech
    return model.simulate(q, np.zeros(model.nv) if v is None else v, duration=duration, dt=dt, method=METHOD, **options)


# -- closed forms ----------------------------------------------------------------------------------------------------


def test_a_ball_comes_to_rest_under_its_weight():
    traj = run(ball_model(), at(0.105))
    track = traj.contacts["ball-ground"]
    assert traj.status.ok
    assert track.force[-1] == pytest.approx([0, 0, MASS * G], abs=1e-6)
    assert track.normals[-1, 0] == pytest.approx([0, 0, 1])
    # It sinks in by its weight over the stiffness, 25 times its mass over the square of the step.
    depth = G * 1e-3**2 / 25
    assert traj.q[-1, 6] == pytest.approx(RADIUS - depth, rel=1e-6)
    assert track.points[-1, 0, 2] == pytest.approx(-depth, rel=1e-3)
    assert not track.touching[0].any()


@pytest.mark.parametrize("slope", [0.46, 0.47])
def test_a_block_sticks_below_the_angle_of_friction_and_slips_above(slope):
    mu, duration, dt = 0.5, 0.4, 1e-3  # arctan mu = 0.4636
    traj = run(block(slope, mu), at(0.05), duration=duration, dt=dt)
    force, weight = traj.contacts["block-ground"].force[-1], 2.0 * G
    assert force[2] == pytest.approx(weight * np.cos(slope), rel=1e-9)
    if np.tan(slope) < mu:
        assert traj.q[-1, 4] < 2e-3 * duration  # it has not sunk in at first, when friction is still small
        assert traj.v[-1, 3] < 1e-4
        assert force[0] == pytest.approx(-weight * np.sin(slope), rel=1e-6)
    else:
        slipping = G * (np.sin(slope) - mu * np.cos(slope))
        # Friction begins with the second step, of which so much speed is left.
        assert traj.v[-1, 3] == pytest.approx(slipping * duration, abs=2 * mu * G * dt)
        gained = np.diff(traj.v[-200:, 3]) / dt
        assert gained == pytest.approx(slipping, rel=1e-5)
        assert force[0] == pytest.approx(-mu * force[2], rel=1e-6)


def test_a_bowling_ball_keeps_five_sevenths_of_its_speed():
    traj = run(ball_model(), at(0.12), [0, 0, 0, 1.0, 0, 0], duration=0.5)  # it is even dropped
    speed = np.linalg.norm(traj.v[-1, 3:])
    assert RADIUS * traj.v[-1, 1] == pytest.approx(speed, rel=1e-6)  # it rolls
    assert speed == pytest.approx(5 / 7, rel=1e-6)  # momentum about the ground is kept to rounding and what it creeps


def test_a_spinning_ball_flies_where_it_is_thrown():
    dt, spin = 2e-3, [30.0, -20.0, 10.0]
    traj = run(ball_model(), at(5.0), [*spin, 1.0, 2.0, 3.0], duration=0.5, dt=dt)
    t = traj.t[-1]
    assert traj.q[-1, 4:] == pytest.approx([t, 2 * t, 5 + 3 * t - G * t * t / 2], abs=1e-11)  # of second order
    energy = sum(traj.energy())
    assert np.ptp(energy) < 1e-11


def test_a_stiff_spring_throws_a_ball_back_and_dissipation_takes_its_share():
    """A contact that steps resolve is a spring: a ball comes back as fast as it came, or slower by the law."""
    speeds = {}
    for d in (0.0, 0.5):
        mech = ball(0.0, stiffness=2e4, dissipation=d)
        mech.gravity = (0, 0, 0)
        traj = run(mech, at(0.101), [0, 0, 0, 0, 0, -1.0], duration=0.03, dt=5e-6)
        speeds[d] = traj.v[-1, 5]
        # Half a period of a mass on a spring.
        together = np.ptp(traj.t[traj.contacts["ball-ground"].touching[:, 0]])
        assert together == pytest.approx(np.pi * np.sqrt(MASS / 2e4), rel=0.25 if d else 5e-3)
    assert speeds[0.0] == pytest.approx(1.0, rel=5e-3)
    # m v dv = -k x (1 + d v) dx between x = 0 and x = 0 again: v / d - log(1 + d v) / d^2 is the same at both ends.
    before, after = (v / 0.5 - np.log(1 + 0.5 * v) / 0.25 for v in (1.0, -speeds[0.5]))
    assert after == pytest.approx(before, rel=5e-3)


def test_dry_friction_stops_a_wheel_after_its_energy_is_spent():
    mech = aj.Mechanism("wheel", gravity=(0, 0, 0))
    mech.add_body("wheel", joint=joints.Revolute("z"), inertia=aj.Inertia.cylinder(2.0, 1.0, 0.1), friction=0.5)
    traj = run(mech, [0.0], [2.0], duration=5.0, dt=1e-3)
    assert traj.q[-1, 0] == pytest.approx(1.0 * 2.0**2 / 2 / 0.5, rel=1e-3)  # I w^2 / 2 = friction * angle
    assert abs(traj.v[-1, 0]) < 1e-8


def test_methods_that_do_not_feel_dry_friction_say_so():
    mech = aj.Mechanism("wheels")
    for name in ("one", "two"):
        mech.add_body(name, joint=joints.Revolute("z"), inertia=aj.Inertia.sphere(2.0, 1.0), friction=0.5)
    model = mech.compile()
    plain, auto = (model.simulate(v0=[1, 1], duration=0.1, method=method) for method in ("rk4", "auto"))
    assert plain.status.note.startswith("rk4 does not feel the dry friction of 'one' and 1 more; method=")
    assert (auto.method, auto.status.note) == (METHOD, f"method {METHOD!r} was chosen: no other feels dry friction")
    assert auto.v[-1, 0] < 1.0 == pytest.approx(plain.v[-1, 0])


def test_runs_do_not_know_of_those_before():
    """A contact is as firm as the steps of its own run can follow, and limits are left out where they should be."""
    model = ball_model()
    for dt in (4e-3, 1e-3, 4e-3):
        sunk = RADIUS - run(model, at(RADIUS), duration=50 * dt, dt=dt).q[-1, 6]
        assert sunk == pytest.approx(G * dt**2 / 25, rel=1e-3)
    mech = aj.Mechanism("pendulum")
    stopped = joints.Revolute("y", limits=(-0.5, 0.5))
    mech.add_body("rod", joint=stopped, inertia=aj.Inertia.point(1.0, (0, 0, -1.0)))
    model = mech.compile()
    far = [run(model, [0.4], [3.0], duration=0.1, limits=held).q.max() for held in (True, False, True)]
    assert far[0] == far[2] < 0.51 < far[1]


def test_limits_hold_and_friction_holds_a_pendulum_up():
    mech = aj.Mechanism("pendulum")
    bob = aj.Inertia.point(1.0, (0, 0, -1.0))
    mech.add_body("rod", joint=joints.Revolute("y", limits=(-0.5, 0.5)), inertia=bob)
    mech.add_body("other", joint=joints.Revolute("y"), inertia=bob, friction=1.1 * G * np.sin(0.3))
    traj = run(mech, [0.4, 0.3], [3.0, 0.0], duration=1.0)
    assert traj.q[:, 0].max() < 0.5 + 3.0 * 1e-3  # a step is all that it may be late
    assert traj.q[:, 0].min() > -0.5 - 3.0 * 1e-3
    creep = 1e-4 / np.sqrt(1.1**2 - 1)  # where the share u / sqrt(u^2 + slip^2) of friction is what it takes
    assert np.abs(traj.q[:, 1] - 0.3).max() == pytest.approx(creep, rel=0.01)
    free = run(mech, [0.4, 0.3], [3.0, 0.0], duration=0.1, limits=False)
    assert free.q[:, 0].max() > 0.6


def test_a_rocking_block_loses_what_housner_says():
    """Angular momentum about the corner that lands: 1 - 3/2 sin^2 of the slenderness is left of the speed."""
    width, height, tilt, dt = 0.25, 1.0, 0.15, 1.25e-4
    mech, shape = aj.Mechanism("block"), shapes.Box(0.25, 0.4, 1.0)
    mech.add_body("block", joint=joints.FreeQuaternion(), inertia=shape.inertia(1.0), shape=shape)
    mech.add_contact("block", friction=0.9)
    turn = aj.Pose.rotation_y(tilt)
    x, _, z = aj.Pose.translation(width / 2, 0, 0).act(turn.act((-width / 2, 0, height / 2)))
    traj = run(mech, [np.cos(tilt / 2), 0, np.sin(tilt / 2), 0, x, 0, z], duration=0.7, dt=dt)
    energy = sum(traj.energy()) - G * height / 2
    landed = int(np.argmax(traj.q[:, 2] < 0))
    left = np.sqrt(energy[landed + int(0.05 / dt)] / energy[landed - int(0.01 / dt)])
    assert left == pytest.approx(1 - 1.5 * np.sin(np.arctan(width / height)) ** 2, rel=1.5e-3)


# -- ways that bend, and bodies that turn ------------------------------------------------------------------------------


def test_friction_on_a_bent_way_is_that_of_what_presses():
    """A bead that slides round in a drum is pressed on by m v^2 / R alone: v = v0 / (1 + mu v0 t / R)."""
    mech = aj.Mechanism("drum", gravity=(0, 0, 0))
    mech.add_body("bead", joint=joints.Translational(), inertia=aj.Inertia.sphere(MASS, 0.05))
    mech.add_contact("bead", (0, 0, 0), on=lambda p: 1 - aj.sqrt(p[0] ** 2 + p[1] ** 2), friction=0.1)
    traj = run(mech, [1.0, 0, 0], [0, 2.0, 0], duration=1.0)
    assert np.linalg.norm(traj.v[-1]) == pytest.approx(2 / (1 + 0.1 * 2), rel=2e-4)
    track = traj.contacts["bead-ground"]
    pressed = (track.forces * track.normals).sum(axis=-1)
    aside = np.linalg.norm(track.forces - pressed[..., None] * track.normals, axis=-1)
    assert aside[10:] == pytest.approx(0.1 * pressed[10:], rel=1e-3)


@pytest.mark.parametrize(("friction", "falls"), [(0.3, G - 0.3 * 16), (0.7, 0.0)])
def test_a_drum_that_turns_holds_what_friction_can(friction, falls):
    """The rotor of a fair: what stands at its wall falls with g - mu w^2 R, and not at all where that is below 0."""
    mech = aj.Mechanism("rotor")
    mech.add_body("drum", joint=joints.Revolute("z"), inertia=aj.Inertia.cylinder(1e4, 1.0, 1.0))
    mech.add_body("rider", joint=joints.Translational(), inertia=aj.Inertia.sphere(MASS, 0.05))
    wall = lambda p: 1 - aj.sqrt(p[0] ** 2 + p[1] ** 2)  # noqa: E731
    mech.add_contact("rider", (0, 0, 0), on=wall, of="drum", friction=friction)
    traj = run(mech, [0, 1.0, 0, 0], [4.0, 0, 4.0, 0], duration=0.5)
    assert traj.v[-1, 3] == pytest.approx(-falls * 0.5, rel=5e-3, abs=2e-5)


@pytest.mark.parametrize("dt", [1e-3, 2e-3])
def test_what_lies_on_a_turntable_creeps_no_faster_than_elsewhere(dt):
    """At 0.3 m and 4 rad/s, held by friction: not h w^2 r / 2, 2.4 mm/s, but less than 10 um/s."""
    mech, size = aj.Mechanism("turntable"), (0.06, 0.06, 0.04)
    mech.add_body("table", joint=joints.Revolute("z"), inertia=aj.Inertia.cylinder(1e3, 1.0, 0.1))
    box = shapes.Box(*size)
    mech.add_body("box", joint=joints.FreeQuaternion(), inertia=box.inertia(MASS), shape=box)
    mech.add_contact("box", on=distances.HalfSpace(), of="table", friction=0.8)
    traj = run(mech, [0, *at(0.02, 0.3)], [4.0, 0, 0, 4.0, 0, 1.2, 0], duration=0.5, dt=dt)
    away = np.hypot(traj.q[:, 5], traj.q[:, 6])
    half = len(away) // 2
    assert abs(away[-1] - away[half]) < 1e-5 * (traj.t[-1] - traj.t[half])


# -- laws --------------------------------------------------------------------------------------------------------------


def superellipsoid(p):
    return (p[0] / 0.2) ** 4 + (p[1] / 0.15) ** 4 + (p[2] / 0.12) ** 4 - 1


@pytest.mark.parametrize("shape", [shapes.Sphere(0.05), shapes.Capsule(0.05, 0.3)], ids=["ball", "capsule"])
@pytest.mark.parametrize(
    "on",
    [distances.Sphere(0.15), distances.Capsule(0.1, 0.2), distances.Cylinder(0.15, 0.2), superellipsoid,
     lambda p: p[0] ** 2 + 2 * p[1] ** 2 + 3 * p[2] ** 2 - 0.04],
    ids=["sphere", "capsule", "cylinder", "superellipsoid", "ellipsoid"],
)  # fmt: skip
def test_gaps_change_by_the_rate_along_the_normal(shape, on):
    """Of what touches nearest: else forces would be no slopes of an energy, and contacts would make some."""
    mech, rng = aj.Mechanism("one"), np.random.default_rng(5)
    mech.add_body("it", joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(1.0, 0.1))
    touch, e = touches(mech, mech.add_contact("it", shape, on=on))[-1], 1e-6
    for _ in range(12):
        turn, away = rng.normal(size=(2, 3))
        pose = aj.Pose.translation(*(0.28 * away / np.linalg.norm(away))) @ aj.Pose.rotation(turn, 1.0)
        w, u = rng.normal(size=(2, 3))
        spin = np.linalg.norm(w)
        far = [aj.Pose.translation(*(x * u)) @ pose @ aj.Pose.rotation(w, x * spin) for x in (-e, e)]
        behind, ahead = (float(touch.meeting(x, aj.Pose(), touch.numbers)[0]) for x in far)
        _, point, normal = (np.array(x, dtype=float) for x in touch.meeting(pose, aj.Pose(), touch.numbers))
        T = np.array(pose.matrix, dtype=float)
        rate = normal @ (u + np.cross(T[:3, :3] @ w, point - T[:3, 3]))
        assert (ahead - behind) / (2 * e) == pytest.approx(rate, abs=3e-3)


def test_accelerations_balance_the_forces_that_are_told():
    """(M + h D + h^2 K) a = -bias - D v - h K v + J^T F at velocities in the middle of the step: the dense oracle."""
    mech = leg()
    model, h = mech.compile(), 2e-3
    free = aj.Mechanism("free")
    for body in mech.bodies:
        free.add_body(body.name, None if body.parent < 0 else mech.bodies[body.parent].name, body.joint, body.placement,
                      body.inertia)  # fmt: skip
    plain, rng = free.compile(), np.random.default_rng(3)
    K, D = np.diag([0, 60.0, 60.0]), np.diag([0, 1.5, 1.5])
    pushed = 0
    for _ in range(20):
        q, v = np.array([0.0, 0.4, -0.8]) + 0.1 * rng.normal(size=3), rng.normal(size=3)
        q[0] += rng.uniform(-1e-3, 3e-3) - (plain.body_poses(q)[2] @ [0, 0, -0.4, 1])[2]  # near the ground
        a, contacts = model.contact_acceleration(q, v, np.zeros(3), [h])
        point, _, force = contacts[0]
        J, T = plain.body_jacobian(q, "shank"), plain.body_poses(q)[2]
        arm = T[:3, :3].T @ (point - T[:3, 3])
        J = T[:3, :3] @ (J[3:] - np.cross(arm, J[:3].T).T)
        left = (plain.mass_matrix(q) + h * D + h * h * K) @ a
        right = J.T @ force - plain.bias_forces(q, v + h / 2 * a) - (D + h * K) @ v - K @ q
        # Velocities in the middle are those of the last pass but one.
        assert left == pytest.approx(right, abs=5e-5 * max(1.0, np.abs(force).max()))
        pushed += force[2] > 1.0
    assert 5 < pushed < 20


def test_momentum_changes_by_what_contacts_and_weight_push():
    dt = 1e-3
    traj = run(ball_model(), at(0.12), [3.0, 1.0, 0, 1.0, 0.5, 0], duration=0.3, dt=dt)
    momentum, pushed = traj.momentum()[:, 3:], traj.contacts["ball-ground"].force[1:]
    assert np.diff(momentum, axis=0) / dt == pytest.approx(pushed + [0, 0, -MASS * G], abs=1e-7 * pushed.max())


def test_friction_never_exceeds_its_share_and_contacts_never_pull():
    traj = run(block(0.6, 0.4), at(0.06), [2.0, 1.0, 0, 0, 0, 0], duration=0.5)
    track = traj.contacts["block-ground"]
    assert track.forces[..., 2].min() >= -1e-9
    # Friction is that of the normal force one step before.
    before, aside = track.forces[:-1, :, 2], np.linalg.norm(track.forces[1:, :, :2], axis=-1)
    assert (aside <= 0.4 * before * (1 + 1e-2) + 0.05).all()


@pytest.mark.parametrize("dt", [1e-3, 4e-3])
def test_energy_never_grows(dt):
    """A tumbling box that falls, with what contacts store; also where a contact is lost and where it spins fast."""
    traj = run(die_model(), at(0.4), [9.0, 14.0, -4.0, 0.5, 0, 0], duration=1.5, dt=dt)
    kinetic, potential = traj.energy()
    low = np.minimum(traj.contacts["die-ground"].points[1:, :, 2], 0.0)
    total = kinetic[1:] + potential[1:]
    stored = 25 * 0.3 / dt**2 * (low**2).sum(axis=1) / 2  # corners feel less than the mass
    highest = np.maximum.accumulate(total[::-1])[::-1]  # the largest energy that is still to come
    assert (highest <= (total + stored) * (1 + 1e-3) + 1e-4).all()
    assert traj.status.ok
    assert kinetic[-1] < 1e-6  # and it comes to rest


def test_a_fast_gyroscope_in_free_flight_keeps_its_energy():
    traj = run(die_model(), at(500.0), [1.0, 20.0, 2.0, 1, 0, 0], duration=5.0, dt=2e-3)
    assert traj.contacts["die-ground"].forces.max() == 0
    kinetic = traj.energy()[0] - 0.3 / 2 * (traj.v[:, 3:] ** 2).sum(axis=1)  # of turning
    assert kinetic == pytest.approx(kinetic[0], rel=1e-6)


def test_a_thin_rod_that_turns_by_radians_in_a_step_gains_nothing():
    """Gyroscopic forces of the middle of the step are found, though simple passes lead away from them."""
    mech = aj.Mechanism("rod")
    rod = shapes.Box(0.4, 1.5e-3, 1.5e-3)
    mech.add_body("rod", joint=joints.FreeQuaternion(), inertia=rod.inertia(0.35), shape=rod)
    mech.add_contact("rod", friction=0.3)
    traj = run(mech, at(50.0), [1300.0, 6.0, -4.0, 0, 0, 0], duration=1.0, dt=2e-3)
    kinetic = traj.energy()[0] - 0.35 / 2 * (traj.v[:, 3:] ** 2).sum(axis=1)
    assert kinetic.max() < (1 + 1e-4) * kinetic[0]


def test_bodies_push_each_other_with_equal_forces():
    """Two free balls: their momentum stays, and equal ones exchange velocities along the line between them."""
    mech = aj.Mechanism("billiards", gravity=(0, 0, 0))
    for name in ("a", "b"):
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=aj.Inertia.sphere(0.2, 0.05),
                      shape=shapes.Sphere(0.05))  # fmt: skip
    mech.add_contact("b", on=distances.Sphere(0.05), of="a", stiffness=1e4)
    q = np.concatenate([at(0.0), at(0.0, 0.12, 0.02)])
    traj = run(mech, q, [0, 0, 0, 1.0, 0, 0, *[0] * 6], duration=0.1, dt=1e-5)
    momentum = traj.momentum()
    assert momentum[:, 3:] == pytest.approx(np.broadcast_to([0.2, 0, 0], (len(traj.t), 3)), abs=1e-9)
    line = traj.contacts["b-a"].normals[traj.contacts["b-a"].touching[:, 0], 0][0]
    assert traj.v[-1, 9:] == pytest.approx(line * line[0], abs=0.02)
    assert traj.v[-1, 3:6] == pytest.approx([1, 0, 0] - line * line[0], abs=0.02)


def test_equal_boxes_stand_on_each_other():
    """Corners that lie right on edges are pushed up, not aside; two bodies are the smallest pile."""
    mech, shape, face = aj.Mechanism("stack"), shapes.Box(0.2, 0.2, 0.1), distances.Box(0.2, 0.2, 0.1)
    for name in ("low", "high"):
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=shape.inertia(0.3), shape=shape)
    mech.add_contact("low", friction=0.5)
    mech.add_contact("high", on=face, of="low", friction=0.5)
    mech.add_contact("low", on=face, of="high", friction=0.5)
    traj = run(mech, [*at(0.05), *at(0.15)], duration=0.5)
    between = traj.contacts["high-low"].force[-1] - traj.contacts["low-high"].force[-1]
    assert between == pytest.approx([0, 0, 0.3 * G], abs=1e-4)
    assert traj.contacts["low-ground"].force[-1] == pytest.approx([0, 0, 0.6 * G], abs=1e-4)
    assert traj.q[-1] == pytest.approx([*at(0.05), *at(0.15)], abs=1e-5)


@pytest.mark.slow
def test_capsules_rest_on_their_sides_and_roll_off_balls():
    mech = aj.Mechanism("capsules")
    capsule = shapes.Capsule(0.05, 0.4)
    for name in ("flat", "across"):
        mech.add_body(name, joint=joints.FreeQuaternion(), inertia=capsule.inertia(1.0), shape=capsule)
    mech.add_contact("flat", friction=0.3)
    mech.add_contact("across", on=distances.Capsule(0.05, 0.4), of="flat", friction=0.9)
    s = np.sqrt(0.5)
    # One along y on the ground, one along x across it: it balances on the middle of the other.
    q = [s, s, 0, 0, 0, 0, 0.05, s, 0, s, 0, 0, 0, 0.15]
    traj = run(mech, q, duration=0.3)
    crossing = traj.contacts["across-flat"]
    assert crossing.force[-1] == pytest.approx([0, 0, G], abs=1e-3)
    assert crossing.points[-1, crossing.touching[-1]] == pytest.approx(np.array([[0, 0, 0.1]]), abs=1e-4)
    assert traj.contacts["flat-ground"].force[-1] == pytest.approx([0, 0, 2 * G], abs=1e-3)


@pytest.mark.slow
def test_a_ball_rests_where_a_height_field_is_lowest():
    x = np.linspace(-1, 1, 9)
    field = distances.HeightField(0.3 * (x[:, None] ** 2 + x[None] ** 2))
    traj = run(ball(0.0, on=field), at(0.1, 0.0, 0.0), duration=0.05)
    assert traj.contacts["ball-ground"].force[-1] == pytest.approx([0, 0, MASS * G], abs=1e-3)


def test_a_ball_swings_in_a_bowl_of_ones_own():
    def bowl(p):
        return p[2] - 0.3 * (p[0] ** 2 + p[1] ** 2)

    # Without friction it swings through the bowl as a bead on the curve of its centre, to first order in the angle.
    traj = run(ball(0.0, on=bowl), at(RADIUS + 1e-6, 0.02), duration=1.6, dt=5e-4)
    radius = 1 / 0.6 - RADIUS
    half = traj.t[np.argmin(traj.q[:, 4])]
    assert half == pytest.approx(np.pi * np.sqrt(radius / G), rel=5e-3)


def test_loops_and_contacts_hold_together():
    """A parallelogram whose coupler lies on a point of the ground bears its weight there."""
    mech = aj.Mechanism("four-bar")
    rod = aj.Inertia.point(1.0, (0, 0, 0.5)) + aj.Inertia.sphere(0.1, 0.1)
    mech.add_body("left", joint=joints.Revolute("y"), inertia=rod)
    mech.add_body("coupler", "left", joints.Revolute("y"), aj.Pose.translation(0, 0, 1), aj.Inertia.sphere(1.0, 0.1))
    mech.add_body("right", joint=joints.Revolute("y"), placement=aj.Pose.translation(1, 0, 0), inertia=rod)
    mech.add_loop("coupler", "right", joint=joints.Spherical(), at=((1, 0, 0), (0, 0, 1)))
    mech.add_contact("coupler", (0.5, 0, 0), on=distances.HalfSpace(offset=0.6), dissipation=50.0)
    angle = np.arccos(0.6) - 0.002
    traj = run(mech, [angle, -angle, angle], duration=2.0)
    assert traj.status.ok
    assert traj.status.drift < 1e-9
    # Virtual work: the coupler's weight, and that of two rods at half the height.
    assert traj.contacts["coupler-ground"].force[-1, 2] == pytest.approx(1.0 * G + 2 * 1.0 * G * 0.5, rel=1e-4)


def test_what_is_welded_moves_with_what_it_is_welded_to():
    """A table that is welded to the ground bears a ball; a foot that is welded to a trunk bears the trunk."""
    mech = aj.Mechanism("table")
    mech.add_body("leg", placement=aj.Pose.translation(0, 0, 0.3))
    mech.add_body("table", "leg", placement=aj.Pose.translation(0, 0, 0.2))
    mech.add_body("trunk", joint=joints.Prismatic("z"), inertia=aj.Inertia.sphere(1.0, 0.1))
    foot = aj.Pose.translation(0, 0, -0.5) @ aj.Pose.rotation_x(0.3)
    mech.add_body("foot", "trunk", placement=foot, inertia=aj.Inertia.sphere(0.5, 0.1))
    mech.add_contact("foot", shapes.Sphere(0.1), on=distances.Box(1, 1, 0.1), of="table")
    traj = run(mech, [0.5 + 0.05 + 0.1 + 0.5], duration=0.2)
    assert traj.contacts["foot-table"].force[-1] == pytest.approx([0, 0, 1.5 * G], rel=1e-6, abs=1e-9)
    assert traj.contacts["foot-table"].points[-1, 0] == pytest.approx([0, 0, 0.55], abs=1e-5)


# -- ways to run -------------------------------------------------------------------------------------------------------


def test_batches_steps_callbacks_and_short_numbers_agree():
    model, v = ball_model(), np.array([0, 1.0, 0, 1.0, 0, 0])
    q = np.array([at(0.11), at(0.13), at(0.3)])
    traj = model.simulate(q, np.tile(v, (3, 1)), duration=0.2, method=METHOD)
    for k in range(3):
        one, many = model.simulate(q[k], v, duration=0.2, method=METHOD), traj.member(k)
        assert np.array_equal(one.q, many.q)
        track, other = one.contacts["ball-ground"], many.contacts["ball-ground"]
        assert np.array_equal(track.forces, other.forces)
    asked = model.simulate(q[0], v, duration=0.2, method=METHOD, tau=lambda t, q, v: np.zeros(6))
    assert asked.q == pytest.approx(traj.q[:, 0], abs=1e-12)
    assert asked.contacts["ball-ground"].forces == pytest.approx(traj.contacts["ball-ground"].forces[:, 0], abs=1e-8)
    at_q, at_v = q[0], v
    for _ in range(50):
        at_q, at_v = model.step(at_q, at_v, dt=1e-3, method=METHOD)
    assert np.array_equal(at_q, traj.q[50, 0])
    short = ball().compile(dtype="float32").simulate(q[0], v, duration=0.2, method=METHOD)
    assert short.q[-1] == pytest.approx(traj.q[-1, 0], abs=5e-4)
    assert short.contacts["ball-ground"].force[-1, 2] == pytest.approx(MASS * G, rel=1e-3)


def test_contacts_are_drawn_saved_and_resampled(tmp_path):
    traj = run(ball_model(), at(0.11), duration=0.2, save_every=2)
    points, forces = contact_marks(traj, np.array([0, len(traj.t) - 1]), traj.model.body_poses(traj.q[[0, -1]]))
    assert (len(points[0]), len(points[1])) == (0, 1)  # in the air, on the ground
    assert points[1][0] == pytest.approx([0, 0, 0], abs=1e-5)
    assert forces[1][0, 2] > 0
    again = aj.Trajectory.load(traj.save(tmp_path / "run.npz"), traj.model)
    for what in ("points", "normals", "forces"):
        kept, read = (getattr(x.contacts["ball-ground"], what) for x in (traj, again))
        assert np.array_equal(kept, read, equal_nan=True)
    some = traj.resample([0.05, 0.199, 0.2])
    assert np.array_equal(some.contacts["ball-ground"].forces[-1], traj.contacts["ball-ground"].forces[-1])
    assert some.v[-1] == pytest.approx(traj.v[-1], abs=1e-9)


def test_forces_are_felt_within_the_same_step():
    """A stiff spring that presses a ball onto the ground adds to its weight."""
    press = aj.forces.Spring("ball", (0, 0, 0), None, (0, 0, -2.0), stiffness=100.0, length=2.0)
    traj = run(ball_model(), at(RADIUS), duration=0.3, forces=[press])
    assert traj.contacts["ball-ground"].force[-1, 2] == pytest.approx(MASS * G + 100 * RADIUS, rel=1e-3)  # it sinks in


@pytest.mark.parametrize("part", [1e-3, 0.3])
def test_a_short_step_throws_nothing_out(part):
    """A contact is as stiff in a step that is cut short, by an event or by the end, as in all others."""
    dt, rest = 1e-3, at(RADIUS - G * 1e-6 / 25)
    last = run(ball_model(), rest, duration=(10 + part) * dt, dt=dt)
    assert np.abs(last.v[-1]).max() < 1e-9
    assert last.contacts["ball-ground"].force[-1] == pytest.approx([0, 0, MASS * G], rel=1e-6)
    end = aj.Event(lambda t, q, v: t - (5 + part) * dt, terminal=True)
    cut = run(ball_model(), rest, duration=0.01, dt=dt, events=[end])
    assert cut.t[-1] == pytest.approx((5 + part) * dt)
    assert np.abs(cut.v[-1]).max() < 1e-9


# -- piles -----------------------------------------------------------------------------------------------------


def tower(count, near):
    """Balls above each other; every ball may touch the ground and `near` balls below it."""
    mech = aj.Mechanism("tower")
    for k in range(count):
        solid = aj.Inertia.sphere(MASS, RADIUS).moved(aj.Pose.translation(0.01 * k, 0, 0))
        mech.add_body(f"ball {k}", joint=joints.FreeQuaternion(), inertia=solid, shape=shapes.Sphere(RADIUS))
        mech.add_contact(f"ball {k}", friction=0.4)
        for j in range(max(0, k - near), k):
            mech.add_contact(f"ball {k}", on=distances.Sphere(RADIUS), of=f"ball {j}", friction=0.3)
    return mech, np.concatenate([at(RADIUS + 2.01 * RADIUS * k, 0.02 * (k % 3), 0.01 * (k % 2)) for k in range(count)])


def test_a_pile_is_solved_block_by_block_and_says_the_same():
    """Where more pairs are named than ever touch, twists are eliminated instead of multipliers: the same motion."""
    options = {"duration": 0.2, "dt": 2e-3, "method": METHOD}
    (many, q0), (few, _) = tower(6, 6), tower(6, 1)
    pile, chain = (mech.compile().simulate(q0, **options) for mech in (many, few))
    assert pile.status.ok
    assert np.abs(pile.q - chain.q).max() < 1e-8  # equations are solved to that
    for k in range(1, 6):
        name = f"ball {k}-ball {k - 1}"
        assert pile.contacts[name].force == pytest.approx(chain.contacts[name].force, abs=1e-5)  # of up to 50 N


def test_the_code_of_a_pile_does_not_grow():
    sizes = []
    for count in (7, 9):
        trace = tower(count, count)[0].compile().program("contact_acceleration").trace
        sizes.append(sum(len(kernel.stores) for kernel in trace.schedule.kernels))
    assert sizes[1] < 1.1 * sizes[0]  # pairs grow from 21 to 36; rows are copied in blocks, the last varies
