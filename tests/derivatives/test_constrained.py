"""Derivatives where joints follow others, and where loops and rolling constrain the motion."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import gallery, joints
from derivatives.support import Interpreted, close, differences, slopes, tangents


def follower():
    """Joints that follow others, by a factor and by a curve."""
    kinds = gallery.every_kind()
    chosen = {name: kinds[name] for name in ("revolute", "spherical-quaternion")}
    mech = gallery.random_tree(3, n=2, kinds=chosen, coupled=True)
    leader = next(body for body in mech.bodies if body.joint.nq == body.joint.nv == 1)
    curved = joints.Coupled(joints.Revolute((0, 1, 1)), lambda q: [aj.sin(q[0]) + 0.3 * q[0] * q[0]], leader.name)
    solid = aj.Inertia.box(1.0, 0.3, 0.2, 0.4)
    mech.add_body("curved", mech.bodies[0], curved, aj.Pose.translation(0.1, 0.3, 0.2), solid)
    return mech


def test_joints_that_follow_others():
    mech = follower()
    model, rng = mech.compile(), np.random.default_rng(0)
    q, (v, a) = np.array(mech.start[0]), rng.normal(size=(2, mech.nv))
    T, unit = tangents(mech, q), np.eye(mech.nv)
    inverse, d = Interpreted(mech, "inverse_dynamics"), model.inverse_dynamics_derivatives(q, v, a)
    for which, directions, made in ((0, T, d.q), (1, unit, d.v), (2, unit, d.a)):
        assert close(made, slopes(inverse, (q, v, a), which, directions), 1e-12)
    at = model.forward_dynamics(q, v, a)
    e, f = model.inverse_dynamics_derivatives(q, v, at), model.forward_dynamics_derivatives(q, v, a)
    assert close(e.a @ f.q, -e.q, 1e-12)
    assert close(e.a @ f.v, -e.v, 1e-12)
    assert close(f.tau @ e.a, unit, 1e-12)
    assert close(model.inverse_mass_matrix(q), f.tau, 1e-12)
    assert close(model.regressor(q, v, a) @ model.inertial_parameters, model.inverse_dynamics(q, v, a), 1e-13)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", pytest.param("bicycle", marks=pytest.mark.slow)])
def test_loops_and_rolling(name):
    """Complex steps through the sweeps that carry multipliers, and differences of the model itself."""
    mech = getattr(gallery, name)()
    model, rng = mech.compile(), np.random.default_rng(0)
    tau = rng.normal(size=mech.nv)
    q, v = model.assemble(mech.start[0], rng.normal(size=mech.nv))
    T, unit = tangents(mech, q), np.eye(mech.nv)
    forward, made = Interpreted(mech, "forward_dynamics"), model.forward_dynamics_derivatives(q, v, tau)
    for which, directions, matrix in ((0, T, made.q), (1, unit, made.v), (2, unit, made.tau)):
        assert close(matrix, slopes(forward, (q, v, tau), which, directions), 1e-11)
    assert close(made.v, differences(lambda x: model.forward_dynamics(q, x, tau), v, unit), 1e-9)
    G = model.constraint_jacobian(q)
    assert np.abs(G @ made.tau).max() < 1e-9 * np.abs(made.tau).max() * np.abs(G).max()  # forces keep constraints


def test_a_loop_is_linearised():
    """What a state on the constraints turns into stays on them: the linear model keeps their tangents."""
    mech = gallery.four_bar()
    model = mech.compile()
    q, v = model.assemble(mech.start[0], np.zeros(mech.nv))
    A, B = model.linearise(q, v)
    n, G = mech.nv, model.constraint_jacobian(q)
    assert np.array_equal(A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    assert np.abs(G @ B[n:]).max() < 1e-12
