"""Fits, optimal motions and feedback: known answers come out, and what cannot be known is said."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.optimal.descent import Search


def cart_pole():
    mech = aj.Mechanism("cart-pole", gravity=(0, 0, -9.81))
    cart = mech.add_body("cart", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.box(1.0, 0.3, 0.2, 0.1))
    pole = aj.Inertia(mass=0.3, com=(0.01, 0.02, -0.5), tensor=np.diag([0.02, 0.02, 0.01]))
    mech.add_body("pole", parent=cart, joint=joints.Revolute(axis=(0, 1, 0)), inertia=pole)
    return mech.compile(vary=["cart/mass", "pole/mass", "pole/com", "pole/tensor"])


@pytest.fixture(scope="module")
def forces():
    """States and the forces that go with them, to the last digit."""
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 60, 2))
    return {"q": q, "v": v, "a": a, "tau": cart_pole().inverse_dynamics(q, v, a)}


def test_exact_forces_give_exact_parameters(forces):
    model = cart_pole()
    model.parameters.set({"cart/mass": 2.0, "pole/mass": 0.6, "pole/com": (0.0, 0.02, -0.3)})
    fit = aj.identify(model, forces, ["cart/mass", "pole/mass", "pole/com"])
    assert fit.converged
    assert fit.values["cart/mass"] == pytest.approx(1.0, abs=1e-7)
    # The hinge about y does not feel where along y the mass is.
    assert fit.uncertainty["pole/com[1]"] == np.inf
    assert fit.uncertainty["cart/mass"] < 1e-6
    assert np.asarray(fit.values["pole/com"])[[0, 2]] == pytest.approx([0.01, -0.5], abs=1e-6)
    assert model.parameters["cart/mass"] == 2.0  # the model keeps what it has
    assert "cart/mass = 1" in str(fit)


def test_uncertainty_is_that_of_the_measurements(forces):
    """Over many draws of noise, the estimate spreads as the fit says."""
    found, said = [], []
    for seed in range(12):
        noise = 0.05 * np.random.default_rng(seed).normal(size=forces["tau"].shape)
        fit = aj.identify(cart_pole(), forces | {"tau": forces["tau"] + noise}, ["cart/mass"])
        found.append(fit.values["cart/mass"])
        said.append(fit.uncertainty["cart/mass"])
    assert 0.4 < np.std(found) / np.mean(said) < 2.0
    assert abs(np.mean(found) - 1.0) < 3 * np.mean(said)


def test_inertias_stay_those_of_solids(forces):
    model = cart_pole()
    fit = aj.identify(model, forces, ["pole/inertia"])
    made = aj.Inertia(fit.values["pole/mass"], fit.values["pole/com"], fit.values["pole/tensor"])
    assert made.is_definite
    assert fit.rms < 1e-8


def arm(mass):
    mech = aj.Mechanism("arm", gravity=(0, 0, -9.81))
    mech.add_body("upper", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.box(2.0, 0.1, 0.1, 0.6))
    lower = aj.Inertia(mass, (0, 0, -0.3), np.diag([0.05, 0.05, 0.01]))
    mech.add_body("lower", "upper", joints.Revolute((0, 1, 0)), aj.Pose.translation(0, 0, -0.6), lower)
    return mech.compile(vary=["lower/mass", "lower/com", "lower/tensor"])


def test_a_whole_inertia_of_which_hinges_feel_little():
    """What no measurement tells is left alone, though rounding leaves something of its slopes."""
    q, v, a = np.random.default_rng(0).normal(size=(3, 40, 2))
    data = {"q": q, "v": v, "a": a, "tau": arm(1.3).inverse_dynamics(q, v, a)}
    fit = aj.identify(arm(1.0), data, ["lower/inertia"])
    assert fit.converged, fit.trouble
    assert fit.rms < 1e-12
    assert fit.values["lower/mass"] == pytest.approx(1.3, abs=1e-12)
    assert fit.values["lower/com"] == pytest.approx((0, 0, -0.3), abs=1e-12)
    assert fit.uncertainty["lower/inertia[8]"] == np.inf  # along the axis


def test_a_measured_motion_as_arrays():
    true, model = cart_pole(), cart_pole()
    run = true.simulate([0.0, 0.8], [0.0, 0.0], duration=0.5, dt=0.02)
    model.parameters.set({"pole/mass": 0.5})
    fit = aj.identify(model, {"t": run.t, "q": run.q, "v": run.v}, ["pole/mass"])
    assert fit.values == aj.identify(model, run, ["pole/mass"]).values
    assert fit.values["pole/mass"] == pytest.approx(0.3, abs=1e-6)


def test_a_noisy_start_is_fitted_too():
    """A run from a noisy first sample misses by many of the standard deviations that were told for it."""
    true = arm(1.3)
    run, rng = true.simulate([1.5, 0.3], [0.0, 0.4], duration=2.0, dt=0.02), np.random.default_rng(1)
    noisy = {"t": run.t, "q": run.q + 1e-3 * rng.normal(size=run.q.shape), "v": run.v}
    noisy["q"][0] = run.q[0] + [2e-3, -2e-3]
    names = ["lower/mass", "q0", "v0"]
    fits = [aj.identify(arm(1.0), noisy, names[:n], sigma=1e-3) for n in (1, 3)]
    off = [abs(fit.values["lower/mass"] - 1.3) / fit.uncertainty["lower/mass"] for fit in fits]
    assert off[1] < 3 < off[0]
    assert fits[1].rms == pytest.approx(1.0, abs=0.2)
    for name, exact in (("q0", run.q[0]), ("v0", run.v[0])):
        spread = [fits[1].uncertainty[f"{name}[{k}]"] for k in range(2)]
        assert (np.abs(fits[1].values[name] - exact) < 3 * np.array(spread)).all()
    loop = aj.gallery.four_bar().compile()
    q, v = loop.assemble()
    still = loop.simulate(q, v, duration=0.02, dt=0.01)
    with pytest.raises(aj.InputError, match="'q0', but 'four-bar' has constraints; other values would leave them"):
        aj.identify(loop, still, ["q0"])


def test_a_measured_motion_by_other_coordinates_of_the_same_poses():
    """A camera knows neither the sign of a quaternion, nor how often a wheel has gone round, nor which of two sets of
    angles is meant, and vectors are short.

    The wheel goes farther than half a turn between samples: its velocity tells.
    """
    mech, solid = aj.Mechanism("toys", gravity=(0, 0, -9.81)), aj.Inertia(1.0, (0, 0.1, -0.3), np.diag([0.2, 0.2, 0.1]))
    for joint in (joints.SphericalQuaternion(), joints.Revolute(), joints.Spherical(), joints.EulerAngles("zyx")):
        mech.add_body(type(joint).__name__, joint=joint, inertia=solid)
    model = mech.compile(vary=["gravity"])
    q0, v0 = [1, 0, 0, 0, 0, 1, 2, 1, 0.1, 0.2, 0.3], [1, 2, 0, 60, 1, 3, 2, 0, 0, 0]
    run = model.simulate(q0, v0, duration=0.8, dt=4e-3, save_every=20)
    q = run.q.copy()
    q[3::2, :4] *= -1
    q[:, 4] = np.remainder(q[:, 4], 2 * np.pi)
    q[3::2, 8:] = np.pi * np.array([1, 1, -1]) + np.array([1, -1, 1]) * q[3::2, 8:]
    long = np.linalg.norm(q[:, 5:8], axis=1, keepdims=True)
    q[:, 5:8] *= np.where(long > np.pi, 1 - 2 * np.pi / long, 1.0)
    assert (np.abs(q - run.q).max(axis=0)[[0, 4, 5, 8, 9, 10]] > 0.1).all()
    model.parameters.set({"gravity": (0.1, 0.2, -9.0)})
    fit = aj.identify(model, {"t": run.t, "q": q, "v": run.v}, ["gravity"], simulate={"dt": 4e-3})
    assert fit.values["gravity"] == pytest.approx([0, 0, -9.81], abs=1e-8)
    assert fit.measured == pytest.approx(fit.fitted, abs=1e-8)


def test_why_a_fit_stopped(forces):
    """A point has no tensor beside it that a solid could have."""
    model = cart_pole()
    model.parameters.set({"pole/tensor": np.zeros((3, 3)), "cart/mass": 2.0})
    fit = aj.identify(model, forces, ["pole/tensor"])
    assert not fit.converged
    assert "stopped after 1 iterations" in str(fit)
    assert "steps lead where the model has no answer (parameters: body 'pole': Inertia" in fit.trouble
    assert "no more than 1 iterations" in aj.identify(model, forces, ["cart/mass", "pole/com"], iterations=1).trouble


def test_a_motion_gives_parameters_back():
    true, model = cart_pole(), cart_pole()
    measured = true.simulate([0.0, 0.8], [0.0, 0.0], duration=1.0, dt=0.02)
    model.parameters.set({"pole/mass": 0.5})
    fit = aj.identify(model, measured, ["pole/mass"])
    assert fit.values["pole/mass"] == pytest.approx(0.3, abs=1e-7)
    assert fit.history[-1] < 1e-8 < fit.history[0]
    assert len(fit.plot().axes) == 3


def test_swing_up():
    """Half a minute of gradients and a cart that swings its pole up: the cost falls and the pole stands."""
    model = cart_pole()
    guess = np.random.default_rng(1).normal(size=(21, 2)) * (1.0, 0.0)
    found = aj.optimise(
        model, {"tau": guess}, q0=[0, 0], v0=[0, 0], duration=2.0, dt=0.02, actuated=["cart"], iterations=80,
        final=lambda q, v: 10 * (q[0] ** 2 + (1 + aj.cos(q[1])) + 0.1 * (v[0] ** 2 + v[1] ** 2)),
        running=lambda t, q, v, tau: 1e-3 * tau[0] ** 2,
    )  # fmt: skip
    assert found.cost < 0.03 * found.history[0][0]
    assert np.cos(found.traj.q[-1, 1]) < -0.95
    assert not found.values["tau"][:, 1].any()  # the hinge has no motor
    assert found.motion(0).q[-1] != pytest.approx(found.traj.q[-1], abs=1e-3)
    assert len(found.plot().axes) == 3


def test_a_parameter_and_a_start_within_bounds():
    """A pendulum with a period of 2 s: where is its mass? The length of the equivalent pendulum is g / pi^2."""
    mech = aj.Mechanism("clock", gravity=(0, 0, -9.81))
    rod = aj.Inertia(mass=1.0, com=(0, 0, -0.5), tensor=np.diag([1e-3, 1e-3, 1e-3]))
    mech.add_body("rod", joint=joints.Revolute(axis=(0, 1, 0)), inertia=rod)
    model = mech.compile(vary=["rod/com"])
    found = aj.optimise(
        model, {"rod/com": (0, 0, -0.7)}, q0=[1e-4], v0=[0.0], duration=1.0, dt=0.01, bounds={"rod/com": (-2, 2)},
        final=lambda q, v: 1e8 * (q[0] + 1e-4) ** 2 + 1e8 * v[0] ** 2, tolerance=1e-12,
    )  # fmt: skip
    c = -np.asarray(found.values["rod/com"])[2]
    assert (c * c + 1e-3) / c == pytest.approx(9.81 / np.pi**2, rel=1e-3)


def test_gradient_of_the_cost_is_its_slope():
    model = cart_pole()
    problem = Search(
        model, {"tau": np.ones((5, 2)), "q0": [0.1, 0.2], "pole/mass": None}, lambda q, v: q[0] * v[1] + aj.sin(q[1]),
        lambda t, q, v, tau: t * tau[0] ** 2 + q[1] ** 2, None, None, (0.3, 0.01, [0, 0], [0.5, 0]),
    )  # fmt: skip
    _, gradient = problem.cost(problem.x)
    d, h = np.random.default_rng(0).normal(size=len(problem.x)), 1e-4
    at = [problem.cost(problem.x + k * h * d)[0] for k in (-2, -1, 1, 2)]
    assert gradient @ d == pytest.approx((8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * h), rel=1e-8)


def test_balance():
    model = cart_pole()
    up = [0.0, np.pi + np.arctan2(0.01, 0.5)]  # the centre of mass above the hinge
    law = aj.lqr(model, up, Q=[1, 1, 0.1, 0.1], R=0.1, actuated=["cart"])
    assert (law.poles.real < 0).all()
    run = model.simulate(np.add(up, [0.2, 0.2]), [0.0, 0.0], duration=8.0, dt=0.01, tau=law)
    assert run.q[-1] == pytest.approx(up, abs=1e-3)


def test_loops_are_balanced():
    """One motor at the crank of three bars that would fall; of more motors the inputs are smallest."""
    model = aj.gallery.four_bar().compile()
    q, _ = model.assemble()
    law, shared = aj.lqr(model, q, actuated=["crank"]), aj.lqr(model, q)
    assert len(law.poles) == 2  # of one motion, and its speed
    assert not law.gain[1:].any()
    assert np.abs(shared.tau0).max() < law.tau0[0]
    A, B = model.linearise(q, 0 * q, law.tau0)
    assert np.abs(np.sort(np.linalg.eigvals(A - B @ law.gain).real)[:2] - np.sort(law.poles.real)).max() < 1e-8
    off, still = model.assemble(q + [0.1, 0.0, 0.0], hold="crank")
    for feedback in (law, shared):
        run = model.simulate(off, still, duration=8.0, dt=0.01, tau=feedback)
        assert run.q[-1] == pytest.approx(q, abs=1e-6)


def test_what_follows_is_balanced():
    """A joint that follows another is no coordinate of its own; slopes are those of differences."""
    mech = aj.Mechanism("three", gravity=(0, 0, -9.81))
    rod, hinge = aj.Inertia(1.0, (0, 0, 0.3), np.diag([0.1, 0.1, 0.05])), joints.Revolute((0, 1, 0))
    mech.add_body("one", joint=hinge, inertia=rod)
    follows = joints.Coupled(hinge, lambda q: [aj.sin(q[0]) + 0.3 * q[0] ** 2], "one")
    mech.add_body("two", "one", follows, aj.Pose.translation(0, 0, 0.3), rod)
    mech.add_body("three", "two", hinge, aj.Pose.translation(0, 0, 0.3), rod)
    law = aj.lqr(model := mech.compile(), [0.0, 0.0], actuated=["one"])
    run = model.simulate([0.05, 0.02], [0.0, 0.0], duration=6.0, dt=0.01, tau=law)
    assert run.q[-1] == pytest.approx([0.0, 0.0], abs=1e-6)


SEEN = np.linspace(0, 1, 12).reshape(4, 3)
STILL = {name: np.zeros((3, 2)) for name in ("q", "v", "a", "tau")}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: aj.identify(m, {"q": [[0, 0]]}, ["cart/mass"]), "Trajectory"),
        (lambda m: aj.identify(m, STILL, ["cart/mas"]), "cart/mass"),
        (lambda m: aj.identify(m, STILL, []), "empty"),
        (lambda m: aj.identify(m, STILL, ["cart/mass"], sigma=-1), "sigma"),
        (lambda m: aj.optimise(m, {}, final=lambda q, v: q[0]), "over is empty"),
        (lambda m: aj.optimise(m, {"q0": None}), "no cost"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: np.interp(q[0], [0, 1], [0, 1])), "final"),
        (lambda m: aj.optimise(m, {"tau": [1.0]}, final=lambda q, v: q[0]), "shape"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], bounds={"tau": (0, 1)}), "bounds of 'tau'"),
        (lambda m: aj.lqr(m, [0.0, 1.0], actuated=["cart"]), "does not rest"),
        (lambda m: aj.lqr(m, [0.0, np.arctan2(0.01, 0.5)], actuated=[7]), "below 2"),
        (lambda m: aj.identify(m, STILL, ["pole/inertia", "pole/mass"]), "both about 'pole/mass'"),
        (lambda m: aj.identify(m, STILL, None), "no names"),
        (lambda m: aj.identify(m, STILL | {"q": "far"}, ["cart/mass"]), "expected finite numbers"),
        (lambda m: aj.identify(m, {k: x[:0] for k, x in STILL.items()}, ["cart/mass"]), r"\(0, 2\)"),
        (lambda m: aj.identify(m, STILL, ["cart/mass"], sigma=[1, 2, 3]), "sigma has shape"),
        (lambda m: aj.identify(m, STILL, ["cart/mass"], iterations="all"), "iterations='all'"),
        (lambda m: aj.identify(m, {"t": SEEN[:, 0], "markers": {}}, ["cart/mass"]), "markers come with times"),
        (lambda m: aj.identify(m, {"t": SEEN[:, 0], "markers": {("pole", (0, 0)): SEEN}}, ["cart/mass"]), r"\(3,\)"),
        (lambda m: aj.identify(m, {"t": 0 * SEEN[:, 0], "markers": {("pole", (0, 0, 0)): SEEN}}, ["cart/mass"]),
         "equally far apart"),
        (lambda m: aj.optimise(m, {"q0": "far"}, final=lambda q, v: q[0]), "expected finite numbers"),
        (lambda m: aj.optimise(m, {"cart/mass": [1.0, 2.0]}, final=lambda q, v: q[0]), "expected a finite number"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], bounds={"q0": 1}), "a lowest and a highest"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], bounds={"q0": (1, 0)}), "not be above"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], iterations=0), "iterations=0"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], simulate={"gradient": 1}), "sets itself"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: aj.sqrt(q[0] - 9), duration=0.01), "not finite"),
        (lambda m: aj.optimise(m, {"v0": [1.0, 0.0]}, running=lambda t, q, v, tau: q[0],
                               simulate={"events": [aj.Event(lambda t, q, v: q[0] - 0.1, terminal=True)]}), "an event"),
        (lambda m: aj.identify(m, {"t": SEEN[:, 0], "markers": {("pole", (0, 0, 0)): SEEN}, "qo": [0]}, ["cart/mass"]),
         "data has 'qo'"),
        (lambda m: aj.identify(m, {"t": SEEN[:, 0] + 1, "markers": {("pole", (0, 0, 0)): SEEN}}, ["cart/mass"],
                               simulate={"tau": [1.0, 0.0]}), "shift t"),
        (lambda m: aj.optimise(m, {"tua": np.zeros(2)}, final=lambda q, v: q[0]), "did you mean 'tau'"),
        (lambda m: aj.optimise(m, 3, final=lambda q, v: q[0]), "over is 3; give first guesses by name"),
        (lambda m: aj.optimise(m, {"q0": None}, final=np.zeros(2)), r"final\(q, v\) could not be traced"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], bounds=[0, 1]), r"bounds=\[0, 1\]; expected"),
        (lambda m: aj.identify(m, {"t": np.ones((2, 1)), "q": SEEN[:2, :2], "v": SEEN[:2, :2]}, ["cart/mass"]),
         r"t has shape \(2, 1\); expected one row"),
        (lambda m: aj.identify(m, STILL | {"q": [["1", "2"]]}, ["cart/mass"]), "expected finite numbers"),
        (lambda m: aj.optimise(m, {"tau": None}, final=lambda q, v: q[0]), "no first guess"),
        (lambda m: aj.optimise(m, {"q0": None}, final=lambda q, v: q[0], simulate={"duration": 9.0}), "sets itself"),
        (lambda m: aj.optimise(m, {"pole/inertia": 2.0}, final=lambda q, v: q[0]), r"expected an aj\.Inertia"),
        (lambda m: aj.identify(m, {"t": [0.0, 1.0], "q": np.zeros((2, 2)), "v": np.zeros((2, 1))}, ["cart/mass"]),
         r"v has shape \(2, 1\); expected \(2, 2\), a row per time"),
        (lambda m: aj.identify(m, {"t": [0.0], "q": np.zeros((1, 2)), "v": np.zeros((1, 2))}, ["cart/mass"]),
         "has one sample"),
        (lambda m: aj.identify(m, {"q": 1, "v": 2}, ["cart/mass"]), "data has q, v; expected a Trajectory"),
        (lambda m: aj.identify(m, [1, 2], ["cart/mass"]), "data is a list; expected a Trajectory"),
        (lambda m: aj.identify(m.mechanism, STILL, ["cart/mass"]), "model is the mechanism 'cart-pole'; expected a"),
        (lambda m: aj.identify(m.mechanism.compile(dtype="float32"), STILL, ["cart/mass"]), "computes in float32"),
        (lambda m: aj.optimise(None, {"q0": None}, final=lambda q, v: q[0]), "model is None; expected a compiled one"),
        (lambda m: aj.lqr(m.mechanism, [0.0, 0.0]), "lqr: model is the mechanism 'cart-pole'"),
        (lambda m: aj.lqr(m, [0.0, 0.0], actuatd=[0]), "did you mean 'actuated'"),
        (lambda m: aj.lqr(m, "up"), "expected finite numbers"),
        (lambda m: aj.lqr(m, [0.0, 0.0], R=0.0), "R has the eigenvalue 0"),
        (lambda m: aj.lqr(m, [0.0, 0.0], Q=np.triu(np.ones((4, 4)))), "not symmetric"),
        (lambda m: aj.lqr(m, [0.0, 0.0], actuated="cart"), "a list of bodies"),
    ],
)  # fmt: skip
def test_bad_questions(call, message):
    with pytest.raises(aj.AnyjointError, match=message):
        call(cart_pole())


def test_a_measured_motion_with_gaps():
    measured = cart_pole().simulate([0.0, 0.8], [0.0, 0.0], duration=0.1, dt=0.02)
    measured.q[3, 0] = np.nan
    with pytest.raises(aj.InputError, match="q of the measured motion holds NaN"):
        aj.identify(cart_pole(), measured, ["pole/mass"])


def test_the_first_guess_of_an_inertia_counts():
    guess = aj.Inertia.box(3.0, 0.2, 0.3, 0.4)
    found = aj.optimise(
        cart_pole(), {"pole/inertia": guess}, final=lambda q, v: 1.0 + 0 * q[0], duration=0.01, iterations=1
    )
    assert found.values["pole/mass"] == pytest.approx(3.0)


def test_where_it_could_not_go_on_is_no_optimum():
    """Less weight would swing further still, but there is none below nothing."""
    found = aj.optimise(
        cart_pole(), {"pole/mass": None}, q0=[0, 0.5], final=lambda q, v: -1e3 * q[0], duration=0.3, iterations=20
    )
    assert not found.converged
    assert "values beside these fail" in found.message


def test_what_feedback_cannot_bring_to_rest():
    """A pendulum without a motor that swings for ever, and a loop, whose coordinates are not free."""
    mech = aj.Mechanism("two", gravity=(0, 0, -9.81))
    for name in "ab":
        mech.add_body(name, joint=joints.Revolute(axis=(0, 1, 0)), inertia=aj.Inertia(1.0, (0, 0, -0.5), np.eye(3)))
    with pytest.raises(aj.InputError, match="neither driven nor damped"):
        aj.lqr(mech.compile(), [0, 0], actuated=["a"])
    loop = aj.gallery.four_bar().compile()
    q, _ = loop.assemble()
    with pytest.raises(aj.InputError, match=r"q misses the constraint 'coupler-rocker' by .*; take q, v = model\.ass"):
        aj.lqr(loop, q + 0.1)
    with pytest.raises(aj.InputError, match="has constraints, which other values would leave"):
        aj.optimise(loop, {"q0": None}, final=lambda q, v: q[0])


def test_nothing_that_moves():
    mech = aj.Mechanism("block")
    mech.add_body("block", joint=joints.Fixed(), inertia=aj.Inertia.box(1.0, 0.1, 0.1, 0.1))
    model, none = mech.compile(), np.zeros((3, 0))
    for ask in (
        lambda: aj.lqr(model, []),
        lambda: aj.optimise(model, {"block/mass": None}, final=lambda q, v: 1.0),
        lambda: aj.identify(model, dict.fromkeys(("q", "v", "a", "tau"), none), ["block/mass"]),
    ):
        with pytest.raises(aj.AnyjointError, match=r"can move|expected finite numbers"):
            ask()


def test_bounds_may_differ_from_entry_to_entry():
    found = aj.optimise(
        cart_pole(), {"q0": [0.5, 0.2]}, final=lambda q, v: q[0] ** 2 + q[1] ** 2, duration=0.02,
        bounds={"q0": ([0.3, -np.inf], None)},
    )  # fmt: skip
    assert found.values["q0"][0] == pytest.approx(0.3)
    assert abs(found.values["q0"][1]) < 0.1


def test_the_time_of_a_motion_is_found():
    """A mass pushed with a unit force, which costs nothing: after sqrt(2) s it has gone a metre."""
    mech = aj.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("mass", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.point(1.0))
    found = aj.optimise(
        mech.compile(), {"duration": 1.0}, duration=1.0, dt=0.05, final=lambda q, v: (q[0] - 1) ** 2,
        bounds={"duration": (0.2, 5.0)}, simulate={"tau": [1.0]},
    )  # fmt: skip
    assert float(found.values["duration"]) == pytest.approx(np.sqrt(2), abs=1e-5)
    assert found.traj.t[-1] == pytest.approx(np.sqrt(2), abs=1e-5)
    assert len(found.traj.t) == 21


def test_time_costs():
    """The least of T + u^2 T, where u is the constant force that goes half a metre in T: u T^2 = 1."""
    mech = aj.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("mass", joint=joints.Prismatic(axis=(1, 0, 0)), inertia=aj.Inertia.point(1.0))
    found = aj.optimise(
        mech.compile(), {"duration": 1.0, "tau": [1.0]}, duration=1.0, dt=0.1, iterations=300,
        final=lambda q, v: 1e4 * (q[0] - 0.5) ** 2, running=lambda t, q, v, tau: 1 + tau[0] ** 2,
    )  # fmt: skip
    assert float(found.values["duration"]) == pytest.approx(3**0.25, rel=1e-3)  # of T + T^-3
