"""The articulated-body method against its textbook form, on random trees of every joint kind."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.dynamics import textbook
from anyjoint.dynamics.articulated_body import ARTICULATED_BODY, unit_columns
from anyjoint.mechanism import gallery
from dynamics.support import State, close


@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed):
    """To 1e-10, which leaves room for the conditions of random mass matrices."""
    mech = gallery.random_tree(seed, n=1 + seed % 20)
    q, v = mech.start
    tau = np.random.default_rng(seed).normal(size=mech.nv)
    state = State(mech, regroup=bool(seed % 2))
    found = textbook.forward_dynamics(mech, q, v, tau)
    assert close(state.row(ARTICULATED_BODY, tau=tau), found, 1e-10)


def test_springs_welds_and_compiled_code():
    mech = aj.Mechanism("arm", gravity=(0.3, 0, -9.81))
    base = mech.add_body("base", joint=joints.FreeQuaternion(), inertia=aj.Inertia.box(2.0, 0.1, 0.2, 0.3))
    place, solid = aj.Pose.translation(0, 0, 0.2) @ aj.Pose.rotation_y(0.3), aj.Inertia.box(1.0, 0.1, 0.1, 0.5)
    upper = mech.add_body("upper", base, joints.Universal(), place, solid, stiffness=2.0, damping=0.1)
    mech.add_body("plate", upper, joints.Fixed(), aj.Pose.translation(0, 0, 0.5), aj.Inertia.box(0.3, 0.1, 0.1, 0.1))
    q, v = np.array([0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5]), np.linspace(-1, 1, mech.nv)
    assert close(mech.compile().forward_dynamics(q, v, v), textbook.forward_dynamics(mech, q, v, v), 1e-12)


def test_a_pendulum_swings_as_it_should():
    mech = aj.Mechanism("pendulum", gravity=(0, 0, -9.81))
    mech.add_body("bob", joint=joints.Revolute((0, 1, 0)), inertia=aj.Inertia.point(2.0, (0, 0, -0.5)))
    a = textbook.forward_dynamics(mech, np.array([0.3]), np.array([1.0]), np.array([0.1]))
    assert a[0] == pytest.approx(-9.81 / 0.5 * np.sin(0.3) + 0.1 / (2.0 * 0.25), rel=1e-14)


def test_unit_columns():
    S = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0.5]])
    assert unit_columns(S) == {2: 0}
