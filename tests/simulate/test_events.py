"""Events: located to 1e-10, in their direction, terminal or recorded."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from anyjoint.stepper import STEPPERS

METHODS = {name: x for name, x in STEPPERS.items() if not x.chooses}  # Python asks, or numbers are all that counts


def ball(height=2.0):
    """A falling mass."""
    mech = aj.Mechanism("ball", gravity=(0, 0, -9.81))
    mech.add_body("ball", None, joints.Prismatic((0, 0, 1)), inertia=aj.Inertia(1.0))
    mech.set_start([height])
    return mech.compile()


BALL = ball()
LANDING = math.sqrt(2 * 2.0 / 9.81)


def height(t, q, v):
    return q[0]


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
@pytest.mark.parametrize("dt", [1e-3, 0.05])
def test_a_landing_is_located(method, dt):
    traj = BALL.simulate(duration=2.0, dt=dt, method=method, events=aj.Event(height, terminal=True, name="landing"))
    assert traj.t[-1] == pytest.approx(LANDING, abs=1e-10)
    assert traj.q[-1, 0] == pytest.approx(0.0, abs=1e-10)
    assert traj.status.ok
    assert "landing" in traj.status.reason
    assert traj.status.time == traj.t[-1]
    assert (np.diff(traj.t) > 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_recorded_events_and_directions(method):
    """A pendulum passes its lowest point at known times: period 2.36784194757623744930 [IFToMM A01]."""
    mech = aj.Mechanism("pendulum")
    mech.add_body("bob", None, joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    options = {"duration": 5.0, "method": method, "rtol": 1e-12, "atol": 1e-12}
    period, model = 2.36784194757623744930, mech.compile()
    tolerance = {1: 2e-2, 2: 1e-5}.get(METHODS[method].order, 1e-10)
    for direction, first in ((0, 1 / 4), (-1, 1 / 4), (1, 3 / 4)):
        traj = model.simulate([np.pi / 2], [0.0], events=[aj.Event(height, direction=direction)], **options)
        times = [crossing.time for crossing in traj.events]
        step = 0.5 if direction == 0 else 1.0
        assert len(times) == math.floor((5 / period - first) / step) + 1
        assert times == pytest.approx([(first + step * k) * period for k in range(len(times))], abs=tolerance)
        assert all(abs(crossing.q[0]) < 1e-9 for crossing in traj.events)
        assert traj.t[-1] == 5.0


def test_a_plain_function_is_an_event_and_time_may_be_watched():
    traj = BALL.simulate(duration=0.1, events=lambda t, q, v: t - 0.0123456)
    assert [crossing.time for crossing in traj.events] == pytest.approx([0.0123456], abs=1e-11)


def test_events_are_seen_at_every_step_even_if_few_are_kept():
    event = aj.Event(lambda t, q, v: (t - 0.0101) * (t - 0.0135), name="twice")
    traj = BALL.simulate(duration=0.1, dt=1e-3, save_every=50, events=event)
    assert [crossing.time for crossing in traj.events] == pytest.approx([0.0101, 0.0135], abs=1e-11)
    assert traj.t == pytest.approx([0.0, 0.05, 0.1])


def test_events_with_a_callback():
    traj = BALL.simulate(duration=2.0, tau=lambda t, q, v: [9.81], events=aj.Event(height, terminal=True))
    assert traj.t[-1] == 2.0
    assert traj.events == []


def test_a_start_at_zero_is_no_crossing():
    traj = ball(0.0).simulate(duration=0.1, events=aj.Event(height, terminal=True))
    assert traj.t[-1] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: aj.Event(3.0), "function"),
        (lambda: aj.Event(height, direction=2), "direction"),
        (lambda: BALL.simulate(duration=0.1, events=lambda t, q, v: q), "one finite number"),
        (lambda: BALL.simulate(duration=0.1, events=lambda t, q, v: math.nan), "one finite number"),
        (lambda: BALL.simulate([[1.0], [2.0]], duration=0.1, events=height), "single"),
    ],
)
def test_bad_events(make, words):
    with pytest.raises(InputError, match=words):
        make()
