"""Derivatives of accelerations by the equation that they obey: beside each other, matrices and differences."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from derivatives.support import close, tangents


def sprung():
    """Springs, dampers, rotors, a ball by quaternions and a weld."""
    mech, rod = aj.Mechanism("sprung", gravity=(0, 0, -9.81)), aj.Inertia.box(1.0, 0.1, 0.2, 0.5)
    own = {"stiffness": 3.0, "damping": 0.2, "armature": 0.1, "rest": 0.3}
    mech.add_body("a", joint=joints.Revolute((0, 1, 0)), inertia=rod, **own)
    mech.add_body("ball", "a", joints.SphericalQuaternion(), aj.Pose.translation(0, 0, -0.5), rod)
    mech.add_body("tip", "ball", joints.Fixed(), aj.Pose.translation(0, 0.1, -0.2), rod)
    mech.add_body("b", "ball", joints.Revolute((1, 0, 0)), aj.Pose.translation(0, 0, -0.5), rod, damping=0.4)
    mech.add_body("c", "b", joints.Universal(), aj.Pose.translation(0, 0.2, -0.5), rod)
    return mech


@pytest.mark.parametrize("form", ["kernels", pytest.param("straight", marks=pytest.mark.slow)])
def test_accelerations_go_back_by_their_equation(form):
    """Beside rates: by some inputs or all, after parameters have changed."""
    model = sprung().compile(form=form, algorithm="articulated-body", vary=["b/mass", "a/stiffness"])
    rng = np.random.default_rng(3)
    q = np.array([0.3, 0.8, 0.36, 0.48, 0.0, 0.2, 0.4, -0.7])
    v, tau, w = (rng.normal(size=model.nv) for _ in range(3))
    d = {name: rng.normal(size=model.nv) for name in ("q", "v", "tau")}

    def gradient(e=0.0, wrt=("q", "v", "tau")):
        T = tangents(model.mechanism, q).T
        point = q + e * (T @ d["q"]), v + e * d["v"], tau + e * d["tau"]
        return model.vjp("forward_dynamics", point, w, wrt=wrt, raw=True)[1]

    for _ in range(2):
        y, rate = model.jvp("forward_dynamics", (q, v, tau), d)
        value, found = model.vjp("forward_dynamics", (q, v, tau), w)
        close(value, y, 1e-13)
        close(w @ rate, sum(found[name] @ x for name, x in d.items()), 1e-12)
        close(model.vjp("forward_dynamics", (q, v, tau), w, wrt="tau")[1]["tau"], found["tau"], 1e-13)
        close(gradient(wrt="v")["v"], found["v"], 1e-12)
        raw = {"q": tangents(model.mechanism, q).T @ d["q"], "v": d["v"], "tau": d["tau"]}
        second = model.hvp("forward_dynamics", (q, v, tau), w, raw, raw=True)
        h, names = 1e-3, list(d)
        flat = lambda found: np.concatenate([found[name] for name in names])  # noqa: B023, E731
        steps = [flat(gradient(k * h)) for k in (1, -1, 2, -2)]
        close(flat(second), (8 * (steps[0] - steps[1]) - (steps[2] - steps[3])) / (12 * h), 1e-8)
        model.parameters.set({"b/mass": 2.5, "a/stiffness": 7.0})


@pytest.mark.parametrize("names", [("q", "v", "tau"), ("tau",), ("v",), ("q", "tau")])
def test_rates_of_accelerations_go_by_their_equation(names):
    """Beside matrices, which know nothing of it; after parameters have changed, and in batches."""
    model = sprung().compile(form="kernels", algorithm="articulated-body", vary=["b/mass", "a/stiffness"])
    rng = np.random.default_rng(4)
    q = np.array([0.3, 0.8, 0.36, 0.48, 0.0, 0.2, 0.4, -0.7])
    v, tau = (rng.normal(size=model.nv) for _ in range(2))
    d = {name: rng.normal(size=model.nv) for name in names}
    for _ in range(2):
        y, rate = model.jvp("forward_dynamics", (q, v, tau), d)
        of = model.forward_dynamics_derivatives(q, v, tau)
        expected = sum({"q": of.q, "v": of.v, "tau": of.tau}[name] @ x for name, x in d.items())
        close(y, model.forward_dynamics(q, v, tau), 1e-13)
        close(rate, expected, 1e-12)
        batch = tuple(np.stack([x] * 9) for x in (q, v, tau))
        many = model.jvp("forward_dynamics", batch, {name: np.stack([x] * 9) for name, x in d.items()})[1]
        close(many[7], rate, 1e-13)
        model.parameters.set({"b/mass": 2.5, "a/stiffness": 7.0})


def test_rates_of_accelerations_take_less_than_those_of_articulated_inertias():
    model = gallery.torus_chain(5).compile()
    own, rates = model.program("forward_dynamics"), model.products.named("jvp forward_dynamics")
    assert rates.op_count().total < 2.1 * own.op_count().total  # 2.9 by tangents of the sweeps


def test_accelerations_go_by_their_equation_by_parameters():
    """Rates beside differences, gradients beside rates; articulated inertias are not differentiated."""
    names = ("b/mass", "a/stiffness", "ball/com")
    model = sprung().compile(form="kernels", algorithm="articulated-body", vary=names)
    rng = np.random.default_rng(5)
    q = np.array([0.3, 0.8, 0.36, 0.48, 0.0, 0.2, 0.4, -0.7])
    v, tau, w = (rng.normal(size=model.nv) for _ in range(3))
    d = {"b/mass": 0.7, "a/stiffness": np.array([0.5]), "ball/com": np.array([0.1, 0.2, -0.1])}
    y, rate = model.jvp("forward_dynamics", (q, v, tau), d)
    value, found = model.vjp("forward_dynamics", (q, v, tau), w, wrt=("q", *names))
    close(y, model.forward_dynamics(q, v, tau), 1e-13)
    close(value, y, 1e-13)
    close(w @ rate, sum(np.sum(found[name] * x) for name, x in d.items()), 1e-12)
    before = {name: np.asarray(model.parameters[name]) for name in names}

    def at(e):
        model.parameters.set({name: before[name] + e * d[name] for name in names})
        return model.forward_dynamics(q, v, tau)

    steps = [at(k * 1e-3) for k in (1, -1, 2, -2)]
    close(rate, (8 * (steps[0] - steps[1]) - (steps[2] - steps[3])) / 12e-3, 1e-9)
    _, back = (program.op_count().total for program in model.products.programs)
    assert back < 3.2 * model.program("forward_dynamics").op_count().total  # 3.4 by adjoints of the sweeps
