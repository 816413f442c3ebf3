"""Laws of contacts: balance, energy, bodies on bodies, loops and welds."""

from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import distances, joints, shapes
from anyjoint.forces.resist import touches
from tests.simulate.touching import MASS, RADIUS, G, at, ball, ball_model, block, leg, run


@cache
def die_model():
    mech, shape = aj.Mechanism("die"), shapes.Box(0.2, 0.16, 0.1)
    mech.add_body("die", joint=joints.FreeQuaternion(), inertia=shape.inertia(0.3), shape=shape)
    mech.add_contact("die", friction=0.5)
    return mech.compile()


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
    """(M + h D + h^2 K) a = -bias - D v - h K v + J^T F in the true middle of the step, h^2/4 a from where velocities
    lead to, and at velocities there: the dense oracle."""
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
        way = 0.25 * h * h * a * (0, 1, 1)  # inertia does not know where the slide on the ground is
        assert np.linalg.norm(way) > 1.5e-4  # all of it counts
        q = q + way
        J, T = plain.body_jacobian(q, "shank"), plain.body_poses(q)[2]
        arm = T[:3, :3].T @ (point - T[:3, 3])
        J = T[:3, :3] @ (J[3:] - np.cross(arm, J[:3].T).T)
        left = (plain.mass_matrix(q) + h * D + h * h * K) @ a
        right = J.T @ force - plain.bias_forces(q, v + h / 2 * a) - (D + h * K) @ v - K @ q
        # Velocities in the middle are those of the last pass but one, the middle is where the first solution led to.
        assert left == pytest.approx(right, abs=1e-4 * max(np.abs(force).max(), np.abs(left).max()))
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
