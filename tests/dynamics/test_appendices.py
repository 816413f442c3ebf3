"""The appendices of Si & Guenter, as large matrices over all bodies: what the sweeps are made from, and never build."""

from types import SimpleNamespace

import numpy as np
import pytest

from anyjoint.dynamics.textbook import ad
from anyjoint.mechanism import gallery
from anyjoint.scalar import derivative
from anyjoint.tree.rigid import adjoint, inverse

KINDS = ("revolute", "universal", "prismatic", "on-curve", "surface-surface", "spherical")


def blockdiag(blocks):
    out = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)))
    row = column = 0
    for b in blocks:
        out[row : row + len(b), column : column + b.shape[1]] = b
        row, column = row + len(b), column + b.shape[1]
    return out


@pytest.fixture(scope="module")
def whole():
    """All matrices of a tree at one state, under the paper's names."""
    kinds = gallery.every_kind()
    mech = gallery.random_tree(3, n=7, kinds={name: kinds[name] for name in KINDS})
    model, (q, v), n = mech.compile(), mech.start, mech.nb
    poses, per_body, S, S_dot = [], [], [], []
    for body in mech.bodies:
        ql, vl = q[body.q].tolist(), v[body.v].tolist()
        poses.append((body.placement @ body.joint.pose(ql)).matrix.astype(float))
        per_body.append(adjoint(inverse(poses[-1])))

        def along(h, body=body, ql=ql, vl=vl):
            return list(body.joint.jacobian([x + h * r for x, r in zip(ql, vl, strict=True)]).flat)

        S.append(np.array(body.joint.jacobian(ql), float))
        S_dot.append(np.array(derivative(along, 0.0), float).reshape(6, -1))  # [SG eq. 12]
    Theta = np.zeros((6 * n, 6 * n))  # [SG eq. 38]
    for body in mech.bodies:
        if body.parent >= 0:
            Theta[6 * body.index : 6 * body.index + 6, 6 * body.parent : 6 * body.parent + 6] = np.eye(6)
    M_lambda, S, S_dot = blockdiag(per_body), blockdiag(S), blockdiag(S_dot)
    Gamma = M_lambda @ Theta  # [SG eq. 43]
    G = np.linalg.inv(np.eye(6 * n) - Gamma)  # [SG eq. 44]
    J = blockdiag([body.inertia.spatial() for body in mech.bodies])
    V = (G @ S @ v).reshape(n, 6)  # [SG eq. 41]
    rates = (S @ v).reshape(n, 6)
    R = model.body_poses(q)[:, :3, :3]
    weights = [r.T @ np.array(mech.gravity) * b.inertia.mass for r, b in zip(R, mech.bodies, strict=True)]
    coms = [np.array(body.inertia.com) for body in mech.bodies]
    f_e = -np.concatenate([np.concatenate([np.cross(c, w), w]) for c, w in zip(coms, weights, strict=True)])
    return SimpleNamespace(
        mech=mech, model=model, q=q, v=v, n=n, poses=poses, Theta=Theta, M_lambda=M_lambda, Gamma=Gamma, G=G, S=S,
        S_dot=S_dot, J=J, V=V, f_e=f_e, ad_Sq=blockdiag([-ad(x) for x in rates]),
        ad_star=blockdiag([-ad(x).T for x in V]),
    )  # fmt: skip


def close(x, y, tolerance=1e-11):
    return np.abs(x - y).max() < tolerance * max(1.0, np.abs(y).max())


def test_velocities(whole):
    """v = S qdot + M_lambda v_lambda and v = G S qdot [SG eq. 36, 39, 41]. [SG eq. 8]"""
    w, V = whole, whole.V.ravel()
    assert close(whole.V, w.model.body_twists(w.q, w.v))
    assert close(w.S @ w.v + w.M_lambda @ (w.Theta @ V), V)


