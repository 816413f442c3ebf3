"""RedMax's closed forms, written as in the paper, against our product rule."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

from anyjoint import joints
from anyjoint.joints.logarithm import logarithm
from anyjoint.joints.product_rule import motion_of
from anyjoint.spatial import Pose

RNG = np.random.default_rng(5)


def bracket(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def unbracket(A):
    return np.array([A[2, 1], A[0, 2], A[1, 0]])


def hat(x):
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = bracket(x[:3]), x[3:]
    return out


def Ad(E):
    R, p = E[:3, :3], E[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [bracket(p) @ R, R]])


def ad(x):
    return np.block([[bracket(x[:3]), np.zeros((3, 3))], [bracket(x[3:]), bracket(x[:3])]])


def parts(joint, q, v=None):
    """G, S and c of ours in plain numbers."""
    q = [float(x) for x in q]
    v = [0.0] * joint.nv if v is None else [float(x) for x in v]
    motion = joint.motion(q, v)
    return joint.pose(q).matrix, np.array(motion.jacobian(), float), np.array(motion.piece(v).c, float)


def test_prismatic_eq_23_24():
    """[RM eq. 23, 24]"""
    a = np.array([1.0, 2.0, -2.0]) / 3
    G, S, c = parts(joints.Prismatic(axis=(1, 2, -2)), [0.7], [1.3])
    assert np.allclose(G[:3, 3], 0.7 * a, atol=1e-15)
    assert np.allclose(S[:, 0], [0, 0, 0, *a], atol=1e-15)
    assert np.allclose(c, 0, atol=1e-15)


def test_planar_and_translational_eq_25_28():
    """[RM eq. 25, 26] and [RM eq. 27, 28]"""
    _, S, c = parts(joints.Planar(), [0.3, 0.4], [1, 2])
    assert np.array_equal(S, np.eye(6)[:, 3:5])
    assert not c.any()
    _, S, c = parts(joints.Translational(), [0.3, 0.4, 0.5], [1, 2, 3])
    assert np.array_equal(S, np.eye(6)[:, 3:])
    assert not c.any()


def test_revolute_eq_29_30():
    """[RM eq. 29, 30]"""
    a = np.array([2.0, 1.0, -2.0]) / 3
    G, S, c = parts(joints.Revolute(axis=(2, 1, -2)), [0.7], [1.3])
    assert np.allclose(G[:3, :3], expm(0.7 * bracket(a)), atol=1e-15)
    assert np.allclose(S[:, 0], [*a, 0, 0, 0], atol=1e-15)
    assert np.allclose(c, 0, atol=1e-15)


def test_universal_eq_31_35():
    """[RM eq. 31-35] and [RM eq. 32]"""
    (q1, q2), qd = (0.6, -1.1), np.array([0.9, 1.4])
    c1, s1, c2, s2 = math.cos(q1), math.sin(q1), math.cos(q2), math.sin(q2)
    G, S, c = parts(joints.Universal(), [q1, q2], qd)
    assert np.allclose(G[:3, :3], [[c2, 0, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]], atol=1e-15)
    assert np.allclose(S, np.array([[c2, 0, s2, 0, 0, 0], [0, 1, 0, 0, 0, 0]]).T, atol=1e-15)
    Sdot = np.array([[-s2 * qd[1], 0, c2 * qd[1], 0, 0, 0], [0] * 6]).T
    assert np.allclose(c, Sdot @ qd, atol=1e-15)


def spherical_oracle(q, qd):
    """S and Sdot (top three rows) by [RM eq. 36-41]."""
    R = expm(bracket(q))
    identity, d, ddot = np.eye(3), 1 / (q @ q), -2 * (q @ qd) / (q @ q) ** 2
    B = [q[i] * bracket(q) for i in range(3)]
    C = [bracket(bracket(q) @ (identity - R) @ identity[i]) for i in range(3)]
    A = [(B[i] + C[i]) * d for i in range(3)]  # eq. 40
    S = np.stack([unbracket(R.T @ A[i] @ R) for i in range(3)], axis=1)  # eq. 38
    Rdot = sum(A[i] @ R * qd[i] for i in range(3))  # eq. 39
    columns = []
    for i in range(3):
        Bdot = qd[i] * bracket(q) + q[i] * bracket(qd)
        Cdot = bracket(bracket(qd) @ (identity - R) @ identity[i] - bracket(q) @ Rdot @ identity[i])
        Adot = (Bdot + Cdot) * d + (B[i] + C[i]) * ddot
        columns.append(unbracket(Rdot.T @ A[i] @ R + R.T @ Adot @ R + R.T @ A[i] @ Rdot))  # eq. 41
    return R, S, np.stack(columns, axis=1)


@pytest.mark.parametrize("scale", [0.2, 0.49, 0.51, 1.0, 3.0, 6.0])
def test_spherical_eq_36_41(scale):
    """[RM eq. 36], [RM eq. 37, 38], [RM eq. 38], [RM eq. 41] [LJ eq. 53, 54]"""
    for _ in range(20):
        q, qd = RNG.normal(size=3), RNG.normal(size=3)
        q *= scale / np.linalg.norm(q)
        R, S, Sdot = spherical_oracle(q, qd)
        G, ours, c = parts(joints.Spherical(), q, qd)
        assert np.allclose(G[:3, :3], R, atol=1e-14)
        assert np.allclose(ours[:3], S, atol=1e-12)
        assert np.allclose(c[:3], Sdot @ qd, atol=1e-11)


@pytest.mark.parametrize("scale", [0.0, 1e-160, 1e-9, 1e-3, 0.3])
def test_spherical_near_zero_against_many_digits(scale):
    """[LJ eq. 55, 56]"""
    import mpmath as mp

    with mp.workdps(600):
        q, v = [mp.mpf(scale) * x for x in (3, -2, 1)], [mp.mpf(x) for x in (0.5, 0.25, -1)]
        t = mp.sqrt(sum(x * x for x in q)) or mp.mpf(10) ** -40
        b, c3 = (1 - mp.cos(t)) / t**2, (t - mp.sin(t)) / t**3
        K = mp.matrix([[0, -q[2], q[1]], [q[2], 0, -q[0]], [-q[1], q[0], 0]])
        expected = np.array((mp.eye(3) - b * K + c3 * K * K).tolist(), dtype=float)
    _, ours, c = parts(joints.Spherical(), [float(x) for x in q], [float(x) for x in v])
    assert np.allclose(ours[:3], expected, atol=1e-15)
    assert np.isfinite(c).all()


def test_spherical_by_the_product_rule_of_its_matrix():
    joint = joints.Spherical()
    for scale in (0.0, 1e-8, 0.1, 0.5, 2.0, 6.0):
        q, v = (RNG.normal(size=3) * scale).tolist(), RNG.normal(size=3).tolist()
        ours, rule = joint.motion(q, v), motion_of(joint.legs, q, v)
        assert np.allclose(np.array(ours.S, float), np.array(rule.S, float), atol=1e-13)
        assert np.allclose(np.array(ours.c, float), np.array(rule.c, float), atol=1e-11)


def test_free_eq_42_44():
    """[RM eq. 42] and [RM eq. 43, 44]"""
    q, qd = RNG.normal(size=6), RNG.normal(size=6)
    R, S1, S1dot = spherical_oracle(q[:3], qd[:3])
    G, S, c = parts(joints.Free(), q, qd)
    zero, one = np.zeros((3, 3)), np.eye(3)
    assert np.allclose(G[:3, 3], R @ q[3:], atol=1e-14)
    assert np.allclose(S, np.block([[S1, zero], [-bracket(q[3:]) @ S1, one]]), atol=1e-12)
    Sdot = np.block([[S1dot, zero], [-bracket(qd[3:]) @ S1 - bracket(q[3:]) @ S1dot, zero]])
    assert np.allclose(c, Sdot @ qd, atol=1e-11)


def test_composite_eq_45_51():
    """[RM eq. 45], [RM eq. 51] and [RM eq. 45-51]"""
    first, second = joints.Universal(), joints.Helical(axis=(1, 1, 0), pitch=0.3)
    q, qd = RNG.normal(size=3), RNG.normal(size=3)
    Q1, S1, c1 = parts(first, q[:2], qd[:2])
    Q2, S2, c2 = parts(second, q[2:], qd[2:])
    to_second = Ad(np.linalg.inv(Q2))
    G, S, c = parts(joints.Composite(first, second), q, qd)
    assert np.allclose(G, Q1 @ Q2, atol=1e-14)
    assert np.allclose(S, np.hstack([to_second @ S1, S2]), atol=1e-14)
    expected = -ad(S2 @ qd[2:]) @ to_second @ S1 @ qd[:2] + to_second @ c1 + c2  # eq. 51 times qdot
    assert np.allclose(c, expected, atol=1e-13)


BASIS = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6  # eq. 53
POWERS = [
    lambda q: np.array([1, q, q * q, q**3]),
    lambda q: np.array([0, 1, 2 * q, 3 * q * q]),
    lambda q: np.array([0, 0, 2, 6 * q]),
]


def algorithm_4(C, q):
    """Cubic spline joint. (Line 10 of the print has B_i where its derivative belongs.)"""
    B, dB, ddB = ([np.sum((BASIS @ powers(q))[i:]) for i in range(4)] for powers in POWERS)  # eq. 57, 58
    D = [None] + [logarithm(np.linalg.inv(C[i - 1]) @ C[i]) for i in range(1, 4)]
    Q = C[0] @ expm(hat(D[1] * B[1]))
    S, dS = D[1] * dB[1], D[1] * ddB[1]
    for i in (2, 3):
        Qi = expm(hat(D[i] * B[i]))
        Q = Q @ Qi
        Adi, adi = Ad(np.linalg.inv(Qi)), ad(S)
        S, dS = D[i] * dB[i] + Adi @ S, D[i] * ddB[i] + Adi @ (dS + adi @ D[i] * dB[i])
    return Q, S, dS


@pytest.mark.parametrize("closed", [False, True])
def test_spline_curve_algorithm_4(closed):
    """[RM alg. 4], [RM eq. 59], [RM eq. 55-58]"""
    frames = [Pose.translation(*RNG.normal(size=3)) @ Pose.rotation(RNG.normal(size=3), 0.8) for _ in range(6)]
    joint = joints.SplineCurve(frames, closed=closed)
    for q in RNG.uniform(0, joint.count, 10):
        i = int(q)
        window = [np.array(frames[(i + k) % 6].matrix) for k in range(4)]
        Q, S, dS = algorithm_4(window, q - i)
        G, ours, c = parts(joint, [q], [1.7])
        assert np.allclose(G, Q, atol=1e-13)
        assert np.allclose(ours[:, 0], S, atol=1e-13)
        assert np.allclose(c, dS * 1.7**2, atol=1e-12)


@pytest.mark.parametrize("turn", [0.0, 1e-9, 1e-3])
def test_spline_curve_of_nearly_parallel_frames(turn):
    frames = [Pose.translation(i, i * i, 0) @ Pose.rotation_z(turn * i) for i in range(4)]
    G, S, _ = parts(joints.SplineCurve(frames), [0.4])
    Q, expected, _ = algorithm_4([np.array(f.matrix) for f in frames], 0.4)
    assert np.allclose(G, Q, atol=1e-13)
    assert np.allclose(S[:, 0], expected, atol=1e-13)


def algorithm_5(C, q):
    """Cubic spline surface joint over one patch: C holds six 4 x 4 matrices of control values."""
    e = np.eye(6)[[3, 4, 5, 0, 1, 2]]  # eq. 62
    p = [[powers(x) for powers in POWERS] for x in q]

    def f(k, a, b):  # derivatives a and b times by the two coordinates, eq. 61
        return p[0][a] @ BASIS.T @ C[k] @ BASIS @ p[1][b]

    first = [lambda k: f(k, 1, 0), lambda k: f(k, 0, 1)]
    second = [[lambda k: f(k, 2, 0), lambda k: f(k, 1, 1)], [lambda k: f(k, 1, 1), lambda k: f(k, 0, 2)]]
    Q = expm(hat(e[0] * f(0, 0, 0)))
    S = [e[0] * first[i](0) for i in range(2)]
    dS = [[e[0] * second[i][j](0) for j in range(2)] for i in range(2)]
    for k in range(1, 6):
        Qk = expm(hat(e[k] * f(k, 0, 0)))
        Q, Adk = Q @ Qk, Ad(np.linalg.inv(Qk))
        for i in range(2):
            adi = ad(S[i])
            for j in range(2):
                dS[i][j] = e[k] * second[i][j](k) + Adk @ (dS[i][j] + adi @ e[k] * first[j](k))
            S[i] = e[k] * first[i](k) + Adk @ S[i]
    return Q, np.stack(S, axis=1), np.array(dS)


def test_spline_surface_algorithm_5():
    """[RM section 5.3, alg. 5], [RM eq. 60], [RM eq. 62, 63], [RM eq. 63]"""
    values = 0.5 * RNG.normal(size=(6, 5, 6))
    joint = joints.SplineSurface(values)
    for q in RNG.uniform(0, 1, (8, 2)) * [2, 3]:
        i, j = int(q[0]), int(q[1])
        Q, S, dS = algorithm_5(values[:, i : i + 4, j : j + 4], q - [i, j])
        qd = RNG.normal(size=2)
        G, ours, c = parts(joint, q, qd)
        assert np.allclose(G, Q, atol=1e-14)
        assert np.allclose(ours, S, atol=1e-13)
        assert np.allclose(c, np.einsum("ijk,i,j->k", dS, qd, qd), atol=1e-12)
