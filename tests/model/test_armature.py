"""Armature: inertia that a joint alone feels adds to the diagonal of the mass matrix, in every formulation."""

from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.dynamics import textbook
from anyjoint.quantity.formulations import FORMULATIONS
from dynamics.support import close

KINDS = (
    joints.Revolute((0, 0, 1)), joints.Prismatic((1, 1, 0)), joints.Universal(), joints.SphericalQuaternion(),
    joints.Revolute((1, 2, 3)),
)  # fmt: skip


def tree(repeats, geared=True):
    """A branched tree of several kinds; two bodies of three have armature where `geared`."""
    mech, random, last = aj.Mechanism("tree"), np.random.default_rng(0), None
    solid = aj.Inertia.box(1, 0.3, 0.4, 0.5).moved(aj.Pose.translation(0.1, 0.2, 0.3))
    for k, joint in enumerate(KINDS * repeats):
        place, own = aj.Pose.translation(*random.normal(size=3)), random.uniform(0.1, 2, joint.nv)
        armature = own if geared and k % 3 != 2 else 0.0
        mech.add_body(f"b{k}", last, joint, place, solid, armature=armature)
        last = f"b{k}" if k % 4 else last
    return mech


def state(mech):
    random = np.random.default_rng(1)
    q, v, tau = mech.neutral + 0.1 * random.normal(size=mech.nq), *random.normal(size=(2, mech.nv))
    for body in mech.bodies:
        if body.joint.nq != body.joint.nv:
            q[body.q] /= np.linalg.norm(q[body.q])
    return q, v, tau


def added(mech):
    return np.concatenate([body.armature for body in mech.bodies])


@pytest.mark.parametrize("repeats", [1, pytest.param(6, marks=pytest.mark.slow)])  # straight, and kernels
def test_quantities_are_those_without_plus_the_diagonal(repeats):
    mech = tree(repeats)
    model, bare, D, (q, v, tau) = mech.compile(), tree(repeats, False).compile(), added(mech), state(mech)
    M = bare.mass_matrix(q) + np.diag(D)
    assert close(model.mass_matrix(q), M, 1e-13)
    assert close(model.mass_times(q, tau), M @ tau, 1e-13)
    assert close(model.bias_forces(q, v), bare.bias_forces(q, v), 1e-13)
    assert close(model.gravity_forces(q), bare.gravity_forces(q), 1e-13)
    assert close(model.energy(q, v)[0], bare.energy(q, v)[0] + 0.5 * D @ v**2, 1e-13)
    a = model.forward_dynamics(q, v, tau)
    assert close(a, np.linalg.solve(M, tau - bare.bias_forces(q, v)), 1e-11)  # M is conditioned like 1e3
    for algorithm in ("newton-euler", "lagrangian"):
        assert close(model.inverse_dynamics(q, v, a, algorithm=algorithm), tau, 1e-10)
    accelerations, forces = model.hybrid_dynamics(q, v, tau, a, ["b1"])
    assert close(accelerations, a, 1e-10)
    assert close(forces, tau, 1e-10)
    assert close(textbook.forward_dynamics(mech, q, v, tau), a, 1e-10)


@pytest.mark.parametrize("algorithm", FORMULATIONS)
@pytest.mark.parametrize("repeats", [1, pytest.param(6, marks=pytest.mark.slow)])
def test_formulations_agree(algorithm, repeats):
    mech = tree(repeats)
    q, v, tau = state(mech)
    expected = mech.compile().forward_dynamics(q, v, tau)
    assert close(mech.compile(algorithm=algorithm).forward_dynamics(q, v, tau), expected, 1e-11)


def test_it_is_a_parameter():
    mech, other = tree(1), tree(1, False)
    model, (q, v, tau) = mech.compile(), state(mech)
    model.parameters["b0/armature"] = (5.0,)
    other.replace_body(replace(mech["b0"], armature=(5.0,)))
    for name in ("b1", "b3", "b4"):
        other.replace_body(mech[name])
    assert close(model.forward_dynamics(q, v, tau), other.compile().forward_dynamics(q, v, tau), 1e-12)


