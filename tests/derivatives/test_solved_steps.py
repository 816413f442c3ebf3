"""Gradients through steps that solve equations: against differences of runs, dense solves, and each other."""

from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from anyjoint.simulate.python_step import NumberOps, python_stepper
from anyjoint.stepper import STEPPERS
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


def tops():
    """A quaternion, and a rotation vector that soon grows too long: the model, and where it begins."""
    mech = aj.Mechanism("tops", gravity=(0, 0, -9.81))
    top = aj.Inertia(1.0, (0.1, 0.0, 0.3), np.diag([0.1, 0.12, 0.2]))
    mech.add_body("one", joint=joints.SphericalQuaternion(), inertia=top)
    mech.add_body("two", "one", joints.Spherical(), aj.Pose.translation(0, 0, 1), top, damping=0.1)
    return mech.compile(), np.array([0.8, 0.0, 0.6, 0.0, 0.1, 4.3, 0.3]), np.array([0.3, 0.2, 0.1, 0.5, 12.0, 0.4])



@pytest.mark.parametrize("method", ONE_QUICK)
def test_quaternions_and_charts(method):
    """Rotation vectors that grow too long change their chart within the run; steps then have nothing to look back at.

    Few samples are kept, so that states between them are computed again, with what steps looked back at.
    """
    model, q0, v0 = tops()
    rng = np.random.default_rng(3)
    d = {"q0": rng.normal(size=7), "v0": rng.normal(size=6)}
    options = {"method": method, "duration": 0.1, "dt": 0.01, "save_every": 4}
    run = model.simulate(q0, v0, **(options | {"save_every": 1}))
    assert np.abs(np.diff(run.q[:, 4:], axis=0)).max() > 1  # the chart has changed
    check(model, q0, v0, d, tolerance=4e-8, **options)  # what is left falls with H^4: 1.6e-8, with half of H 3e-10


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


@pytest.mark.parametrize("method", ONE_QUICK)
def test_second_derivatives_of_solved_steps(method):
    """The derivative of gradients along a direction, by differences of gradients; and second derivatives commute."""
    model, rng = arm(), np.random.default_rng(11)
    q, v, tau, dq, dv, dt, eq, ev = 0.3 * rng.normal(size=(8, 3))
    before = (q - 0.02 * v, v - 0.01 * tau) if method == "bdf2" else ()
    weights, name = rng.normal(size=6), f"step {method}"
    way, other = {"q": dq, "v": dv, "tau": dt, "lower/mass": 0.7}, {"q": eq, "v": ev, "tau": 0 * dt, "lower/mass": 0.2}
    point = lambda e: (q + e * dq, v + e * dv, tau + e * dt, [0.02], *before)  # noqa: E731
    found = model.hvp(name, point(0.0), weights, way)

    def gradient(e):
        model.parameters.set({"lower/mass": 1.1 + 0.7 * e})
        return model.vjp(name, point(e), weights, wrt=tuple(way))[1]

    for key in way:
        expected = slope(lambda e, key=key: gradient(e)[key])
        close(found[key], expected, 1e-8, np.abs(expected).max())
    model.parameters.set({"lower/mass": 1.1})
    back = model.hvp(name, point(0.0), weights, other, wrt=tuple(way))
    products = [sum(np.sum(x[key] * y[key]) for key in way) for x, y in ((found, other), (back, way))]
    close(*products, 1e-11)


def test_second_derivatives_of_steps_on_a_loop():
    """Multipliers and the projection behind the step included; a batch is as good as its states one by one."""
    mech = gallery.four_bar()
    model, rng = mech.compile(), np.random.default_rng(5)
    q, v = np.tile(mech.start[0], (3, 1)), np.zeros((3, mech.nv))
    tau, way = rng.normal(size=(2, 3, mech.nv))
    point, weights = (q, v, tau, np.full((3, 1), 0.01)), rng.normal(size=(3, 2 * mech.nv))
    found = model.hvp("step bdf1", point, weights, {"tau": way})
    moved = lambda e: model.vjp("step bdf1", (q, v, tau + e * way, point[3]), weights)[1]["tau"]  # noqa: E731
    expected = slope(moved)
    close(found["tau"], expected, 1e-7, np.abs(moved(0.0)).max())
    one = model.hvp("step bdf1", tuple(x[1] for x in point), weights[1], {"tau": way[1]})
    close(one["tau"], found["tau"][1], 1e-12)


