"""Bad input is refused with a remedy; trouble on the way is a status with what there is."""

import math
import signal
import threading
import time

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.constraints import Push
from anyjoint.errors import InputError
from anyjoint.simulate import Servo, Spring, Wrench
from simulate.mechanisms import double_pendulum

MODEL = double_pendulum()
Q, V = [1.0, 0.5], [0.0, 0.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"duration": -1.0}, "duration=-1.0"),
        ({"duration": math.nan}, "duration=nan"),
        ({"duration": math.inf}, "duration=inf"),
        ({"duration": "long"}, "duration='long'"),
        ({"dt": 0.0}, "dt=0.0"),
        ({"dt": -1e-3}, "dt=-0.001"),
        ({"dt": math.nan}, "dt=nan"),
        ({"duration": 1e10, "dt": 1e-6}, "steps"),
        ({"method": "rk5"}, "rk4"),
        ({"method": "euler"}, "semi-implicit-euler"),
        ({"rtol": -1.0}, "rtol=-1.0"),
        ({"method": "dopri5", "rtol": 1e-20, "atol": 1e-20}, "cannot be met"),
        ({"atol": 0.0}, "atol=0"),
        ({"tau": [1.0, 2.0, 3.0]}, r"tau has shape \(3,\)"),
        ({"tau": [math.nan, 0.0]}, "tau holds NaN"),
        ({"tau": "strong"}, "not an array"),
        ({"tau": ["1", "2"]}, "not an array"),
        ({"tau": [True, 2.0]}, "not an array"),
        ({"duration": True}, "duration=True"),
        ({"tau": ([0.0, 0.0], np.zeros((2, 2)))}, "increasing"),
        ({"tau": lambda t, q, v: np.zeros(3)}, r"returned shape \(3,\)"),
        ({"save_every": 0}, "save_every=0"),
        ({"threads": 0}, "threads=0"),
        ({"progress": "often"}, "progress"),
        ({"forces": "spring"}, "list of forces"),
        ({"forces": ["spring"]}, "not a force"),
        ({"forces": [Spring("rod 7", (0, 0, 0), None, (0, 0, 0), 1.0)]}, "rod 7"),
        ({"forces": [Servo("rod 0", 0.0, 1.0, coordinate=3)]}, "coordinate 3"),
    ],
)
def test_options(options, words):
    with pytest.raises(InputError, match=words):
        MODEL.simulate(Q, V, **{"duration": 0.01, **options})


@pytest.mark.parametrize(
    ("q", "v", "words"),
    [
        ([1.0], V, r"q0 has shape \(1,\); expected \(2,\)"),
        (["1", "2"], V, "not an array of numbers"),
        (Q, [True, 0.0], "not an array of numbers"),
        (Q, [1.0, 2.0, 3.0], r"v0 has shape \(3,\)"),
        ([math.nan, 0.0], V, "q0 holds NaN"),
        (Q, [math.inf, 0.0], "v0 holds NaN or infinity"),
        ("up", V, "not an array"),
        (np.zeros((2, 2)), np.zeros((3, 2)), "2 states and v0 has 3"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "empty"),
    ],
)
def test_states(q, v, words):
    with pytest.raises(InputError, match=words):
        MODEL.simulate(q, v, duration=0.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Spring("a", (0, 0, 0), None, (0, 0, 0), -1.0), "stiffness=-1.0"),
        (lambda: Spring("a", (0, 0), None, (0, 0, 0), 1.0), "point_a"),
        (lambda: Wrench("a", force=(0, math.nan, 0)), "force"),
        (lambda: Wrench("a", axes="mine"), "axes"),
        (lambda: Servo("a", 0.0, 1.0, limit=-1.0), "limit"),
    ],
)
def test_forces(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_motion_that_blows_up_has_a_status():
    """A spring that is far too stiff for the step."""
    spring = Spring("rod 1", (0, 0, -1), None, (3, 0, 0), 1e8)
    traj = MODEL.simulate(Q, V, 10.0, dt=0.01, forces=[spring])
    assert not traj.status.ok
    assert traj.status.time < 10
    assert "rod" in traj.status.reason
    assert "shorter step" in traj.status.reason
    assert len(traj.t) > 1
    assert np.isfinite(traj.q).all()
    assert np.isfinite(traj.v).all()
    assert str(traj.status).startswith("stopped")


def test_a_batch_says_which_trajectory_blew_up():
    spring = Spring("rod 1", (0, 0, -1), None, (0, 0, -2), 1e8)
    traj = MODEL.simulate([[0.0, 0.0], Q], np.zeros((2, 2)), 10.0, dt=0.01, forces=[spring])
    assert "trajectory 1" in traj.status.reason


def slider():
    mech = aj.Mechanism("slider", gravity=(0, 0, 0))
    mech.add_body("mass", None, joints.Prismatic((1, 0, 0)), inertia=aj.Inertia(1.0))
    return mech.compile()


@pytest.mark.parametrize("compiled", [True, False])
def test_tolerances_that_cannot_be_met_have_a_status(compiled):
    """x'' = 3 x^2 runs to infinity in finite time."""
    model = slider()

    class Runaway:
        def pushes(self, mechanism):
            place, effort = ((0, 0),), lambda s, rate, n, signals: 3 * s[0] * s[0]
            return [Push(what="Runaway", measure=lambda q, n: q[0], effort=effort, coordinates=place)]

    options = {"forces": [Runaway()]} if compiled else {"tau": lambda t, q, v: [3 * q[0] ** 2]}
    traj = model.simulate([2.0], [4.0], 5.0, dt=0.01, method="dopri5", **options)  # x = 2 / (1 - t)^2
    assert not traj.status.ok
    assert "tolerances" in traj.status.reason
    assert "'mass'" in traj.status.reason
    assert traj.status.time == pytest.approx(1.0, abs=1e-3)
    assert np.isfinite(traj.q).all()
    assert traj.q[50, 0] == pytest.approx(8.0, rel=1e-6)


def test_a_singular_start_says_so():
    """A hinge in a row with a ball joint: one of four velocities is too many."""
    mech = aj.Mechanism("twice")
    joint = joints.Composite(joints.Revolute(), joints.SphericalQuaternion())
    mech.add_body("top", None, joint, inertia=aj.Inertia(1.0, (0, 0, 0.5), np.diag([0.2, 0.2, 0.1])))
    traj = mech.compile().simulate(mech.neutral, np.zeros(4), 1.0)
    assert not traj.status.ok
    assert "singular" in traj.status.reason
    assert "'top'" in traj.status.reason
    assert traj.t.tolist() == [0.0]


def test_an_interrupt_returns_what_there_is():
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    began = time.perf_counter()
    traj = MODEL.simulate(Q, V, 1e5, dt=1e-4, save_every=10_000)
    timer.cancel()
    assert not traj.status.ok
    assert "interrupted" in traj.status.reason
    assert time.perf_counter() - began < 30
    assert np.isfinite(traj.q).all()


def test_progress_is_told():
    told = []
    MODEL.simulate(Q, V, 1.0, progress=told.append)
    assert told[-1] == pytest.approx(1.0)
    assert told == sorted(told)
