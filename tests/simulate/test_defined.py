"""A run ends where a joint ends, in the last state inside."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import curves, joints
from anyjoint.errors import SingularityError

TRACK = [(0, 0, 0), (1, 0, 1), (2, 2, 0), (3, 1, 1), (4, 0, 0)]
METHODS = ["semi-implicit-euler", "rk4", "dopri5"]
WORDS = "body 'bead': coordinate 's' = 2.000"


def bead(joint, algorithm="auto"):
    mech = aj.Mechanism("track", gravity=(0, 0, 0))
    mech.add_body("bead", joint=joint, inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech.compile(algorithm)


@pytest.fixture(scope="module")
def model():
    return bead(joints.OnCurve(curves.BSpline(TRACK), frame="fixed-up"))


@pytest.mark.parametrize(
    "options", [{}, {"save_every": 7}, {"tau": lambda t, q, v: 0 * v}], ids=["all", "sparse", "python"]
)
@pytest.mark.parametrize("method", METHODS)
def test_leaving_an_open_curve_stops_the_run(model, method, options):
    traj = model.simulate([1.0], [1.0], 5.0, dt=1e-3, method=method, **options)
    assert not traj.status.ok
    assert WORDS in traj.status.reason
    assert "[0, 2]" in traj.status.reason
    assert 2.0 - 0.005 < traj.q[-1, 0] <= 2.0  # less than two steps of so fast a bead
    assert traj.t[-1] < traj.status.time < traj.t[-1] + 2e-3
    assert (traj.q <= 2.0).all()
    wanted = np.arange(len(traj.t)) * 1e-3 * options.get("save_every", 1)
    assert np.allclose(traj.t[:-1], wanted[:-1], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_ends_with_the_first_that_leaves(model, method):
    traj = model.simulate([[1.0], [1.0]], [[0.1], [1.0]], 5.0, dt=1e-3, method=method)
    assert "trajectory 1" in traj.status.reason
    assert WORDS in traj.status.reason
    assert (traj.q <= 2.0).all()


def test_a_numeric_formulation_stops_too():
    model = bead(joints.OnCurve(curves.BSpline(TRACK), frame="fixed-up"), "augmented")
    traj = model.simulate([1.0], [1.0], 5.0, dt=1e-2)
    assert "coordinate 's' = 2.0" in traj.status.reason
    assert 1.9 < traj.q[-1, 0] <= 2.0


@pytest.mark.parametrize("method", METHODS)
def test_an_excursion_between_samples_is_seen(method):
    """A spring pulls the bead back before the next sample is due."""
    ride = aj.joint(dof=1, names=["s"], domain=[(-1.0, 1.0)], defined=[(-1.0, 1.0)])(
        lambda q: aj.Pose.translation(q[0], 0, 0)
    )
    model = bead(ride)
    options = {"save_every": 314} if method != "dopri5" else {}
    dt = 1e-2 if method != "dopri5" else math.pi
    traj = model.simulate(
        [0.0], [1.1], 20.0, dt=dt, method=method, tau=lambda t, q, v: -q, rtol=1e-6, atol=1e-6, **options
    )
    assert "coordinate 's' = 1.0" in traj.status.reason
    assert traj.status.time < math.pi / 2


@pytest.mark.parametrize("method", METHODS)
def test_numbers_that_break_down_beyond_the_end_are_explained_by_it(method):
    ride = aj.joint(dof=1, names=["s"], domain=[(0.1, 1.0)], defined=[(0.0, math.inf)])(
        lambda q: aj.Pose.translation(q[0], 0, q[0] * aj.sqrt(q[0]))
    )
    traj = bead(ride).simulate([0.5], [-1.0], 2.0, dt=1e-3, method=method)
    assert not traj.status.ok
    assert "outside [0, inf]" in traj.status.reason
    assert 0 <= traj.q[-1, 0] < 3e-3
    assert np.isfinite(traj.v).all()


def test_a_start_outside_raises(model):
    with pytest.raises(SingularityError, match=r"simulate: .*coordinate 's' = 2.5"):
        model.simulate([2.5], [0.0], 1.0)


def test_events_before_the_end_still_happen(model):
    halfway = aj.Event(lambda t, q, v: q[0] - 1.5, terminal=True, name="halfway")
    traj = model.simulate([1.0], [1.0], 5.0, events=[halfway])
    assert traj.status.ok
    assert traj.q[-1, 0] == pytest.approx(1.5, abs=1e-9)


def test_a_closed_curve_has_no_end():
    model = bead(joints.OnCurve(curves.BSpline(TRACK, closed=True), frame="fixed-up"))
    traj = model.simulate([1.0], [3.0], 5.0, dt=1e-2)
    assert traj.status.ok
    assert traj.q[-1, 0] > 5
