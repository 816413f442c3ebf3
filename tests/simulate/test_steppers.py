"""Laws of the steppers: orders, energy, momentum, and agreement of machine code, Python and SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import anyjoint as aj
from anyjoint import joints
from anyjoint.simulate.python_step import coordinate_rates
from anyjoint.stepper import STEPPERS
from simulate.mechanisms import double_pendulum, floating, rods, top, total
from tests.crossed import crossed

METHODS = {name: x for name, x in STEPPERS.items() if not x.chooses}  # Python asks, or numbers are all that counts

START = np.array([1.0, 0.5]), np.array([0.3, -0.2])


def scipy_end(model, q, v, duration, tau=None):
    """The state at the end by SciPy's most accurate explicit method."""
    n = model.nq

    def rate(t, y):
        push = None if tau is None else tau(t, y[:n], y[n:])
        return np.concatenate([coordinate_rates(model, y[:n], y[n:]), model.forward_dynamics(y[:n], y[n:], push)])

    found = solve_ivp(rate, (0, duration), np.concatenate([q, v]), method="DOP853", rtol=1e-13, atol=1e-13)
    return found.y[:n, -1], found.y[n:, -1]


@pytest.mark.parametrize(("method", "order"), [("semi-implicit-euler", 1), ("rk4", 4)])
def test_fixed_steps_have_their_order(method, order):
    model, steps = double_pendulum(), np.array([100, 200, 400])
    q, _ = scipy_end(model, *START, 1.0)
    errors = [np.abs(model.simulate(*START, 1.0, dt=1.0 / n, method=method).q[-1] - q).max() for n in steps]
    fitted = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert fitted == pytest.approx(order, abs=0.2)


def test_error_control_has_order_five():
    """The error is a power of the number of steps."""
    model = double_pendulum()
    q, _ = scipy_end(model, *START, 2.0)
    counts, errors = [], []
    for tolerance in (1e-9, 1e-10, 1e-11, 1e-12):
        traj = model.simulate(*START, 2.0, dt=2.0, method="dopri5", rtol=tolerance, atol=tolerance)
        counts.append(traj.steps)
        errors.append(np.abs(traj.q[-1] - q).max())
    fitted = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert fitted == pytest.approx(5, abs=0.5)


def test_the_interpolant_is_as_good_as_the_tolerance():
    model = double_pendulum()
    fine = model.simulate(*START, 2.0, dt=0.001, method="dopri5", rtol=1e-9, atol=1e-9)
    exact = model.simulate(*START, 2.0, dt=0.001, method="rk4")
    assert len(fine.t) == 2001 > 5 * fine.steps  # there are samples within steps
    assert np.abs(fine.q - exact.q).max() < 1e-7


@pytest.mark.parametrize("make", [double_pendulum, top, lambda: top(True), lambda: floating(True), floating])
def test_scipy_agrees(make):
    model = make()
    rng = np.random.default_rng(3)
    q, v = model.mechanism.neutral + 0.0, rng.uniform(-1, 1, model.nv)
    wanted_q, wanted_v = scipy_end(model, q, v, 1.0)
    traj = model.simulate(q, v, 1.0, dt=0.5, method="dopri5", rtol=1e-12, atol=1e-12)
    assert np.abs(traj.q[-1] - wanted_q).max() < 1e-9
    assert np.abs(traj.v[-1] - wanted_v).max() < 1e-9


MODELS = {
    "free": lambda: floating(True), "top": top, "top by quaternion": lambda: top(True), "pendulum": double_pendulum,
}  # fmt: skip


