"""Straight-line programs, kernels in loops, scalar code, vector code and threads compute the same."""

import numpy as np
import pytest

from anyjoint.dynamics.articulated_body import ARTICULATED_BODY
from anyjoint.mechanism import gallery
from dynamics.support import State, close

pytestmark = pytest.mark.fast_code
GALLERY = {
    "RC6": lambda: gallery.revolute_chain(6),
    "RC20": lambda: gallery.revolute_chain(20),
    "RC12 simple": lambda: gallery.revolute_chain(12, "simple"),
    "TC5": lambda: gallery.torus_chain(5),
    "windmill": lambda: gallery.windmill(arms=1),
    "tree": lambda: gallery.random_tree(4, n=9, kinds=few("revolute", "prismatic", "universal", "spherical")),
}


def few(*names):
    kinds = gallery.every_kind()
    return {name: kinds[name] for name in names}


def states(mech, count, seed=0):
    """A batch of states near the mechanism's start, and forces."""
    rng = np.random.default_rng(seed)
    q = mech.start[0] + 0.05 * rng.normal(size=(count, mech.nq))
    return q, 0.3 * rng.normal(size=(count, mech.nv)), rng.normal(size=(count, mech.nv))


LONG = ("windmill", "RC20")  # which test_formulations and test_op_counts compile, too


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in GALLERY])
def test_straight_and_kernels_agree_with_floats(name):
    mech = GALLERY[name]()
    q, v, tau = (x[0] for x in states(mech, 1))
    oracle = State(mech, q, v).row(ARTICULATED_BODY, tau=tau)
    made = [mech.compile("articulated-body", form=form) for form in ("straight", "kernels")]
    straight, kernels = (model.forward_dynamics(q, v, tau) for model in made)
    error = 1e-12 * np.linalg.cond(made[0].mass_matrix(q)) ** 0.5
    assert close(straight, kernels, error)
    assert close(straight, oracle, error)
    a, b = (model.inverse_dynamics(q, v, tau) for model in made)
    assert close(a, b, 1e-12)


@pytest.mark.parametrize("form", ["straight", "kernels"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_state_has_the_same_bits_wherever_it_stands_in_a_batch(form, dtype):
    mech = gallery.revolute_chain(4)
    model = mech.compile(form=form, dtype=dtype)
    q, v, tau = (x.astype(dtype) for x in states(mech, 37))
    whole = model.forward_dynamics(q, v, tau)
    assert whole.dtype == dtype
    for count in (1, 2, 3, 7, 9, 31):
        assert np.array_equal(model.forward_dynamics(q[:count], v[:count], tau[:count]), whole[:count])
        assert np.array_equal(model.forward_dynamics(q[5:][:count], v[5:][:count], tau[5:][:count]), whole[5:][:count])
    rows = np.array([model.forward_dynamics(*row) for row in zip(q, v, tau, strict=True)])
    assert np.array_equal(rows, whole), "single states are computed by the same operations as batches"


@pytest.mark.parametrize("count", [0, 1, 5, 64, 67])
def test_threads_share_a_batch(count):
    mech = gallery.revolute_chain(5)
    model = mech.compile()
    x = states(mech, count)
    one, two = (model.forward_dynamics(*x, threads=k) for k in (1, 2))
    assert one.shape == (count, mech.nv)
    assert np.array_equal(one, two)


@pytest.mark.parametrize("form", ["straight", "kernels"])
def test_float32_is_right_to_its_rounding(form):
    mech = gallery.random_tree(4, n=6, kinds=few("revolute", "prismatic", "universal", "spherical"))
    double, single = (mech.compile(form=form, dtype=dtype) for dtype in ("float64", "float32"))
    q, v, tau = states(mech, 9)
    condition = np.linalg.cond(double.mass_matrix(q)).max()
    assert close(single.forward_dynamics(q, v, tau), double.forward_dynamics(q, v, tau), 1e-6 * condition)
    assert close(single.inverse_dynamics(q, v, tau), double.inverse_dynamics(q, v, tau), 1e-5)


def test_every_quantity_takes_batches():
    mech = gallery.random_tree(5, n=6, kinds=few("revolute", "prismatic", "universal", "spherical", "fixed"))
    model = mech.compile()
    q, v, a = states(mech, 3)
    wrenches = np.random.default_rng(1).normal(size=(3, mech.nb, 6))
    calls = {
        "mass_matrix": (q,), "bias_forces": (q, v), "gravity_forces": (q,), "inverse_dynamics": (q, v, a),
        "body_poses": (q,), "body_twists": (q, v), "jacobian_rate_times": (q, v, a), "joint_wrenches": (q, v, a),
        "energy": (q, v), "momentum": (q, v), "center_of_mass": (q,), "generalized_forces": (q, wrenches),
    }  # fmt: skip
    for name, arguments in calls.items():
        function = getattr(model, name)
        whole = np.stack(function(*arguments), axis=-1) if name == "energy" else function(*arguments)
        for k in range(3):
            one = function(*(x[k] for x in arguments))
            assert np.allclose(whole[k], one, rtol=1e-13, atol=1e-13), name
    a, tau = model.hybrid_dynamics(q, v, a, a, [mech.bodies[-1].name] if mech.bodies[-1].joint.nv else [])
    assert a.shape == tau.shape == (3, mech.nv)
    assert model.body_jacobian(q, mech.bodies[3].name).shape == (3, 6, mech.nv)


def test_large_mass_matrices_equal_the_oracle():
    mech = gallery.revolute_chain(45)
    model = mech.compile()
    q = states(mech, 2)[0]
    M = model.mass_matrix(q)
    for k in range(2):
        assert close(M[k], State(mech, q[k], np.zeros(mech.nv)).mass_matrix(), 1e-12)
        assert np.array_equal(M[k], M[k].T)
