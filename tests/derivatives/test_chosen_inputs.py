"""Gradients of runs that choose their steps while inputs change over time: exact for the steps that were taken."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.stepper.methods.dopri5 import TABLEAU
from derivatives.support import close, differences

TIGHT = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-13}
LOOSE = {"method": "dopri5", "rtol": 1e-4, "atol": 1e-5}
Q0, V0 = np.array([0.4, -0.3]), np.array([0.2, 0.5])
W = np.array([0.7, -1.1])


def arm():
    """Two hinges, the second with a damper."""
    mech = aj.Mechanism("arm", gravity=(0, 0, -9.81))
    solid = aj.Inertia(0.7, (0.05, -0.1, -0.4), np.diag([0.12, 0.1, 0.09]))
    mech.add_body("upper", joint=joints.Revolute((0, 1, 0)), inertia=solid)
    place = aj.Pose.translation(0, 0.1, -0.8)
    mech.add_body("lower", "upper", joints.Revolute((1, 2, 0)), place, solid, damping=0.2)
    return mech.compile()


def again(model, traj, q, v, times, values):
    """The last state, by the steps that the run has taken, whatever their errors are now."""
    y, n = np.concatenate([q, v]), model.nq
    for t, h, _ in traj.run.log.parts[0]:
        rates = []
        for c, weights in zip(TABLEAU.c, TABLEAU.a, strict=True):
            at = y + h * sum((w * k for w, k in zip(weights, rates, strict=True)), np.zeros(2 * n))
            tau = [np.interp(float((t + c * h)[0]), times, column) for column in values.T]
            rates.append(np.concatenate([at[n:], model.forward_dynamics(at[:n], at[n:], np.array(tau))]))
        y = y + h * (np.array(TABLEAU.b) @ rates)
    return y


def test_it_is_exact_for_the_steps_taken():
    """Few steps with errors of 1e-4, held: all digits of the gradient by samples of tau."""
    model, rng = arm(), np.random.default_rng(3)
    times, values = np.linspace(0, 0.6, 5), rng.normal(size=(5, 2))
    traj = model.simulate(Q0, V0, duration=0.6, dt=0.6, tau=(times, values), gradient=True, **LOOSE)
    taken = lambda x: again(model, traj, x[:2], x[2:4], times, x[4:].reshape(5, 2))  # noqa: E731
    x = np.concatenate([Q0, V0, values.ravel()])
    assert len(traj.run.log.parts[0]) < 15
    close(taken(x), np.concatenate([traj.q[-1], traj.v[-1]]), 1e-13)
    slopes = differences(lambda x: np.concatenate([W, W]) @ taken(x), x, np.eye(len(x)))
    found = traj.gradient(dq=W, dv=W, wrt=("q0", "v0", "tau"))
    close(np.concatenate([np.ravel(found[name]) for name in ("q0", "v0", "tau")]), slopes, 1e-9)
    d = rng.normal(size=(5, 2))
    dq, dv = traj.tangent({"tau": d})
    close(W @ dq[-1] + W @ dv[-1], np.sum(d * found["tau"]), 1e-12)


def test_samples_inside_steps_and_parameters():
    """All samples, most of them interpolated, by inputs and by a mass, beside other runs."""
    model, rng = arm(), np.random.default_rng(4)
    options, values = {"duration": 0.2, "dt": 7e-3} | TIGHT, rng.normal(size=(4, 2))
    traj = model.simulate(Q0, V0, tau=values, gradient=True, **options)
    by_q, by_v = rng.normal(size=traj.q.shape), rng.normal(size=traj.v.shape)
    found = traj.gradient(dq=by_q, dv=by_v, wrt=("tau", "lower/mass"))
    total = lambda run: np.sum(by_q * run.q) + np.sum(by_v * run.v)  # noqa: E731
    d = rng.normal(size=values.shape)
    expected = differences(lambda e: total(model.simulate(Q0, V0, tau=values + e * d, **options)), 0.0, [1.0])
    close(np.sum(found["tau"] * d), expected[0], 1e-7)

    def heavier(m):
        model.parameters["lower/mass"] = float(m)
        return total(model.simulate(Q0, V0, tau=values, **options))

    close(found["lower/mass"], differences(heavier, 0.7, [1.0])[0], 1e-7)


def wind(strength=1.0):
    """A force that changes in time."""
    return aj.forces.Wrench("lower", force=(lambda t: strength * float(np.sin(5 * t)), 0.0, 0.3))


def test_forces_over_time():
    model, options = arm(), {"duration": 0.3, "dt": 0.1, "forces": [wind()]} | TIGHT
    traj = model.simulate(Q0, V0, gradient=True, **options)
    found = traj.gradient(dq=W, wrt=("q0", "tau"))
    for name, run in (
        ("q0", lambda x: W @ model.simulate(x, V0, **options).q[-1]),
        ("tau", lambda x: W @ model.simulate(Q0, V0, tau=x, **options).q[-1]),
    ):
        close(found[name], differences(run, Q0 if name == "q0" else np.zeros(2), np.eye(2)), 1e-8)


def test_an_event_ends_it():
    """The end moves along the motion, as that of short steps of one length does."""
    model = arm()
    event = aj.Event(lambda t, q, v: q[0] + 0.1 * t, terminal=True, name="down")
    values = np.array([[0.0, 0.0], [-3.0, 2.0], [1.0, 0.5]])
    options = {"duration": 0.6, "events": [event], "tau": (np.array([0.0, 0.3, 0.6]), values), "gradient": True}
    found = []
    for way in (TIGHT | {"dt": 0.05}, {"method": "rk4", "dt": 5e-4}):
        traj = model.simulate(Q0, V0, **options, **way)
        assert "down" in traj.status.reason
        found.append(traj.gradient(dq=W, dv=W, wrt=("v0", "tau", "lower/mass")))
    for name, expected in found[1].items():
        close(found[0][name], expected, 1e-7)


@pytest.mark.parametrize("of_each", [True, False])
def test_each_of_a_batch_has_its_own_steps(of_each):
    """Constant inputs of each beside forces over time, or samples for all of them."""
    model = arm()
    q, v = np.array([Q0, 2 * Q0, -Q0]), np.array([V0, -V0, 0 * V0])
    tau = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
    times, values = np.array([0.0, 0.1, 0.2]), np.array([[0.0, 1.0], [2.0, -1.0], [1.0, 0.0]])
    options = {"duration": 0.2, "dt": 0.05, "forces": [wind()], "gradient": True} | LOOSE
    given = (lambda k: tau[k]) if of_each else lambda k: (times, values)
    many = model.simulate(q, v, tau=given(slice(None)), **options)
    found = many.gradient(dq=np.tile(W, (3, 1)), wrt=("q0", "tau"))
    rates = many.tangent({"q0": W})[0][-1]
    for k in range(3):
        one = model.simulate(q[k], v[k], tau=given(k), **options)
        alone = one.gradient(dq=W, wrt=("q0", "tau"))
        close(found["q0"][k], alone["q0"], 1e-13)
        close(found["tau"][k], alone["tau"], 1e-13)
        close(rates[k], one.tangent({"q0": W})[0][-1], 1e-13)
