"""Moment arms on constraints: slopes of lengths along motions that keep them."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from derivatives.support import differences

ROD = aj.Inertia.box(1.0, 0.1, 0.1, 0.5)


@pytest.fixture(scope="module")
def four_bar():
    model = gallery.four_bar().compile()
    q, _ = model.assemble(model.mechanism.start[0])
    names = [body.name for body in model.mechanism.bodies]
    paths = {name: [(names[0], (0.1, 0.05, 0.2)), (name, (0.2, 0.1, 0.1))] for name in names[1:]}
    return model, q, paths


def test_they_are_slopes_of_lengths_along_the_loop(four_bar):
    """Beside states that are assembled anew: another way to the same number, which knows no Jacobian."""
    model, q, paths = four_bar
    arms = model.moment_arms(q, paths, constrained=True)
    assert np.abs(arms - model.moment_arms(q, paths)).max() > 1e-3
    d = np.linalg.svd(model.constraint_jacobian(q))[2][-1]  # the only motion

    def along(s):
        near, _ = model.assemble(q + s[0] * d)
        return np.concatenate([near, model.path_length(near, paths)])

    found = differences(along, np.zeros(1), np.ones((1, 1)))[:, 0]
    assert np.abs(arms + found[model.nq :, None] / found[: model.nq]).max() < 1e-8  # what assembling leaves, over h


def test_where_one_motion_is_left_weights_do_not_matter(four_bar):
    model, q, paths = four_bar
    arms = model.moment_arms(q, paths, constrained=True)
    for weights in (np.arange(1.0, model.nv + 1), model.mass_matrix(q) + 0.1 * np.eye(model.nv)):
        again = model.moment_arms(q, paths, constrained=True, weights=weights)
        assert np.abs(again - arms).max() < 1e-12
    many = model.moment_arms(np.stack([q, q]), paths, constrained=True)
    assert np.abs(many - arms).max() < 1e-15


def test_the_least_motion_is_chosen_where_constraints_leave_a_choice():
    """x_a + x_b + x_c = 0: with v_a = 1, the others move by -1/2 each; with a weight of 3 on c, by -3/4 and -1/4."""
    mech = aj.Mechanism("three")
    for name in "abc":
        mech.add_body(name, joint=joints.Prismatic("x"), inertia=ROD)

    @aj.constraint
    def total(x):
        return [x[0] + x[1] + x[2]]

    mech.add_constraint(total, coordinates=["a", "b", "c"])
    model = mech.compile()
    path = [(None, (-2.0, 0, 0)), ("b", (0, 0, 0))]  # whose length is 2 + x_b
    q = [0.0, 0.0, 0.0]
    assert model.moment_arms(q, path, constrained=True) == pytest.approx([0.5, -1.0, 0.5], abs=1e-14)
    weighed = model.moment_arms(q, path, constrained=True, weights=[1.0, 1.0, 3.0])
    assert weighed == pytest.approx([0.75, -1.0, 0.5], abs=1e-14)


def test_what_cannot_be_asked():
    mech = aj.Mechanism("one")
    mech.add_body("a", joint=joints.Prismatic("x"), inertia=ROD)
    model, path = mech.compile(), [(None, (-2.0, 0, 0)), ("a", (0, 0, 0))]
    assert model.moment_arms([0.0], path, constrained=True) == pytest.approx([-1.0], abs=1e-15)
    with pytest.raises(aj.InputError, match="give constrained=True"):
        model.moment_arms([0.0], path, weights=[1.0])
    with pytest.raises(aj.InputError, match="not positive"):
        model.moment_arms([0.0], path, constrained=True, weights=[-1.0])
    with pytest.raises(aj.InputError, match=r"weights of shape \(2,\)"):
        model.moment_arms([0.0], path, constrained=True, weights=[1.0, 2.0])


def test_what_constraints_hold_has_no_arm():
    mech = aj.Mechanism("held")
    for name in "ab":
        mech.add_body(name, joint=joints.Prismatic("x"), inertia=ROD)

    @aj.constraint
    def still(x):
        return [x[0]]

    mech.add_constraint(still, coordinates=["a"])
    arms = mech.compile().moment_arms([0.0, 0.0], [(None, (-2.0, 0, 0)), ("b", (0, 0, 0))], constrained=True)
    assert np.isnan(arms[0])
    assert arms[1] == pytest.approx(-1.0, abs=1e-15)