@pytest.mark.parametrize(("make", "method"), crossed(MODELS, METHODS))
def test_the_loop_in_python_agrees(make, method):
    """The compiled loop, charts and quaternions included, against plain steps in Python."""
    model = MODELS[make]()
    q, v = model.mechanism.neutral, np.linspace(4.0, 7.0, model.nv)
    options = {"duration": 1.003, "dt": 0.01, "method": method, "rtol": 1e-6, "atol": 1e-6}
    compiled = model.simulate(q, v, **options)
    plain = model.simulate(q, v, tau=lambda t, q, v: np.zeros(len(v)), **options)
    assert compiled.t == pytest.approx(plain.t)
    assert np.abs(compiled.q - plain.q).max() < 1e-9
    assert np.abs(compiled.v - plain.v).max() < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_every_trajectory_of_a_batch_is_the_same_as_alone(method):
    model = double_pendulum()
    rng = np.random.default_rng(1)
    q, v, tau = (rng.uniform(-1, 1, (11, 2)) for _ in range(3))
    options = {"duration": 0.505, "dt": 0.01, "method": method}
    together = model.simulate(q, v, tau=tau, **options)
    threaded = model.simulate(q, v, tau=tau, threads=2, **options)
    assert together.q.shape == (len(together.t), 11, 2)
    assert np.array_equal(together.q, threaded.q)
    for k in (0, 7, 10):
        alone = model.simulate(q[k], v[k], tau=tau[k], **options)
        member = together.member(k)
        assert np.array_equal(alone.t, member.t)
        assert np.abs(alone.q - member.q).max() < 1e-12
        assert np.abs(alone.v - member.v).max() < 1e-12


def test_long_chains_run_by_kernels():
    mech = rods(40)
    model = mech.compile(form="kernels")
    q = np.full(40, 0.05)
    wanted = mech.compile(form="straight").simulate(q, np.zeros(40), 0.1)
    for options in ({}, {"method": "dopri5", "rtol": 1e-10, "atol": 1e-10}):
        made = model.simulate(q, np.zeros(40), 0.1, **options)
        assert np.abs(made.q - wanted.q).max() < 1e-8
    both = model.simulate(np.stack([q, q]), np.zeros((2, 40)), 0.1)
    assert np.abs(both.q[:, 1] - wanted.q).max() < 1e-10


def test_energy_drift_is_small():
    model = double_pendulum()
    exchanged = np.ptp(model.simulate(*START, 10.0).energy()[0])
    for method, bound in (("semi-implicit-euler", 2e-2), ("rk4", 1e-9), ("dopri5", 1e-6)):
        energy = total(model.simulate(*START, 10.0, method=method))
        assert np.ptp(energy) < bound * exchanged, method


@pytest.mark.parametrize("quaternion", [False, True])
def test_momentum_of_a_floating_mechanism_is_constant(quaternion):
    model = floating(quaternion)
    v = np.array([0.5, -1.0, 2.0, 0.3, 0.2, -0.1, 1.5, -0.7])
    traj = model.simulate(model.mechanism.neutral, v, 5.0, method="dopri5", rtol=1e-10, atol=1e-10)
    momentum = traj.momentum()
    assert np.abs(momentum - momentum[0]).max() < 1e-7
    assert np.ptp(total(traj)) < 1e-7


def test_charts_change_on_the_way():
    """A fast spin passes 2 pi many times; rotation vectors stay short and the motion goes on undisturbed."""
    model = top()
    traj = model.simulate([0.0, 0.0, 0.1], [0.0, 0.0, 20.0], 3.0)
    assert np.linalg.norm(traj.q, axis=1).max() < 2 * np.pi
    assert (np.abs(np.diff(traj.q, axis=0)) > 1.0).any()  # charts did change
    assert np.ptp(total(traj)) < 1e-4 * traj.energy()[0].max()


@pytest.mark.parametrize("method", METHODS)
def test_a_bead_at_large_steps_never_leaves_its_wire(method):
    """[GL Fig. 8]: at 1/30 s the speed may be wrong, the place never is."""
    mech = aj.Mechanism("bead")
    mech.add_body(
        "bead", None, joints.OnCurve(lambda s: (2 * aj.cos(s), 0.0, aj.sin(s))), inertia=aj.Inertia.point(1.0)
    )
    model = mech.compile()
    traj = model.simulate([0.1], [2.0], duration=20.0, dt=1 / 30, method=method)
    x, y, z = model.body_poses(traj.q)[:, 0, :3, 3].T
    assert len(traj.t) == 601
    assert np.abs((x / 2) ** 2 + z**2 - 1).max() < 1e-14
    assert not y.any()
    assert np.ptp(x) > 2


