"""Laws of contacts: forces, impulses and nearest points against oracles; several contacts at once; how runs end."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints, surfaces
from anyjoint.simulate import zeno
from anyjoint.simulate.contact import switch
from anyjoint.simulate.contact.impulse import Law, gain, impulses
from anyjoint.simulate.contact.nearest import Nearest
from tests.simulate.contacts import MASS, RADIUS, G, ball_on_plane, changes, free, middle, touching

PLANE = surfaces.Plane()


def rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


# -- nearest points ----------------------------------------------------------------------------------------------------


def test_the_gap_of_an_ellipsoid_over_a_plane():
    """Its lowest point is sqrt(sum (a_i n_i)^2) below its middle, n the normal seen from its axes; poles included."""
    axes = np.array([0.3, 0.2, 0.1])
    nearest = Nearest(PLANE, surfaces.Ellipsoid(*axes).all_charts())
    rng = np.random.default_rng(4)
    for R in [np.eye(3), rotation(rng), rotation(rng), rotation(rng), rotation(rng)]:
        place = np.array([3.0, -2.0, 0.5])
        near = nearest.search(R, place)
        assert abs(near.gap - (0.5 - np.linalg.norm(axes * R[2]))) < 1e-12
        turned = nearest.follow(near.x, R, place + [0.1, 0.2, -0.3])
        assert abs(turned.gap - near.gap + 0.3) < 1e-12


def test_the_gap_of_linked_tori():
    """The tube of a ring in another: brute force over all points."""
    R, r = 0.2, 0.02
    ring = surfaces.Torus(R, r)
    turn, place = rotation(np.random.default_rng(2)), np.array([0.2, 0.03, -0.02])
    near = Nearest(ring, ring).search(turn, place)
    u = np.linspace(0, 2 * np.pi, 2000)
    circle = R * np.stack([np.cos(u), np.sin(u), 0 * u], axis=1)
    other = circle @ turn.T + place
    apart = min(float(np.linalg.norm(circle - p, axis=1).min()) for p in other)
    assert abs(near.gap - (apart - 2 * r)) < 1e-5  # of two thousand points


# -- impulses ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3])
def test_impulses_obey_newton_and_coulomb(count):
    """No contact pulls, none separates too slowly, friction stays within its cone, and energy never grows."""
    rng = np.random.default_rng(count)
    for _ in range(25):
        B = rng.normal(size=(3 * count, 3 * count + 2))
        W, u = B @ B.T, rng.normal(size=3 * count)
        law = Law(rng.uniform(0, 0.3, count), rng.uniform(0, 1, count))
        p = impulses(W, u, law)
        after = u + W @ p
        size = np.abs(u).max()
        assert p[2::3].min() >= 0
        assert after[2::3].min() > -1e-10 * size
        assert (np.hypot(p[0::3], p[1::3]) <= law.friction * p[2::3] * (1 + 1e-9)).all()
        assert gain(W, u, p) == 0.0


def test_restitution_is_lowered_where_it_would_make_energy():
    """Kane and Levinson's paradox: Newton's law and friction on a slanted body."""
    x, z, m, inertia = 0.5, 0.5, 1.0, 0.02
    W = np.diag([1 / m + z * z / inertia, 1 / m, 1 / m + x * x / inertia])
    W[0, 2] = W[2, 0] = -x * z / inertia
    u, law = np.array([-1.0, 0.0, -0.05]), Law(np.array([0.6]), np.array([0.9]))
    p = impulses(W, u, law)
    assert p[2] > 0
    assert gain(W, u, p) == 0.0


# -- forces ------------------------------------------------------------------------------------------------------------


def test_contact_forces_with_loops_and_springs():
    """A ball rolls at the end of a rod, drawn by a spring: contact, weight, rod and spring are all there is."""
    mech = ball_on_plane(5.0, start="rolling")
    pole, length = np.array([0.0, 0.0, 0.4]), 0.5

    @aj.constraint
    def rod(ball):
        d = ball.act((0, 0, 0)) - pole
        return d @ d - length**2

    mech.add_constraint(rod, bodies=("ball",))
    model = mech.compile()
    at = math.sqrt(length**2 - (0.4 - RADIUS) ** 2)
    start = touching(mech, (0, 1.0, 0), (-1.0 / RADIUS, 0, 0), (at, 0.0))
    spring = forces.Spring("ball", (0, 0, 0), None, (0.5, 0.5, 0.3), stiffness=3.0, length=0.1)
    traj = model.simulate(*start, duration=0.2, dt=2e-3, forces=[spring])
    assert traj.status.ok
    assert changes(traj) == []
    velocity, _ = middle(traj)
    R = traj.model.body_poses(traj.q)[:, 0, :3, :3]
    lever, a = traj.v[:, :3], traj.accelerations()[:, 3:]
    acceleration = np.einsum("nij,nj->ni", R, a + np.cross(lever, traj.v[:, 3:]))
    for k in range(0, len(traj.t), 20):
        piece, place = traj.pieces[0], traj.q[k, 4:]
        tau = spring_on_rolling(piece.model, piece.q[k], place)
        y = piece.model.constraint_forces(piece.q[k], piece.v[k], tau)["rod"][0]
        way = np.array([0.5, 0.5, 0.3]) - place
        pulled = 3.0 * (np.linalg.norm(way) - 0.1) * way / np.linalg.norm(way)
        others = MASS * np.array([0, 0, -G]) + pulled - 2 * y * (place - pole)
        assert np.abs(traj.contacts["ball"].forces[k] + others - MASS * acceleration[k]).max() < 1e-9
    assert abs(np.linalg.norm(velocity[0]) - 1.0) < 1e-12


def spring_on_rolling(model, q, place):
    """Generalized forces of the spring on a rolling ball: those of a force at its middle."""
    way = np.array([0.5, 0.5, 0.3]) - place
    pull = 3.0 * (np.linalg.norm(way) - 0.1) * way / np.linalg.norm(way)
    R = model.body_poses(q)[0, :3, :3]
    return model.body_jacobian(q, "ball")[3:].T @ (R.T @ pull)


def test_a_pushed_ball_slips_when_friction_gives_way():
    """A force c t at its middle needs friction 2 c t / 7, which ends at mu m g; the force is given as a wrench."""
    mu, c = 0.2, 10.0
    mech = ball_on_plane(mu, start="rolling")
    model = mech.compile()

    def push(t, q, v):
        return np.concatenate([np.zeros(3), traj_model.body_poses(q)[0, :3, :3].T @ [c * t, 0, 0]])

    traj_model = model.released
    traj = model.simulate(*touching(mech), duration=0.4, dt=2e-3, tau=push)
    assert changes(traj) == ["rolling -> sliding"]
    assert abs(traj.modes[0].time - 3.5 * mu * MASS * G / c) < 1e-8
    assert traj.balance_error() < 1e-6


@pytest.mark.parametrize(("share", "jams"), [(0.98, False), (1.02, True)])
def test_a_rod_jams_as_painleve_found(share, jams):
    """Tip at the origin, middle at (x, z): friction jams it beyond mu = (I / m + x^2) / (x z), if it is pushed."""
    theta, L, r, m, inertia = 1.0, 0.5, 1e-3, 1.0, 1e-2
    x, z = L * math.cos(theta), L * math.sin(theta) + r
    mu = share * (inertia / m + x * x) / (x * z)
    mech = aj.Mechanism("chalk")
    solid = aj.Inertia(mass=m, com=(L, 0, 0), tensor=np.diag([inertia] * 3).tolist())
    mech.add_contact_body("chalk", surfaces=(PLANE, surfaces.Sphere(r)), friction=mu, start="sliding", inertia=solid)
    pose = [math.cos(theta / 2), 0, -math.sin(theta / 2), 0, 0, 0, r]  # the rod points up and along x
    along = [math.cos(theta), 0, -math.sin(theta)]  # the world's x in the rod's axes
    twist = [0, 0, 0, *(-1.0 * np.array(along))]
    joint = mech.bodies[0].joint
    q, v = joints.rechart(joints.FreeQuaternion(), joint, pose, twist, [0, 0, 0, 2.5 * math.pi - 0.5, 0])
    traj = mech.compile().simulate(q, v, duration=1e-4, dt=1e-5)
    assert traj.status.ok is not jams
    assert ("jammed (Painleve)" in traj.status.reason) is jams


def test_infinitely_many_changes_end_a_run(monkeypatch):
    monkeypatch.setattr(zeno, "CROWD", 5)
    monkeypatch.setattr(zeno, "MOMENT", 1e4)
    traj = ball_on_plane(restitution=0.9).compile().simulate(*free(0.2), duration=3.0, dt=0.01)
    assert not traj.status.ok
    assert "'ball' changed its mode 5 times" in traj.status.reason
    assert "(Zeno)" in traj.status.reason
    assert traj.t[-1] == traj.status.time


def test_momentum_that_does_not_change_by_the_impulses_ends_a_run(monkeypatch):
    model = ball_on_plane().compile()
    right = model.released.mass_times
    monkeypatch.setattr(model.released, "mass_times", lambda q, x: 1.001 * np.asarray(right(q, x)), raising=False)
    traj = model.simulate(*free(0.12), duration=0.2)
    assert not traj.status.ok
    assert "momentum is off by 0.001 of the impulse with which 'ball' touched" in traj.status.reason


def test_a_change_of_modes_that_would_move_bodies_ends_a_run(monkeypatch):
    monkeypatch.setattr(switch, "SAME", -1.0)  # so that rounding is too much
    mech = ball_on_plane(start="sliding")
    traj = mech.compile().simulate(*touching(mech), duration=0.1)
    assert not traj.status.ok
    assert "a change of modes moved bodies by" in traj.status.reason


# -- several bodies ----------------------------------------------------------------------------------------------------


def test_a_ball_lands_on_a_cart():
    """Whatever friction does between them, the momentum along the rails is conserved."""
    mech = aj.Mechanism("cart")
    mech.add_body("cart", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.box(2.0, 1.0, 0.5, 0.1))
    mech.add_contact_body(
        "ball", parent="cart", surfaces=(PLANE, surfaces.Sphere(RADIUS)), friction=0.1, restitution=0.4, start="flight",
        inertia=aj.Inertia.sphere(MASS, RADIUS),
    )  # fmt: skip
    q, v = free(0.3, (1.5, 0, 0))
    traj = mech.compile().simulate([0.0, *q], [0.5, *v], duration=0.6, dt=2e-3)
    assert changes(traj)[0] == "flight -> flight"
    assert np.abs(traj.momentum()[:, 3] - (2.0 * 0.5 + MASS * 2.0)).max() < 1e-7
    assert max(impact.imbalance for impact in traj.impacts[:3]) < 1e-12
    assert traj.balance_error() < 1e-6


def test_a_bounce_that_is_none_takes_no_momentum():
    """A ball comes to rest on a plank that swings away: what stops it pushes the plank, so that no energy is made."""
    mech = aj.Mechanism("plank")
    mech.add_body("plank", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.box(2.0, 2.0, 0.3, 0.05))
    mech.add_contact_body(
        "ball", parent="plank", surfaces=(PLANE, surfaces.Sphere(RADIUS)), friction=0.4, restitution=0.3,
        start="flight", inertia=aj.Inertia.sphere(MASS, RADIUS),
    )  # fmt: skip
    q, v = free(0.4)
    q[4] = 0.5
    traj = mech.compile().simulate([0.0, *q], [0.0, *v], duration=0.5, dt=1e-3)
    assert changes(traj)[-1] == "flight -> rolling"
    assert np.diff(sum(traj.energy())).max() < 1e-10  # 1.3e-7 where the speed of the last bounce was just left out
    assert max(impact.imbalance for impact in traj.impacts) < 1e-8


def test_a_ball_lands_on_a_ball_that_rests():
    """The impulse goes through the lower ball into the ground: both rest, and the ground takes it all."""
    mech = ball_on_plane(0.5, start="rolling")
    mech.add_contact_body(
        "upper", parent="ball", surfaces=(surfaces.Sphere(RADIUS), surfaces.Sphere(RADIUS)), friction=0.5,
        start="flight", inertia=aj.Inertia.sphere(MASS, RADIUS),
    )  # fmt: skip
    lower = [0.0, 0.0, 0.0, 2.5 * math.pi, math.pi]  # upright: the ball's own axes are the world's
    body = mech.bodies[0].joint
    R = np.array(body.pose(lower).R, dtype=float)
    up = R.T @ [0, 0, 1]
    model = mech.compile()
    drop = 0.05
    place = (2 * RADIUS + drop) * up
    traj = model.simulate([*lower, 1, 0, 0, 0, *place], np.zeros(9), duration=0.2, dt=2e-3)
    assert abs(traj.modes[0].time - math.sqrt(2 * drop / G)) < 1e-9
    assert changes(traj)[0] == "flight -> rolling"
    assert np.abs(traj.v[-1]).max() < 1e-8
    assert np.abs(traj.contacts["ball"].forces[-1] - [0, 0, 2 * MASS * G]).max() < 1e-8
    assert np.abs(traj.contacts["upper"].forces[-1] - [0, 0, MASS * G]).max() < 1e-8


def test_shaken_links_part_when_the_hand_falls_faster():
    """A ring in a hand that goes up and down by A cos: contact breaks where A w^2 cos = -g, and closes again."""
    ring, solid, A, w = surfaces.Torus(0.2, 0.04), aj.Inertia.torus(0.5, 0.2, 0.04), 0.1, 12.0
    mech = aj.Mechanism("shaken")
    mech.add_body("hand", joint=joints.Prismatic((0, 0, 1)), inertia=aj.Inertia.sphere(1.0, 0.1))
    mech.prescribe("hand", lambda t: A * (1 - aj.cos(w * t)))
    mech.add_body("upper", parent="hand", placement=aj.Pose.rotation_x(math.pi / 2), inertia=solid)
    mech.add_contact_body("link", "upper", surfaces=(ring, ring), friction=0.3, start="rolling", inertia=solid)
    start = [0.0, -math.pi / 2, math.pi, 0.0, math.pi, math.pi / 2]
    traj = mech.compile().simulate(start, np.zeros(4), duration=0.6, dt=2e-3)
    assert changes(traj)[:2] == ["rolling -> flight", "flight -> rolling"]
    parted = math.acos(-G / (A * w * w)) / w
    assert abs(traj.modes[0].time - parted) < 1e-8

    def apart(t):
        s = t - parted
        height, speed = A * (1 - math.cos(w * parted)), A * w * math.sin(w * parted)
        return height + speed * s - G * s * s / 2 - A * (1 - math.cos(w * t))

    low, high = 0.4, 0.55
    for _ in range(60):
        low, high = (low, 0.5 * (low + high)) if apart(0.5 * (low + high)) < 0 else (0.5 * (low + high), high)
    assert abs(traj.modes[1].time - low) < 1e-8


# -- one point of contact ----------------------------------------------------------------------------------------------


def test_a_second_point_of_contact_ends_a_run():
    """A ball slides off a crest and meets the next one, before it can reach the ground between them."""
    mech = aj.Mechanism("crests")
    crests = surfaces.surface(lambda u, v: (u, v, 0.3 * aj.cos(8 * u)), domain=((-0.4, 1.2), (-0.6, 0.6)))
    mech.add_contact_body(
        "ball", surfaces=(crests, surfaces.Sphere(0.4)), start="flight", inertia=aj.Inertia.sphere(1.0, 0.4)
    )
    traj = mech.compile().simulate([1, 0, 0, 0, 0.15, 0, 0.72], np.zeros(6), duration=1.0, dt=2e-3)
    assert not traj.status.ok
    assert "'ball' touches its parent at a second point" in traj.status.reason


def test_a_place_that_was_not_seen_before_ends_a_run_that_is_deep_there():
    """A ball flies from one crest into the side of the next: nearest points are followed, and searched for anew every
    eight steps. Shorter steps see it in time."""
    mech = aj.Mechanism("crests")
    crests = surfaces.surface(lambda u, v: (u, v, 0.3 * aj.cos(8 * u)), domain=((-0.4, 1.2), (-0.6, 0.6)))
    ball = surfaces.Sphere(0.4)
    mech.add_contact_body("ball", surfaces=(crests, ball), start="flight", inertia=aj.Inertia.sphere(1.0, 0.4))
    model, start = mech.compile(), ([1, 0, 0, 0, 0.1, 0, 0.72], [0, 0, 0, 40.0, 0, -3.0])
    traj = model.simulate(*start, duration=0.02, dt=2e-3)
    assert not traj.status.ok
    assert "at a place that was not seen before; use a shorter step than dt = 0.002 s" in traj.status.reason
    traj = model.simulate(*start, duration=0.02, dt=2e-4)
    assert traj.modes[0].change == "flight -> sliding"


def test_a_landing_is_found_between_places_without_nearest_points():
    """A ball over hills that it passes at a metre a step."""
    mech = aj.Mechanism("hills", gravity=(0, 0, -1))
    hills = surfaces.surface(lambda u, v: (u, v, 0.3 * aj.cos(2 * u)), domain=((-1, 9), (-1, 1)))
    ball = surfaces.Sphere(0.1)
    mech.add_contact_body("ball", surfaces=(hills, ball), start="flight", inertia=aj.Inertia.sphere(1.0, 0.1))
    start = [1, 0, 0, 0, 1.3, 0, 0.1], [0, 0, 0, 20.0, 0, 0]
    long, short = (mech.compile().simulate(*start, duration=0.3, dt=dt).modes[0] for dt in (5e-2, 1e-2))
    assert long.time == pytest.approx(short.time, abs=1e-10)


def test_a_body_that_bends_less_than_its_parent_is_refused():
    mech = aj.Mechanism("tight")
    bowl = surfaces.Inside(surfaces.Sphere(0.3))
    mech.add_contact_body("ball", surfaces=(bowl, surfaces.Sphere(0.4)), inertia=aj.Inertia.sphere(1.0, 0.4))
    with pytest.raises(aj.InputError, match="'ball' overlaps its parent around the point where it begins"):
        mech.compile().simulate([0.1, 1.2, 0.3, 1.2, 0.4], duration=0.1)


def test_jelletts_integral_of_a_tippe_top():
    """L . (contact - centre of mass) of a round top is constant whatever friction does, through impact and slip."""
    R, m, e = 0.02, 0.015, 0.2
    across, along = 0.40 * m * R**2, 0.38 * m * R**2
    mech = aj.Mechanism("top")
    tensor = np.diag([across, across, along])
    solid = aj.Inertia(m, com=(0, 0, -e * R), tensor=tensor.tolist())
    mech.add_contact_body("top", surfaces=(PLANE, surfaces.Sphere(R)), friction=0.3, start="flight", inertia=solid)
    tilt, spin = 0.4, 100.0
    q = [math.cos(tilt / 2), math.sin(tilt / 2), 0, 0, 0, 0, R + 1e-4]
    v = [0, spin * math.sin(tilt), spin * math.cos(tilt), 0, 0, 0]
    traj = mech.compile().simulate(q, v, duration=0.15, dt=1e-3, method="rk4")
    assert changes(traj)[0] == "flight -> sliding"
    axes = traj.model.body_poses(traj.q)[:, 0, :3, :3]
    L = np.einsum("nij,nj->ni", axes, traj.v[:, :3] @ tensor)
    jellett = (L * (e * R * axes[:, :, 2] - [0, 0, R])).sum(axis=1)
    assert np.ptp(jellett) < 1e-7 * np.abs(jellett[0])
    assert np.ptp(axes[:, 2, 2]) > 0.05  # it leans over
