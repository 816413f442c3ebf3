"""Contacts, limits and dry friction in one convex step, against closed forms."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from tests.simulate.touching import MASS, METHOD, RADIUS, G, at, ball, ball_model, block, run


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


def test_friction_on_a_bent_way_is_the_same_from_the_true_middle():
    """A bead on two slides turns by 0.04 rad in a step, which is solved again from its middle, with gaps as before."""
    mech = aj.Mechanism("drum", gravity=(0, 0, 0))
    mech.add_body("slide", joint=joints.Prismatic("x"), inertia=aj.Inertia.sphere(1e-4, 0.05))
    mech.add_body("bead", "slide", joint=joints.Prismatic("y"), inertia=aj.Inertia.sphere(MASS, 0.05))
    mech.add_contact("bead", (0, 0, 0), on=lambda p: 1 - aj.sqrt(p[0] ** 2 + p[1] ** 2), friction=0.1)
    traj = run(mech, [1.0, 0], [0, 20.0], duration=1.0, dt=2e-3)
    assert np.linalg.norm(traj.v[-1]) == pytest.approx(20 / (1 + 0.1 * 20), rel=1e-2)


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
