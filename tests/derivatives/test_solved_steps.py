"""Gradients through steps that solve equations: against differences of runs, dense solves, and each other."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from derivatives.sloped import slopes
from derivatives.support import close

METHODS = ("bdf1", "bdf2", "implicit-midpoint")
ONE_QUICK = ["bdf2", *(pytest.param(x, marks=pytest.mark.slow) for x in METHODS if x != "bdf2")]
H = 1e-3  # of differences: steps are solved to 1e-11, which differences divide by this


def slope(f):
    """By differences of fourth order."""
    return (8 * (f(H) - f(-H)) - (f(2 * H) - f(-2 * H))) / (12 * H)


def arm():
    """Two links with a stiff spring in the elbow."""
    mech = aj.Mechanism("arm", gravity=(0, 0, -9.81))
    rod = aj.Inertia.box(1.0, 0.05, 0.1, 1.0)
    upper = mech.add_body("upper", joint=joints.Revolute(axis=(0, 1, 0)), inertia=rod, damping=0.2)
    lower = joints.Universal()
    place = aj.Pose.translation(0, 0, -0.5)
    mech.add_body("lower", upper, lower, place, aj.Inertia(1.1, (0.1, 0, -0.4), np.diag([0.1, 0.12, 0.02])),
                  stiffness=400.0, damping=1.0)  # fmt: skip
    return mech.compile()


def check(model, q0, v0, d, parameters=(), tolerance=1e-8, **options):
    """The gradient and the tangent of a weighted sum of all samples against differences of runs."""
    rng = np.random.default_rng(1)
    traj = model.simulate(q0, v0, gradient=True, **options)
    assert traj.status.ok
    by_q, by_v = rng.normal(size=traj.q.shape), rng.normal(size=traj.v.shape)
    found = traj.gradient(dq=by_q, dv=by_v, wrt=(*d, *parameters), raw=True)
    total = lambda run: np.sum(by_q * run.q) + np.sum(by_v * run.v)  # noqa: E731

    def run(e):
        moved = {"tau": options["tau"] + e * d["tau"]} if "tau" in d else {}
        q, v = (x + e * d.get(name, 0.0) for name, x in (("q0", q0), ("v0", v0)))
        return total(model.simulate(q, v, **(options | moved)))

    by_hand = sum(np.sum(found[name] * x) for name, x in d.items())
    if d:
        close(by_hand, slope(run), tolerance)
    for name in parameters:
        old = np.asarray(model.parameters[name], dtype=float)

        def other(e, name=name, old=old):
            model.parameters.set({name: old * (1 + e)})
            return total(model.simulate(q0, v0, **options))

        expected = slope(other)
        model.parameters.set({name: old if old.shape else float(old)})
        close(np.sum(found[name] * old), expected, tolerance, 1e-3)
    dq, dv = traj.tangent(d | {name: model.parameters[name] for name in parameters}, raw=True)
    whole = by_hand + sum(np.sum(found[name] * model.parameters[name]) for name in parameters)
    close(np.sum(by_q * dq) + np.sum(by_v * dv), whole, 1e-11)


@pytest.mark.parametrize("method", ONE_QUICK)
def test_springs_pushes_and_inputs_over_time(method):
    model, rng = arm(), np.random.default_rng(0)
    string = aj.forces.Spring("upper", (0.1, 0, 0), "lower", (0.2, 0, -0.4), stiffness=300.0, length=0.5, damping=2.0)
    d = {"q0": rng.normal(size=3), "v0": rng.normal(size=3), "tau": rng.normal(size=(4, 3))}
    q0, v0, names = np.array([0.3, 0.2, -0.4]), np.array([1.0, -2.0, 0.5]), ("lower/mass", "lower/stiffness", "gravity")
    tau = rng.normal(size=(4, 3))
    check(model, q0, v0, d, names, method=method, duration=0.205, dt=0.02, tau=tau, forces=[string])


@pytest.mark.parametrize("method", ONE_QUICK)
def test_a_loop(method):
    """A constrained step solves for multipliers, too, and is projected behind that."""
    model = gallery.four_bar().compile()
    begin = model.simulate(duration=0.02)
    check(model, begin.q[-1], begin.v[-1], {}, ("gravity",), method=method, duration=0.04, dt=0.01)


@pytest.mark.parametrize("method", ONE_QUICK)
def test_quaternions_and_charts(method):
    """Rotation vectors that grow too long change their chart within the run; steps then have nothing to look back at.

    Few samples are kept, so that states between them are computed again, with what steps looked back at.
    """
    mech = aj.Mechanism("tops", gravity=(0, 0, -9.81))
    top = aj.Inertia(1.0, (0.1, 0.0, 0.3), np.diag([0.1, 0.12, 0.2]))
    mech.add_body("one", joint=joints.SphericalQuaternion(), inertia=top)
    mech.add_body("two", "one", joints.Spherical(), aj.Pose.translation(0, 0, 1), top, damping=0.1)
    model, rng = mech.compile(), np.random.default_rng(3)
    q0, v0 = np.array([0.8, 0.0, 0.6, 0.0, 0.1, 4.3, 0.3]), np.array([0.3, 0.2, 0.1, 0.5, 12.0, 0.4])
    d = {"q0": rng.normal(size=7), "v0": rng.normal(size=6)}
    options = {"method": method, "duration": 0.1, "dt": 0.01, "save_every": 4}
    run = model.simulate(q0, v0, **(options | {"save_every": 1}))
    assert np.abs(np.diff(run.q[:, 4:], axis=0)).max() > 1  # the chart has changed
    check(model, q0, v0, d, **options)


def test_a_motion_that_depends_on_time():
    mech = aj.Mechanism("driven", gravity=(0, 0, -9.81))
    rod = aj.Inertia(1.1, (0, 0, -0.5), np.diag([0.1, 0.1, 0.01]))
    crank = mech.add_body("crank", joint=joints.Revolute(axis=(0, 1, 0)), inertia=rod)
    mech.add_body("rod", crank, joints.Revolute(axis=(0, 1, 0)), placement=aj.Pose.translation(0, 0, -1), inertia=rod)
    mech.prescribe("crank", lambda t: 0.2 * aj.sin(3 * t))
    check(mech.compile(), np.array([0.0, 0.4]), np.array([0.6, 0.1]), {}, ("gravity",), method="bdf2", duration=0.1,
          dt=0.02, save_every=2)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_linear_models_are_those_of_the_equations(method):
    """Dense solves with exact derivatives give the same matrices; compiled steps are solved to 1e-11."""
    model, rng = arm(), np.random.default_rng(5)
    q, v, tau = 0.3 * rng.normal(size=(3, 3))
    before = (q - 0.02 * v, v - 0.01 * tau) if method == "bdf2" else ()
    A, B = model.linearise(q, v, tau, dt=0.02, method=method, **({"before": before} if before else {}))
    found = slopes(model, method, 0.02, q, v, tau, *before)
    close(A[:6], np.hstack([found[:, :6], found[:, 9:]]), 1e-9)
    close(B[:6], found[:, 6:9], 1e-9)
    if before:
        assert np.array_equal(A[6:], np.eye(12)[:6])
        assert not B[6:].any()


def test_linear_models_with_constraints():
    """A step on a loop, by differences of steps in all directions."""
    mech = gallery.four_bar()
    model, v = mech.compile(), np.zeros(mech.nv)
    q = np.array(mech.start[0])
    _, B = model.linearise(q, v, dt=1e-2, method="bdf1")
    for k, unit in enumerate(np.eye(mech.nv)):
        by_hand = slope(lambda e, u=unit: np.concatenate(model.step(q, v, e * u, dt=1e-2, method="bdf1")))
        close(B[:, k], by_hand, 1e-7, np.abs(B).max())


def test_products_of_batches():
    """vjp and jvp of a step that solves agree, and every state of a batch has its own number of passes."""
    model, rng = arm(), np.random.default_rng(7)
    q, v, tau, dq, dv = rng.normal(size=(5, 6, 3))
    point = (q, v, tau, np.full((6, 1), 0.02))
    _, (da, db) = model.jvp("step bdf1", point, {"q": dq, "v": dv})
    weights = rng.normal(size=(6, 6))
    _, gradient = model.vjp("step bdf1", point, weights)
    forwards = np.sum(weights * np.hstack([da, db]), axis=1)
    close(forwards, np.sum(gradient["q"] * dq + gradient["v"] * dv, axis=1), 1e-12)
    for k in range(6):
        one = model.vjp("step bdf1", tuple(x[k] for x in point), weights[k])[1]
        close(one["q"], gradient["q"][k], 1e-13)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "adaptive-bdf2"}, "use 'bdf2'"),
        ({"method": "bdf2", "events": [aj.Event(lambda t, q, v: q[0], terminal=True)]}, "use 'bdf1'"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(aj.AnyjointError, match=message):
        arm().simulate(np.ones(3), np.ones(3), duration=0.1, gradient=True, **options)


def test_second_derivatives_of_solved_steps_are_refused():
    model = arm()
    with pytest.raises(aj.AnyjointError, match="second derivatives of steps that solve equations"):
        model.hvp("step bdf1", (np.ones(3), np.ones(3), np.ones(3), [0.01]), np.ones(6), {"q": np.ones(3)})
