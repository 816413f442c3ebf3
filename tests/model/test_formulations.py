"""Compiled formulations agree with the float sweeps: straight-line and kernels, forward, inverse, hybrid, products."""

import numpy as np
import pytest

from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.mechanism import gallery
from bench.formulation_stiffness import digits, exact_accelerations, heavy_tip
from dynamics import reference
from dynamics.support import State, bumped, close

pytestmark = pytest.mark.fast_code
FORWARD = (
    "recursive",
    "articulated-body",
    "split-pivot",
    "modified-articulated-body",
    "composite-rigid-body",
    "lagrangian",
    "augmented",
    "redmax",
    "recursive-mixed",
)
COMMON = ("revolute", "spherical", "prismatic", "universal", "free-quaternion", "on-curve")


def sample(seed, n, kinds=None):
    mech = gallery.random_tree(seed, n=n, kinds=kinds)
    state = State(mech)
    state.tau = np.random.default_rng(seed).normal(size=mech.nv)
    state.qdd = state.row(ARTICULATED_BODY, tau=state.tau)
    return state


@pytest.fixture(scope="module")
def simple():
    """A small tree of common joints."""
    kinds = gallery.every_kind()
    return sample(1, 6, {name: kinds[name] for name in COMMON})


@pytest.fixture(scope="module")
def everything():
    """A tree with every joint kind, once."""
    return sample(2, 25)


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("algorithm", FORWARD)
def test_every_formulation_compiled(simple, algorithm, form):
    model = simple.mech.compile(algorithm=algorithm, form=form)
    qdd = model.forward_dynamics(simple.q, simple.v, simple.tau)
    assert close(qdd, simple.qdd, 1e-11)


# Joints and sweeps meet in records alone, so that each form needs one algorithm of sweeps; numeric ones share theirs.
@pytest.mark.parametrize(
    ("algorithm", "form"),
    [
        ("recursive", "straight"),
        pytest.param("recursive", "kernels", marks=pytest.mark.slow),
        pytest.param("articulated-body", "straight", marks=pytest.mark.slow),
        ("articulated-body", "kernels"),
        pytest.param("redmax", "straight", marks=pytest.mark.slow),
        ("redmax", "kernels"),
        pytest.param("augmented", "straight", marks=pytest.mark.slow),
        ("augmented", "kernels"),
    ],
)
def test_every_joint_kind_compiled(everything, algorithm, form):
    model = everything.mech.compile(algorithm=algorithm, form=form)
    qdd = model.forward_dynamics(everything.q, everything.v, everything.tau)
    assert close(qdd, everything.qdd, 1e-9)


def test_the_modified_method_keeps_its_digits_compiled():
    """A tip 1e12 times heavier than the arm, against 50-digit arithmetic; the usual method loses all but a few."""
    mech = heavy_tip(1e12)
    q, v, tau = np.random.default_rng(0).uniform(-1, 1, (3, mech.nv))
    exact = exact_accelerations(mech, q, v, tau)
    kept = {}
    for algorithm in ("modified-articulated-body", "articulated-body"):
        made = mech.compile(algorithm=algorithm).forward_dynamics(q, v, tau)
        kept[algorithm] = digits(made.tolist(), exact)
    assert kept["modified-articulated-body"] > 13.0
    assert kept["articulated-body"] < 7.0


