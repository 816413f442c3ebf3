"""Inverse dynamics with constraints, and what constraints leave as it is."""

import copy
from dataclasses import replace

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from tests.constraints.mechanisms import ALL, four_bar


@pytest.mark.parametrize("case", ALL)
def test_forces_of_all_joints_give_the_accelerations_back(case):
    mech, q, v = ALL[case]()
    model, rng = mech.compile(), np.random.default_rng(1)
    a = model.forward_dynamics(q, v, rng.normal(size=mech.nv), 0.0)
    forces = model.inverse_dynamics(q, v, a, actuated=[body.name for body in mech.bodies if body.joint.nv])
    assert model.forward_dynamics(q, v, forces, 0.0) == pytest.approx(a, rel=1e-10, abs=1e-10)
    assert np.linalg.norm(forces) <= np.linalg.norm(model.inverse_dynamics(q, v, a)) * (1 + 1e-12)


@pytest.mark.parametrize("actuated", [["crank"], ["rocker"], ["coupler"], "crank", [1]])
def test_one_actuated_joint_drives_a_four_bar(actuated):
    """One degree of freedom: any of its joints can produce what any force produces."""
    mech, q, v = four_bar()
    model = mech.compile()
    a = model.forward_dynamics(q, v, [0.3, -0.2, 0.5])
    forces = model.inverse_dynamics(q, v, a, actuated=actuated)
    assert np.count_nonzero(forces) == 1
    assert model.forward_dynamics(q, v, forces) == pytest.approx(a, rel=1e-11)


def test_forces_are_the_smallest_where_there_is_a_choice():
    """No force that leaves the accelerations as they are makes the answer shorter."""
    mech, q, v = four_bar()
    model = mech.compile()
    a = model.forward_dynamics(q, v, [0.3, -0.2, 0.5])
    forces = model.inverse_dynamics(q, v, a, actuated=["crank", "rocker"])
    alone = [model.inverse_dynamics(q, v, a, actuated=[name]) for name in ("crank", "rocker")]
    assert forces @ (alone[0] - alone[1]) == pytest.approx(0, abs=1e-11 * np.linalg.norm(forces))
    assert model.forward_dynamics(q, v, forces) == pytest.approx(a, rel=1e-11)


def test_batches_and_short_floats():
    mech, q, v = four_bar()
    model = mech.compile()
    tau = np.random.default_rng(0).normal(size=(5, 3))
    a = model.forward_dynamics(q, v, tau)
    rows = model.inverse_dynamics(q, v, a, actuated=["crank"])
    single = [model.inverse_dynamics(q, v, row, actuated=["crank"]) for row in a]
    assert rows == pytest.approx(np.array(single), rel=1e-12)
    place = np.zeros((5, 3))
    assert model.inverse_dynamics(np.tile(q, (5, 1)), v, a, actuated=["crank"], out=place) is place
    assert place == pytest.approx(rows, rel=1e-12)
    short = mech.compile(dtype="float32")
    assert short.inverse_dynamics(q, v, a[0], actuated=["crank"]) == pytest.approx(rows[0], rel=1e-2, abs=1e-2)


def test_without_constraints_passive_joints_have_to_fall():
    mech = aj.Mechanism("pair", gravity=(0, 0, -9.81))
    bob = aj.Inertia.point(1.0, (0, 0, -1))
    mech.add_body("a", joint=joints.Revolute((0, 1, 0)), inertia=bob)
    mech.add_body("b", "a", joints.Revolute((0, 1, 0)), inertia=bob)
    model = mech.compile()
    a = model.forward_dynamics([0.3, 0.4], [1, 2], [0.5, 0])
    assert model.inverse_dynamics([0.3, 0.4], [1, 2], a, actuated=["a"]) == pytest.approx([0.5, 0], abs=1e-12)
    with pytest.raises(aj.InputError, match=r"passive joints cannot follow a: .* missing at b \(.*\)\. Name one"):
        model.inverse_dynamics([0.3, 0.4], [1, 2], a + [0, 1], actuated=["a"])


