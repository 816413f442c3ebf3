"""Contacts that break and form, stick and slip, against closed forms."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import surfaces
from anyjoint.simulate.contact import stride
from tests.simulate.contacts import MASS, RADIUS, G, ball_on_plane, changes, free, middle, touching


@pytest.mark.parametrize(("method", "dt"), [("rk4", 1e-3), ("rk4", 0.03), ("dopri5", 0.02)])
def test_a_ball_lands(method, dt):
    """Touch-down at sqrt(2 h / g), to the rounding to which events are located: a parabola is exact for any step."""
    q, v = free(1.0, (1.0, 0, 0))
    traj = ball_on_plane().compile().simulate(q, v, duration=0.6, dt=dt, method=method)
    time, body, change, reason = traj.modes[0]
    assert abs(time - math.sqrt(2 * 0.9 / G)) < 1e-11
    assert (body, change) == ("ball", "flight -> rolling")
    assert "touched" in reason
    assert traj.status.ok


def test_a_ball_bounces_as_newton_says():
    """Bounce k at t1 + 2 v1 (e + ... + e^k) / g; the ball rests after infinitely many, at t1 (1 + e) / (1 - e)."""
    e, h = 0.7, 0.9
    q, v = free(h + RADIUS)
    traj = ball_on_plane(restitution=e).compile().simulate(q, v, duration=2.6, dt=2e-3)
    t1 = math.sqrt(2 * h / G)
    expected = t1 + 2 * t1 * np.cumsum([0.0, *e ** np.arange(1, 12)])
    assert np.abs(np.array([record.time for record in traj.modes[:12]]) - expected).max() < 1e-10
    assert changes(traj)[:12] == ["flight -> flight"] * 12
    resting = next(record.time for record in traj.modes if record.change != "flight -> flight")
    # What is left out is shorter than a bounce that counts: 1e-4 dt, and all that follow.
    assert abs(resting - t1 * (1 + e) / (1 - e)) < 1e-4 * 2e-3 / (1 - e)
    assert traj.status.ok
    assert abs(traj.q[-1, 6] - RADIUS) < 1e-12
    assert np.abs(traj.v[-1]).max() < 1e-9
    # The energy after every bounce is e^2 of the one before, and all that is lost is accounted for.
    lost = [impact.lost for impact in traj.impacts[:6]]
    assert np.allclose(lost, MASS * G * h * (1 - e * e) * e ** (2 * np.arange(6)), rtol=1e-9)
    assert traj.balance_error() < 1e-12


@pytest.mark.parametrize("dt", [1e-3, 0.01])
def test_steps_of_first_order_come_to_rest_and_do_not_sink(dt):
    """They end short bounces with no speed at all, of either sign; such a ball once sank at 6 mm/s."""
    model = ball_on_plane(restitution=0.5).compile()
    traj = model.simulate(*free(0.5, (0.5, 0, 0), (3, 20, 0)), duration=1.2, dt=dt, method="semi-implicit-euler")
    assert traj.status.ok
    assert len(traj.modes) < 20
    assert changes(traj)[-1].endswith("rolling")
    assert np.abs(traj.q[-5:, 6] - RADIUS).max() < 1e-9
    assert traj.q[:, 6].min() > RADIUS - 1e-9
    assert traj.contacts["ball"].forces[-1, 2] == pytest.approx(MASS * G, rel=1e-6)


@pytest.mark.parametrize("friction", [0.05, 0.6])
def test_a_ball_lands_with_speed(friction):
    """The impulse stops slip if 2 m v / 7 <= mu m u, where it rolls with 5 v / 7; else it slows by mu u."""
    v, u = 3.0, math.sqrt(2 * G * 0.9)
    traj = ball_on_plane(friction).compile().simulate(*free(1.0, (v, 0, 0)), duration=0.45, dt=1e-3)
    speed, omega = middle(traj)
    after = int(np.searchsorted(traj.t, traj.modes[0].time)) + 1
    rolls = 2 * v / 7 <= friction * u
    assert changes(traj)[:1] == [f"flight -> {'rolling' if rolls else 'sliding'}"]
    expected = 5 * v / 7 if rolls else v - friction * u
    assert abs(speed[after, 0] - expected) < 1e-9
    assert abs(omega[after, 1] - 2.5 * (v - expected) / RADIUS) < 1e-8
    assert abs(traj.impacts[0].impulse - MASS * np.array([expected - v, 0, u])).max() < 1e-9


LONG = pytest.param("dopri5", 0.05, 1e-8, marks=pytest.mark.slow)


@pytest.mark.parametrize(("method", "dt", "error"), [("rk4", 2e-3, 1e-6), LONG])
def test_a_bowling_ball_ends_up_rolling_at_five_sevenths(method, dt, error):
    """It slips until 2 v / (7 mu g), then rolls at 5 v / 7; friction has done -m v^2 / 7 of work by then.

    Velocities are seen in a frame that turns with the ball, so that steps have errors; dopri5 keeps them small.
    """
    mu, v = 0.2, 4.0
    mech = ball_on_plane(mu, start="sliding")
    start = touching(mech, (v, 0, 0))
    traj = mech.compile().simulate(*start, duration=0.7, dt=dt, method=method, rtol=1e-10, atol=1e-12)
    assert changes(traj) == ["sliding -> rolling"]
    assert abs(traj.modes[0].time - 2 * v / (7 * mu * G)) < error
    speed, omega = middle(traj)
    assert abs(speed[-1] - [5 * v / 7, 0, 0]).max() < error
    assert abs(omega[-1] - [0, 5 * v / 7 / RADIUS, 0]).max() < error / RADIUS
    assert abs(traj.work()[-1] + MASS * v * v / 7) < error
    assert traj.balance_error() < error


@pytest.mark.parametrize("share", [0.97, 1.03])
def test_a_ball_rolls_down_a_slope_up_to_a_steepness(share):
    """It rolls while tan(slope) <= 7 mu / 2, at 5/7 g sin; beyond that it slips, at g (sin - mu cos)."""
    mu = 0.2
    tilt = math.atan(share * 3.5 * mu)
    mech = ball_on_plane(mu, start="rolling", tilt=tilt)
    traj = mech.compile().simulate(*touching(mech), duration=0.3, dt=0.05, method="dopri5", rtol=1e-10, atol=1e-12)
    rolls = share < 1
    assert changes(traj) == ([] if rolls else ["rolling -> sliding"])
    a = 5 / 7 * G * math.sin(tilt) if rolls else G * (math.sin(tilt) - mu * math.cos(tilt))
    speed, omega = middle(traj)
    assert abs(speed[-1, 0] - 0.3 * a) < 1e-8
    turned = a if rolls else 2.5 * mu * G * math.cos(tilt)
    assert abs(omega[-1, 1] - 0.3 * turned / RADIUS) < 1e-7
    force = traj.contacts["ball"].forces
    needed = 2 / 7 * MASS * G * math.sin(tilt) if rolls else mu * MASS * G * math.cos(tilt)
    assert np.abs(force - [-needed, 0, MASS * G * math.cos(tilt)])[1:].max() < 1e-8
    assert traj.balance_error() < 1e-8


@pytest.mark.parametrize(("share", "sticks"), [(1 - 1e-6, True), (1 + 1e-6, False)])
def test_a_block_sticks_below_the_angle_of_friction(share, sticks):
    """A block is a ball that hardly turns, by its large inertia: friction makes it turn by 2e-7 rad/s in a second."""
    mu, heavy = 0.4, 1e6
    tilt = math.atan(share * mu)
    inertia = aj.Inertia(mass=MASS, tensor=(np.eye(3) * heavy).tolist())
    mech = ball_on_plane(mu, start="rolling", tilt=tilt, inertia=inertia)
    traj = mech.compile().simulate(*touching(mech), duration=1.0, dt=0.05)
    assert changes(traj) == ([] if sticks else ["rolling -> sliding"])
    speed, _ = middle(traj)
    assert abs(speed[-1, 0] - (0.0 if sticks else G * (math.sin(tilt) - mu * math.cos(tilt)))) < 1e-7 * (sticks or 1e-3)


def test_a_block_slides_uphill_stops_and_comes_back():
    """Up with g (sin + mu cos) until it stops, down with g (sin - mu cos); friction work is the energy lost."""
    mu, tilt, v = 0.3, 0.6, 2.0
    inertia = aj.Inertia(mass=MASS, tensor=(np.eye(3) * 1e6).tolist())
    mech = ball_on_plane(mu, start="sliding", tilt=tilt, inertia=inertia)
    traj = mech.compile().simulate(*touching(mech, (-v, 0, 0)), duration=1.0, dt=0.01)
    up, down = G * (math.sin(tilt) + mu * math.cos(tilt)), G * (math.sin(tilt) - mu * math.cos(tilt))
    assert changes(traj) == ["sliding -> rolling", "rolling -> sliding"]  # it rests for no time at all
    stopped = v / up
    assert max(abs(record.time - stopped) for record in traj.modes) < 1e-8  # its inertia is large, not infinite
    speed, _ = middle(traj)
    assert abs(speed[-1, 0] - down * (1.0 - stopped)) < 1e-7
    way = 0.5 * v * stopped + 0.5 * down * (1.0 - stopped) ** 2
    assert abs(traj.work()[-1] + mu * MASS * G * math.cos(tilt) * way) < 1e-7
    assert traj.balance_error() < 1e-9


def test_a_ball_slides_off_a_globe():
    """Without friction it leaves where cos = 2/3 + v^2 / (3 g (R + r)), and then falls freely."""
    R, r, v = 1.0, 0.2, 0.3
    mech = aj.Mechanism("globe")
    mech.add_contact_body(
        "ball", surfaces=(surfaces.Sphere(R), surfaces.Sphere(r)), start="sliding", inertia=aj.Inertia.sphere(1.0, r)
    )
    model = mech.compile()
    q0 = model.rechart([0.0, 1e-9, 0.3, 1.2, 0.4], np.zeros(5))[0]  # the top is a pole of the first chart
    joint = mech.bodies[0].joint
    contact = np.array(joint.legs(q0.tolist())[1].R, dtype=float)
    along = contact.T @ np.array(joint.pose(q0.tolist()).R, dtype=float).T @ [v, 0, 0]
    traj = model.simulate(q0, [0, 0, 0, *along[:2]], duration=1.2, dt=2e-3)
    assert changes(traj)[0] == "sliding -> flight"
    k = int(np.searchsorted(traj.t, traj.modes[0].time))
    place = traj.q[k, 4:]
    assert abs(place[2] / (R + r) - (2 / 3 + v * v / (3 * G * (R + r)))) < 1e-8
    assert abs(np.linalg.norm(traj.v[k, 3:]) ** 2 - v * v - 2 * G * (R + r - place[2])) < 1e-8
    falling = traj.model.body_poses(traj.q[k])[0, :3, :3] @ traj.accelerations()[k + 1, 3:]
    assert np.abs(falling + [0, 0, G]).max() < 1e-9
    assert traj.balance_error() < 1e-9


def test_the_contact_force_in_a_bowl():
    """A ball that slides in a bowl of radius R presses with m (g cos + v^2 / (R - r)) where it is."""
    R, r = 1.0, 0.2
    mech = aj.Mechanism("bowl")
    mech.add_contact_body(
        "ball", surfaces=(surfaces.Inside(surfaces.Sphere(R)), surfaces.Sphere(r)), start="sliding",
        inertia=aj.Inertia.sphere(MASS, r),
    )  # fmt: skip
    traj = mech.compile().simulate([0.0, 2.0, 0.3, 1.2, 0.4], [0, 0, 0, 0.5, 0.2], duration=0.5, dt=5e-3)
    assert changes(traj) == []
    place, speed = traj.q[:, 4:], np.linalg.norm(traj.v[:, 3:], axis=1)
    expected = MASS * (-G * place[:, 2] / (R - r) + speed**2 / (R - r))
    forces = traj.contacts["ball"].forces
    assert np.abs(forces + place / (R - r) * expected[:, None]).max() < 1e-9
    assert np.abs(traj.contacts["ball"].points - place * R / (R - r)).max() < 1e-12


def test_a_billiard_ball_in_a_hollow_sphere():
    """Weightless, elastic and smooth, it flies along chords of equal length, and no energy is lost."""
    R, r, off, speed = 1.0, 0.1, 0.3, 2.0
    mech = aj.Mechanism("hollow", gravity=(0, 0, 0))
    mech.add_contact_body(
        "ball", surfaces=(surfaces.Inside(surfaces.Sphere(R)), surfaces.Sphere(r)), restitution=1.0, start="flight",
        inertia=aj.Inertia.sphere(MASS, r),
    )  # fmt: skip
    traj = mech.compile().simulate([1, 0, 0, 0, 0, off, 0], [0, 0, 0, speed, 0, 0], duration=3.0, dt=0.02)
    half = math.sqrt((R - r) ** 2 - off**2) / speed
    expected = half * (1 + 2 * np.arange(len(traj.modes)))
    assert len(traj.modes) == 4
    assert np.abs([record.time for record in traj.modes] - expected).max() < 1e-10
    assert np.ptp(traj.energy()[0]) < 1e-12


def test_any_method_will_do():
    """Euler's steps land a first-order error away from the parabola; a ball that begins touching rests at once."""
    model = ball_on_plane(0.3, 0.5).compile()
    traj = model.simulate(*free(1.0), duration=0.5, dt=1e-3, method="semi-implicit-euler")
    assert abs(traj.modes[0].time - math.sqrt(2 * 0.9 / G)) < 1e-3
    assert model.simulate(*free(), duration=0.1, dt=1e-2).modes[0][:3] == (0.0, "ball", "flight -> rolling")
    assert len(model.simulate(*free(1.0), duration=0.0).t) == 1


@pytest.mark.parametrize("start", ["flight", "rolling"])
def test_strides_say_what_steps_say(start, monkeypatch):
    """Many steps at once, by machine code, and one by one: the same samples, modes and work, to rounding."""
    mech = ball_on_plane(start=start, restitution=0.6)
    state = free(0.3, (1, 0, 0), (1, 2, 3)) if start == "flight" else touching(mech, (3.0, 0, 0), (0, 30.0, 0))
    model, options = mech.compile(), {"duration": 0.6, "dt": 2e-3, "save_every": 3}
    many = model.simulate(*state, **options)
    monkeypatch.setattr(stride, "LENGTH", 0)
    single = model.simulate(*state, **options)
    assert [record.change for record in many.modes] == [record.change for record in single.modes]
    for a, b in ((many.t, single.t), (many.q, single.q), (many.v, single.v), (many.work(), single.work())):
        assert np.abs(a - b).max() < 1e-9
    assert many.steps == single.steps
    forces = [x.contacts["ball"].forces for x in (many, single)]
    assert np.abs(forces[0] - forces[1]).max() < 1e-8