@pytest.mark.parametrize("method", [pytest.param("bdf2", marks=pytest.mark.slow), "adaptive-bdf2"])
def test_the_time_of_an_event_changes_too(method):
    """A step that looks back has another in its place where an event cuts it short."""
    model = arm()
    q0, v0 = np.array([0.9, 0.2, -0.4]), np.array([-1.0, -0.5, 0.5])
    reach = aj.Event(lambda t, q, v: q[0] + 0.1 * aj.sin(q[1]) - 0.3 - 0.1 * t, terminal=True)
    options = {"method": method, "duration": 1.0, "dt": 0.01, "events": [reach], "rtol": 1e-7, "atol": 1e-9}
    traj = model.simulate(q0, v0, gradient=True, **options)
    assert traj.status.reason
    by_q, by_v = np.array([1.0, -0.3, 0.4]), np.array([0.2, 0.1, -0.7])
    found = traj.gradient(dq=by_q, dv=by_v, wrt=("q0", "v0", "lower/mass"))
    rng = np.random.default_rng(2)
    way = {"q0": rng.normal(size=3), "v0": rng.normal(size=3), "lower/mass": 0.3}
    forwards = sum(np.sum(found[name] * x) for name, x in way.items())
    dq, dv = traj.tangent(way)
    close(by_q @ dq[-1] + by_v @ dv[-1], forwards, 1e-11)
    if method == "adaptive-bdf2":  # whose steps differ from run to run
        return

    def run(e):
        model.parameters.set({"lower/mass": 1.1 + 0.3 * e})
        moved = model.simulate(q0 + e * way["q0"], v0 + e * way["v0"], **options)
        assert len(moved.t) == len(traj.t)  # the event stays within its step
        return by_q @ moved.q[-1] + by_v @ moved.v[-1]

    e = 1e-5
    close(forwards, (8 * (run(e) - run(-e)) - (run(2 * e) - run(-2 * e))) / (12 * e), 1e-6)


def replayed(traj, q, v):
    """The samples of a run of adaptive-bdf2 from another state on by the same steps, in Python."""
    request = traj.run
    stepper = python_stepper(replace(request, q=q[None], v=v[None]))
    t, h = (np.concatenate([part[k] for part in request.log.parts[0]]) for k in (0, 1))
    rates = python_stepper(replace(request, stepper=STEPPERS["dopri5"])).rates(0.0, q, v)[:-1]
    samples = [np.concatenate([q, v])]
    for begin, length in zip(t.tolist(), h.tolist(), strict=True):
        ops = NumberOps(stepper, begin, q, v, length)
        new_q, new_v, a = ops.solve(1.0, *ops.past())
        old, new = np.concatenate([q, v]), np.concatenate([new_q, new_v])
        ends = np.concatenate([ops.rate(new_q, new_v), a])
        for at in traj.t[(traj.t > begin) & (traj.t <= begin + length * (1 + 1e-12))]:
            s = (at - begin) / length
            cubic = s * (1 - s) ** 2 * rates - s * s * (1 - s) * ends
            samples.append(old + s * s * (3 - 2 * s) * (new - old) + length * cubic)
        stepper.before, rates = (q, v, length), ends
        q, v = new_q, new_v
    return np.array(samples)


