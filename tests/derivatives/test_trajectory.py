"""Gradients and tangents of whole runs, against differences of runs, through all that a run can have in it."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints, surfaces
from derivatives.models import pendulum, state, zoo
from derivatives.support import close

H = 1e-4


def slope(f):
    """By differences of fourth order."""
    return (8 * (f(H) - f(-H)) - (f(2 * H) - f(-2 * H))) / (12 * H)


@pytest.fixture(scope="module")
def model():
    return zoo("kernels", [joints.FreeQuaternion(), joints.Revolute(axis=(1, 2, 2)), joints.Spherical()])


CASES = {
    "constant inputs": {"tau": "constant"},
    "inputs over time": {"tau": "sampled", "duration": 0.0305},
    "first order, few samples": {"method": "semi-implicit-euler", "save_every": 4},
    "few samples, inputs over time": {"save_every": 7, "tau": "sampled"},
    "steps of its own choice": {"method": "dopri5", "dt": 3e-3, "rtol": 1e-12, "atol": 1e-13},
    "an implicit step": {"method": "implicit-euler"},
    "a spring": {"forces": [aj.forces.Spring("b0", (0, 0, 0.1), "b2", (0.1, 0, 0), stiffness=20.0, length=0.5)]},
}


QUICK = ("few samples, inputs over time",)  # runs of implicit steps are those of test_solved_steps


@pytest.mark.parametrize("case", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in CASES])
def test_gradient_and_tangent_of_all_samples(model, case):
    rng = np.random.default_rng(4)
    q0, v0, _ = state(model)
    options = {"duration": 0.03, "dt": 1e-3} | CASES[case]
    inputs = {"constant": rng.normal(size=model.nv), "sampled": rng.normal(size=(5, model.nv))}
    tau = options["tau"] = inputs.get(options.get("tau", ""))
    traj = model.simulate(q0, v0, gradient=True, **options)
    by_q, by_v = rng.normal(size=traj.q.shape), rng.normal(size=traj.v.shape)
    total = lambda run: np.sum(by_q * run.q) + np.sum(by_v * run.v)  # noqa: E731
    names = ("q0", "v0", *(("tau",) if tau is not None else ()), "b1/mass", "b1/stiffness", "gravity")
    found = traj.gradient(dq=by_q, dv=by_v, wrt=names, raw=True)
    d = {"q0": rng.normal(size=model.nq), "v0": rng.normal(size=model.nv)}
    if tau is not None:
        d["tau"] = rng.normal(size=tau.shape)

    def run(e):
        moved = options | ({"tau": tau + e * d["tau"]} if tau is not None else {})
        return total(model.simulate(q0 + e * d["q0"], v0 + e * d["v0"], **moved))

    close(sum(np.sum(found[name] * x) for name, x in d.items()), slope(run), 1e-8)
    for name in ("b1/mass", "b1/stiffness", "gravity"):
        old = np.asarray(model.parameters[name], dtype=float)
        change = np.ones(old.shape)

        def other(e, name=name, old=old, change=change):
            model.parameters.set({name: old + e * change if old.shape else float(old + e)})
            return total(model.simulate(q0, v0, **options))

        expected = slope(other)
        model.parameters.set({name: old if old.shape else float(old)})
        assert abs(np.sum(found[name]) - expected) <= 1e-6 * max(abs(expected), 1e-3), name
    dq, dv = traj.tangent(d | {"b1/mass": 0.0}, raw=True)
    close(np.sum(by_q * dq) + np.sum(by_v * dv), sum(np.sum(found[name] * x) for name, x in d.items()), 1e-12)


def test_what_velocities_see(model):
    """Without raw, the gradient of the last state is along the motions that its velocities make."""
    q0, v0, _ = state(model)
    traj = model.simulate(q0, v0, duration=0.02, dt=1e-3, gradient=True)
    w = np.random.default_rng(1).normal(size=model.nv)
    d = np.random.default_rng(2).normal(size=model.nv)
    dq, dv = traj.tangent({"q0": d})
    close(w @ dq[-1], traj.gradient(dq=w)["q0"] @ d, 1e-12)
    close(w @ dv[-1], traj.gradient(dv=w)["q0"] @ d, 1e-12)


@pytest.mark.parametrize("method", [pytest.param("rk4", marks=pytest.mark.slow), "dopri5"])
def test_the_time_of_an_event_changes_too(model, method):
    q0, v0, _ = state(model)
    last = model.nq - 4
    reach = aj.Event(lambda t, q, v: q[last] - q0[last] - 0.02 * np.sign(v0[6]) - 0.1 * t, terminal=True, name="reach")
    options = {"duration": 1.0, "dt": 2e-3, "method": method, "events": [reach], "rtol": 1e-12, "atol": 1e-13}
    traj = model.simulate(q0, v0, gradient=True, **options)
    assert "reach" in traj.status.reason
    w, d = np.random.default_rng(1).normal(size=(2, model.nq))
    found = traj.gradient(dq=w, raw=True)
    close(found["q0"] @ d, slope(lambda e: w @ model.simulate(q0 + e * d, v0, **options).q[-1]), 1e-7)


@pytest.mark.parametrize("method", ["semi-implicit-euler", "implicit-euler"])
@pytest.mark.parametrize("tau", [None, np.array([[0.0], [2.0], [1.0]])])
def test_an_event_leaves_a_step_of_first_order(method, tau):
    """The end moves along the step, not along the motion; and of two events of one name the one that happened counts.

    Differences are so small that the event stays within its step.
    """
    far, low = (aj.Event(lambda t, q, v, x=x: q[0] - x + 0.1 * t - x * v[0], True, name="low") for x in (-9.0, 0.3))
    options = {"duration": 1.0, "dt": 0.02, "method": method, "events": [far, low], "tau": tau}
    model = pendulum()
    traj = model.simulate([0.5], [0.0], gradient=True, **options)
    assert 5 < len(traj.t) < 50
    found = traj.gradient(dv=[1.0])["q0"][0]
    close(found, slope(lambda e: model.simulate([0.5 + e], [0.0], **options).v[-1, 0]), 1e-7)


@pytest.mark.parametrize("make", [gallery.four_bar, pytest.param(gallery.bicycle, marks=pytest.mark.slow)])
def test_constraints_and_rolling(make):
    model = make().compile()
    begin = model.simulate(duration=0.02)
    q, v = begin.q[-1], begin.v[-1]
    traj = model.simulate(q, v, duration=0.02, gradient=True)
    w = np.random.default_rng(0).normal(size=model.nq)
    found = traj.gradient(dq=w, raw=True, wrt=("gravity",))["gravity"]
    g = np.asarray(model.parameters["gravity"])

    def run(e):
        model.parameters.set({"gravity": g + e})
        return w @ model.simulate(q, v, duration=0.02).q[-1]

    close(found.sum(), slope(run), 1e-7)


MANY = pytest.param("rk4", 30, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("method", "count"), [("semi-implicit-euler", 1), pytest.param("dopri5", 1, marks=pytest.mark.slow), MANY]
)
def test_parameters_that_move_what_forces_act_on(method, count):
    """By the placement of a body, and by the number of a joint between: forces feel where bodies are."""
    mech, solid = aj.Mechanism("arm"), aj.Inertia.box(1.0, 0.1, 0.2, 0.3)
    mech.add_body("a", joint=joints.Revolute((0, 1, 0)), inertia=solid)
    mech.add_body("b", "a", joints.Helical((0, 1, 1), 0.13), aj.Pose.translation(0, 0.1, -0.5), solid)
    names = ("b/placement", "b/joint/pitch")
    model, rng = mech.compile(vary=names), np.random.default_rng(2)
    ends = rng.normal(size=(count, 3))
    springs = [aj.forces.Spring("b", end, None, (0.3, 0, 0), stiffness=20.0 / count, damping=0.1) for end in ends]
    options = {"duration": 0.05, "dt": 1e-3, "forces": springs, "method": method}
    w, start = rng.normal(size=(2, 2)), ([0.3, 0.2], [0.5, -1.0])
    found = model.simulate(*start, gradient=True, **options).gradient(*w, wrt=names)
    values = {name: model.parameters[name] for name in names}

    def run(e, name):
        old = values[name]
        moved = old @ aj.Pose.rotation_y(e) if isinstance(old, aj.Pose) else old + e
        model.parameters.set(values | {name: moved})
        traj = model.simulate(*start, **options)
        return w[0] @ traj.q[-1] + w[1] @ traj.v[-1]

    for name in names:
        part = found[name][1] if name.endswith("placement") else found[name]
        close(part, slope(lambda e, name=name: run(e, name)), 1e-6, 1e-3)


def test_a_batch_is_its_members(model):
    q0, v0, _ = state(model)
    q, v = np.array([q0, q0]), np.array([v0, 0.5 * v0])
    options = {"duration": 0.01, "dt": 1e-3, "gradient": True}
    w = np.ones((2, model.nv))
    many = model.simulate(q, v, **options).gradient(dq=w)
    for k in range(2):
        one = model.simulate(q[k], v[k], **options).gradient(dq=w[k])
        close(many["v0"][k], one["v0"], 1e-12)


def test_inputs_of_each_and_forces_over_time():
    """What a run cannot do for each trajectory of a batch, it refuses; the others do it."""
    model, tau = pendulum(), np.array([[0.0], [3.0]])
    push = aj.forces.Wrench("bob", force=(lambda t: float(np.sin(5 * t)), 0.0, 0.0))
    q, v, options = np.array([[0.3], [0.3]]), np.zeros((2, 1)), {"duration": 0.05, "forces": [push]}
    with pytest.raises(aj.AnyjointError, match="one by one"):
        model.simulate(q, v, tau=tau, **options)
    many = model.simulate(q, v, tau=tau, method="dopri5", **options)
    close(many.q[-1, 1], model.simulate(q[1], v[1], tau=tau[1], **options).q[-1], 1e-8)
    same = model.simulate(q, v, tau=tau[[1, 1]], **options)
    close(same.q[-1, 1], many.q[-1, 1], 1e-8)


def test_each_of_a_batch_has_its_own_start_and_inputs():
    """Also where joints choose other charts than that of the state which was given: the rotation vector is long."""
    mech = aj.Mechanism("top", gravity=(0, 0, -9.81))
    mech.add_body("top", joint=joints.Spherical(), inertia=aj.Inertia.box(1.0, 0.1, 0.2, 0.3))
    model, rng = mech.compile(), np.random.default_rng(2)
    q, v, tau = np.array([[2.5, 1.0, 2.8], [0.1, 0.2, 0.3]]), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    d = {name: rng.normal(size=(2, 3)) for name in ("q0", "v0", "tau")}
    w, options = rng.normal(size=(2, 3)), {"duration": 0.02, "dt": 2e-3}
    traj = model.simulate(q, v, tau=tau, gradient=True, **options)
    found = traj.gradient(dq=w, wrt=tuple(d), raw=True)

    def run(e):
        moved = model.simulate(q + e * d["q0"], v + e * d["v0"], tau=tau + e * d["tau"], **options)
        return np.sum(w * moved.q[-1], axis=-1)

    expected = slope(run)
    close(sum(np.sum(found[name] * x, axis=-1) for name, x in d.items()), expected, 1e-9)
    close(np.sum(w * traj.tangent(d, raw=True)[0][-1], axis=-1), expected, 1e-9)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_motion_that_depends_on_time(method):
    """The time is part of the state that steps read, and is not differentiated; asked twice, the answer is the same."""
    mech = aj.Mechanism("driven", gravity=(0, 0, -9.81))
    rod = aj.Inertia.box(1.0, 0.05, 0.05, 1.0)
    crank = mech.add_body("crank", joint=joints.Revolute(axis=(0, 1, 0)), inertia=rod)
    mech.add_body("rod", crank, joints.Revolute(axis=(0, 1, 0)), placement=aj.Pose.translation(0, 0, -1), inertia=rod)
    mech.prescribe("crank", lambda t: 0.2 * aj.sin(3 * t))
    model, w, d = mech.compile(), np.array([0.3, 1.0]), np.array([0.0, 1.0])
    options = {"duration": 0.02, "dt": 2e-3, "method": method, "rtol": 1e-12, "atol": 1e-13}
    expected = slope(lambda e: w @ model.simulate([0.0, 0.4 + e], [0.6, 0.1], **options).q[-1])
    traj = model.simulate([0.0, 0.4], [0.6, 0.1], gradient=True, **options)
    for _ in range(3):
        close(traj.gradient(dq=w)["q0"] @ d, expected, 1e-8)
        close(traj.tangent({"q0": d})[0][-1] @ w, expected, 1e-8)


@pytest.mark.filterwarnings("ignore:.*compiling again")
@pytest.mark.parametrize("form", ["kernels", pytest.param("straight", marks=pytest.mark.slow)])
def test_programs_follow_parameters(form):
    """Asked after a change, a model answers as one that was built so; -1 is built into code, 1.7 is not."""

    def built(mass, com):
        mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
        mech.add_body("bob", joint=joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia.point(mass, com), damping=0.3)
        return mech.compile(form=form)

    def asked(model):
        traj = model.simulate([0.5], [0.1], duration=0.1, dt=0.01, gradient=True)
        return traj.gradient(dq=[1.0], dv=[2.0], wrt=("q0", "bob/mass", "bob/com", "bob/damping", "gravity"))

    model, before = built(1.3, (0.0, 0.0, -1.0)), None
    for mass, com in ((1.3, (0.0, 0.0, -1.0)), (1.7, (0.0, 0.0, -1.0)), (1.7, (0.2, 0.0, -0.8))):
        model.parameters.set({"bob/mass": mass, "bob/com": com})
        found, expected = asked(model), asked(built(mass, com))
        for name, value in expected.items():
            close(found[name], value, 1e-12)
        assert before is None or abs(found["q0"][0] - before) > 1e-6
        before = found["q0"][0]


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_where_nothing_happens(method):
    traj = pendulum().simulate([0.5], [0.0], duration=0.0, method=method, gradient=True)
    found = traj.gradient(dq=[2.0], wrt=("q0", "v0", "bob/mass"))
    assert (found["q0"], found["v0"], found["bob/mass"]) == (2.0, 0.0, 0.0)
    mech = aj.Mechanism("nothing moves")
    mech.add_body("block", joint=joints.Fixed(), inertia=aj.Inertia.box(1.0, 0.1, 0.1, 0.1))
    still = mech.compile().simulate(duration=0.01, method=method, gradient=True)
    assert still.gradient(dq=np.zeros(0), wrt=("q0", "block/mass"))["block/mass"] == 0.0


def test_states_that_do_not_fit_are_computed_again(model):
    q0, v0, _ = state(model)
    options = {"duration": 0.05, "dt": 1e-3, "gradient": True}
    w = np.ones(model.nv)
    small = model.simulate(q0, v0, memory=2000, **options)
    assert len(small.t) < 15
    close(small.gradient(dv=w)["q0"], model.simulate(q0, v0, **options).gradient(dv=w)["q0"], 1e-13)


@pytest.mark.parametrize("method", ["semi-implicit-euler", pytest.param("bdf2", marks=pytest.mark.slow)])
def test_a_last_step_that_is_shorter(method):
    """Joints that can break down are looked at in every step, however few are kept: the last one alone is shorter."""
    mech = aj.Mechanism("top", gravity=(0, 0, -9.81))
    solid = aj.Inertia.box(1.0, 0.1, 0.2, 0.3).moved(aj.Pose.translation(0.1, 0, 0.2))
    mech.add_body("top", joint=joints.EulerAngles("zyx"), inertia=solid)
    model, q, v, d = mech.compile(), np.array([0.3, 0.5, 0.2]), np.array([1.0, -2.0, 3.0]), np.array([0.4, 0.2, -0.7])
    options = {"duration": 0.0268, "dt": 5e-3, "save_every": 3, "method": method, "tau": np.diag([1.0, -2.0, 0.5])}
    traj = model.simulate(q, v, gradient=True, **options)
    w = np.random.default_rng(1).normal(size=traj.q.shape)
    expected = slope(lambda e: np.sum(w * model.simulate(q, v + e * d, **options).q))
    close(traj.gradient(dq=w)["v0"] @ d, expected, 1e-8)
    close(np.sum(w * traj.tangent({"v0": d})[0]), expected, 1e-8)


@pytest.mark.slow
def test_known_accelerations_lead_back_as_forward_dynamics_does(model):
    """Explicit steps by kernels keep their accelerations; straight-line code goes back through forward dynamics."""
    straight = zoo("straight", [joints.FreeQuaternion(), joints.Revolute(axis=(1, 2, 2)), joints.Spherical()])
    q0, v0, tau = state(model)
    spring = aj.forces.Spring("b0", (0, 0, 0.1), "b2", (0.1, 0, 0), stiffness=20.0, length=0.5, damping=1.0)
    options = {"duration": 0.02, "dt": 1e-3, "tau": tau, "forces": [spring], "gradient": True}
    names = ("q0", "v0", "tau", "b1/mass", "b1/damping", "b2/placement", "gravity", "duration")
    w, found = np.random.default_rng(5).normal(size=(2, model.nv)), []
    for one in (model, straight):
        traj = one.simulate(q0, v0, **options)
        assert traj.run.tapes == (one is model)
        found.append(traj.gradient(dq=w[0], dv=w[1], wrt=names))
    for name in names:
        close(found[0][name], found[1][name], 1e-11)


STRETCHED = {
    "samples over the duration": {"tau": np.array([[0.0], [2.0], [-1.0]])},
    "inputs with times of their own": {"tau": (np.array([0.0, 0.1532, 0.9]), np.array([[0.0], [2.0], [-1.0]]))},
    "a force over time": {"forces": [aj.forces.Wrench("bob", force=(lambda t: float(np.sin(5 * t)), 0.0, 0.0))]},
    "steps that look back": {"method": "bdf2"},
    "a solved step, few samples": {"method": "implicit-midpoint", "save_every": 3},
}


@pytest.mark.parametrize("case", STRETCHED)
def test_a_longer_run_of_as_many_steps(case):
    """The duration is stretched, and every step with it; the last one is shorter from the beginning."""
    model, options, T, dt = pendulum(), STRETCHED[case], 0.41, 0.02
    rng = np.random.default_rng(3)
    traj = model.simulate([0.5], [1.0], duration=T, dt=dt, gradient=True, **options)
    by_q, by_v = rng.normal(size=traj.q.shape), rng.normal(size=traj.v.shape)

    def run(e):
        other = model.simulate([0.5], [1.0], duration=T + e, dt=dt * (1 + e / T), **options)
        return np.sum(by_q * other.q) + np.sum(by_v * other.v)

    found = traj.gradient(dq=by_q, dv=by_v, wrt=("duration", "q0"))
    close(found["duration"], slope(run), 1e-7)
    dq, dv = traj.tangent({"duration": 1.0})
    close(np.sum(by_q * dq) + np.sum(by_v * dv), found["duration"], 1e-11)


def test_closed_form():
    """Small swings: q(t) = q0 cos(w t), so that dq/dq0 = cos(w t) and dq/dg = -q0 sin(w t) t w / (2 g)."""
    model, small, t = pendulum(), 1e-6, 1.3
    traj = model.simulate([small], [0.0], duration=t, dt=1e-3, gradient=True)
    found = traj.gradient(dq=[1.0], wrt=("q0", "gravity"))
    w = np.sqrt(9.81)
    close(found["q0"][0], np.cos(w * t), 1e-9)
    close(found["gravity"][2], small * np.sin(w * t) * t * w / (2 * 9.81), 1e-9)


@pytest.mark.slow  # test_products differentiates a step by them
def test_numbers_of_a_rolling_joint():
    """They are in the rates of its coordinates, and in the chart that the first state is seen in."""
    mech = aj.Mechanism("rolling", gravity=(0, 0, -9.81))
    joint = joints.Rolling(surfaces.Ellipsoid(1.1, 1.2, 0.8), surfaces.Sphere(0.3))
    mech.add_body("ball", joint=joint, inertia=aj.Inertia.box(1.0, 0.2, 0.3, 0.1))
    model, rng = mech.compile(), np.random.default_rng(0)
    q, v, w = rng.uniform(0.4, 0.6, 5), rng.normal(size=3), rng.normal(size=8)
    number, options = "ball/joint/surface1.a", {"duration": 0.03, "dt": 0.01}
    run = model.simulate(q, v, gradient=True, **options)
    assert np.abs(run.q[0] - q).max() > 1  # in another chart
    found = run.gradient(dq=w[:5], dv=w[5:], wrt=(number,), raw=True)[number]
    dq, dv = run.tangent({number: 1.0}, raw=True)
    close(found, w @ np.concatenate([dq[-1], dv[-1]]), 1e-12)

    def end(x):
        model.parameters.set({number: 1.1 + x})
        last = model.simulate(q, v, **options)
        return w @ np.concatenate([last.q[-1], last.v[-1]])

    with pytest.warns(UserWarning, match="built in"):
        close(found, slope(end), 1e-9)
