"""Functions of the user inside a run: they see the state, cannot change it, and answer with numbers."""

import math

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.errors import InputError
from simulate.mechanisms import double_pendulum


def slider():
    mech = aj.Mechanism("slider", gravity=(0, 0, 0))
    mech.add_body("b", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.sphere(1.0, 0.1))
    return mech.compile()


@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4", "dopri5"])
def test_a_controller_cannot_change_the_state(method):
    def careless(t, q, v):
        with pytest.raises(ValueError, match="read-only"):
            q -= 1.0
        with pytest.raises(ValueError, match="read-only"):
            v[0] = 3.0
        return -100 * (q - 1.0) - 10 * v

    run = {"duration": 0.2, "dt": 1e-3, "method": method}
    careful = slider().simulate([0.0], [0.0], tau=lambda t, q, v: -100 * (q - 1.0) - 10 * v, **run)
    assert np.array_equal(slider().simulate([0.0], [0.0], tau=careless, **run).q, careful.q)


def test_an_event_cannot_change_the_state():
    def careless(t, q, v):
        q += 1.0
        return q[0]

    with pytest.raises(ValueError, match="read-only"):
        slider().simulate([0.0], [1.0], 0.1, events=[careless])


@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4", "dopri5"])
def test_nan_of_a_controller_is_reported_with_its_time(method):
    def broken(t, q, v):
        return [math.nan if t > 0.05 else 0.1]

    traj = slider().simulate([0.0], [0.0], 1.0, dt=1e-3, method=method, tau=broken)
    assert not traj.status.ok
    assert traj.status.reason.startswith("tau(t, q, v) returned nan for velocity 0 at t = 0.")
    assert 0.05 < traj.status.time < (0.5 if method == "dopri5" else 0.052)
    assert "blew up" not in traj.status.reason
    assert np.isfinite(traj.q).all()


@pytest.mark.parametrize("hold", [None, 2])
def test_a_controller_is_not_blamed_for_a_motion_that_blows_up(hold):
    """It was asked at a state that is not finite, and its answer, which is not either, was named as the reason."""
    seen = []

    def gentle(t, q, v):
        seen.append(np.isfinite([*q, *v]).all())
        return -0.1 * np.tanh(v)

    spring = [forces.Spring("b", (0, 0, 0), None, (0, 0, 0), 1e300)]
    traj = slider().simulate([1.0], [0.0], 0.1, dt=1e-2, tau=gentle, forces=spring, hold=hold)
    assert "blew up" in traj.status.reason
    assert all(seen)


def test_nan_of_a_function_of_time_is_reported():
    def gust(t):
        return math.inf if t > 0.05 else 1.0

    for method in ("rk4", "dopri5"):
        push = forces.Wrench("b", force=(gust, 0, 0))
        traj = slider().simulate([0.0], [0.0], 1.0, forces=[push], method=method)
        assert "gust(t), which a force depends on, returned inf at t = 0." in traj.status.reason


def bang_bang(t, q, v):
    return np.array([2.0, -1.0]) * (1.0 if math.sin(40 * t) > 0 else -1.0)