def test_no_steps_and_short_steps():
    model = double_pendulum()
    still = model.simulate(*START, 0.0)
    assert still.t.tolist() == [0.0]
    assert still.status.ok
    short = model.simulate(*START, 1e-4)  # shorter than the step
    assert short.t.tolist() == [0.0, 1e-4]
    odd = model.simulate(*START, 0.0105, dt=1e-3, save_every=4)
    assert odd.t == pytest.approx([0, 0.004, 0.008, 0.0105])
    exact = model.simulate(*START, 0.0105, dt=1e-4)
    assert np.abs(odd.q[-1] - exact.q[-1]).max() < 1e-10


@pytest.mark.parametrize("options", [{}, {"tau": lambda t, q, v: -v}, {"tau": lambda t, q, v: -v, "hold": 3}])
def test_a_run_is_the_same_however_few_samples_are_kept(options):
    """Also where steps do not divide the duration: the last one alone is shorter."""
    model = double_pendulum()
    full, *thin = (model.simulate(*START, 0.0505, dt=5e-3, save_every=n, **options) for n in (1, 3, 4, 50))
    for traj in thin:
        assert np.array_equal(traj.q[-1], full.q[-1])
        assert np.array_equal(traj.v[-1], full.v[-1])


def test_the_start_is_the_mechanisms_own():
    mech = rods(2)
    mech.set_start([0.4, 0.2], [1.0, 2.0])
    traj = mech.compile().simulate(duration=0.01)
    assert traj.q[0].tolist() == [0.4, 0.2]
    assert traj.v[0].tolist() == [1.0, 2.0]


def test_nothing_to_integrate():
    mech = aj.Mechanism("stone")
    mech.add_body("stone", None, joints.Fixed(), inertia=aj.Inertia(1.0))
    traj = mech.compile().simulate(duration=0.01)
    assert traj.q.shape == (11, 0)
    assert traj.status.ok


@pytest.mark.parametrize("method", METHODS)
def test_formulations_that_are_not_compiled(method):
    mech = rods(2)
    wanted = mech.compile().simulate(*START, 0.1, dt=0.01, method=method)
    made = mech.compile(algorithm="augmented").simulate(*START, 0.1, dt=0.01, method=method)
    assert np.abs(made.q - wanted.q).max() < 1e-9


def test_changed_parameters_reach_the_stepper():
    """The stepper is kept; its numbers are the model's own."""
    mech = rods(2)
    model = mech.compile()
    before = model.simulate(*START, 0.1)
    model.parameters["rod 1/mass"] = 2.5
    model.parameters["gravity"] = (0.0, 0.0, -3.7)
    changed = model.simulate(*START, 0.1)
    assert np.abs(changed.q - before.q).max() > 1e-3
    fresh = rods(2)
    fresh.gravity = (0.0, 0.0, -3.7)
    heavy = fresh.bodies[1].inertia
    again = fresh.compile()
    again.parameters["rod 1/mass"] = 2.5
    assert heavy.mass == 1.0
    assert np.abs(again.simulate(*START, 0.1).q - changed.q).max() < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_single_precision(method):
    mech = rods(2)
    options = {"duration": 0.3, "dt": 0.01, "method": method, "rtol": 1e-5, "atol": 1e-5}
    wanted = mech.compile().simulate(*START, **options)
    made = mech.compile(dtype="float32").simulate(*START, **options)
    assert made.t == pytest.approx(wanted.t)
    assert np.abs(made.q - wanted.q).max() < 1e-4
    assert made.status.ok


@pytest.mark.parametrize("method", METHODS)
def test_batches_without_compiled_loops(method):
    """Inputs over time with error control, and formulations that are not compiled, go one by one."""
    q, v, tau = np.array([START[0], [0.2, 0.1]]), np.zeros((2, 2)), np.array([[1.0, 0.0], [0.0, 2.0]])
    mech = rods(2)
    model, other = mech.compile(), mech.compile(algorithm="augmented")
    options = {"duration": 0.1, "dt": 0.01, "method": method}
    wanted = model.simulate(q, v, tau=tau, **options)
    assert np.abs(other.simulate(q, v, tau=tau, **options).q - wanted.q).max() < 1e-9
    table = [0.0, 0.1], [[0.0, 0.0], [1.0, 2.0]]
    both = model.simulate(q, v, tau=table, **options)
    for k in range(2):
        alone = model.simulate(q[k], v[k], tau=table, **options)
        assert np.abs(both.q[:, k] - alone.q).max() < 1e-12
