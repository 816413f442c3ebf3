"""Sections 2 to 4 of Liu & Jain on a body made of particles: every step from Newton's law to M and C, in numbers."""

import numpy as np
import pytest

import anyjoint as aj
from anyjoint import joints
from anyjoint.scalar import derivative

RNG = np.random.default_rng(8)
MASSES = RNG.uniform(0.5, 2.0, 7)
PLACES = RNG.normal(size=(7, 3))
Q, V, A = np.array([0.4, -0.7, 0.9]), np.array([0.8, -0.5, 1.1]), np.array([-0.3, 0.6, 0.2])
JOINTS = {"xyz": joints.EulerAngles("xyz"), "rotation vector": joints.Spherical(), "slide": joints.FreePlanar()}


def solid():
    """The rigid body of the particles."""
    mass, com = MASSES.sum(), MASSES @ PLACES / MASSES.sum()
    tensor = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(MASSES, PLACES - com, strict=True))
    return aj.Inertia(mass, com, tensor)


@pytest.fixture(scope="module", params=JOINTS)
def body(request):
    joint = JOINTS[request.param]
    mech = aj.Mechanism(request.param, gravity=(0, 0, 0))
    mech.add_body("body", joint=joint, inertia=solid())
    return joint, mech.compile()


def positions(joint, q):
    """r_i(q) [LJ eq. 1], as a flat list over any scalar."""
    pose = joint.pose(list(q))
    return [x for place in PLACES for x in (pose.R @ place + pose.p)]


def jacobians(joint, q):
    """dr_i/dq_j, array (3 n, 3) [LJ eq. 2, 15]."""
    columns = [derivative(lambda h, k=k: positions(joint, [*q[:k], q[k] + h, *q[k + 1 :]]), 0.0) for k in range(3)]
    return np.array(columns, float).T


def accelerations(joint):
    """r-dot-dot along q + h V + h^2/2 A."""
    path = lambda h: positions(joint, [q + h * v + 0.5 * h * h * a for q, v, a in zip(Q, V, A, strict=True)])  # noqa: E731
    return np.array(derivative(lambda h: derivative(path, h), 0.0), float)


WEIGHTS = np.repeat(MASSES, 3)


def test_virtual_work_of_particles_is_that_of_generalized_forces(body):
    """Q = sum J_i^T f_i, and f_i = mu_i r-dot-dot_i does the work of inverse dynamics [LJ eq. 3, 4, 11, 12, 13]."""
    joint, model = body
    generalized = jacobians(joint, Q.tolist()).T @ (WEIGHTS * accelerations(joint))
    assert np.allclose(generalized, model.inverse_dynamics(Q, V, A), atol=1e-12)


def test_velocities_and_their_slopes(body):
    """rdot = J qdot; d rdot/d qdot = dr/dq; d rdot/dq = d/dt dr/dq [LJ eq. 5, 6, 7, 8, 9, 10]."""
    joint, model = body

    def velocity(q):
        along = derivative(lambda h: positions(joint, [x + h * v for x, v in zip(q, V, strict=True)]), 0.0)
        return np.array(along, float)

    J = jacobians(joint, Q.tolist())
    rdot = velocity(Q.tolist())
    assert np.allclose(rdot, J @ V, atol=1e-13)
    h = 1e-6
    J_rate = (jacobians(joint, (Q + h * V).tolist()) - jacobians(joint, (Q - h * V).tolist())) / (2 * h)
    for k in range(3):
        step = h * np.eye(3)[k]
        slope = (velocity((Q + step).tolist()) - velocity((Q - step).tolist())) / (2 * h)
        assert np.allclose(slope, J_rate[:, k], atol=1e-8)
    assert 0.5 * WEIGHTS @ rdot**2 == pytest.approx(model.energy(Q, V)[0], rel=1e-13)


def test_the_mass_matrix_is_a_sum_over_particles(body):
    """M = sum mu_i J_i^T J_i, and M qdd + C = Q [LJ eq. 14, 16, 17]."""
    joint, model = body
    J = jacobians(joint, Q.tolist())
    M = J.T @ (WEIGHTS[:, None] * J)
    assert np.allclose(M, model.mass_matrix(Q), atol=1e-13)
    at = model.cartesian(Q)
    assert np.allclose(M @ A + at.lagrange(V), J.T @ (WEIGHTS * accelerations(joint)), atol=1e-11)


def test_momenta_and_energy_of_the_rigid_body(body):
    """P = m v, L = I_c omega, T = (m v^2 + omega I_c omega)/2 = V^T M_c V / 2 [LJ eq. 18, 19, 20, 21, 25, 26, 27]."""
    joint, model = body
    J = jacobians(joint, Q.tolist())
    rdot, r = (J @ V).reshape(-1, 3), np.array(positions(joint, Q.tolist()), float).reshape(-1, 3)
    at = model.cartesian(Q)
    (v,), (omega,) = at.velocities(V)
    centre = MASSES @ r / MASSES.sum()
    assert np.allclose(MASSES @ rdot, MASSES.sum() * v, atol=1e-13)
    L = sum(m * np.cross(x - centre, u) for m, x, u in zip(MASSES, r, rdot, strict=True))
    assert np.allclose(L, at.inertias[0] @ omega, atol=1e-12)
    energy = 0.5 * (MASSES.sum() * v @ v + omega @ at.inertias[0] @ omega)
    assert energy == pytest.approx(model.energy(Q, V)[0], rel=1e-13)


def test_newton_and_euler(body):
    """f = m vdot, tau = I_c omegadot + omega x I_c omega, of which J^T gives M qdd + C [LJ eq. 22, 23, 24, 46, 47].

    [SG eq. 4] [PAK eq. 1] [GL eq. 2-6]
    """
    _, model = body
    at = model.cartesian(Q)
    (J_v,), (J_w,) = at.J_v, at.J_w
    (rate_v,), (rate_w,) = at.jacobian_rates(V)
    I_c, omega = at.inertias[0], J_w @ V
    f = MASSES.sum() * (J_v @ A + rate_v @ V)
    tau = I_c @ (J_w @ A + rate_w @ V) + np.cross(omega, I_c @ omega)
    assert np.allclose(J_v.T @ f + J_w.T @ tau, at.mass_matrix() @ A + at.coriolis(V), atol=1e-12)
    assert np.allclose(at.generalized_forces([f], [tau]), model.inverse_dynamics(Q, V, A), atol=1e-12)


def test_terms_of_lagranges_equation_cancel(body):
    """The columns j_k of J_w: dj_j/dq_k - dj_k/dq_j = j_k x j_j, so that two terms of three go [LJ eq. 36-45]."""
    _, model = body
    h, J = 1e-5, model.cartesian(Q).J_w[0]
    slopes = [(model.cartesian(Q + h * e).J_w[0] - model.cartesian(Q - h * e).J_w[0]) / (2 * h) for e in np.eye(3)]
    for j in range(3):
        for k in range(3):
            assert np.allclose(slopes[k][:, j] - slopes[j][:, k], np.cross(J[:, k], J[:, j]), atol=1e-8)
    at = model.cartesian(Q)
    assert np.allclose(at.lagrange(V), at.coriolis(V), atol=1e-11)
