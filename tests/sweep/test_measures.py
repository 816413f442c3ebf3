"""Measures: named ones, events and functions of the user's own, against the run itself."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import InputError
from tests.sweep.models import alone, double_pendulum, pendulum, swept


def test_named_measures_are_what_they_say():
    model = double_pendulum()
    space = {"upper/mass": aj.uniform(1, 2), "q0": aj.uniform(-2, 2)}
    given = {"space": space, "n": 5, "duration": 0.3, "dt": 1e-2}
    names = ["final", "extremes", "energy_drift", "trajectory", ("trajectory", 4)]
    with pytest.raises(InputError, match="two are called 'trajectory'"):
        swept(model, measure=names, **given)
    result = swept(model, measure=names[:4], **given)
    few = swept(model, measure=("trajectory", 4), **given)
    assert few["trajectory"].shape == (5, 4, 4)
    assert few["trajectory/t"][0] == pytest.approx([0, 0.1, 0.2, 0.3])
    for k in range(5):
        traj = result.run(k)
        states = np.concatenate([traj.q, traj.v], axis=1)
        assert np.array_equal(result["final"][k], states[-1])
        assert np.array_equal(result["extremes/min"][k], states.min(axis=0))
        assert np.array_equal(result["extremes/max"][k], states.max(axis=0))
        assert np.array_equal(result["trajectory"][k], states)
        assert np.array_equal(few["trajectory"][k], states[[0, 10, 20, 30]])
        # Energies near 1e-8 of their size are rounding errors, which depend on the order of sums.
        assert result["energy_drift"][k] == pytest.approx(traj.balance_error(), rel=1e-3, abs=1e-13)
    assert result.labels["final"][3] == "final lower/angle'"


def test_the_time_of_an_event_is_that_of_a_run_with_events():
    model = pendulum()
    low = aj.Event(lambda t, q, v: q[0], direction=-1, name="low")
    result = swept(model, space={"rod/mass": aj.uniform(1, 2), "q0": aj.uniform(0.5, 1)}, n=4, duration=1, measure=low)
    for k in range(4):
        traj = alone(model, result.sample(k), duration=1, events=[low])
        # A cubic between two samples against a shorter step: both of fourth order in dt = 1e-3.
        assert result["low"][k] == pytest.approx(traj.events[0].time, abs=1e-11)
    never = swept(model, n=2, measure=aj.Event(lambda t, q, v: 9.0, name="never"))
    assert never.ok.all()
    assert np.isnan(never["never"]).all()


@pytest.mark.filterwarnings("ignore:.*compiling again")
def test_events_of_quaternions_are_where_they_happen():
    mech = aj.Mechanism("top")
    solid = aj.Inertia.box(1.0, 0.1, 0.2, 0.9) + aj.Inertia.point(1.0, (0, 0.1, -1))
    mech.add_body("body", joint=joints.SphericalQuaternion(), inertia=solid)
    model, turned = mech.compile(), aj.Event(lambda t, q, v: q[1] - 0.3, name="turned")
    sample = {"body/mass": 1.5, "q0": [1.0, 0, 0, 0], "v0": [3.0, 2.0, 1.0]}
    result = swept(model, space={k: [x] for k, x in sample.items()}, n=None, duration=1, dt=0.02, measure=turned)
    traj = alone(model, sample, duration=1, dt=0.02, events=[turned])
    # A cubic through states and rates against a shorter step: dt^4 times fourth derivatives of some 10 over 384.
    assert result.values[0] == pytest.approx(traj.events[0].time, abs=2e-8)


def test_own_measures_may_give_arrays_and_names():
    def several(traj):
        return {"start": traj.q[0], "passes": traj.q[-1, 0] > 0}

    result = swept(measure={"a": several, "b": lambda traj: traj.v[-1, 0]}, n=6)
    assert {name: column.shape for name, column in result.columns.items()} == {
        "a/start": (6, 1),
        "a/passes": (6,),
        "b": (6,),
    }
    assert np.array_equal(result["a/start"], result.samples["q0"])
    assert result.values.shape == (6, 3)


def test_measures_see_the_parameters_of_their_run():
    """Energy of the run at its start: the mass of each counts."""
    result = swept(n=6, measure=lambda traj: sum(traj.energy())[0])
    q, mass = result.samples["q0"][:, 0], result.samples["rod/mass"]
    assert result.values == pytest.approx(-9.81 * 0.5 * mass * np.cos(q), rel=1e-12)
