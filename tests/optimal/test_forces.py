"""Numbers of forces as unknowns of fits and optimisations, against closed forms."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import forces, joints
from anyjoint.codegen import jit

MASS, STIFFNESS, DAMPING = 2.0, 50.0, 1.2
T = np.linspace(0.0, 1.0, 51)


@pytest.fixture(scope="module")
def model():
    mech = aj.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("mass", joint=joints.Prismatic((1, 0, 0)), inertia=aj.Inertia.point(MASS))
    return mech.compile(vary=["mass/mass"])


def spring(stiffness=30.0, damping=0.3, length=1.0):
    return forces.Spring("mass", (0, 0, 0), None, (-1, 0, 0), stiffness=stiffness, damping=damping, length=length)


def oscillation(noise=0.0):
    """A damped oscillation from 0.1, by its closed form, as a camera sees it."""
    s = DAMPING / (2 * MASS)
    w = np.sqrt(STIFFNESS / MASS - s * s)
    x = 0.1 * np.exp(-s * T) * (np.cos(w * T) + s / w * np.sin(w * T))
    seen = np.stack([x + noise * np.random.default_rng(0).normal(size=len(T)), 0 * x, 0 * x], axis=1)
    return {"t": T, "markers": {("mass", (0, 0, 0)): seen}, "q0": [0.1], "v0": [0.0]}


NAMES = ["forces/0/stiffness", "forces/0/damping"]


def test_a_spring_and_a_damper_from_an_oscillation(model):
    acting = [spring()]
    fit = aj.identify(model, oscillation(), NAMES, simulate={"forces": acting, "dt": 2e-3})
    assert fit.converged
    assert fit.values["forces/0/stiffness"] == pytest.approx(STIFFNESS, rel=1e-7)
    assert fit.values["forces/0/damping"] == pytest.approx(DAMPING, rel=1e-6)
    assert acting == [spring()]
    noisy = aj.identify(model, oscillation(1e-4), NAMES, simulate={"forces": acting, "dt": 2e-3}, sigma=1e-4)
    for name, true in zip(NAMES, (STIFFNESS, DAMPING), strict=True):
        assert 0 < abs(noisy.values[name] - true) < 4 * noisy.uncertainty[name] < 0.02 * true


def test_beside_a_mass_only_ratios_are_seen(model):
    """m x'' + c x' + k x = 0 is known up to a factor: all three together have no bounds, two of them have."""
    names = [*NAMES, "mass/mass"]
    fit = aj.identify(model, oscillation(), names, simulate={"forces": [spring()], "dt": 2e-3})
    assert set(fit.uncertainty.values()) == {np.inf}
    assert fit.values["forces/0/stiffness"] / fit.values["mass/mass"] == pytest.approx(STIFFNESS / MASS, rel=1e-6)
    assert model.parameters["mass/mass"] == MASS


@pytest.mark.parametrize("method", ["rk4", "implicit-midpoint"])
def test_nothing_is_compiled_from_one_iteration_to_the_next(model, monkeypatch, method):
    """Forces that differ in numbers alone share the programs of steps and of their derivatives."""
    made = []
    monkeypatch.setattr(jit, "compile_module", lambda *given: made.append(given) or compiled(*given))
    monkeypatch.setattr("anyjoint.codegen.schedule.compile_module", jit.compile_module)
    monkeypatch.setattr("anyjoint.simulate.compiled_stepper.compile_module", jit.compile_module)
    options = {"duration": 0.1, "dt": 0.01, "method": method, "gradient": True}
    runs = [model.simulate([0.1], forces=[spring(k)], **options) for k in (20.0, 30.0, 40.0)]
    runs[0].gradient(dq=[1.0], wrt=NAMES)
    before = len(made)
    assert before
    for run in runs[1:]:
        run.gradient(dq=[1.0], wrt=NAMES)
    assert len(made) == before


compiled = jit.compile_module


@pytest.mark.parametrize("method", ["rk4", "implicit-midpoint"])
def test_the_stiffness_that_makes_a_period(model, method):
    """After a second the mass is back where it began: k = m (2 pi)^2."""
    found = aj.optimise(
        model, {"forces/0/stiffness": None}, q0=[0.1], v0=[0.0], duration=1.0, dt=5e-3, tolerance=1e-12,
        final=lambda q, v: 1e3 * ((q[0] - 0.1) ** 2 + 0.01 * v[0] ** 2), bounds={"forces/0/stiffness": (50.0, 200.0)},
        simulate={"forces": [spring(90.0, 0.0)], "method": method},
    )  # fmt: skip
    expected = MASS * (2 * np.pi) ** 2
    assert found.values["forces/0/stiffness"] == pytest.approx(expected, rel=1e-6 if method == "rk4" else 1e-3)
    assert found.motion(0).run.forces.given[0].stiffness == 90.0
    assert found.traj.run.forces.given[0].stiffness == found.values["forces/0/stiffness"]


def final(q, v):
    return q[0] ** 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, run: aj.optimise(m, {"forces/0/stifness": 1.0}, final=final, simulate=run), "forces/0/stiffness'?"),
        (lambda m, run: aj.optimise(m, {"forces/0/stiffness": 1.0}, final=final), "which has none"),
        (lambda m, run: aj.optimise(m, {"forces/0/point_a": 1.0}, final=final, simulate=run), r"expected .* \(3,\)"),
        (lambda m, run: aj.optimise(m, {"forces/0/damping": -1.0}, final=final, simulate=run), "first guess fails"),
        (lambda m, run: aj.optimise(m, {"q0": None}, final=final, simulate={"forces": spring()}), "expected a list"),
        (lambda m, run: aj.optimise(m, {"q0": [0.1]}, final=final, bounds={"q0": (1.0, 2.0)}), "outside its bounds"),
        (lambda m, run: aj.identify(m, oscillation(), ["forces/1/stiffness"], simulate=run), "did you mean 'forces/0"),
        (lambda m, run: aj.identify(m, oscillation(), ["forces/0/body_a"], simulate=run), "nor a number of a force"),
        (lambda m, run: aj.identify(m, {x: [[0.0]] for x in ("q", "v", "a", "tau")}, NAMES, simulate=run), "no run"),
        (lambda m, run: aj.identify(m, oscillation(), NAMES[1:], simulate={"forces": [spring(damping=0, length=0)]}),
         "another formula"),
    ],
)  # fmt: skip
def test_bad_questions(model, call, message):
    with pytest.raises(aj.InputError, match=message):
        call(model, {"forces": [spring()]})


def test_a_first_guess_that_fails_leaves_the_model_alone(model):
    with pytest.raises(aj.InputError, match="first guess fails"):
        aj.optimise(
            model, {"mass/mass": 3.0, "forces/0/damping": -1.0}, final=final, simulate={"forces": [spring()]}
        )  # fmt: skip
    assert model.parameters["mass/mass"] == MASS
