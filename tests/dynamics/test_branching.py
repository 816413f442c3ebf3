"""A tree in the plane, against closed forms in absolute angles: RedMax's branching scene, of our own choice."""

import numpy as np
import pytest

from tests.mechanism.test_examples import load

G = 9.81


@pytest.fixture(scope="module")
def mobile():
    mech = load("mobile").build(levels=3)
    rng = np.random.default_rng(4)
    return mech, rng.uniform(-1, 1, mech.nv), rng.normal(size=mech.nv), rng.normal(size=mech.nv)


def closed_form(mech, q, v):
    """M and bias in joint angles. With absolute angles phi = L q, the centre of body k is the sum over its ancestors a
    of offsets r_ka turned by phi_a, so M_ab = sum m_k r_ka . r_kb + I, bias_a = sum m_k r_ka . (-r_kb w_b^2 + g)."""
    n = mech.nb
    L = np.zeros((n, n))
    for body in mech.bodies:
        L[body.index] = L[body.parent] if body.parent >= 0 else 0
        L[body.index, body.index] = 1
    phi, w = L @ q, L @ v
    turn = lambda k, x: np.array([  # noqa: E731 (about y: z towards x)
        np.cos(phi[k]) * x[0] + np.sin(phi[k]) * x[2], -np.sin(phi[k]) * x[0] + np.cos(phi[k]) * x[2]
    ])  # fmt: skip
    M, bias = np.zeros((n, n)), np.zeros(n)
    for body in mech.bodies:
        arms, k, tip = {}, body.index, np.array(body.inertia.com)
        while k >= 0:
            arms[k] = turn(k, tip)
            tip, k = mech.bodies[k].placement.matrix[:3, 3].astype(float), mech.bodies[k].parent
        m = body.inertia.mass
        M[body.index, body.index] += body.inertia.tensor[1][1]
        for a, ra in arms.items():
            sideways = np.array([ra[1], -ra[0]])  # d ra / d phi_a
            bias[a] += m * G * sideways[1]
            for b, rb in arms.items():
                M[a, b] += m * ra @ rb
                bias[a] -= m * sideways @ rb * w[b] ** 2
    return L.T @ M @ L, L.T @ bias


@pytest.mark.parametrize("algorithm", ["articulated-body", "recursive", "redmax", "lagrangian"])
def test_a_tree_is_its_closed_form(mobile, algorithm):
    mech, q, v, tau = mobile
    M, bias = closed_form(mech, q, v)
    model = mech.compile(algorithm=algorithm)
    assert np.allclose(model.mass_matrix(q), M, atol=1e-14)
    assert np.allclose(model.bias_forces(q, v), bias, atol=1e-13)
    assert np.allclose(model.forward_dynamics(q, v, tau), np.linalg.solve(M, tau - bias), rtol=1e-11)


def test_bodies_on_different_branches_do_not_feel_each_other(mobile):
    """M has a block for two bodies only where one carries the other."""
    mech, q, _, _ = mobile
    M = mech.compile().mass_matrix(q)
    above = [{body.index} for body in mech.bodies]
    for body in mech.bodies:
        above[body.index] |= above[body.parent] if body.parent >= 0 else set()
    for i in range(mech.nb):
        for j in range(mech.nb):
            assert (abs(M[i, j]) > 0) == (i in above[j] or j in above[i])
