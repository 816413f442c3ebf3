"""Masses from the smallest to the largest numbers: right, or refused."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import ModelError
from anyjoint.mechanism import gallery
from dynamics.support import close

MECHANISMS = {
    "hinges": lambda: gallery.revolute_chain(4),
    "rods": lambda: gallery.revolute_chain(4, "simple"),
    "tree": lambda: gallery.random_tree(1, n=8),
}


def heavier(mech, factor):
    """The same mechanism with all masses multiplied; the factor is one, or one for each body."""
    made = aj.Mechanism("heavier", gravity=mech.gravity)
    for body, f in zip(mech.bodies, np.broadcast_to(factor, mech.nb).tolist(), strict=True):
        parent = made.bodies[body.parent] if body.parent >= 0 else None
        inertia = aj.Inertia(f * body.inertia.mass, body.inertia.com, f * body.inertia.tensor)
        made.add_body(body.name, parent, body.joint, body.placement, inertia)
    return made


@pytest.mark.parametrize("name", ["hinges", "rods", pytest.param("tree", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "exponent", [-300, 304, *(pytest.param(n, marks=pytest.mark.slow) for n in (-200, -150, 150, 160, 300))]
)
def test_masses_scale_forces_and_leave_accelerations(name, exponent):
    mech = MECHANISMS[name]()
    (q, v), factor = mech.start, 10.0**exponent
    tau = np.random.default_rng(0).normal(size=mech.nv)
    model, scaled = mech.compile(), heavier(mech, factor).compile()
    assert close(scaled.forward_dynamics(q, v, factor * tau), model.forward_dynamics(q, v, tau), 1e-13)
    assert close(scaled.inverse_dynamics(q, v, tau) / factor, model.inverse_dynamics(q, v, tau), 1e-13)
    assert close(scaled.mass_matrix(q) / factor, model.mass_matrix(q), 1e-13)


@pytest.mark.parametrize("heavy", range(4))
def test_one_body_of_the_largest_mass(heavy):
    """The mass matrix is a sum over bodies: a light body's coordinate does not see a heavy one before it."""
    mech = gallery.revolute_chain(4)
    factors = np.where(np.arange(4) == heavy, 1e300, 1.0)
    q = mech.start[0]
    M, light = heavier(mech, factors).compile().mass_matrix(q), mech.compile().mass_matrix(q)
    only = heavier(mech, np.where(np.arange(4) == heavy, 1.0, 1e-30)).compile().mass_matrix(q)
    upto = slice(0, heavy + 1)
    assert close(M[upto, upto] / 1e300, only[upto, upto], 1e-13)
    assert close(M[heavy + 1 :, heavy + 1 :], light[heavy + 1 :, heavy + 1 :], 1e-12)


def test_products_that_no_number_holds_are_refused():
    mech = aj.Mechanism("stars")
    mech.add_body("star", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia(1e300, com=(1e5, 2e5, 3e5)))
    with pytest.raises(ModelError, match=r"body 'star': its inertia.* exceeds 1\.8e\+308.*units"):
        mech.compile()


def test_single_precision_refuses_what_it_cannot_hold():
    mech = aj.Mechanism("planets")
    mech.add_body("planet", joint=joints.Spherical(), inertia=aj.Inertia.sphere(6e30, 6e6))
    mech.compile()
    with pytest.raises(ModelError, match=r"is 8.*e\+43; expected at most 3\.4e\+38, the largest float32.*float64"):
        mech.compile(dtype="float32")


def test_a_parameter_out_of_range_changes_nothing():
    model = gallery.revolute_chain(3).compile()
    q, name = np.array([0.1, 0.2, 0.3]), f"{model.mechanism.bodies[2].name}/mass"
    before, mass = model.mass_matrix(q), model.parameters[name]
    with pytest.raises(ModelError, match="exceeds"):
        model.parameters.set({name: 1e300, name.replace("mass", "com"): (1e10, 1e10, 0)})
    assert model.parameters[name] == mass
    assert np.array_equal(model.mass_matrix(q), before)


@pytest.mark.parametrize("question", ["forward_dynamics", "inverse_dynamics"])
def test_velocities_whose_squares_are_out_of_range_are_named_as_such(question):
    model = gallery.revolute_chain(2).compile()
    with pytest.raises(aj.AnyjointError, match=r"as large as 1e\+200 was given"):
        getattr(model, question)([0.1, 0.2], [1e200, 0.0], [0.0, 0.0])