def test_batches_are_rows(simple):
    model = simple.mech.compile(algorithm="modified-articulated-body")
    factors = np.linspace(-1, 1, 11)
    v = factors[:, None] * simple.v
    q, tau = (np.tile(x, (11, 1)) for x in (simple.q, simple.tau))
    made = model.forward_dynamics(q, v, tau)
    for k in range(11):
        assert close(made[k], simple.at(v=v[k]).row(ARTICULATED_BODY, tau=simple.tau), 1e-11)


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("algorithm", ["newton-euler", "lagrangian"])
def test_inverse_after_forward(simple, algorithm, form):
    model = simple.mech.compile(form=form)
    a = model.forward_dynamics(simple.q, simple.v, simple.tau)
    assert close(model.inverse_dynamics(simple.q, simple.v, a, algorithm=algorithm), simple.tau, 1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_hybrid_equals_forward_with_the_returned_forces(simple, seed):
    model = simple.mech.compile()
    rng = np.random.default_rng(seed)
    moving = [body for body in simple.mech.bodies if body.joint.nv]
    chosen = [body.name for body in moving if rng.random() < 0.5]
    wanted = rng.normal(size=simple.nv)
    a, tau = model.hybrid_dynamics(simple.q, simple.v, simple.tau, wanted, chosen)
    assert close(model.forward_dynamics(simple.q, simple.v, tau), a, 1e-9)
    for body in moving:
        given, found = (wanted, a) if body.name in chosen else (simple.tau, tau)
        assert np.array_equal(given[body.v], found[body.v])


def test_products_and_wrenches_match_the_jacobians(simple):
    model, mech = simple.mech.compile(), simple.mech
    rng = np.random.default_rng(0)
    J = np.stack([model.body_jacobian(simple.q, body) for body in mech.bodies])
    assert close(model.body_twists(simple.q, simple.v), J @ simple.v, 1e-12)
    wrenches = rng.normal(size=(mech.nb, 6))
    forces = np.einsum("bij,bi->j", J, wrenches)
    assert close(model.generalized_forces(simple.q, wrenches), forces, 1e-12)
    with_wrenches = model.forward_dynamics(simple.q, simple.v, simple.tau, wrenches=wrenches)
    assert close(with_wrenches, model.forward_dynamics(simple.q, simple.v, simple.tau + forces), 1e-11)


def test_rate_of_the_jacobian_is_its_slope(simple):
    model, h = simple.mech.compile(), 1e-5
    x = np.random.default_rng(1).normal(size=simple.nv)
    ends = [model.body_twists(bumped(simple.mech, simple.q, simple.v, s), x) for s in (h, -h)]
    assert close(model.jacobian_rate_times(simple.q, simple.v, x), (ends[0] - ends[1]) / (2 * h), 1e-7)


def test_joint_wrenches_carry_the_generalized_forces(simple):
    model = simple.mech.compile()
    wrenches = model.joint_wrenches(simple.q, simple.v, simple.qdd)
    for body in simple.mech.bodies:
        S = model.body_jacobian(simple.q, body)[:, body.v]
        assert close(S.T @ wrenches[body.index], simple.tau[body.v], 1e-9)


@pytest.mark.parametrize("name", ["RC100", "TC20", "windmill"])
def test_the_papers_mechanisms_compiled(name):
    made = {"RC100": (gallery.revolute_chain, 100), "TC20": (gallery.torus_chain, 20), "windmill": (gallery.windmill,)}
    function, *size = made[name]
    state = State(function(*size))
    tau = np.random.default_rng(0).normal(size=state.nv)
    qdd = state.mech.compile().forward_dynamics(state.q, state.v, tau)
    assert close(qdd, state.row(ARTICULATED_BODY, tau=tau), 1e-9)


@pytest.mark.parametrize("function", [gallery.four_bar_knee, gallery.tongs_with_fish])
def test_power_is_the_rate_of_energy_where_joints_follow_others(function):
    mech, h = function(), 1e-5
    rng = np.random.default_rng(0)
    q, v, tau = np.array(mech.start[0]), 0.3 * rng.normal(size=mech.nv), rng.normal(size=mech.nv)
    model = mech.compile()
    a = model.forward_dynamics(q, v, tau)
    assert close(model.inverse_dynamics(q, v, a), tau, 1e-11)
    ends = [sum(model.energy(bumped(mech, q, v + 0.5 * s * a, s), v + s * a)) for s in (h, -h)]
    drag = model.passive_forces(q, v) - model.passive_forces(q, 0 * v)  # springs store, dampers take
    assert abs((ends[0] - ends[1]) / (2 * h) - (tau + drag) @ v) < 1e-6 * max(1.0, np.abs(a).max())


def test_gait2392_compiled():
    """OpenSim's mass matrix and accelerations from compiled code."""
    mech, names, case = reference.gait()
    order = [case["coordinate_order"].index(name) for name in names]
    model = mech.compile()
    for state in case["states"]:
        q, u = (np.array([state[k][name] for name in names]) for k in ("q", "u"))
        assert close(model.mass_matrix(q), np.array(state["mass_matrix"])[np.ix_(order, order)], 1e-11)
        assert close(model.forward_dynamics(q, u), np.array(state["udot_forward_dynamics"])[order], 1e-8)


@pytest.mark.parametrize("key", reference.FREE_SCENES)
def test_redmax_scenes_compiled(key):
    scene = reference.FREE_SCENES[key]
    state = State(reference.scene_mechanism(scene))
    state.scene = scene
    model = state.mech.compile()
    known = scene["recomputed_not_from_repo"]
    assert close(model.mass_matrix(state.q), known["initial_reduced_mass_matrix(joint order)"], 1e-12)
    a = model.forward_dynamics(state.q, state.v, reference.scene_forces(scene, state))
    assert close(a, known["initial_qddot_acceleration_level(joint order)"], 1e-10)
