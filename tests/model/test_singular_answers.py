"""What needs the inverse of the mass matrix raises at singular places: quantities, steps, and derivatives of both."""

import math
from functools import cache

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.errors import SingularityError
from anyjoint.quantity import QUANTITIES
from anyjoint.quantity.step import STEPS

SOLID = aj.Inertia(0.7, (0.05, -0.1, 0.2), np.diag([0.12, 0.1, 0.09]))
LOCKS = {  # a joint, coordinates at which it is locked, and others
    "angles": (joints.EulerAngles("zyx"), (0.3, math.pi / 2, 0.1), (0.3, 0.2, 0.1)),
    "a vector": (joints.Spherical(), (2 * math.pi, 0.0, 0.0), (0.3, 0.2, 0.1)),
    "hinges": (
        joints.Composite(*map(joints.Revolute, ("z", "y", "z"))), (0.3, 0.0, 0.1), (0.3, 0.7, 0.1)
    ),
    "a crank": (aj.joint(dof=1)(lambda q: aj.Pose.translation(aj.cos(q[0]), 0, 0)), (0.0,), (1.0,)),
}  # fmt: skip
DIVIDE = [*(name for name, quantity in QUANTITIES.items() if quantity.divides), "step semi-implicit-euler"]
OPEN = [name for name in DIVIDE if QUANTITIES.get(name, QUANTITIES["step"]).among in ("all", "apart")]


@cache
def carrying(name):
    """A locking joint with an arm behind it."""
    mech = aj.Mechanism("carrying", gravity=(1.3, -4.2, -8.0))
    mech.add_body("top", joint=LOCKS[name][0], inertia=SOLID)
    mech.add_body("arm", "top", joints.Revolute("x"), aj.Pose.translation(0, 0.1, 0.3), SOLID)
    return mech.compile()


def states(name):
    """The model, coordinates at the lock, and far from it."""
    model = carrying(name)
    return model, *(np.array([*q, 0.1]) for q in LOCKS[name][1:])


def point(model, quantity, q, speed):
    """Arguments of a quantity."""
    given = {"q": q, "dt": np.array([1e-3])}
    rows = record(quantity).given(model.mechanism)
    return tuple(given.get(row.name, speed * np.ones(model.nv)) for row in rows)


def record(quantity):
    return QUANTITIES.get(quantity) or STEPS[quantity.removeprefix("step ")]


def questions(model, quantity):
    """The quantity and its derivatives as functions of its arguments."""
    size = [row.shape(model.mechanism) for row in record(quantity).outputs]
    weights = tuple(np.ones(shape) for shape in size)
    along = {"q": np.ones(model.nv)}
    return (
        lambda *x: model.evaluate(record(quantity), x),
        lambda *x: model.jvp(quantity, x, along),
        lambda *x: model.vjp(quantity, x, weights, wrt=("q", "arm/mass")),
        lambda *x: model.hvp(quantity, x, weights, along, wrt=("q",)),
    )


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("quantity", OPEN)
def test_what_divides_raises_where_a_joint_is_locked(quantity, lock):
    model, locked, free = states(lock)
    first, *derivatives = questions(model, quantity)
    for ask in (first, *(derivatives if lock == "angles" else ())):
        ask(*point(model, quantity, free, 1.0))
        with pytest.raises(SingularityError, match=rf"{quantity}\b.*: body 'top' at q = "):
            ask(*point(model, quantity, locked, 1.0))
        with pytest.raises(SingularityError, match=rf"{quantity}\b.*: state 1, body 'top' at q = "):
            ask(*point(model, quantity, np.array([free, locked]), 1.0))


@pytest.mark.parametrize("quantity", ["forward_dynamics", "step"])
@pytest.mark.parametrize("lock", LOCKS)
def test_it_raises_at_rest_too(lock, quantity):
    """Where all numbers are of ordinary size though they mean nothing."""
    model, locked, _ = states(lock)
    for ask in questions(model, quantity)[:2]:
        with pytest.raises(SingularityError, match="body 'top' at q = "):
            ask(*point(model, quantity, locked, 0.0))


@pytest.mark.parametrize("lock", LOCKS)
def test_derivatives_raise_where_the_value_is_nothing(lock):
    """No load, no acceleration: by a load there is a derivative all the same."""
    model, locked, free = states(lock)
    zero, one = np.zeros(model.nv), np.ones(model.nv)
    for ask in (
        lambda q: model.jvp("inverse_mass_times", (q, zero), {"x": one})[1],
        lambda q: model.vjp("inverse_mass_times", (q, zero), one)[1]["x"],
        lambda q: model.hvp("inverse_mass_times", (q, zero), one, {"x": one})["q"],
    ):
        assert np.abs(ask(free)).max() < 1e3
        with pytest.raises(SingularityError, match="body 'top' at q = "):
            ask(locked)


def test_large_numbers_are_no_singularity():
    """Near the lock accelerations and their derivatives are large and right; large forces are no lock either."""
    model, locked, free = states("angles")
    v, tau, step = np.ones(4), np.ones(4), 1e-6 * np.array([0.0, 1.0, 0.0, 0.0])
    near = locked + 1e-2 * np.array([0.0, 1.0, 0.0, 0.0])
    _, slope = model.jvp("forward_dynamics", (near, v, tau), {"q": step / 1e-6})
    ahead, behind = (model.forward_dynamics(near + s * step, v, tau) for s in (1, -1))
    assert np.abs(slope).max() > 1e5
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)
    for push in (1e6, 1e12):
        assert np.abs(model.jvp("forward_dynamics", (free, v, push * tau), {"q": v})[1]).max() > push
        a, _ = model.hybrid_dynamics(free, v, push * tau, v, ["arm"])
        assert np.abs(a).max() > push