def test_what_cannot_be_is_refused():
    mech, q, v = four_bar()
    mech.add_body("tail", "rocker", joints.Revolute((0, 0, 1)), aj.Pose.translation(1, 0, 0), mech["crank"].inertia)
    model = mech.compile()
    q, v = np.append(q, 0.1), np.append(v, 0.2)
    a = model.forward_dynamics(q, v)
    kick = model.forward_dynamics(q, v, [0, 0, 0, 1.0])
    with pytest.raises(aj.InputError, match=r"violate constraints: pin/shift . by"):
        model.inverse_dynamics(q, v, a + [0.1, 0, 0, 0], actuated=["crank"])
    with pytest.raises(aj.InputError, match=r"state 1, the accelerations a violate"):
        model.inverse_dynamics(q, v, [a, a + [0.1, 0, 0, 0]], actuated=["crank"])
    with pytest.raises(aj.InputError, match=r"passive joints cannot follow a: forces are missing at .*tail"):
        model.inverse_dynamics(q, v, kick, actuated=["crank"])
    with pytest.raises(aj.AnyjointError, match=r"no coordinate 'crnk'.*crank"):
        model.inverse_dynamics(q, v, a, actuated=["crnk"])


@pytest.mark.parametrize("case", ALL)
def test_constraints_leave_the_tree_as_it_is(case):
    """Energy but for soft rows, mass matrix, Jacobians, momentum and the tree's forces are those without them."""
    mech, q, v = ALL[case]()
    free = copy.copy(mech)
    free.constraints = []
    a = np.random.default_rng(2).normal(size=mech.nv)
    held, loose = mech.compile(), free.compile()
    per = [0.5 / c.compliance if c.stores else 0.0 for c in mech.constraints for _ in range(c.count)]
    stored = np.dot(per, held.constraint_errors(q, v)[0] ** 2)
    assert held.energy(q, v) == pytest.approx(np.add(loose.energy(q, v), (0.0, stored)), rel=1e-13, abs=1e-13)
    for name, arguments in [
        ("mass_matrix", (q,)), ("momentum", (q, v)), ("bias_forces", (q, v)), ("body_poses", (q,)),
        ("inverse_dynamics", (q, v, a)), ("mass_times", (q, a)), ("body_jacobian", (q, mech.bodies[-1])),
        ("center_of_mass", (q,)), ("jacobian_rate_times", (q, v, a)), ("body_twists", (q, v)),
        ("gravity_forces", (q,)), ("passive_forces", (q, v)),
    ]:  # fmt: skip
        for x, y in zip(*(np.atleast_1d(getattr(m, name)(*arguments)) for m in (held, loose)), strict=True):
            assert x == pytest.approx(y, rel=1e-13, abs=1e-13), name


@pytest.mark.parametrize("seed", range(2))
def test_power_of_forces_is_the_rate_of_energy(seed):
    """Constraints that do not move do no work, so dE/dt = v . tau; by central differences along the motion."""
    rng = np.random.default_rng(seed)
    mech, q, v = four_bar(hinge=seed == 0)
    for body in mech.bodies:
        mech.replace_body(replace(body, damping=(0.0,) * body.joint.nv))
    model, tau, h = mech.compile(), rng.normal(size=mech.nv), 1e-5
    a = model.forward_dynamics(q, v, tau)

    def energy(s):
        return sum(model.energy(q + s * v + s * s / 2 * a, v + s * a))

    rate = (energy(h) - energy(-h)) / (2 * h)
    assert rate == pytest.approx(v @ tau, rel=1e-5, abs=1e-6 * (1 + np.abs(a).max()))


@pytest.mark.parametrize("case", ALL)
def test_rows_are_zero_where_accelerations_satisfy_them(case):
    """G a + gamma = 0 for rows that do not give way; and M a + G^T y = tau - bias, with y the multipliers of all."""
    mech, q, v = ALL[case]()
    model, tau = mech.compile(), np.random.default_rng(3).normal(size=mech.nv)
    a, y = model.forward_dynamics(q, v, tau), model.constraint_multipliers(q, v, tau)
    G = model.constraint_jacobian(q)
    scale = 1 + np.abs(a).max() + np.abs(y).max()
    assert (G @ a + model.constraint_bias(q, v))[model.hard_rows] == pytest.approx(0.0, abs=1e-11 * scale)
    assert model.mass_matrix(q) @ a + G.T @ y == pytest.approx(tau - model.bias_forces(q, v), abs=1e-10 * scale)
