"""Runs that fail: rows with a reason, and no harm to the others."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from tests.sweep.models import double_pendulum, four_bar, swept, wild


def test_a_run_that_fails_is_a_row_with_a_reason():
    """Some runs blow up; the others are what they are without them."""
    model = double_pendulum()
    speeds, angles = np.where(np.arange(50) % 7 == 3, 1e200, 1.0), np.linspace([-1, 1], [1, 1], 50)
    given = {"duration": 0.05, "dt": 1e-3, "measure": "final"}
    result = aj.sweep(model, {**wild(speeds), "q0": angles}, **given)
    assert sorted(result.failures) == list(range(3, 50, 7))
    assert all("blew up" in reason for reason in result.failures.values())
    assert np.array_equal(np.isnan(result.values).any(axis=1), ~result.ok)
    assert result.status[3] == result.failures[3]
    assert result.status[4] == "ok"
    good = np.flatnonzero(result.ok)
    clean = aj.sweep(model, {**wild(speeds[good]), "q0": angles[good]}, **given)
    assert np.array_equal(clean.values, result.values[good])
    assert not result.run(3).status.ok
    assert result.statistics.failed == 7


def test_parameters_that_cannot_be_are_rows_with_a_reason():
    masses = np.linspace(1, 2, 20)
    masses[[4, 11]] = -1.0
    result = swept(space={"rod/mass": masses}, n=None)
    assert sorted(result.failures) == [4, 11]
    assert "negative" in result.failures[4] or "positive" in result.failures[4]
    with pytest.raises(aj.AnyjointError, match="run 4 of the sweep could not begin"):
        result.run(4)


def test_starts_beyond_limits_and_runs_against_stops():
    mech = aj.Mechanism("limited")
    hinge = joints.Revolute(axis=(0, 1, 0), limits=(-1, 1))
    mech.add_body("rod", joint=hinge, inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    model = mech.compile()
    angles = np.linspace(-1.5, 1.5, 7)[:, None]
    result = swept(model, space={"q0": angles}, n=None)
    assert sorted(result.failures) == [0, 6]
    assert "beyond limits" in result.failures[0]
    free = swept(model, space={"q0": angles}, n=None, limits=False)
    assert free.ok.all()
    hard = swept(model, space={"v0": [[0.0], [1e5], [0.1]]}, n=None)
    assert sorted(hard.failures) == [1]
    assert "gave way" in hard.failures[1]


def test_what_is_too_light_for_the_stops_fails():
    """Stops are those of the model, for steps of rk4; a rod of a tenth of its mass would come back with more speed."""
    mech = aj.Mechanism("limited")
    hinge = joints.Revolute(axis=(0, 1, 0), limits=(-1, 1))
    mech.add_body("rod", joint=hinge, inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    masses = [0.03, 0.1, 0.3, 1.0, 10.0]
    given = {"v0": [5.0], "duration": 0.5, "measure": "extremes"}
    result = aj.sweep(mech.compile(), {"rod/mass": masses}, **given)
    assert list(result.ok) == [False, False, True, True, True]
    assert "with these parameters what hits them is 10 times as easy to move" in result.failures[1]
    assert np.abs(result["extremes/min"][2:, 1]).max() < 5.0  # what hits a stop loses speed
    adaptive = aj.sweep(mech.compile(), {"rod/mass": masses}, method="dopri5", **given)
    assert adaptive.ok.all()
    assert np.abs(adaptive["extremes/min"][:, 1]).max() < 5.0


def test_runs_that_leave_the_model_end_by_themselves():
    """Beads on a wire with ends: the fast ones come there, each at its own time."""

    @aj.joint(dof=1, domain=[(-1.0, 1.0)], defined=[(-1.0, 1.0)])
    def wire(q):
        return aj.Pose.translation(q[0], 0, 0)

    mech = aj.Mechanism("beads", gravity=(0, 0, 0))
    mech.add_body("bead", joint=wire, inertia=aj.Inertia.sphere(1.0, 0.1))
    model, q0, speeds = mech.compile(), [0.0], np.array([0.0, 1.0, 2.5, 0.3])
    result = aj.sweep(model, {"v0": speeds[:, None]}, q0=q0, duration=2.0, dt=1e-2)
    for k in range(4):
        traj = model.simulate(q0, speeds[k : k + 1], duration=2.0, dt=1e-2)
        if traj.status.ok:
            assert result.values[k] == pytest.approx([*traj.q[-1], *traj.v[-1]], rel=1e-12, abs=1e-12)
        else:
            assert result.failures[k] == traj.status.reason
    assert list(result.ok) == [True, False, False, True]


def test_a_measure_that_fails_in_some_runs_marks_those_alone():
    def picky(traj):
        if traj.q[0, 0] > 0.9:
            raise ValueError("too far")
        return traj.q[-1, 0]

    result = swept(space={"q0": np.linspace(0, 1, 21)[:, None]}, n=None, measure=picky)
    assert sorted(result.failures) == [19, 20]
    assert "'picky' raised ValueError: too far" in result.failures[20]


def test_words_among_numbers_mark_their_runs_alone():
    def wordy(traj):
        return "far" if traj.q[0, 0] > 0.5 else traj.q[-1, 0]

    result = swept(space={"q0": np.linspace(0, 1, 21)[:, None]}, n=None, measure=wordy)
    assert sorted(result.failures) == list(range(11, 21))
    assert "returned 'far'; expected a number" in result.failures[20]


def test_a_measure_may_fail_in_the_first_runs():
    def picky(traj):
        if traj.q[0, 0] < 0.2:
            raise ValueError("too near")
        return traj.q[-1, 0]

    result = swept(space={"q0": np.linspace(0, 1, 21)[:, None]}, n=None, measure=picky)
    assert sorted(result.failures) == [0, 1, 2, 3]
    assert np.isfinite(result.values[4:]).all()


def test_many_runs_that_all_fail_are_said_at_once():
    with pytest.raises(aj.AnyjointError, match=r"none of 64 runs .* The first says: the motion blew up"):
        swept(double_pendulum(), space=wild([1e200] * 100), n=None, q0=[0.0, 1.0])


def test_all_runs_may_fail():
    result = swept(double_pendulum(), space={**wild([1e200, 1e200]), "q0": [[0.0, 1.0]] * 2}, n=None)
    assert not result.ok.any()
    assert np.isnan(result.values).all()


def test_loops_that_come_apart_are_failures():
    model, q0 = four_bar()
    speeds = {"v0/crank/angle": [0.01, 30.0]}
    result = aj.sweep(model, speeds, q0=q0, duration=0.5, dt=0.01, stabilise=None)
    assert list(result.ok) == [True, False], result.status
    assert "the mechanism came apart: " in result.failures[1]