@pytest.mark.parametrize("lock", LOCKS)
def test_hybrid_dynamics_need_no_joint_that_is_prescribed(lock):
    model, locked, free = states(lock)
    v, tau, a = (np.linspace(0.5, 1.0, model.nv) * k for k in (1.0, 2.0, 3.0))
    with pytest.raises(SingularityError, match=r"hybrid_dynamics \[1\]: body 'top' at q = "):
        model.hybrid_dynamics(locked, v, tau, a, ["arm"])
    with pytest.raises(SingularityError, match=r"hybrid_dynamics \[1\]: state 1, body 'top' at q = "):
        model.hybrid_dynamics([free, locked], v, tau, a, ["arm"])
    found, forces = model.hybrid_dynamics(locked, v, tau, a, ["top"])
    assert forces == pytest.approx(model.inverse_dynamics(locked, v, found), rel=1e-12)
    assert found[-1] == pytest.approx(float(np.linalg.solve(*equation_of_arm(model, locked, v, tau, a))[0]), rel=1e-10)


def equation_of_arm(model, q, v, tau, a):
    """The last row of M a + bias = tau, for the acceleration of the arm."""
    M, bias = model.mass_matrix(q), model.bias_forces(q, v)
    return M[-1:, -1:], tau[-1:] - bias[-1:] - M[-1:, :-1] @ a[:-1]


def test_hybrid_dynamics_of_a_body_without_inertia():
    """Forward dynamics say nothing about it; with its joint prescribed there is nothing to divide by."""
    mech = aj.Mechanism("light")
    mech.add_body("top", joint=joints.EulerAngles("zyx"), inertia=SOLID)
    mech.add_body("tip", "top", joints.Revolute("x"), aj.Pose.translation(0, 0.1, 0.3))
    model, v = mech.compile(), np.ones(4)
    a, _ = model.hybrid_dynamics([0.3, 0.2, 0.1, 0.4], v, v, v, ["tip"])
    assert np.abs(a).max() < 1e3
    with pytest.raises(SingularityError, match="body 'top'"):
        model.hybrid_dynamics([0.3, math.pi / 2, 0.1, 0.4], v, v, v, ["tip"])


def balance():
    """A weightless beam on a table: with its bob on the axis nothing resists its hinge."""
    mech = aj.Mechanism("balance")
    table = mech.add_body("table", joint=joints.Revolute("x"), inertia=aj.Inertia.sphere(10.0, 1.0))
    mech.add_body("beam", table, joints.Revolute("z"), aj.Pose.translation(0.5, 0, 0))
    mech.add_body("bob", "beam", joints.Prismatic("x"), inertia=aj.Inertia.point(1.0, (0.25, 0, 0)))
    return mech.compile()


def test_pivots_are_looked_at_with_the_parameters_of_each_state():
    model, q, one = balance(), np.array([0.1, 0.2, 0.25]), np.ones(3)
    rows = model.parameter_rows({"bob/com": [(0.5, 0, 0), (-0.25, 0, 0), (0.1, 0, 0)]})
    taken = rows.take([0, 2])
    for ask in (
        lambda rows: model.forward_dynamics(q, one, parameters=rows),
        lambda rows: model.forward_dynamics_derivatives(q, one, parameters=rows).v,
        lambda rows: model.inverse_mass_matrix(q, parameters=rows),
        lambda rows: model.inverse_mass_times(q, one, parameters=rows),
        lambda rows: model.step(q, one, parameters=rows)[1],
    ):
        assert np.abs(ask(taken)).max() < 1e4
        with pytest.raises(SingularityError, match=r"state 1(, the mass matrix is singular| has no finite answer)"):
            ask(rows)


def test_multipliers_say_that_a_joint_is_locked():
    """They were numbers of 1e16."""
    mech = aj.Mechanism("held")
    mech.add_body("top", joint=joints.EulerAngles("zyx"), inertia=SOLID)
    mech.add_body("arm", "top", joints.Revolute("x"), aj.Pose.translation(0, 0.1, 0.3), SOLID)
    mech.add_loop("arm", None, joints.Spherical(), at=((0, 0.1, 0.2), (0, 0, 0)))
    model, v = mech.compile(), np.ones(4)
    locked, free = ([0.3, x, 0.1, 0.4] for x in (math.pi / 2, 0.2))
    assert np.abs(model.constraint_multipliers(free, v)).max() < 1e3
    for states in (locked, [locked, free]):
        with pytest.raises(SingularityError, match=r"constraint_multipliers:.* body 'top' at q = "):
            model.constraint_multipliers(states, v)


def test_frames_that_break_down_are_told_with_parameters_too():
    """Near an inflection there were finite numbers."""
    mech = aj.Mechanism("bend")
    mech.add_body("body", joint=joints.OnCurve(lambda s: (s, 0 * s, aj.sin(s))), inertia=SOLID)
    model, rows = mech.compile(), {"body/mass": [1.0, 2.0]}
    for ask in (model.forward_dynamics, model.inverse_dynamics):
        assert ask([0.5], [1.0], [1.0], parameters=rows).shape == (2, 1)
        for q in ([1e-9], [[0.5], [1e-9]]):
            with pytest.raises(SingularityError, match=r"body 'body' at q = .* curvature"):
                ask(q, [1.0], [1.0], parameters=rows)