def test_it_makes_a_massless_body_regular():
    mech = aj.Mechanism("rotor")
    mech.add_body("rotor", joint=joints.Revolute(), armature=2.0)
    assert mech.check() == []
    assert close(mech.compile().forward_dynamics([0.3], [1.0], [3.0]), [1.5], 1e-15)


def test_energy_is_kept():
    mech = tree(1)
    q, v, _ = state(mech)
    run = mech.compile().simulate(q, v, duration=0.5, dt=1e-3)
    assert run.balance_error() < 1e-9


@pytest.mark.parametrize("armature", [-1.0, np.nan, np.inf])
def test_it_must_be_a_finite_positive_number(armature):
    mech = aj.Mechanism("bad")
    mech.add_body("body", joint=joints.Revolute(), inertia=aj.Inertia.box(1, 1, 1, 1), armature=armature)
    with pytest.raises(aj.ModelError, match=r"armature .* must be finite and not negative"):
        mech.compile()


def test_a_weld_has_none():
    with pytest.raises(aj.ModelError, match=r"armature .* has no coordinate to act on"):
        aj.Mechanism("bad").add_body("body", armature=1.0)


def test_limits_of_a_drive_are_kept():
    body = aj.Mechanism("kept").add_body("arm", joint=joints.Revolute(), friction=0.1, effort=30, velocity=2)
    assert (body.friction, body.effort, body.speed) == ((0.1,), (30.0,), (2.0,))
    free = aj.Mechanism("kept").add_body("arm", joint=joints.Universal())
    assert (free.friction, free.effort, free.speed) == ((0.0, 0.0), (np.inf,) * 2, (np.inf,) * 2)


def test_springs_on_some_hinges_of_a_long_chain():
    """Kernels share the sines of all hinges, whether or not these have springs."""
    mech, last = aj.Mechanism("chain"), None
    for k in range(30):
        place = aj.Pose.translation(0.1, 0.2 * k, 0.3)
        solid = aj.Inertia.box(1, 0.3, 0.4, 0.5)
        last = mech.add_body(f"b{k}", last, joints.Revolute((0, 1, 0)), place, solid, damping=0.1 * (k % 2))
    q, v, tau = state(mech)
    found = mech.compile(form="kernels").forward_dynamics(q, v, tau)
    assert close(found, textbook.forward_dynamics(mech, q, v, tau), 1e-10)


@pytest.mark.parametrize("count", [1, 2])
def test_rows_that_vanish_exactly_need_no_rotation(count):
    """The modified method met two zeros where the tensor about the centre of mass is diagonal to the last bit."""
    mech, last = aj.Mechanism("exact"), None
    for k in range(count):
        solid = aj.Inertia.box(1, 0.3, 0.4, 0.5).moved(aj.Pose.translation(0.1, 0.2, 0.3))
        last = mech.add_body(f"b{k}", last, joints.Revolute((0, 0, 1)), aj.Pose.translation(0.3, 0.2, 0.1), solid)
    q, v, tau = state(mech)
    found = mech.compile(algorithm="modified-articulated-body").forward_dynamics(q, v, tau)
    assert close(found, mech.compile().forward_dynamics(q, v, tau), 1e-12)


def test_springs_of_a_replaced_body_stay_parameters():
    mech = aj.Mechanism("replaced", gravity=(0, 0, -9.81))
    body = mech.add_body("arm", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(1.0, (0, 0, -1)))
    mech.replace_body(replace(body, armature=(5.0,)))
    model = mech.compile()
    assert model.mass_matrix([0.1])[0, 0] == pytest.approx(6.0)
    for armature in (2.0, 0.0, 3.0):
        model.parameters["arm/armature"] = armature
        assert model.mass_matrix([0.1])[0, 0] == pytest.approx(1.0 + armature)
