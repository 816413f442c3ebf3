"""Linear models of rates and steps: against differences of fourth order, and each other."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.errors import InputError
from anyjoint.stepper import STEPPERS
from derivatives.support import close, differences, tangents

DT = 1e-2


def case(*names):
    kinds = gallery.every_kind()
    mech = gallery.random_tree(3, n=len(names), kinds={name: kinds[name] for name in names})
    rng = np.random.default_rng(0)
    return mech.compile(), np.array(mech.start[0]), *rng.normal(size=(2, mech.nv))


@pytest.fixture(scope="module")
def moving():
    return case("revolute", "universal", "spherical-quaternion")


SOON = ("rk4", "implicit-euler", "bdf1")  # of each sort one; the others differ in coefficients
METHODS = [name for name, x in STEPPERS.items() if not (x.remembers or x.resists)]


@pytest.mark.parametrize("method", [pytest.param(x, marks=[pytest.mark.slow] * (x not in SOON)) for x in METHODS])
def test_a_step_is_linearised_through_its_stages(moving, method):
    """Differences with h = 1e-3 are good to about 1e-10; compiled steps that solve equations do so to 1e-11."""
    model, q, v, tau = moving
    A, B = model.linearise(q, v, tau, dt=DT, method=method, raw=True)

    def step(q, v, tau):
        return np.concatenate(model.step(q, v, tau, dt=DT, method=method))

    by_q = differences(lambda x: step(x, v, tau), q, np.eye(model.nq))
    by_v = differences(lambda x: step(q, x, tau), v, np.eye(model.nv))
    tolerance = 1e-7 if STEPPERS[method].solves else 1e-9
    assert close(A, np.hstack([by_q, by_v]), tolerance)
    assert close(B, differences(lambda x: step(q, v, x), tau, np.eye(model.nv)), tolerance)


def test_tangents_of_a_step_are_those_of_coordinates(moving):
    """A raw step takes T(q) d to T(q') d' for every tangent d."""
    model, q, v, tau = moving
    raw, _ = model.linearise(q, v, tau, dt=DT, raw=True)
    A, B = model.linearise(q, v, tau, dt=DT)
    n, m = model.nv, model.nq
    assert A.shape == (2 * n, 2 * n)
    assert B.shape == (2 * n, n)
    after = np.asarray(model.step(q, v, tau, dt=DT)[0])
    before, behind = tangents(model.mechanism, q), tangents(model.mechanism, after)
    assert close(behind.T @ A[:n, :n], raw[:m, :m] @ before.T, 1e-12)
    assert close(A[n:, :n], raw[m:, :m] @ before.T, 1e-12)
    assert close(A[n:, n:], raw[m:, m:], 1e-12)


def test_rates_are_the_limit_of_steps(moving):
    model, q, v, tau = moving
    A, B = model.linearise(q, v, tau)
    h = 1e-4
    ends = [model.linearise(q, v, tau, dt=x * h)[0] for x in (1, 2)]
    slopes = [(end - np.eye(len(A))) / (x * h) for end, x in zip(ends, (1, 2), strict=True)]
    assert close(A, 2 * slopes[0] - slopes[1], 1e-6)  # Richardson: the error is of second order in h
    assert close(B[model.nv :], model.inverse_mass_matrix(q), 1e-12)
    raw, _ = model.linearise(q, v, tau, raw=True)
    rates = differences(lambda x: np.asarray(model.coordinate_rates(x, v)), q, np.eye(model.nq))
    assert close(raw[: model.nq, : model.nq], rates, 1e-9)


def test_a_pendulum_at_rest_is_an_oscillator():
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.add_body("bob", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(2.0, (0, 0, -0.5)))
    model = mech.compile()
    A, B = model.linearise([0.0], [0.0])
    assert close(A, [[0, 1], [-9.81 / 0.5, 0]], 1e-15)
    assert close(B, [[0], [1 / (2.0 * 0.25)]], 1e-15)
    many, _ = model.linearise(np.zeros((3, 1)), np.zeros((3, 1)))
    assert np.array_equal(many, [A] * 3)


def test_mistakes_are_told(moving):
    model, q, v, _ = moving
    with pytest.raises(InputError, match=r"linearise: method='rk' is unknown \(did you mean 'rk4'\?\)"):
        model.linearise(q, v, dt=DT, method="rk")
    with pytest.raises(InputError, match="linearise: dt=-1; expected a positive"):
        model.linearise(q, v, dt=-1)
    with pytest.raises(InputError, match="linearise: method and before are those of a step; give its length, dt"):
        model.linearise(q, v, method="bdf1")
    with pytest.raises(InputError, match="linearise: q has shape"):
        model.linearise(q[:-1], v)


def test_steps_that_look_back_are_told(moving):
    model, q, v, _ = moving
    with pytest.raises(InputError, match="'bdf2' looks back; give before"):
        model.linearise(q, v, dt=DT, method="bdf2")
    with pytest.raises(InputError, match="'rk4' does not look back; leave out before"):
        model.linearise(q, v, dt=DT, before=(q, v))


@pytest.mark.parametrize("before", [3, "ab c", [1.0], (1, 2, 3)])
def test_a_state_before_is_two_rows(moving, before):
    model, q, v, _ = moving
    with pytest.raises(InputError, match=r"linearise: before=.*; expected \(q, v\), the state a step earlier"):
        model.linearise(q, v, dt=DT, method="bdf2", before=before)


@pytest.mark.parametrize("t", ["noon", np.nan, [0.0, 1.0], True, 10**400])
def test_a_time_is_a_number(moving, t):
    model, q, v, _ = moving
    with pytest.raises(InputError, match=r"linearise: t=.*; expected a finite number of seconds"):
        model.linearise(q, v, t=t)


def test_no_states_have_no_matrices(moving):
    model, q, v, _ = moving
    none, n = np.zeros((0, model.nq)), 2 * model.nv
    for options in ({}, {"dt": DT}, {"dt": DT, "method": "bdf2", "before": (q, v)}):
        A, B = model.linearise(none, v, **options)
        m = n * (2 if "before" in options else 1)
        assert (A.shape, B.shape) == ((0, m, m), (0, m, model.nv))


def test_as_many_velocities_that_are_no_rates():
    """A body that rolls and slips has five coordinates and five velocities, which are not their rates."""
    mech = aj.Mechanism("pebble")
    joint = joints.Rolling(aj.surfaces.Plane(), aj.surfaces.Ellipsoid(0.2, 0.15, 0.1), slip=True)
    mech.add_body("pebble", joint=joint, inertia=aj.Inertia(1.0, (0.01, 0.02, 0.0), np.diag([0.02, 0.03, 0.04])))
    model, (v, tau) = mech.compile(), np.random.default_rng(0).normal(size=(2, 5))
    q = np.array([0.0, 0.0, 0.3, 1.8, 0.1])
    d = model.forward_dynamics_derivatives(q, v, tau, raw=True)
    e = model.inverse_dynamics_derivatives(q, v, tau, raw=True)
    assert close(d.q, differences(lambda x: np.asarray(model.forward_dynamics(x, v, tau)), q, np.eye(5)), 1e-8)
    assert close(e.q, differences(lambda x: np.asarray(model.inverse_dynamics(x, v, tau)), q, np.eye(5)), 1e-8)
    raw, _ = model.linearise(q, v, tau, raw=True)
    assert close(raw[:5, :5], differences(lambda x: np.asarray(model.coordinate_rates(x, v)), q, np.eye(5)), 1e-8)
    A, _ = model.linearise(q, v, tau)
    h = 1e-4  # rates are the limit of steps
    slopes = [(model.linearise(q, v, tau, dt=x * h)[0] - np.eye(10)) / (x * h) for x in (1, 2)]
    assert close(A, 2 * slopes[0] - slopes[1], 1e-6)
    with pytest.raises(InputError, match="some velocities are no rates of coordinates"):
        aj.lqr(model, q)


def test_what_stands_still_has_empty_matrices():
    mech = aj.Mechanism("wall")
    mech.add_body("wall", joint=joints.Fixed(), inertia=aj.Inertia.point(1.0))
    A, B = mech.compile().linearise([], [])
    assert A.shape == B.shape == (0, 0)