def test_accelerations(whole):
    """Differentiated, twice over [SG eq. 10, 11, 37, 40, 42]."""
    w, a = whole, np.random.default_rng(0).normal(size=whole.mech.nv)
    V = w.V.ravel()
    V_dot = w.G @ (w.S @ a + w.S_dot @ w.v + w.ad_Sq @ w.Gamma @ V)
    jacobian = w.model.body_twists(w.q, np.eye(w.mech.nv)).transpose(1, 2, 0).reshape(6 * w.n, -1)
    assert close(V_dot, jacobian @ a + w.model.jacobian_rate_times(w.q, w.v, w.v).ravel())
    assert close(w.S @ a + w.S_dot @ w.v + w.M_lambda @ (w.Theta @ V_dot) + w.ad_Sq @ w.M_lambda @ (w.Theta @ V), V_dot)


def test_the_inverse_is_a_finite_sum_of_paths(whole):
    """G = 1 + Gamma + Gamma^2 + ..., its blocks are adjoints along paths, Gamma G = G - 1 [SG eq. 45, 59, 60]."""
    w = whole
    total = power = np.eye(6 * w.n)
    for _ in range(w.n):
        power = power @ w.Gamma
        total = total + power
    assert np.abs(power).max() == 0
    assert close(total, w.G)
    assert close(w.Gamma @ w.G, w.G - np.eye(6 * w.n))
    world = w.model.body_poses(w.q)
    for i, body in enumerate(w.mech.bodies):
        above, k = {i}, body.parent
        while k >= 0:
            above, k = above | {k}, w.mech.bodies[k].parent
        for j in range(w.n):
            block = w.G[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
            expected = adjoint(inverse(world[i]) @ world[j]) if j in above else np.zeros((6, 6))
            assert close(block, expected)


def test_forces(whole):
    """f = G^T (ad* J v + J vdot + f_e), tau = S^T f [SG eq. 13, 46, 47, 48, 49]. [SG eq. 14, 15]"""
    w, a = whole, np.random.default_rng(1).normal(size=whole.mech.nv)
    V = w.V.ravel()
    V_dot = w.G @ (w.S @ a + w.S_dot @ w.v + w.ad_Sq @ w.Gamma @ V)
    f = w.G.T @ (w.ad_star @ w.J @ V + w.J @ V_dot + w.f_e)
    assert close(f, w.Gamma.T @ f + w.ad_star @ w.J @ V + w.J @ V_dot + w.f_e)
    assert close(f.reshape(w.n, 6), w.model.joint_wrenches(w.q, w.v, a))
    assert close(w.S.T @ f, w.model.inverse_dynamics(w.q, w.v, a))


def test_equations_of_motion(whole):
    """M = S^T G^T J G S, C and phi, and accelerations from them [SG eq. 16, 17, 50-57]."""
    w, tau = whole, np.random.default_rng(2).normal(size=whole.mech.nv)
    V, GS = w.V.ravel(), whole.G @ whole.S
    M = GS.T @ w.J @ GS
    C = GS.T @ (w.J @ w.G @ w.ad_Sq @ w.Gamma @ GS + w.J @ w.G @ w.S_dot + w.ad_star @ w.J @ GS)
    phi = GS.T @ w.f_e
    assert close(M, w.model.mass_matrix(w.q))
    assert close(phi, w.model.gravity_forces(w.q))
    assert close(C @ w.v + phi, w.model.bias_forces(w.q, w.v))
    a = w.ad_Sq @ w.Gamma @ V + w.S_dot @ w.v  # [SG eq. 56]
    b = w.ad_star @ w.J @ V + w.f_e  # [SG eq. 57]
    left = tau - w.S.T @ w.G.T @ (w.J @ w.G @ a + b)  # [SG eq. 55]
    assert close(np.linalg.solve(M, left), w.model.forward_dynamics(w.q, w.v, tau), 1e-9)  # [SG eq. 17, 54]
