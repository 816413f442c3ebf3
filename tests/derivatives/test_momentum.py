"""Momentum about the centre of mass and derivatives of Jacobians, against differences and sums."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery
from derivatives.support import close, differences, tangents


@pytest.fixture(scope="module", params=["tree", "follower"])
def case(request):
    kinds = gallery.every_kind()
    names = ("revolute", "universal", "spherical-quaternion", "own")
    chosen = {name: kinds[name] for name in names}
    mech = gallery.random_tree(3, n=4, kinds=chosen, coupled=request.param == "follower")
    v = np.random.default_rng(0).normal(size=mech.nv)
    return mech.compile(), np.array(mech.start[0]), v, tangents(mech, np.array(mech.start[0]))


def test_momentum_is_that_about_the_origin_moved_to_the_centre(case):
    model, q, v, _ = case
    made, about = model.centroidal(q, v), np.asarray(model.momentum(q, v))
    center = model.center_of_mass(q)
    assert close(made.center, center, 1e-14)
    assert close(made.h, [*(about[:3] - np.cross(center, about[3:])), *about[3:]], 1e-13)
    assert close(made.A @ v, made.h, 1e-13)
    assert close(made.h[3:], made.mass * differences(model.center_of_mass, q, [v @ case[3]])[:, 0], 1e-9)


def test_its_derivatives_are_those_of_differences(case):
    model, q, v, T = case
    made = model.centroidal(q, v)
    assert close(made.dq, differences(lambda x: model.centroidal(x, v).h, q, T), 1e-10)
    assert close(made.rate, differences(lambda x: model.centroidal(x, v).A @ v, q, [v @ T])[:, 0], 1e-10)


def test_batches_of_momentum(case):
    model, q, v, _ = case
    made, one = model.centroidal(np.stack([q, q]), np.stack([v, 2 * v])), model.centroidal(q, 2 * v)
    for name in ("A", "h", "dq", "rate", "center", "mass"):
        assert close(getattr(made, name)[1], getattr(one, name), 1e-14)


def test_jacobians_change_as_differences_say(case):
    model, q, v, T = case
    body = model.mechanism.bodies[-1]
    made = model.jacobian_derivative(q, body)
    assert close(made, differences(lambda x: model.body_jacobian(x, body), q, T), 1e-10)
    assert close(model.jacobian_rate(q, v, body), made @ v, 1e-13)
    both = model.jacobian_rate(np.stack([q, q]), np.stack([v, 0 * v]), body.name)
    assert both.shape == (2, 6, model.nv)
    assert not both[1].any()


def test_without_mass_there_is_no_centre():
    """It was NaN, without a word."""
    mech = aj.Mechanism("ghost")
    mech.add_body("ghost", joint=aj.joints.Revolute((0, 1, 0)), inertia=aj.Inertia(0.0))
    mech.add_body("wall", joint=aj.joints.Fixed(), inertia=aj.Inertia.point(1.0))
    with pytest.raises(aj.InputError, match="centroidal: nothing that moves in 'ghost' has mass"):
        mech.compile().centroidal([0.3], [1.0])