BANGS = {
    "sampled": {"tau": (np.linspace(0, 2, 2001), np.array([bang_bang(t, 0, 0) for t in np.linspace(0, 2, 2001)]))},
    "asked": {"tau": bang_bang},
    "held": {"tau": bang_bang, "hold": 5},
    "constant": {"tau": [2.0, -1.0]},
    "of dopri5, asked": {"tau": lambda t, q, v: np.array([math.sin(40 * t), 0.0]), "method": "dopri5"},
    "of dopri5, constant": {"tau": [2.0, -1.0], "method": "dopri5"},
    "of dopri5 and forces": {
        "forces": [forces.Spring("rod 0", (0, 0, -1), None, (1, 0, -1), 150.0, 0.5, 3.0)], "method": "dopri5"
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BANGS)
def test_work_is_that_of_the_run_however_few_samples_are_kept(name):
    """Inputs that jump between samples: power is integrated by the steps themselves."""
    model = double_pendulum(stiffness=2.0, damping=0.3)
    runs = [
        model.simulate([0.5, 0.2], [0.0, 1.0], 2.0, dt=1e-3, save_every=every, **BANGS[name]) for every in (1, 400)
    ]
    fine, coarse = runs
    assert len(coarse.t) == 6
    assert np.abs(coarse.work() - fine.work()[::400]).max() < 1e-12
    exchanged = np.ptp(sum(model.energy(fine.q, fine.v)))
    assert np.abs(coarse.energy_balance()).max() < 1e-4 * exchanged  # the steps' own error where inputs jump


@pytest.mark.parametrize("batch", [False, True])
def test_work_is_saved_with_the_run(batch, tmp_path):
    """A loaded motion does not know its inputs any more, but what they did."""
    model = double_pendulum(damping=0.3)
    start = ([[0.5, 0.2]] * 2, [[0.0, 1.0]] * 2) if batch else ([0.5, 0.2], [0.0, 1.0])
    spring = forces.Spring("rod 0", (0, 0, -1), None, (1, 0, -1), 15.0, 0.5, 0.3)
    traj = model.simulate(*start, 1.0, tau=[2.0, -1.0], forces=[spring])
    loaded = aj.Trajectory.load(traj.save(tmp_path / "run.npz"), model)
    assert np.array_equal(loaded.work(), traj.work())
    assert np.array_equal(loaded.energy_balance(), traj.energy_balance())
    assert np.array_equal(loaded.energy(), traj.energy())


def test_work_up_to_an_event():
    model = double_pendulum(damping=0.3)
    traj = model.simulate([0.5, 0.2], [0.0, 1.0], 2.0, events=[aj.Event(lambda t, q, v: q[0], terminal=True)])
    assert traj.t[-1] < 2.0
    assert np.abs(traj.energy_balance()).max() < 1e-6


def test_the_work_of_dampers_inputs_and_forces_balances_the_energy():
    damped = double_pendulum(stiffness=2.0, damping=0.3)
    servo = forces.Servo("rod 1", lambda t: math.sin(3 * t), 20.0, 1.0)
    spring = forces.Spring("rod 0", (0, 0, -1), None, (1, 0, -1), 15.0, 0.5, 0.3)
    runs = {
        "damped": {},
        "driven": {"tau": [0.5, -0.2]},
        "forced": {"forces": [servo, spring]},
        "controlled": {"tau": lambda t, q, v: -3 * q - 0.1 * v},
    }
    for name, options in runs.items():
        traj = damped.simulate([0.5, 0.2], [0.0, 1.0], 2.0, dt=1e-3, **options)
        lost = np.ptp(sum(damped.energy(traj.q, traj.v)))
        assert lost > 0.1, name
        assert np.abs(traj.energy_balance()).max() < 1e-8 * lost, name  # rk4 and quadrature, both of fourth order
    batch = damped.simulate([[0.5, 0.2]] * 2, [[0.0, 1.0], [0.3, 0.0]], 1.0, tau=[[0.5, -0.2], [0.0, 1.0]])
    assert batch.energy_balance().shape == (1001, 2)
    assert batch.balance_error() < 1e-8


@pytest.mark.parametrize("given", [None, ["1", "2"], [True, False], ["a", "b"], {"a": 1}, 3.0, [[1.0, 2.0]]])
def test_what_a_controller_returns_must_be_numbers(given):
    model = double_pendulum()
    with pytest.raises(InputError, match=r"tau\(t, q, v\) returned .*expected"):
        model.simulate(duration=0.01, tau=lambda t, q, v: given)


@pytest.mark.parametrize(("save_every", "duration"), [(1, 0.1), (3, 0.1), (7, 0.1), (None, 0.1005)])
@pytest.mark.parametrize("hold", [1, 4, 10, 500])
def test_a_sampled_controller_is_asked_every_so_many_steps_however_few_samples_are_kept(hold, save_every, duration):
    """The last sample takes a part of the run for itself; a controller knows nothing of it."""
    model, asked = double_pendulum(damping=0.3), []

    def law(t, q, v):
        asked.append(t)
        return np.array([math.cos(40 * t), 0.0]) - 2 * v

    traj = model.simulate([0.5, 0.2], [0.0, 1.0], duration, dt=1e-3, tau=law, hold=hold, save_every=save_every)
    steps = 100 if duration == 0.1 else 101
    assert asked == pytest.approx([k * 1e-3 for k in range(0, steps, hold)])
    q, v = np.array([0.5, 0.2]), np.array([0.0, 1.0])
    for k in range(steps):
        if k % hold == 0:
            tau = law(k * 1e-3, q, v)
        q, v = model.step(q, v, tau, dt=1e-3 if k < 100 else 5e-4)
    assert traj.q[-1] == pytest.approx(q, rel=1e-12)
    asked.clear()
    a = traj.accelerations()
    assert not asked  # what it has said is remembered: asked between, it would say something else
    assert a[-1] == pytest.approx(model.forward_dynamics(q, v, tau), rel=1e-9)


def test_formulations_that_solve_step_by_step_hold_nothing():
    model = double_pendulum().mechanism.compile(algorithm="redmax")
    with pytest.raises(aj.InputError, match="hold: redmax solves numerically"):
        model.simulate([0.5, 0.2], duration=0.1, tau=lambda t, q, v: -v, hold=5)


@pytest.mark.parametrize("times", ["soon", [0.1, None], [[0.1]], [0.1, math.nan], [3.0]])
def test_a_motion_is_resampled_at_times_within_it(times):
    traj = double_pendulum().simulate([0.5, 0.2], duration=0.2)
    with pytest.raises(aj.InputError, match="resample: times"):
        traj.resample(times)
