"""A stepper is one description: the same step as a quantity, in the compiled loop, and in Python."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.mechanism import gallery
from anyjoint.model.program import Program
from anyjoint.quantity.step import step
from anyjoint.simulate.drive import Drive
from anyjoint.simulate.python_step import PythonStepper
from anyjoint.stepper import STEPPERS, Stepper
from anyjoint.stepper.stepper import runge_kutta
from anyjoint.stepper.tableau import Tableau
from tests.crossed import crossed

FIXED = [name for name, stepper in STEPPERS.items() if not (stepper.adaptive or stepper.remembers)]
# A stepper that anyjoint does not have: the explicit midpoint rule.
MIDPOINT = Tableau(2, c=(0, 1 / 2), a=((), (1 / 2,)), b=(0, 1))
OWN = Stepper("midpoint", "of order two", 2, lambda ops: runge_kutta(ops, MIDPOINT), MIDPOINT)


def tumbling():
    """A quaternion, a chart of exponential coordinates and a hinge."""
    mech = aj.Mechanism("tumbling")
    solid = aj.Inertia.box(1.0, 0.2, 0.3, 0.5)
    first = mech.add_body("first", joint=joints.FreeQuaternion(), inertia=solid)
    place = aj.Pose.translation(0, 0, 0.4)
    second = mech.add_body("second", first, joints.Spherical(), place, solid, damping=0.1)
    mech.add_body("third", second, joints.Revolute((0, 1, 0)), place, solid, stiffness=2.0)
    mech.set_start([0.5, 0.5, -0.5, 0.5, 0.1, 0.2, 0.3, 2.0, 3.0, 2.9, 0.4], np.linspace(-3, 4, 10))
    return mech


MECHANISMS = {
    "tumbling": tumbling,
    "tori": lambda: gallery.torus_chain(4),
    "hinges": lambda: gallery.revolute_chain(45),
    "board": gallery.board_on_spline_surface,
    "tongs": gallery.tongs_with_fish,
}


@pytest.mark.parametrize(("name", "method"), crossed(MECHANISMS, FIXED))
def test_steps_one_by_one_are_the_simulation(name, method):
    mech = MECHANISMS[name]()
    model = mech.compile()
    tau = 0.1 * np.cos(np.arange(model.nv))
    traj = model.simulate(*mech.start, 0.02, dt=1e-3, method=method, tau=tau, limits=False)
    q, v = mech.start
    for row_q, row_v in zip(traj.q[1:], traj.v[1:], strict=True):
        q, v = model.step(q, v, tau, dt=1e-3, method=method)
        assert np.abs(q - row_q).max() <= 1e-14 * max(1.0, np.abs(q).max())
        assert np.abs(v - row_v).max() <= 1e-13 * max(1.0, np.abs(v).max())


@pytest.mark.parametrize("method", FIXED)
def test_batches_and_places_for_results(method):
    mech = tumbling()
    model, rng = mech.compile(), np.random.default_rng(0)
    q = np.tile(mech.start[0], (7, 1))
    v, tau = rng.normal(size=(2, 7, model.nv))
    many = model.step(q, v, tau, dt=2e-3, method=method)
    for k in range(7):
        for x, y in zip(model.step(q[k], v[k], tau[k], dt=2e-3, method=method), many, strict=True):
            assert x == pytest.approx(y[k], rel=1e-13, abs=1e-13)
    out = np.empty_like(q), np.empty_like(v)
    found = model.step(q, v, tau, dt=2e-3, method=method, out=out)
    assert found[0] is out[0]
    assert np.array_equal(out[1], many[1])


def test_torques_for_all_states_are_those_of_each():
    mech = tumbling()
    model, tau = mech.compile(), np.linspace(-1, 1, 10)
    q, v = (np.tile(x, (7, 1)) for x in mech.start)
    for wanted, found in zip(model.step(q, v, np.tile(tau, (7, 1))), model.step(q, v, tau), strict=True):
        assert np.array_equal(found, wanted)
    with pytest.raises(aj.InputError, match=r"step: tau\[3\] is not finite"):
        model.step(q, v, np.where(np.arange(10) == 3, np.nan, tau))


@pytest.mark.parametrize("out", [
    lambda q, v: (q.astype(int), v.astype(int)), lambda q, v: (q[0], v[0]), lambda q, v: (q, v, v), lambda q, v: q,
    lambda q, v: (q.astype("float32"), v), lambda q, v: [q.tolist(), v.tolist()], lambda q, v: 3,
])  # fmt: skip
def test_places_that_cannot_hold_the_state_are_refused(out):
    """Whole numbers were rounded down without a word; shapes ended in a ValueError of NumPy."""
    mech = tumbling()
    q, v = (np.tile(x, (3, 1)) for x in mech.start)
    with pytest.raises(aj.InputError, match=r"step: out is .*; expected arrays to write to, float64 \(3, 11\) and"):
        mech.compile().step(q, v, out=out(q.copy(), v.copy()))


def test_states_may_be_stepped_in_place():
    mech = tumbling()
    model, (q, v) = mech.compile(), (x.copy() for x in mech.start)
    wanted = model.step(q, v)
    model.step(q, v, out=(q, v))
    assert all(np.array_equal(x, y) for x, y in zip((q, v), wanted, strict=True))


def test_coordinates_and_velocities_have_memory_of_their_own():
    """Of a hinge both fit into one array, where velocities would be all that is left."""
    mech, memory = aj.Mechanism("hinge"), np.zeros(2)
    mech.add_body("bob", None, joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    with pytest.raises(aj.InputError, match="step: arrays of out overlap each other"):
        mech.compile().step([0.1], [0.2], out=(memory[:1], memory[:1]))


def test_methods_that_look_back_are_named():
    with pytest.raises(aj.InputError, match="method='bdf2' looks back at steps before, so simulate takes it"):
        tumbling().compile().step(*tumbling().start, method="bdf2")


@pytest.mark.parametrize("stepper", [*(STEPPERS[name] for name in FIXED), OWN], ids=lambda x: x.name)
def test_python_takes_the_same_steps(stepper):
    mech = tumbling()
    model = mech.compile()
    quantity = step(stepper, "some step")
    traced = quantity.trace(model.workshop, "auto")
    program = Program(quantity, traced, mech)
    in_python = PythonStepper(model, Drive(np.zeros((1, model.nv))), stepper)
    q, v = mech.start
    row = program(q, v, np.zeros(model.nv), np.array([1e-3]))
    slow = in_python.settle(1e-3, *in_python.step(0.0, q, v, 1e-3))
    assert row == pytest.approx(np.concatenate(slow), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("stepper", [*STEPPERS.values(), OWN], ids=lambda x: x.name)
def test_errors_fall_with_the_order_of_the_stepper(stepper):
    mech = gallery.revolute_chain(2)
    model = mech.compile()
    exact = model.simulate([0.3, 0.4], [0.0, 0.0], 0.5, dt=0.5, method="dopri5", rtol=1e-13, atol=1e-13).q[-1]
    errors = []
    for count in (16, 32):
        q, v = np.array([0.3, 0.4]), np.zeros(2)
        in_python = PythonStepper(model, Drive(np.zeros((1, 2))), stepper)
        for k in range(count):
            q, v = in_python.step(k * 0.5 / count, q, v, 0.5 / count)
        errors.append(np.abs(q - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(stepper.order, abs=0.35)


@pytest.mark.parametrize("method", FIXED)
def test_a_sampled_controller_is_held(method):
    """Held for k steps, the controller is asked once in k steps, and machine code goes on with its answer."""
    mech = tumbling()
    model, asked = mech.compile(), []

    def control(t, q, v):
        asked.append(t)
        return -0.5 * v

    traj = model.simulate(*mech.start, 0.0205, dt=1e-3, method=method, tau=control, hold=5, save_every=2)
    assert asked == pytest.approx([0.0, 0.005, 0.01, 0.015, 0.02])
    q, v = mech.start
    states, tau = [(q, v)], 0 * v
    for k in range(20):
        tau = -0.5 * v if k % 5 == 0 else tau
        q, v = model.step(q, v, tau, dt=1e-3, method=method)
        states.append((q, v))
    assert traj.t[:-1] == pytest.approx(np.arange(0, 0.0205, 2e-3))
    for k, row in enumerate(traj.q[:-1]):
        assert row == pytest.approx(states[2 * k][0], rel=1e-13, abs=1e-13)
    every_step = model.simulate(*mech.start, 0.01, dt=1e-3, method="semi-implicit-euler", tau=control, hold=1)
    at_stages = model.simulate(*mech.start, 0.01, dt=1e-3, method="semi-implicit-euler", tau=control)
    assert every_step.q == pytest.approx(at_stages.q, rel=1e-12, abs=1e-12)  # Euler has one stage


def test_coordinate_rates_are_those_of_the_joints():
    mech = tumbling()
    model, (q, v) = mech.compile(), mech.start
    wanted = np.concatenate([b.joint.rate(list(q[b.q]), list(v[b.v])) for b in mech.bodies]).astype(float)
    assert model.coordinate_rates(q, v) == pytest.approx(wanted, rel=1e-15, abs=1e-15)
    assert model.coordinate_rates(np.stack([q, q]), v)[1] == pytest.approx(wanted, rel=1e-15, abs=1e-15)


def test_bad_input():
    model = gallery.revolute_chain(2).compile()
    q = np.zeros(2)
    with pytest.raises(aj.InputError, match=r"method='rk5' is unknown \(did you mean 'rk4'\?\)"):
        model.step(q, q, method="rk5")
    for dt in (0.0, -1.0, np.nan, "fast"):
        with pytest.raises(aj.InputError, match="expected a positive finite number of seconds"):
            model.step(q, q, dt=dt)
    with pytest.raises(aj.InputError, match="redmax solves numerically"):
        gallery.revolute_chain(2).compile(algorithm="redmax").step(q, q)
    for hold, words in ((0, "at least 1"), (1.5, "whole number"), (True, "whole number")):
        with pytest.raises(aj.InputError, match=words):
            model.simulate(q, q, 0.1, tau=lambda t, q, v: q, hold=hold)
    with pytest.raises(aj.InputError, match="only a function"):
        model.simulate(q, q, 0.1, hold=2)
    with pytest.raises(aj.InputError, match="chooses its steps"):
        model.simulate(q, q, 0.1, tau=lambda t, q, v: q, hold=2, method="dopri5")