def test_steps_of_its_own_choice_are_taken_as_they_are():
    """Against differences of the same steps in Python; samples lie inside steps, some of them in the first."""
    model, rng = arm(), np.random.default_rng(4)
    q0, v0 = np.array([0.3, 0.2, -0.4]), np.array([1.0, -2.0, 0.5])
    options = {"method": "adaptive-bdf2", "duration": 0.03, "dt": 1e-3, "rtol": 1e-4, "atol": 1e-5}
    options["tau"] = [1.0, 0.3, 0.0]
    traj = model.simulate(q0, v0, gradient=True, **options)
    assert traj.run.log.parts[0][0][1][0] < 0.03
    close(replayed(traj, q0, v0), np.hstack([traj.q, traj.v]), 1e-9)
    weights, way = rng.normal(size=(len(traj.t), 6)), rng.normal(size=(2, 3))
    found = traj.gradient(dq=weights[:, :3], dv=weights[:, 3:], wrt=("q0", "v0", "tau", "lower/mass"))
    total = lambda e: np.sum(weights * replayed(traj, q0 + e * way[0], v0 + e * way[1]))  # noqa: E731
    forwards = found["q0"] @ way[0] + found["v0"] @ way[1]
    close(forwards, slope(total), 1e-8)
    both = {"q0": way[0], "v0": way[1], "tau": np.array([0.3, 0.1, -1.0]), "lower/mass": 0.7}
    dq, dv = traj.tangent(both)
    close(np.sum(weights * np.hstack([dq, dv])), sum(np.sum(found[name] * x) for name, x in both.items()), 1e-11)


@pytest.mark.slow
def test_charts_change_between_steps_of_its_own_choice():
    """Quaternions, and rotation vectors that change their chart; gradients and tangents agree."""
    model, q0, v0 = tops()
    rng = np.random.default_rng(3)
    traj = model.simulate(q0, v0, method="adaptive-bdf2", duration=0.1, dt=0.01, rtol=1e-5, atol=1e-6, gradient=True)
    assert np.abs(np.diff(traj.q[:, 4:], axis=0)).max() > 1  # the chart has changed
    by_q, by_v = rng.normal(size=traj.v.shape), rng.normal(size=traj.v.shape)
    found, way = traj.gradient(dq=by_q, dv=by_v, wrt=("q0", "v0")), rng.normal(size=(2, 6))
    dq, dv = traj.tangent({"q0": way[0], "v0": way[1]})
    close(np.sum(by_q * dq) + np.sum(by_v * dv), found["q0"] @ way[0] + found["v0"] @ way[1], 1e-10)
    finer = model.simulate(q0, v0, method="dopri5", duration=0.1, dt=0.01, gradient=True)
    exact = finer.gradient(dq=by_q, dv=by_v, wrt=("q0", "v0"))
    close(found["v0"], exact["v0"], 2e-2)  # as far as the tolerances of the run go


def test_a_step_of_many_iterations():
    """Passes that find rates are not among those after which a step is given up: this one takes 74 of 120."""
    model = gallery.torus_chain(2).compile()
    q = np.array([0.0652, 3.3389467, 3.10640589, 3.07832158, -0.03116372, 3.11365895])
    v = np.array([0.03771907, -0.03963146, 0.1921268, 0.03147004, -0.16070081, 0.10847852])
    tau = np.array([-0.95826521, 1.60001909, 0.20288244, -1.73213484, -0.08369619, -1.16322597])
    way, weights = np.random.default_rng(0).normal(size=6), np.random.default_rng(1).normal(size=12)
    point = (q, v, tau, np.array([0.01]))
    tube = "torus0/joint/surface.r"  # which the motion of a body on its ring does not depend on: rates are rounding
    _, none = model.jvp("step bdf1", point, {"v": 0 * way, tube: 1.0})
    assert np.abs(np.concatenate(none)).max() < 1e-9
    _, rates = model.jvp("step bdf1", point, {"v": way, tube: 0.0})
    _, gradient = model.vjp("step bdf1", point, weights, wrt=("v",))
    close(weights @ np.concatenate(rates), gradient["v"] @ way, 1e-11)
    moved = lambda e: np.concatenate(model.step(q, v + e * way, tau, dt=0.01, method="bdf1"))  # noqa: E731
    close(np.concatenate(rates), slope(moved), 1e-7)
