"""Limits of joints met by impacts: closed forms, balances of momentum and energy, rest and release."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints

METHODS = ("rk4", "dopri5")
G = 9.81


def slider(limits=(0.0, math.inf), axis=(0, 0, 1), mass=2.0, gravity=(0, 0, -G)):
    """A block that falls along a rail onto its stop."""
    mech = aj.Mechanism("slider", gravity=gravity)
    mech.add_body("block", joint=joints.Prismatic(axis, limits=limits), inertia=aj.Inertia.point(mass))
    return mech


def arm(limits=((-2.0, 2.0), (-0.4, 0.4)), gravity=(0, 0, -G)):
    """A double pendulum with stops."""
    mech = aj.Mechanism("arm", gravity=gravity)
    solid = aj.Inertia(2.0, com=(0, 0, -0.5), tensor=np.diag([0.2, 0.2, 0.01]).tolist())
    mech.add_body("upper", joint=joints.Revolute((0, 1, 0), limits=limits[0]), inertia=solid)
    place = aj.Pose.translation(0, 0, -1)
    mech.add_body("lower", "upper", joints.Revolute((0, 1, 0), limits=limits[1]), place, solid)
    return mech


def jump(traj, k=0):
    """The samples before and after the k-th jump."""
    i = np.flatnonzero(np.diff(traj.t) == 0)[k]
    return i, i + 1


# -- one limit ------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_block_bounces_as_in_the_textbook(method):
    """Free fall is a parabola, which both methods follow exactly: times and speeds to rounding."""
    e, height = 0.6, 0.5
    model = slider().compile()
    traj = model.simulate([height], duration=1.5, dt=0.01, method=method, limits="impact", restitution=e)
    assert traj.status.ok
    fall, speed = math.sqrt(2 * height / G), math.sqrt(2 * G * height)
    expected = [fall + sum(2 * speed * e**i / G for i in range(1, k + 1)) for k in range(6)]
    times = [impact.time for impact in traj.impacts]
    expected = [t for t in expected if t < 1.5][: len(times)]
    assert times[: len(expected)] == pytest.approx(expected, abs=1e-10)
    for k, impact in enumerate(traj.impacts[: len(expected)]):
        arrives = speed * e**k
        assert impact.coordinate == "block/distance"
        assert impact.impulse == pytest.approx(2.0 * (1 + e) * arrives, rel=1e-9)
        assert impact.lost == pytest.approx(0.5 * 2.0 * arrives**2 * (1 - e * e), rel=1e-9)
    assert np.abs(traj.energy_balance()).max() < 1e-10
    assert traj.q.min() > -1e-11


def test_bounces_die_out_and_the_block_rests():
    """The sum of all bounces is finite; after it the block lies still, and the stop bears its weight."""
    e, speed = 0.5, 1.0
    traj = slider().compile().simulate([0.0], [speed], 1.0, dt=1e-3, limits="impact", restitution=e)
    end = 2 * speed / G / (1 - e)
    (rest,) = traj.modes
    assert rest.change == "free -> lower limit"
    assert rest.time == pytest.approx(end, abs=1e-5)  # bounces shorter than 1e-7 s are none
    still = traj.t > rest.time
    assert np.all(traj.v[still] == 0)
    assert traj.stop_forces["block/distance"][still] == pytest.approx(2.0 * G, rel=1e-12)
    assert np.all(traj.accelerations()[still] == 0)
    assert np.abs(traj.energy_balance()).max() < 1e-9


@pytest.mark.parametrize("dt", [1e-3, 0.01])
def test_steps_of_first_order_come_to_rest_and_do_not_sink(dt):
    """They end short bounces with no speed at all; a hinge once sank through its stop, with a thousand impacts."""
    mech = aj.Mechanism("hinge")
    solid = aj.Inertia.point(2.0, (0, 0, -1))
    mech.add_body("rod", joint=joints.Revolute((0, 1, 0), limits=(0.3, 2.0)), inertia=solid)
    options = {"method": "semi-implicit-euler", "limits": "impact", "restitution": 0.5}
    traj = mech.compile().simulate([1.0], duration=2.5, dt=dt, **options)
    assert [change.change for change in traj.modes] == ["free -> lower limit"]
    assert len(traj.impacts) < 20
    assert traj.q.min() > 0.3 - 1e-9
    assert traj.stop_forces["rod/angle"][-1] == pytest.approx(2.0 * G * math.sin(0.3), rel=1e-9)
    arrives = math.sqrt(2 * G * (math.cos(0.3) - math.cos(1.0)))
    before, after = jump(traj)
    assert -traj.v[before, 0] == pytest.approx(arrives, abs=2 * dt)
    assert traj.v[after, 0] == pytest.approx(-0.5 * traj.v[before, 0], rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_an_elastic_stop_keeps_the_energy(method):
    """A pendulum between two elastic stops; the steps themselves err by far less than 1e-10."""
    model = arm(limits=((-0.5, 0.4), (-10.0, 10.0))).compile()
    options = {"rtol": 1e-12, "atol": 1e-13} if method == "dopri5" else {}
    traj = model.simulate([0.0, 0.2], [2.0, 0.0], 4.0, 5e-4, method, limits="impact", restitution=1.0, **options)
    assert len(traj.impacts) > 3
    total = np.add(*traj.energy())
    assert np.abs(total - total[0]).max() < 1e-10 * np.ptp(total - traj.energy()[0])
    assert max(abs(impact.lost) for impact in traj.impacts) < 1e-12


# -- the whole mechanism takes part ------------------------------------------------------------------------


def test_an_impulse_goes_through_the_whole_tree():
    """M (v' - v) = p e at the elbow alone, by the dense mass matrix."""
    model, e = arm().compile(), 0.3
    traj = model.simulate([0.6, 0.0], [0.0, 3.0], 0.5, limits="impact", restitution={"lower/angle": e})
    before, after = jump(traj)
    M = np.asarray(model.mass_matrix(traj.q[before]))
    push = M @ (traj.v[after] - traj.v[before])
    assert push[0] == pytest.approx(0.0, abs=1e-12)  # the shoulder gets no impulse of its own
    assert push[1] == pytest.approx(traj.impacts[0].impulse, rel=1e-12)
    assert traj.v[after, 1] == pytest.approx(-e * traj.v[before, 1], rel=1e-12)
    assert traj.q[before, 1] == pytest.approx(0.4, abs=1e-11)
    kinetic = traj.energy()[0]
    assert kinetic[before] - kinetic[after] == pytest.approx(traj.impacts[0].lost, rel=1e-10)
    assert np.abs(traj.energy_balance()).max() < 1e-8


def test_a_loop_passes_the_impulse_on():
    """A four-bar whose crank hits its stop: M dv + G^T y = p e and G dv = 0, and the loop stays closed."""
    mech = four_bar((-2.0, 0.4))
    model = mech.compile()
    q0, v0 = model.assemble([0.3, 0.2, 0.1], [2.0, 0.0, 0.0], hold=("crank",))
    traj = model.simulate(q0, v0, 1.0, limits="impact", restitution=0.5)
    assert traj.status.ok
    assert traj.status.drift < 1e-8
    before, after = jump(traj)
    q, dv = traj.q[before], traj.v[after] - traj.v[before]
    M, constraint = np.asarray(model.mass_matrix(q)), np.asarray(model.constraint_jacobian(q))
    p = np.array([traj.impacts[0].impulse, 0.0, 0.0])
    n = len(constraint)
    system = np.block([[M, constraint.T], [constraint, np.zeros((n, n))]])
    assert np.linalg.lstsq(system, np.append(p, np.zeros(n)), rcond=None)[0][:3] == pytest.approx(dv, rel=1e-9)
    assert traj.v[after, 0] == pytest.approx(-0.5 * traj.v[before, 0], rel=1e-9)


def four_bar(limits):
    mech = aj.Mechanism("four-bar")
    hinge = joints.Revolute((0, 1, 0))
    bar = aj.Inertia(1.0, com=(0, 0, -0.25), tensor=np.diag([0.03, 0.03, 0.001]).tolist())
    mech.add_body("crank", joint=joints.Revolute((0, 1, 0), limits=limits), inertia=bar)
    mech.add_body("coupler", "crank", hinge, aj.Pose.translation(0, 0, -0.5), bar)
    mech.add_body("rocker", joint=hinge, placement=aj.Pose.translation(0.6, 0, 0), inertia=bar)
    mech.add_loop("coupler", "rocker", joint=hinge, at=((0, 0, -0.5), (0, 0, -0.7)))
    return mech


def test_a_loop_rests_against_a_stop():
    """The crank of a four-bar under gravity: the stop's torque is what a dense system asks for, all stands still."""
    mech = four_bar((0.2, 2.0))
    model = mech.compile()
    q0, v0 = model.assemble([0.5, 0.2, 0.1], [0.0, 0.0, 0.0], hold=("crank",))
    traj = model.simulate(q0, v0, 2.0, limits="impact")
    assert traj.status.ok
    assert [change.change for change in traj.modes] == ["free -> lower limit"]
    assert np.abs(traj.v[-1]).max() < 1e-12
    weight = np.asarray(model.gravity_forces(traj.q[-1]))
    G_ = np.asarray(model.constraint_jacobian(traj.q[-1]))
    unknown = np.column_stack([[1.0, 0.0, 0.0], -G_.T])  # stop, then loop: they bear the weight
    found = np.linalg.lstsq(unknown, weight, rcond=None)[0]
    assert traj.stop_forces["crank/angle"][-1] == pytest.approx(found[0], rel=1e-8)


def test_limits_met_at_once_share_the_impulse():
    """Two equal arms, side by side on a cart, meet their stops at the same time: by symmetry the cart does not move."""
    mech = aj.Mechanism("cart", gravity=(0, 0, 0))
    mech.add_body("cart", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(3.0))
    for name, side in (("left", -1), ("right", 1)):
        slide = joints.Prismatic((side, 0, 0), limits=(-1.0, 0.25))
        mech.add_body(name, "cart", slide, inertia=aj.Inertia.point(1.0))
    model = mech.compile()
    traj = model.simulate([0, 0, 0], [0, 1, 1], 1.0, limits="impact", restitution=0.5)
    assert [impact.time for impact in traj.impacts] == pytest.approx([0.25, 0.25], abs=1e-12)
    assert traj.v[-1] == pytest.approx([0, -0.5, -0.5], abs=1e-13)
    assert np.ptp(traj.momentum(), axis=0) == pytest.approx(0.0, abs=1e-13)


def test_a_struck_stop_throws_another_coordinate_against_its_own():
    """A weight in a box that rests on a stop: the weight's impulse goes into the box, and the stop takes it on."""
    mech = aj.Mechanism("box", gravity=(0, 0, 0))
    mech.add_body("box", joint=joints.Prismatic((1, 0, 0), limits=(-1, 0)), inertia=aj.Inertia.point(3.0))
    mech.add_body("weight", "box", joints.Prismatic((1, 0, 0), limits=(-1, 0.5)), inertia=aj.Inertia.point(1.0))
    traj = mech.compile().simulate([0, 0], [0, 1], 1.0, limits="impact", restitution={"weight/distance": 1.0})
    at = {impact.coordinate: impact for impact in traj.impacts}
    assert at["weight/distance"].impulse == pytest.approx(-2.0, rel=1e-12)  # on the weight, relative to the box
    assert at["box/distance"].impulse == pytest.approx(-2.0, rel=1e-12)
    assert traj.v[-1] == pytest.approx([0, -1], abs=1e-13)


@pytest.mark.parametrize("ball_first", [True, False])
def test_a_limit_beside_a_quaternion(ball_first):
    """Such a joint has more coordinates than velocities; the ball's angular momentum is not touched."""
    ball, slide = joints.SphericalQuaternion(), joints.Prismatic((1, 0, 0), limits=(-0.2, 0.2))
    mech = aj.Mechanism("one", gravity=(0, 0, 0))
    composite = joints.Composite(ball, slide) if ball_first else joints.Composite(slide, ball)
    mech.add_body("body", joint=composite, inertia=aj.Inertia.box(1.0, 0.2, 0.1, 0.3))
    v = np.array([0.3, -0.2, 0.1, 1.0] if ball_first else [1.0, 0.3, -0.2, 0.1])
    model = mech.compile()
    traj = model.simulate(mech.neutral, v, 1.0, limits="impact", restitution=0.5)
    at = 4 if ball_first else 0
    assert np.abs(traj.q[:, at]).max() == pytest.approx(0.2, abs=1e-11)
    before, after = jump(traj)
    push = np.asarray(model.mass_matrix(traj.q[before])) @ (traj.v[after] - traj.v[before])
    rate = 3 if ball_first else 0
    assert push[rate] == pytest.approx(traj.impacts[0].impulse, rel=1e-12)
    assert np.delete(push, rate) == pytest.approx(0.0, abs=1e-14)


# -- rest and release ------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_leans_on_its_stop_until_it_is_pulled_away(method):
    """The stop bears the torque of the weight, less what a growing torque takes over; it lets go at equality."""
    mech = aj.Mechanism("lean")
    mech.add_body("rod", joint=joints.Revolute((0, 1, 0), limits=(0.5, 2.0)), inertia=aj.Inertia.point(2.0, (0, 0, -1)))
    model = mech.compile()
    weight = 2.0 * G * math.sin(0.5)
    ramp = (np.array([0.0, 2.0]), np.array([[0.0], [2 * weight]]))
    traj = model.simulate([0.5], duration=1.5, dt=0.01, method=method, tau=ramp, limits="impact")
    rest, release = traj.modes
    assert (rest.time, rest.change) == (0.0, "free -> lower limit")
    assert release.change == "lower limit -> free"
    assert release.time == pytest.approx(1.0, abs=1e-8)  # where the ramp bears the weight
    held = traj.t < release.time
    assert traj.stop_forces["rod/angle"][held] == pytest.approx(weight * (1 - traj.t[held]), abs=1e-9)
    assert traj.q[-1, 0] > 0.51
    assert np.abs(traj.energy_balance()).max() < 1e-7


def test_an_arm_folds_onto_its_stop_and_swings_on_as_one():
    """While the elbow is held, both links swing as one rigid pendulum."""
    model = arm(limits=((-9.0, 9.0), (-0.4, 0.4))).compile()
    traj = model.simulate([2.0, 0.0], [0.0, 3.0], 0.4, dt=1e-4, limits="impact")
    rest = traj.modes[0]
    held = (traj.t > rest.time) & (traj.stop_forces["lower/angle"] != 0)
    assert held.sum() > 100
    q, a = traj.q[held], traj.accelerations()[held]
    M, bias = np.asarray(model.mass_matrix(q)), np.asarray(model.bias_forces(q, traj.v[held]))
    assert a[:, 0] == pytest.approx(-bias[:, 0] / M[:, 0, 0], rel=1e-10)
    force = M[:, 1, 0] * a[:, 0] + bias[:, 1]
    assert traj.stop_forces["lower/angle"][held] == pytest.approx(force, rel=1e-9)
    assert np.abs(traj.energy_balance()).max() < 1e-8


def test_nothing_presses_and_nothing_moves():
    """Without gravity a coordinate that stands at its limit stays there, held with no force."""
    traj = slider(gravity=(0, 0, 0)).compile().simulate([0.0], duration=0.2, limits="impact")
    assert np.all(traj.q == 0)
    assert np.all(traj.stop_forces["block/distance"] == 0)


def test_a_graze_within_a_step_is_seen():
    """A coordinate that passes its limit and is back before the step ends."""
    mech = slider(limits=(-math.inf, 0.5), gravity=(0, 0, -G))
    speed = math.sqrt(2 * G * 0.5001)  # would rise 0.1 mm beyond the limit, for 9 ms
    traj = mech.compile().simulate([0.0], [speed], 0.6, dt=0.05, limits="impact", restitution=1.0)
    assert len(traj.impacts) == 1
    assert traj.q.max() < 0.5 + 1e-11


# -- with everything else ------------------------------------------------------------------------


def test_batches_are_their_members():
    model = arm().compile()
    q0, v0 = np.array([[0.6, 0.0], [0.1, 0.2], [0.0, -0.1]]), np.array([[0.0, 3.0], [1.0, -2.0], [0.0, 0.0]])
    masses = np.array([1.0, 2.0, 3.0])
    options = {"duration": 0.6, "limits": "impact", "restitution": 0.5}
    many = model.simulate(q0, v0, parameters={"lower/mass": masses}, **options)
    assert many.status.ok
    for k in range(3):
        own = arm().compile()
        own.parameters["lower/mass"] = masses[k]
        one = own.simulate(q0[k], v0[k], **options)
        at = np.searchsorted(one.t, many.t, side="right") - 1
        assert many.q[:, k] == pytest.approx(one.q[at], abs=1e-11)
        assert many.member(k).impacts == [x for x in many.impacts if x.member == k]
        assert [x.time for x in many.member(k).impacts] == pytest.approx([x.time for x in one.impacts], abs=1e-10)
        assert many.member(k).modes == many.modes[k]


def test_forces_events_and_functions_take_part():
    """A spring, a function of time and an event in a run with impacts: the same as in Python, and energy balances."""
    model = slider().compile()
    spring = forces.Spring("block", (0, 0, 0), None, (0, 0, -0.5), stiffness=30.0, length=0.1)
    seen = aj.Event(lambda t, q, v: v[0], direction=-1, name="top")
    given = {"forces": [spring], "limits": "impact", "restitution": 0.7, "duration": 1.2, "events": [seen]}
    one = model.simulate([0.4], tau=np.array([3.0]), **given)
    two = model.simulate([0.4], tau=lambda t, q, v: np.array([3.0]), **given)
    assert one.q == pytest.approx(two.q, abs=1e-10)
    assert len(one.events) == len(two.events) > 0
    assert np.abs(one.energy_balance()).max() < 1e-8


def test_a_timed_mechanism_goes_on_at_its_time():
    """A drive that follows a function of time carries a weight between two stops."""
    mech = aj.Mechanism("shaker", gravity=(0, 0, 0))
    mech.add_body("table", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(1.0))
    slide = joints.Prismatic((1, 0, 0), limits=(-0.05, 0.05))
    mech.add_body("weight", "table", slide, inertia=aj.Inertia.point(1.0))
    mech.prescribe("table", lambda t: 0.1 * aj.sin(5 * t) - 0.5 * t)
    model = mech.compile()
    q0, v0 = model.assemble()
    traj = model.simulate(q0, v0, 1.0, limits="impact", restitution=1.0)
    assert traj.q[:, 0] == pytest.approx(0.1 * np.sin(5 * traj.t) - 0.5 * traj.t, abs=1e-9)
    assert len(traj.impacts) > 1
    world = traj.v.sum(axis=1)  # the weight moves freely between impacts
    free = np.diff(traj.t) > 0
    assert np.diff(world)[free] == pytest.approx(0.0, abs=1e-7)


def test_every_few_steps_are_kept_beside_the_jumps(tmp_path):
    model = slider().compile()
    options = {"duration": 1.0, "limits": "impact", "restitution": 0.5}
    full, thin = (model.simulate([0.3], save_every=n, **options) for n in (1, 10))
    assert thin.impacts == full.impacts
    jumps = np.flatnonzero(np.diff(thin.t) == 0)
    assert len(jumps) == len(thin.impacts)
    grid = np.setdiff1d(thin.t, [x.time for x in thin.impacts] + [x.time for x in thin.modes])
    assert grid == pytest.approx(np.arange(0, 1.0005, 0.01), abs=1e-12)
    assert thin.work()[-1] == pytest.approx(full.work()[-1], abs=1e-12)
    again = aj.Trajectory.load(thin.save(tmp_path / "run.npz"), model)
    assert again.impacts == thin.impacts
    assert again.modes == thin.modes
    assert np.array_equal(again.stop_forces["block/distance"], thin.stop_forces["block/distance"])
    assert again.resample([0.1, 0.5]).q == pytest.approx(full.resample([0.1, 0.5]).q, abs=1e-9)
    thin.to_html(tmp_path / "run.html")


# -- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, True, "a", {"block/distance": 2.0}])
def test_restitution_is_from_0_to_1(bad):
    with pytest.raises(aj.InputError, match=r"restitution=.*expected a number from 0"):
        slider().compile().simulate([0.1], duration=0.1, limits="impact", restitution=bad)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"restitution": 0.5}, 'restitution=0.5 is for limits="impact"'),
        ({"limits": "impact", "restitution": {"blok/distance": 0.5}}, "did you mean 'block/distance'"),
        ({"limits": "impacts"}, "limits='impacts'; expected True or False, \"impact\""),
        ({"limits": "impact", "method": "time-stepping"}, "its steps feel limits by themselves"),
        ({"limits": "impact", "method": "bdf2"}, "goes with dopri5, rk4, semi-implicit-euler"),
        ({"limits": "impact", "forces": [forces.Limits(1.0)]}, "forces has a Limits"),
        ({"limits": "impact", "gradient": True}, "gradient"),
        ({"limits": "impact", "hold": 2, "tau": lambda t, q, v: 0 * v}, "no hold="),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(aj.InputError, match=message.replace("(", r"\(")):
        slider().compile().simulate([0.1], duration=0.1, **options)


def test_auto_takes_a_method_that_impacts_go_with():
    """Steps that solve equations, or feel limits by themselves, do not: what is stiff is left to short steps."""
    mech = aj.Mechanism("stiff")
    hinge = joints.Revolute((0, 1, 0), limits=(-1.0, 0.5))
    mech.add_body("rod", joint=hinge, inertia=aj.Inertia.point(2.0, (0, 0, -1)), stiffness=1e8, friction=0.1)
    traj = mech.compile().simulate([0.1], duration=0.01, method="auto", limits="impact")
    assert traj.method == "dopri5"
    assert "method 'dopri5' was chosen: the quickest motion" in traj.status.note
    assert "dopri5 does not feel the dry friction of 'rod'" in traj.status.note


def test_a_start_beyond_is_refused():
    with pytest.raises(aj.InputError, match="q0 begins beyond limits"):
        slider().compile().simulate([-0.1], duration=0.1, limits="impact")
